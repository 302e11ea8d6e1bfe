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
    let signatures: [Signature]
    /// Identify a file without a signature.
    let extensions: [String]
  }

  private let known: [Known]
  /// First bytes of files that a signature may agree with, or nil when every one has to be asked.
  private let firstBytes: FirstBytes?

  /// Enough for nearly every signature, and no more than one small read.
  static let prefixBytes = 4 << 10

  init(_ manifest: Manifest) {
    self.init(
      manifest.formats.map {
        Known(formats: [$0.format], signatures: $0.signatures, extensions: $0.signatures.isEmpty ? $0.extensions : [])
      })
  }

  init(_ container: any Container) {
    self.init([Known(formats: container.formats, signatures: container.signatures, extensions: [])])
  }

  private init(_ known: [Known]) {
    self.known = known
    firstBytes = known.allSatisfy(\.extensions.isEmpty) ? FirstBytes(known.flatMap(\.signatures)) : nil
  }

  /// Whether the first byte of a file alone says that it is none of these formats.
  func rulesOut(first: UInt8) -> Bool { firstBytes.map { !$0.contains(first) } ?? false }

  func recognize(_ source: OpenSource) throws(CoderError) -> Answer {
    if let firstBytes, let first = try source.prefix(1).first, !firstBytes.contains(first) { return .no }
    var answer = Answer.no
    for known in known {
      var recognition = Recognition.no
      for signature in known.signatures { recognition.merge(try signature.matches(source)) }
      answer = answer.merged(Answer(recognition, known.formats))
    }
    guard answer == .no, let name = source.fileExtension else { return answer }
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

/// The bytes with which files of some signatures may begin: most coders are ruled out by one look at them.
private struct FirstBytes: Sendable {
  private var words = SIMD4<UInt64>.zero

  /// Nil when some signature says nothing of the first byte.
  init?(_ signatures: [Signature]) {
    for signature in signatures {
      guard signature.offset == 0, signature.within == 0, let byte = signature.bytes.first,
        signature.mask.first ?? 0xFF == 0xFF
      else { return nil }
      words[Int(byte) >> 6] |= 1 << UInt64(byte & 63)
    }
  }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte) >> 6] >> UInt64(byte & 63) & 1 != 0 }
}

extension Signature {
  /// Compares with an open source, and looks at its end for a signature that is there.
  fileprivate func matches(_ source: OpenSource) throws(CoderError) -> Recognition {
    if offset < 0 {
      // The end of what arrives is known when all is there.
      guard source.size < .max else { return .needMore(bytes: .max) }
      guard source.size >= -offset else { return .no }
      let tail = try source.view(at: source.size + offset, count: -offset)
      return Signature(bytes, at: 0, mask: mask).matches(tail, isComplete: true)
    }
    let prefix = try source.prefix(max(FormatRecognizer.prefixBytes, reach))
    // A file that ends inside the bytes that would decide is cut, not unknown.
    return matches(prefix, isComplete: false)
  }
}
