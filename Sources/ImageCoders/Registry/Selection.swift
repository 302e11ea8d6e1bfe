// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// One step in the choice of a coder; `coders probe --explain` prints these steps.
public struct SelectionStep: Sendable, Equatable {
  /// The coder that the step is about, or nil if it is about the file.
  public let coder: String?
  /// The kind of step.
  public let code: Code
  /// The reason or the result, in a few words for a person.
  public let message: String

  /// What happened. Stable, as `coders probe --explain --json` prints it.
  public enum Code: String, Sendable, CaseIterable {
    /// A signature or the file's name matches.
    case identified
    /// A signature matches so far; the file is too short to decide.
    case needMore = "need_more"
    /// None of the coder's signatures matches.
    case noMatch = "no_match"
    /// The caller allows none of the coder's formats.
    case notAllowed = "not_allowed"
    /// The coder could not be loaded, or did not accept the file.
    case failed
    /// The next coder is tried because one failed.
    case fallback
    /// The coder accepted the file.
    case chosen
  }
}

/// The order in which coders are tried for a file, and why.
struct Selection {
  /// Coders whose signatures agree, first to last.
  let candidates: [Candidate]
  /// The first coder that recognizes the file and may not read it.
  let refused: Candidate?
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
    var refused: Candidate?
    for candidate in all where candidate.canRead {
      let answer = try candidate.recognize(source)
      if let allowed, allowed.isDisjoint(with: candidate.formats) {
        if case .yes = answer { refused = refused ?? candidate }
        if explains {
          steps.append(
            SelectionStep(coder: candidate.id, code: .notAllowed, message: "the caller allows other formats only"))
        }
        continue
      }
      switch answer {
      case .yes(let strength):
        let priority = priority(candidate)
        let isNamed = source.fileExtension.map(candidate.extensions.contains) ?? false
        matches.append((candidate, CandidateRank(candidate, priority: priority, strength: strength, isNamed: isNamed)))
        if explains {
          let how = strength == 0 ? "by the file's extension" : "by \(strength) bits of its signature"
          steps.append(
            SelectionStep(coder: candidate.id, code: .identified, message: "\(how), priority \(priority)"))
        }
      case .needMore(let bytes):
        needed = min(needed ?? bytes, bytes)
        if explains {
          steps.append(
            SelectionStep(
              coder: candidate.id, code: .needMore, message: "agrees so far, \(bytes) bytes would decide"))
        }
      case .no:
        if explains {
          steps.append(SelectionStep(coder: candidate.id, code: .noMatch, message: "no signature agrees"))
        }
      }
    }
    matches.sort { $0.rank < $1.rank }
    candidates = matches.map(\.candidate)
    bytesNeeded = needed
    self.refused = refused
    self.steps = steps
  }
}
