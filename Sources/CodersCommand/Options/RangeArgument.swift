// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Which values become black and white, on the command line: `auto`, `percentile=1`, `-20,3000`.
struct RangeArgument: DescribedArgument {
  let range: SampleRange

  /// What `percentile` alone leaves out at either end.
  private static let usualShare = 2.0

  init?(argument: String) {
    let word = "percentile"
    if argument == "auto" {
      range = .extremes
    } else if argument == word {
      range = .percentile(Self.usualShare)
    } else if argument.hasPrefix(word + "="), let share = Double(argument.dropFirst(word.count + 1)),
      (0..<50).contains(share)
    {
      range = .percentile(share)
    } else {
      let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
      guard numbers.count == 2, numbers.allSatisfy(\.isFinite), numbers[0] < numbers[1] else { return nil }
      range = .values(numbers[0], numbers[1])
    }
  }

  static func allowed(for text: String) -> String {
    "a range is auto, percentile, percentile=N below 50, or MIN,MAX with the lesser number first, not \(text)"
  }
}
