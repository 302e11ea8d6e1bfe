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
  /// All their signatures, or nil when a file has to be held against each by itself.
  private let table: SignatureTable?
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
    table = SignatureTable(known.map(\.signatures), most: Self.prefixBytes)
  }

  /// How files begin that a signature may agree with, or nil when every one has to be asked.
  var beginnings: [FileBeginning]? { isNamed ? nil : FileBeginning.all(of: known.flatMap(\.signatures)) }

  func recognize(_ source: OpenSource) throws(CoderError) -> Answer {
    if let table {
      let prefix = try source.prefix(Self.prefixBytes)
      if prefix.count >= table.reach {
        switch table.look(at: prefix) {
        case .no: return named(source)
        case .yes(let strength, let index): return Answer(.yes(strength: strength), known[index].formats)
        case .several: break
        }
      }
    }
    return try recognizeEach(source)
  }

  /// The same, by one signature after the other.
  private func recognizeEach(_ source: OpenSource) throws(CoderError) -> Answer {
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

/// What a signature says of a file's first eight bytes, the first one in the lowest bits: most coders are ruled out by one
/// look at them.
struct FileBeginning: Sendable, Equatable {
  private(set) var bytes: UInt64 = 0
  private(set) var mask: UInt64 = 0

  static let count = 8

  /// Those of some signatures, or nil when one of them says nothing of the first bytes.
  static func all(of signatures: [Signature]) -> [FileBeginning]? {
    // Few, and a set would make the runtime look for what it needs of its elements.
    var all: [FileBeginning] = []
    for signature in signatures where !signature.bytes.isEmpty {
      guard signature.offset >= 0, signature.within == 0 else { return nil }
      var beginning = FileBeginning()
      for (index, byte) in signature.bytes.enumerated() where signature.offset + index < count {
        let shift = UInt64(8 * (signature.offset + index))
        let mask = signature.mask.isEmpty ? 0xFF : signature.mask[index]
        beginning.mask |= UInt64(mask) << shift
        beginning.bytes |= UInt64(byte & mask) << shift
      }
      guard beginning.mask != 0 else { return nil }
      if !all.contains(beginning) { all.append(beginning) }
    }
    return all
  }

  /// What it says of the byte at a place, and of which of its bits.
  func byte(at place: Int) -> (byte: UInt8, mask: UInt8) {
    (UInt8(truncatingIfNeeded: bytes >> UInt64(8 * place)), UInt8(truncatingIfNeeded: mask >> UInt64(8 * place)))
  }
}

/// The beginnings of the files of all coders of a registry.
///
/// A file is looked up by three of its bytes, each by itself: what that leaves is few enough to be asked.
struct FileBeginnings: Sendable {
  /// Bytes that tell formats apart; boxes and chunks have their type from the fifth on.
  private static let places = [0, 1, 4]
  /// For each of the places and each byte, the coders whose files may have it there, as bits.
  private let coders: [UInt64]

  /// - Parameter coders: How files of each may begin, or nil when it has to be asked.
  init(_ coders: [[FileBeginning]?]) {
    var table = [UInt64](repeating: 0, count: Self.places.count << 8)
    for (row, place) in Self.places.enumerated() {
      /// Those of which any byte may stand there.
      var any: UInt64 = 0
      for (index, beginnings) in coders.prefix(UInt64.bitWidth).enumerated() {
        let bit: UInt64 = 1 << UInt64(index)
        guard let beginnings else {
          any |= bit
          continue
        }
        for beginning in beginnings {
          switch beginning.byte(at: place) {
          case (_, 0): any |= bit
          case (let byte, 0xFF): table[row << 8 | Int(byte)] |= bit
          case (let byte, let mask):
            for other in 0...UInt8.max where (other ^ byte) & mask == 0 { table[row << 8 | Int(other)] |= bit }
          }
        }
      }
      for byte in 0..<256 { table[row << 8 | byte] |= any }
    }
    self.coders = table
  }

  /// The coders whose files may begin so, as bits; those from the 65th on are not among them, and may all.
  func coders(of first: UInt64) -> UInt64 {
    coders[Int(first & 0xFF)] & coders[1 << 8 | Int(first >> 8 & 0xFF)] & coders[2 << 8 | Int(first >> 32 & 0xFF)]
  }
}

extension OpenSource {
  /// The first eight bytes, the first one in the lowest bits; nil as long as there are fewer.
  func firstEight() throws(CoderError) -> UInt64? {
    let prefix = try prefix(FileBeginning.count)
    guard prefix.count >= FileBeginning.count else { return nil }
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
