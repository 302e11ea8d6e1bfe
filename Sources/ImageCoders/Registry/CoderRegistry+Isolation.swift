// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension CoderRegistry {
  /// How coders of these formats are isolated: as set, and at least as the policy and the variable `CODERS_ISOLATION` ask
  /// for.
  func isolation(of formats: [ImageFormat]) -> IsolationOfCode {
    let snapshot = snapshot()
    return snapshot.isolation ?? snapshot.state.isolation(of: formats)
  }

  /// How a plugin or a coder that is built in is isolated, or nil if the identifier is unknown.
  package func isolation(of id: String) -> Isolation? {
    snapshot().state.candidates.first { $0.id == id }.flatMap { candidate in
      candidate.entry.map(isolation(of: candidate.formats).of)
    }
  }

  /// Whether the user or the program named a coder for files of these formats: preferred it, gave it a priority, or
  /// registered it.
  func isNamed(_ candidate: Candidate, _ formats: [ImageFormat]) -> Bool {
    let state = snapshot().state
    return candidate.entry == nil || state.priorities[candidate.id] != nil
      || state.preference(candidate, reading: formats) != nil
  }
}
