// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A format that a file's bytes agree with.
struct FormatMatch: Sendable, Equatable {
  /// Several if the coder does not tell them apart.
  let formats: [ImageFormat]
  /// The bits that agree.
  let strength: Int
  /// What holds beside the signature.
  var conditions: [FormatCondition] = []
}

/// Recognizes files of a coder's formats by their signatures, or by their names.
struct FormatRecognizer: Sendable {
  /// Whether a file is of one of the formats, and of which.
  struct Answer: Sendable, Equatable {
    let recognition: Recognition
    /// The formats of the strongest signature that agrees; all that it may be while that is not known.
    let formats: [ImageFormat]
    /// Every format that agrees, of a coder some of whose formats are kinds of others; else empty.
    var matches: [FormatMatch] = []
    /// How many bytes would decide about further formats of a coder that agrees.
    var needed: Int?

    static let no = Answer(.no, [])

    init(_ recognition: Recognition, _ formats: [ImageFormat]) {
      self.recognition = recognition
      self.formats = formats
    }
  }

  /// What tells some formats, which have it in common.
  private struct Known: Sendable {
    let formats: [ImageFormat]
    let signatures: [FormatSignature]
    /// Identify a file without a signature.
    let extensions: [String]
  }

  private let known: [Known]
  /// Whether names identify files of a format that has no signature.
  let isNamed: Bool
  /// The formats that formats of the coder are kinds of.
  let refined: Set<ImageFormat>
  /// Whether a signature has conditions.
  let hasConditions: Bool

  init(_ manifest: Manifest) {
    self.init(
      manifest.formats.map {
        // The name of a kind of another format counts only where that one agrees.
        let isNamed = $0.signatures.isEmpty && $0.refines.isEmpty
        return Known(formats: [$0.format], signatures: $0.signatures, extensions: isNamed ? $0.extensions : [])
      }, refined: Set(manifest.formats.flatMap(\.refines)))
  }

  /// - Parameter signatures: Of files of any of the formats.
  init(_ formats: [ImageFormat], signatures: [FormatSignature]) {
    self.init([Known(formats: formats, signatures: signatures, extensions: [])], refined: [])
  }

  private init(_ known: [Known], refined: Set<ImageFormat>) {
    self.known = known
    self.refined = refined
    isNamed = !known.allSatisfy(\.extensions.isEmpty)
    hasConditions = known.contains { $0.signatures.contains { !$0.conditions.isEmpty } }
  }

  /// The signatures of formats that are told apart.
  var signatures: [[FormatSignature]] { known.map(\.signatures) }

  /// Whether a file may agree with several formats, of which not the strongest signature decides.
  ///
  /// - Parameter refined: The formats that formats of any coder are kinds of.
  func listsMatches(refined: Set<ImageFormat>) -> Bool {
    hasConditions
      || known.count > 1
        && (!self.refined.isEmpty || known.contains { !refined.isDisjoint(with: $0.formats) })
  }

  /// - Parameters:
  ///   - table: Of the registry that the coder belongs to.
  ///   - coder: Its place in the table.
  func recognize(_ source: OpenSource, by table: SignatureTable, at coder: Int) throws(CoderError) -> Answer {
    switch table.look(at: try source.prefix(SignatureTable.prefixBytes), for: coder) {
    case .no: named(source)
    case .yes(let strength, let format): Answer(.yes(strength: strength), known[format].formats)
    case .undecided: try compareEach(source)
    }
  }

  /// The same, by one signature after the other.
  private func compareEach(_ source: OpenSource) throws(CoderError) -> Answer {
    var answer = Answer.no
    var matches: [FormatMatch] = []
    var needed: Int?
    for known in known {
      var recognition = Recognition.no
      var conditions: [FormatCondition] = []
      for signature in known.signatures {
        let before = recognition
        let found = try signature.recognition(of: source)
        recognition.merge(found)
        if case .yes = found, recognition != before { conditions = signature.conditions }
      }
      switch recognition {
      case .yes(let strength):
        matches.append(FormatMatch(formats: known.formats, strength: strength, conditions: conditions))
      case .needMore(let bytes): needed = min(needed ?? bytes, bytes)
      case .no: break
      }
      answer = answer.merged(Answer(recognition, known.formats))
    }
    if answer == .no { return named(source) }
    answer.matches = matches
    answer.needed = needed
    return answer
  }

  /// What the name of a file says that no signature knows.
  private func named(_ source: OpenSource) -> Answer {
    guard isNamed, let name = source.fileExtension else { return .no }
    let named = known.filter { $0.extensions.contains(name) }.flatMap(\.formats)
    return named.isEmpty ? .no : Answer(.yes(strength: 0), named)
  }
}

extension FormatRecognizer.Answer {
  /// The stronger of two answers, or both where they are equal.
  fileprivate func merged(_ other: Self) -> Self {
    if other.recognition == .no { return self }
    var both = recognition
    both.merge(other.recognition)
    if recognition == other.recognition { return Self(both, formats + other.formats) }
    return Self(both, both == other.recognition ? other.formats : formats)
  }
}
