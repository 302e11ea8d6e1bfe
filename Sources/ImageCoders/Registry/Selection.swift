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
    /// No signature of any coder matches, and the coder's library looked at the bytes.
    case asked
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

/// A coder that recognizes a file.
private struct Match {
  let candidate: Candidate
  /// The formats that the file may have, as the coder says.
  let formats: [ImageFormat]
  /// Bits of the signature that agree; 0 if only the file's name does.
  let strength: Int

  init(_ candidate: Candidate, _ formats: [ImageFormat], strength: Int) {
    self.candidate = candidate
    self.formats = formats
    self.strength = strength
  }

  /// - Parameter bundled: Formats of the bundled coders that recognize the file.
  func rank(_ source: OpenSource, _ registry: RegistryState, bundled: Set<ImageFormat>) -> CandidateRank {
    CandidateRank(
      candidate, preference: registry.preference(candidate, reading: formats), priority: registry.priority(candidate),
      yields: candidate.isStranger && !bundled.isDisjoint(with: formats), strength: strength,
      isNamed: source.fileExtension.map(candidate.extensions.contains) ?? false)
  }

  func explanation(_ registry: RegistryState) -> String {
    let how = strength == 0 ? "by the file's extension" : "by \(strength) bits of its signature"
    let preferred = formats.first { registry.preference(candidate, reading: [$0]) != nil }
    return "\(how), priority \(registry.priority(candidate))\(preferred.map { ", preferred for \($0)" } ?? "")"
  }
}

/// The order in which coders are tried for a file, and why.
struct Selection {
  /// Coders that recognize the file, first to last.
  private(set) var candidates: [(candidate: Candidate, formats: [ImageFormat])] = []
  /// The first coder that recognizes the file and may not read it, and why.
  private(set) var refused: (candidate: Candidate, reason: String)?
  /// The smallest number of bytes that could still decide, when the file is too short for that. A coder that looks at
  /// the end of the file is waited for only while no other one agrees.
  private(set) var bytesNeeded: Int?
  private(set) var steps: [SelectionStep] = []

  /// Orders candidates for a file.
  ///
  /// The order is that of ``CandidateRank``. Coders whose libraries look at files are asked only if no signature agrees,
  /// so that no library is loaded for the files of others.
  ///
  /// - Parameters:
  ///   - only: The identifier of the only coder, or nil for all.
  ///   - load: Returns a candidate's coder.
  init(
    _ source: OpenSource, among registry: RegistrySnapshot, only: String?, allowed: Set<ImageFormat>?,
    explains: Bool, load: (Candidate) throws(SkipReason) -> any ImageCoder
  ) throws(CoderError) {
    var matches: [Match] = []
    var asked: [Candidate] = []
    var needed: Int?
    // Nearly every coder is out after a look; only an explanation names it.
    let isQuick = !explains && only == nil
    let possible: UInt64 =
      try isQuick ? registry.state.signatures.coders(beginning: source.prefix(SignatureTable.prefixBytes)) : .max
    for index in registry.state.candidates.indices {
      if index < possible.bitWidth, possible >> UInt64(index) & 1 == 0 { continue }
      let candidate = registry.state.candidates[index]
      guard candidate.canRead, only == nil || candidate.id == only else { continue }
      let answer = try candidate.recognizer.recognize(source, by: registry.state.signatures, at: index)
      if let allowed, allowed.isDisjoint(with: candidate.formats) {
        if case .yes = answer.recognition { refused = refused ?? (candidate, "which the caller does not allow") }
        if explains { note(candidate, .notAllowed, "the caller allows other formats only") }
        continue
      }
      if registry.refusesCoders, let reason = registry.state.policy.refusal(candidate, answer.formats) {
        if case .yes = answer.recognition { refused = refused ?? (candidate, reason) }
        if explains { note(candidate, .notAllowed, reason) }
        continue
      }
      if candidate.isAsked { asked.append(candidate) }
      switch answer.recognition {
      case .yes(let strength):
        let match = Match(candidate, answer.formats, strength: strength)
        matches.append(match)
        if explains { note(candidate, .identified, match.explanation(registry.state)) }
      case .needMore(let bytes):
        needed = min(needed ?? bytes, bytes)
        if explains {
          note(
            candidate, .needMore,
            bytes == .max ? "the end of the file would decide" : "agrees so far, \(bytes) bytes would decide")
        }
      case .no: if explains { note(candidate, .noMatch, "no signature agrees") }
      }
    }
    // Bytes that are still to come may agree with a signature.
    let isUndecided = !source.isComplete && needed ?? .max < .max
    if !asked.isEmpty, !isUndecided, matches.allSatisfy({ $0.strength == 0 }), try !source.prefix(1).isEmpty {
      for candidate in asked {
        guard let answer = try ask(candidate, source, load, explains: explains) else { continue }
        switch answer {
        case .yes(let strength):
          matches.removeAll { $0.candidate === candidate }
          // A look at the bytes says more than the file's name.
          matches.append(Match(candidate, candidate.askedFormats, strength: max(1, strength)))
        case .needMore(let bytes): needed = min(needed ?? bytes, bytes)
        // Its own look at the file counts more than the file's name.
        case .no: matches.removeAll { $0.candidate === candidate }
        }
      }
    }
    bytesNeeded = needed == .max && !matches.isEmpty ? nil : needed
    guard matches.count > 1 else {
      candidates = matches.map { ($0.candidate, $0.formats) }
      return
    }
    // With no more than priorities to go by, their order is often that in which they are.
    if registry.state.preferredReaders.isEmpty,
      zip(matches, matches.dropFirst()).allSatisfy({ one, next in
        registry.state.priority(one.candidate) > registry.state.priority(next.candidate)
      })
    {
      candidates = matches.map { ($0.candidate, $0.formats) }
      return
    }
    let bundled = Set(matches.filter(\.candidate.isBundled).flatMap(\.formats))
    candidates = matches.map { ($0, $0.rank(source, registry.state, bundled: bundled)) }
      .sorted { $0.1 < $1.1 }.map { ($0.0.candidate, $0.0.formats) }
  }

  /// What a coder says of the file, or nil if it cannot be loaded.
  private mutating func ask(
    _ candidate: Candidate, _ source: OpenSource, _ load: (Candidate) throws(SkipReason) -> any ImageCoder,
    explains: Bool
  ) throws(CoderError) -> Recognition? {
    let coder: any ImageCoder
    do throws(SkipReason) { coder = try load(candidate) } catch {
      if explains { note(candidate, .failed, "\(error.code.rawValue): \(error.message)") }
      return nil
    }
    let answer = try Candidate.ask(coder, source)
    if explains {
      switch answer {
      case .yes: note(candidate, .asked, "its library recognizes the file")
      case .needMore(let bytes): note(candidate, .asked, "its library needs \(bytes) bytes to decide")
      case .no: note(candidate, .asked, "its library does not recognize the file")
      }
    }
    return answer
  }

  private mutating func note(_ candidate: Candidate, _ code: SelectionStep.Code, _ message: String) {
    steps.append(SelectionStep(coder: candidate.id, code: code, message: message))
  }
}
