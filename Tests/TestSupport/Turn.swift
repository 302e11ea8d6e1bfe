// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Suites with many rows of one kind, which take minutes. `.ci/run` runs a quarter of them a day: CODERS_TURN says which. Without
/// it, each run has them all.
package enum Turn {
  /// 0 to 3; nil for all rows.
  private static let current = getenv("CODERS_TURN").flatMap { Int(String(cString: $0)) }

  /// The rows whose turn it is: every fourth one, so that each turn has some of each kind.
  package static func rows<Row>(_ all: [Row]) -> [Row] { rows(all, in: current) }

  /// - Parameter turn: 0 to 3; nil for all rows.
  package static func rows<Row>(_ all: [Row], in turn: Int?) -> [Row] {
    guard let turn else { return all }
    precondition((0..<4).contains(turn), "CODERS_TURN is \(turn), and not 0, 1, 2 or 3")
    return stride(from: turn, to: all.count, by: 4).map { all[$0] }
  }
}
