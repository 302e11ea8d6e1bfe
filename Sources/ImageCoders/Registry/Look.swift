// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// What a coder says of a file by its manifest, and whether it may read it.
struct Look {
  let candidate: Candidate
  let answer: FormatRecognizer.Answer
  /// As what it recognizes the file, and may read it unless there is a ``refusal``.
  var agreements: [Agreement]
  /// Why it may not: the end of a sentence, and what an explanation says.
  private(set) var refusal: (reason: String, note: String)?

  private init(_ candidate: Candidate, _ answer: FormatRecognizer.Answer) {
    self.candidate = candidate
    self.answer = answer
    agreements = Agreement.all(candidate, answer)
  }

  /// The coders that may recognize a file, in the order of the registry.
  ///
  /// - Parameter isQuick: Whether to leave out those that a few bytes rule out.
  static func all(_ source: OpenSource, _ registry: RegistrySnapshot, isQuick: Bool) throws(CoderError) -> [Look] {
    let (candidates, signatures) = (registry.state.candidates, registry.state.signatures)
    let possible: UInt64 =
      try isQuick ? signatures.coders(beginning: source.prefix(SignatureTable.prefixBytes)) : .max
    var looks: [Look] = []
    for index in candidates.indices {
      if index < possible.bitWidth, possible >> UInt64(index) & 1 == 0 { continue }
      let candidate = candidates[index]
      guard candidate.canRead else { continue }
      looks.append(Look(candidate, try candidate.recognizer.recognize(source, by: signatures, at: index)))
    }
    return looks
  }

  /// Adds kinds of formats that only the file's name tells, where the file agrees with what they are a kind of.
  ///
  /// - Returns: All agreements.
  static func addNamed(to looks: inout [Look], _ source: OpenSource, _ registry: RegistrySnapshot) -> [Agreement] {
    var all = looks.flatMap(\.agreements)
    guard let name = source.fileExtension else { return all }
    // A kind may be what another one is a kind of: each round adds one, or is the last.
    var isOver = false
    while !isOver {
      isOver = true
      let agreed = Set(all.filter { $0.basis != .name }.flatMap(\.formats))
      for candidate in registry.state.refiners {
        for kind in candidate.refining where kind.extensions.contains(name) {
          guard let refined = kind.refines.first(where: agreed.contains),
            !all.contains(where: { $0.candidate === candidate && $0.formats.contains(kind.format) })
          else { continue }
          let match = FormatMatch(formats: [kind.format], strength: 0)
          let agreement = Agreement(candidate, match, by: .nameAndRefined(refined))
          all.append(agreement)
          isOver = false
          if let index = looks.firstIndex(where: { $0.candidate === candidate }) {
            looks[index].agreements.append(agreement)
          } else {
            var look = Look(candidate, .no)
            look.agreements = [agreement]
            looks.append(look)
          }
        }
      }
    }
    return all
  }

  /// Leaves the agreements under which the coder may read the file.
  mutating func filter(_ registry: RegistrySnapshot, _ allowed: Set<ImageFormat>?) {
    if let allowed {
      guard !allowed.isDisjoint(with: candidate.formats) else {
        refusal = ("which the caller does not allow", "the caller allows other formats only")
        return
      }
      // The header may know better than the signature, and is looked at, too.
      let named = agreements.filter { !allowed.isDisjoint(with: $0.formats) }
      if !named.isEmpty { agreements = named }
    }
    guard registry.refusesCoders else { return }
    let policy = registry.state.policy
    let permitted = agreements.filter { policy.refusal(candidate, $0.formats) == nil }
    if permitted.isEmpty, let reason = policy.refusal(candidate, agreements.first?.formats ?? answer.formats) {
      refusal = (reason, reason)
    } else {
      agreements = permitted
    }
  }

  /// How many bytes would decide whether the file is of a format of the coder, or of another one.
  var bytesNeeded: Int? {
    if case .needMore(let bytes) = answer.recognition { return bytes }
    return answer.needed
  }

  /// Coders whose libraries have to look at a file, and as what: those of a kind of a format with which the file agrees, and
  /// all others if no signature agrees.
  ///
  /// - Parameter agreeing: All agreements, or none if no format is a kind of another one.
  static func asked(_ looks: [Look], agreeing: [Agreement]) -> [(index: Int, formats: [ImageFormat])] {
    let isKnown = looks.contains { $0.refusal == nil && $0.agreements.contains { $0.strength > 0 } }
    let agreed = Set(agreeing.filter { $0.basis != .name }.flatMap(\.formats))
    var asked: [(index: Int, formats: [ImageFormat])] = []
    for (index, look) in looks.enumerated() where look.refusal == nil {
      let kinds = look.candidate.refining.filter { $0.isAsked && !agreed.isDisjoint(with: $0.refines) }
      if !kinds.isEmpty, look.agreements.isEmpty {
        asked.append((index, kinds.map(\.format)))
      } else if look.candidate.isAsked, !isKnown {
        asked.append((index, look.candidate.askedFormats))
      }
    }
    return asked
  }

  /// The agreement under which the coder reads the file, or nil if it does not.
  func best(_ refinement: Refinement?) -> Agreement? {
    guard refusal == nil else { return nil }
    return Agreement.best(of: refinement?.applied(to: agreements) ?? agreements)
  }

  /// What an explanation says.
  func step(_ registry: RegistryState, _ refinement: Refinement?, among others: [Agreement]) -> SelectionStep {
    if let refusal { return SelectionStep(coder: candidate.id, code: .notAllowed, message: refusal.note) }
    if let best = best(refinement) {
      let message = best.explanation(registry, among: others)
      return SelectionStep(coder: candidate.id, code: .identified, message: message)
    }
    guard case .needMore(let bytes) = answer.recognition else {
      return SelectionStep(coder: candidate.id, code: .noMatch, message: "no signature agrees")
    }
    let message = bytes == .max ? "the end of the file would decide" : "agrees so far, \(bytes) bytes would decide"
    return SelectionStep(coder: candidate.id, code: .needMore, message: message)
  }
}
