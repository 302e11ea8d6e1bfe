// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

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
  /// The order is that of ``CandidateRank``.
  init(
    _ source: OpenSource, among all: [Candidate], priority: (Candidate) -> Int, allowed: Set<ImageFormat>?,
    explains: Bool
  ) throws(CoderError) {
    var matches: [(candidate: Candidate, rank: CandidateRank)] = []
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
        matches.append((candidate, CandidateRank(candidate, priority: priority, strength: strength)))
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
    matches.sort { $0.rank < $1.rank }
    candidates = matches.map(\.candidate)
    bytesNeeded = needed
    self.steps = steps
  }
}
