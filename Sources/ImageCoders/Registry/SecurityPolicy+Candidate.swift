// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension SecurityPolicy {
  /// Why a coder may not read a file, as the end of a sentence, or nil if it may.
  ///
  /// - Parameter formats: Those that the coder says the file may have.
  func refusal(_ candidate: Candidate, _ formats: [ImageFormat]) -> String? {
    if let coders, !coders.value.contains(candidate.id) {
      return "and \(candidate.id) may not be used (set by \(coders.words))"
    }
    let possible = formats.isEmpty ? candidate.formats : formats
    if let allowed = self.formats, allowed.value.isDisjoint(with: possible) {
      return "which may not be read (set by \(allowed.words))"
    }
    return nil
  }
}
