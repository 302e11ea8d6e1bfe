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
    var looks = try Look.all(source, registry, isQuick: !explains && only == nil)
    // Also what may not be read tells what else the file may be.
    var all = registry.refines(looks) ? Look.addNamed(to: &looks, source, registry) : []
    for index in looks.indices { looks[index].filter(registry, allowed) }
    if let only { looks.removeAll { $0.candidate.id != only } }
    refused = looks.first { $0.refusal != nil && !$0.agreements.isEmpty }.map {
      ($0.candidate, $0.refusal?.reason ?? "")
    }
    var needed = looks.filter { $0.refusal == nil }.compactMap(\.bytesNeeded).min()
    let seen = explains ? looks : []
    // Bytes that are still to come may agree with a signature.
    let isUndecided = !source.isComplete && needed ?? .max < .max
    let asked = isUndecided ? [] : Look.asked(looks, agreeing: all)
    if !asked.isEmpty, try !source.prefix(1).isEmpty {
      for (index, formats) in asked {
        guard let answer = try ask(looks[index].candidate, source, load, explains: explains) else { continue }
        // Its own look at the file counts more than the file's name.
        if case .needMore(let bytes) = answer {
          needed = min(needed ?? bytes, bytes)
        } else {
          looks[index].agreements = []
        }
        guard case .yes(let strength) = answer else { continue }
        let match = FormatMatch(formats: formats, strength: max(1, strength))
        looks[index].agreements = [Agreement(looks[index].candidate, match, by: .look)]
        if !all.isEmpty { all += looks[index].agreements }
      }
    }
    let refinement = all.isEmpty ? nil : Refinement(all)
    let matches = looks.compactMap { $0.best(refinement) }
    if explains {
      let steps = seen.map { $0.step(registry.state, refinement, among: matches) }
      self.steps = steps + self.steps
    }
    bytesNeeded = needed == .max && !matches.isEmpty ? nil : needed
    candidates = Self.sorted(matches, for: source, registry).map { ($0.candidate, $0.formats) }
  }

  private static func sorted(
    _ matches: [Agreement], for source: OpenSource, _ snapshot: RegistrySnapshot
  ) -> [Agreement] {
    guard matches.count > 1 else { return matches }
    let registry = snapshot.state
    // With no more than priorities to go by, their order is often that in which they are.
    if registry.preferredReaders.isEmpty,
      zip(matches, matches.dropFirst()).allSatisfy({ one, next in
        one.depth == next.depth && registry.priority(one.candidate) > registry.priority(next.candidate)
      })
    {
      return matches
    }
    let bundled = Set(matches.filter(\.candidate.isBundled).flatMap(\.formats))
    return matches.map { ($0, $0.rank(source, registry, bundled: bundled)) }.sorted { $0.1 < $1.1 }.map(\.0)
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

extension [ImageFormat] {
  /// The format, if there is one alone.
  var only: ImageFormat? { count == 1 ? self[0] : nil }
}

extension ImageCoder {
  /// Checks values of options as the coder of a file would, which may be an application's own.
  func checkValues(of context: DecodeContext) throws(CoderError) {
    _ = try context.options.checkedValues(for: readOptions, of: context.format, coder: id)
  }
}
