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
  /// How files begin that a signature may agree with, or nil when every one has to be asked.
  let firstBytes: FirstBytes?
  /// Whether names identify files of a format that has no signature.
  private let isNamed: Bool

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
    isNamed = !known.allSatisfy(\.extensions.isEmpty)
    firstBytes = isNamed ? nil : FirstBytes(known.flatMap(\.signatures))
  }

  func recognize(_ source: OpenSource) throws(CoderError) -> Answer {
    if let firstBytes, let first = try source.firstEight(), firstBytes.rulesOut(first) { return .no }
    var answer = Answer.no
    for known in known {
      var recognition = Recognition.no
      for signature in known.signatures { recognition.merge(try signature.matches(source)) }
      answer = answer.merged(Answer(recognition, known.formats))
    }
    guard answer == .no, isNamed, let name = source.fileExtension else { return answer }
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

/// How files of some signatures may begin: most coders are ruled out by one look at the first eight bytes.
struct FirstBytes: Sendable {
  /// What a signature says of the first eight bytes, the first one in the lowest bits.
  private struct Look: Sendable, Hashable {
    var bytes: UInt64 = 0
    var mask: UInt64 = 0
  }

  private let looks: [Look]

  /// Nil when some signature says nothing of the first bytes.
  init?(_ signatures: [Signature]) {
    var looks: Set<Look> = []
    for signature in signatures where !signature.bytes.isEmpty {
      guard signature.offset >= 0, signature.within == 0 else { return nil }
      var look = Look()
      for (index, byte) in signature.bytes.enumerated() where signature.offset + index < Self.count {
        let shift = UInt64(8 * (signature.offset + index))
        let mask = signature.mask.isEmpty ? 0xFF : signature.mask[index]
        look.mask |= UInt64(mask) << shift
        look.bytes |= UInt64(byte & mask) << shift
      }
      guard look.mask != 0 else { return nil }
      looks.insert(look)
    }
    self.looks = Array(looks)
  }

  static let count = 8

  func rulesOut(_ first: UInt64) -> Bool {
    for look in looks where (first ^ look.bytes) & look.mask == 0 { return false }
    return true
  }
}

extension OpenSource {
  /// The first eight bytes, the first one in the lowest bits; nil as long as there are fewer.
  func firstEight() throws(CoderError) -> UInt64? {
    let prefix = try prefix(FirstBytes.count)
    guard prefix.count >= FirstBytes.count else { return nil }
    return UInt64(littleEndian: prefix.loadUnaligned(as: UInt64.self))
  }
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
