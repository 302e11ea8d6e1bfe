// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Recognizes files of a coder's formats by their signatures, or by their names.
struct FormatRecognizer: Sendable {
  /// Whether a file is of one of the formats, and of which.
  struct Answer: Sendable, Equatable {
    let recognition: Recognition
    /// The formats of the strongest signature that agrees; all that it may be while that is not known.
    let formats: [ImageFormat]

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

  init(_ manifest: Manifest) {
    self.init(
      manifest.formats.map {
        Known(formats: [$0.format], signatures: $0.signatures, extensions: $0.signatures.isEmpty ? $0.extensions : [])
      })
  }

  /// - Parameter signatures: Of files of any of the formats.
  init(_ formats: [ImageFormat], signatures: [FormatSignature]) {
    self.init([Known(formats: formats, signatures: signatures, extensions: [])])
  }

  private init(_ known: [Known]) {
    self.known = known
    isNamed = !known.allSatisfy(\.extensions.isEmpty)
  }

  /// The signatures of formats that are told apart.
  var signatures: [[FormatSignature]] { known.map(\.signatures) }

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
    for known in known {
      var recognition = Recognition.no
      for signature in known.signatures { recognition.merge(try signature.matches(source)) }
      answer = answer.merged(Answer(recognition, known.formats))
    }
    return answer == .no ? named(source) : answer
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

extension FormatSignature {
  /// Compares with an open source, and looks at its end for a signature that is there.
  fileprivate func matches(_ source: OpenSource) throws(CoderError) -> Recognition {
    if offset < 0 {
      // The end of what arrives is known when all is there.
      guard source.size < .max else { return .needMore(bytes: .max) }
      guard source.size >= -offset else { return .no }
      let tail = try source.view(at: source.size + offset, count: -offset)
      return FormatSignature(bytes, at: 0, mask: mask).matches(tail, isComplete: true)
    }
    let prefix = try source.prefix(max(SignatureTable.prefixBytes, reach))
    // A file that ends inside the bytes that would decide is cut, not unknown.
    return matches(prefix, isComplete: false)
  }
}
