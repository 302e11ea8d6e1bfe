// SPDX-License-Identifier: Apache-2.0

import ImageCoderCore

/// One step of a choice, for people: `coders probe --explain` prints them.
public struct SelectionStep: Sendable, Equatable {
  /// The coder that the step is about, or nil when it is about the file.
  public let coder: String?
  /// Stable: `identified`, `need_more`, `no_match`, `not_allowed`, `skipped`, `opened`, `failed`, `fallback`, `chosen`.
  public let code: String
  public let message: String
}

/// The order in which coders are tried for a file, and why.
struct Selection {
  /// Coders whose signatures agree, first to last.
  let candidates: [Candidate]
  /// The smallest number of bytes that could still decide, when the file is too short for that.
  let bytesNeeded: Int?
  let steps: [SelectionStep]

  /// Orders candidates for a file.
  ///
  /// The order is total and does not depend on that of directories: priority, the application's later registration,
  /// strength of the signature, identifier.
  init(
    _ source: OpenSource, among all: [Candidate], priority: (Candidate) -> Int, allowed: Set<ImageFormat>?,
    explains: Bool
  ) throws(CoderError) {
    var matches: [(candidate: Candidate, priority: Int, strength: Int)] = []
    var steps: [SelectionStep] = []
    var needed: Int?
    for candidate in all where candidate.canRead {
      if let allowed, allowed.isDisjoint(with: candidate.formats) {
        if explains {
          steps.append(
            SelectionStep(coder: candidate.id, code: "not_allowed", message: "the caller allows other formats only"))
        }
        continue
      }
      switch try candidate.recognise(source) {
      case .yes(let strength):
        let priority = priority(candidate)
        matches.append((candidate, priority, strength))
        if explains {
          let how = strength == 0 ? "by the file's extension" : "by \(strength) bits of its signature"
          steps.append(
            SelectionStep(coder: candidate.id, code: "identified", message: "\(how), priority \(priority)"))
        }
      case .needMore(let bytes):
        needed = min(needed ?? bytes, bytes)
        if explains {
          steps.append(
            SelectionStep(
              coder: candidate.id, code: "need_more", message: "agrees so far, \(bytes) bytes would decide"))
        }
      case .no:
        if explains {
          steps.append(SelectionStep(coder: candidate.id, code: "no_match", message: "no signature agrees"))
        }
      }
    }
    matches.sort { first, second in
      if first.priority != second.priority { return first.priority > second.priority }
      let (one, other) = (first.candidate, second.candidate)
      if one.registration != other.registration { return one.registration > other.registration }
      if first.strength != second.strength { return first.strength > second.strength }
      return one.id < other.id
    }
    candidates = matches.map(\.candidate)
    bytesNeeded = needed
    self.steps = steps
  }
}
