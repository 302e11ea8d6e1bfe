// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A coder that recognizes a file, and as what.
struct Agreement {
  /// Why the coder is held to read the file.
  enum Basis: Equatable {
    case signature
    /// The file's name has an extension of a format that has no signature.
    case name
    /// The same of a format that is a kind of another one, with which the file agrees.
    case nameAndRefined(ImageFormat)
    /// The coder's library looked at the file.
    case look
  }

  let candidate: Candidate
  /// The formats that the file may have, as the coder says.
  let formats: [ImageFormat]
  /// Bits of the signature that agree, with those of its conditions; 0 if only the file's name does.
  let strength: Int
  let conditions: [FormatCondition]
  let basis: Basis
  /// How many formats that the file agrees with lead to these, each a kind of the one before.
  var depth = 0
  /// Formats that the file agrees with and that these are a kind of.
  var refined: [ImageFormat] = []

  init(_ candidate: Candidate, _ match: FormatMatch, by basis: Basis) {
    self.candidate = candidate
    formats = match.formats
    strength = match.strength
    conditions = match.conditions
    self.basis = basis
  }

  /// What a coder says of a file by its signatures, or by the file's name.
  static func all(_ candidate: Candidate, _ answer: FormatRecognizer.Answer) -> [Agreement] {
    guard case .yes(let strength) = answer.recognition else { return [] }
    guard answer.matches.isEmpty else { return answer.matches.map { Agreement(candidate, $0, by: .signature) } }
    let match = FormatMatch(formats: answer.formats, strength: strength)
    return [Agreement(candidate, match, by: strength == 0 ? .name : .signature)]
  }

  /// Of a coder's agreements the one under which it reads the file: the deepest, then the strongest. Formats that are equal
  /// in both are one.
  static func best(of agreements: [Agreement]) -> Agreement? {
    guard let first = agreements.first else { return nil }
    guard agreements.count > 1 else { return first }
    var best = first
    for other in agreements.dropFirst() where (other.depth, other.strength) > (best.depth, best.strength) {
      best = other
    }
    let equal = agreements.filter { $0.depth == best.depth && $0.strength == best.strength }
    guard equal.count > 1 else { return best }
    let match = FormatMatch(
      formats: equal.flatMap(\.formats), strength: best.strength, conditions: equal.flatMap(\.conditions))
    var all = Agreement(best.candidate, match, by: best.basis)
    all.depth = best.depth
    for format in equal.flatMap(\.refined) where !all.refined.contains(format) { all.refined.append(format) }
    return all
  }

  /// - Parameter bundled: Formats of the bundled coders that recognize the file.
  func rank(_ source: OpenSource, _ registry: RegistryState, bundled: Set<ImageFormat>) -> CandidateRank {
    let yields = candidate.isStranger && !bundled.isDisjoint(with: formats)
    return CandidateRank(
      candidate, preference: registry.preference(candidate, reading: formats), depth: depth,
      priority: registry.priority(candidate), yields: yields,
      // Beside a bundled coder that it does not yield to, the signature decides and not what the manifest says.
      ownPriority: yields || bundled.isEmpty ? registry.ownPriority(candidate) : CatalogEntry.usualPriority,
      strength: strength, isNamed: source.fileExtension.map(candidate.extensions.contains) ?? false)
  }

  /// - Parameter others: The agreements of other coders.
  func explanation(_ registry: RegistryState, among others: [Agreement]) -> String {
    var words = [how]
    if !refined.isEmpty {
      words.append("refines \(refined.map(\.rawValue).joined(separator: " and "))")
      let later = others.filter { !Set($0.formats).isDisjoint(with: refined) && $0.candidate !== candidate }
      if !later.isEmpty { words.append("before \(later.map(\.candidate.id).joined(separator: " and "))") }
    }
    let own = registry.ownPriority(candidate)
    let ofManifest = own == CatalogEntry.usualPriority ? "" : ", and \(own) among plugins that are not bundled"
    words.append("priority \(registry.priority(candidate))\(ofManifest)")
    if let preferred = formats.first(where: { registry.preference(candidate, reading: [$0]) != nil }) {
      words.append("preferred for \(preferred)")
    }
    return words.joined(separator: ", ")
  }

  private var how: String {
    switch basis {
    case .name: return "by the file's extension"
    case .nameAndRefined(let format): return "by the file's extension, and \(format.rawValue) agrees"
    case .look: return "by its own look at the file"
    case .signature:
      let named = conditions.compactMap(\.words)
      let bits = "by \(strength - named.count * FormatCondition.strength) bits of its signature"
      return ([bits] + named).joined(separator: " and ")
    }
  }
}
