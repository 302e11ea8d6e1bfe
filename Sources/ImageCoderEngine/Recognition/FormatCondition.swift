// SPDX-License-Identifier: Apache-2.0

/// What has to hold of a file beside a signature for it to be of a format that is a kind of another one.
package enum FormatCondition: Sendable, Equatable {
  /// Further bytes.
  case bytes(FormatSignature)
  /// The major or a compatible brand of an ISO base media file is one of these.
  case brand([Brand])
  /// A TIFF file has a tag.
  case tag(TagCondition)

  /// Bits that a condition counts as if it is no signature.
  package static let strength = 32

  /// Whether it holds, as far as the file's bytes are there.
  func recognition<File: RecognizableBytes>(of file: File) throws(File.Failure) -> Recognition {
    switch self {
    case .bytes(let signature): try signature.recognition(of: file)
    case .brand(let brands): try Brand.recognition(of: file, brands)
    case .tag(let condition): try condition.recognition(of: file)
    }
  }

  /// What an explanation calls it; nil for bytes, whose bits it counts.
  package var words: String? {
    switch self {
    case .bytes: nil
    case .brand: "a brand"
    case .tag(let condition): "tag \(condition.tag)"
    }
  }
}

/// The bytes of a file, as far as they are there.
package protocol RecognizableBytes {
  associatedtype Failure: Error
  /// How many bytes the file has, or nil while more of them are to come.
  var knownSize: Int? { get }
  /// The bytes at an offset: `count` of them, or as many as are there; valid until the next call.
  func bytes(at offset: Int, count: Int) throws(Failure) -> UnsafeRawBufferPointer
}

extension RecognizableBytes {
  /// What bytes that are not there say: the file ends before them, or they are still to come.
  func missing(upTo end: Int) -> Recognition { knownSize == nil ? .needMore(bytes: end) : .no }
}

/// The first bytes of a file, beyond which nobody can look.
package struct FilePrefix: RecognizableBytes {
  private let bytes: UnsafeRawBufferPointer
  private let isComplete: Bool

  package init(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) {
    self.bytes = bytes
    self.isComplete = isComplete
  }

  package var knownSize: Int? { isComplete ? bytes.count : nil }

  package func bytes(at offset: Int, count: Int) throws(Never) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset).prefix(count))
  }
}

/// Four characters that say how an ISO base media file is to be read.
///
/// - Format: ISO/IEC 14496-12 §4.3.
package struct Brand: Sendable, Equatable {
  let code: UInt32

  /// Nil for a text that has not four characters of ASCII.
  package init?(_ text: String) {
    guard text.utf8.count == 4, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    code = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// How much of the first box is looked at: more brands than any file has.
  private static let mostBytes = 4 << 10
  private static let fileType: UInt32 = 0x6674_7970  // "ftyp"
  /// Size, type and major brand.
  private static let headBytes = 12

  static func recognition<File: RecognizableBytes>(
    of file: File, _ brands: [Brand]
  ) throws(File.Failure) -> Recognition {
    let bytes = try file.bytes(at: 0, count: mostBytes)
    guard bytes.count >= headBytes else { return .needMore(bytes: headBytes) }
    guard bytes.bigEndian(at: 4) == fileType else { return .no }
    let end = min(Int(bytes.bigEndian(at: 0)), mostBytes)
    for place in stride(from: 8, through: min(end, bytes.count) - 4, by: 4) where place != 12 {
      let code = bytes.bigEndian(at: place)
      if brands.contains(where: { $0.code == code }) { return .yes(strength: FormatCondition.strength) }
    }
    // A file that ends inside its first box is cut, not unknown.
    return end > bytes.count ? .needMore(bytes: end) : .no
  }
}

extension UnsafeRawBufferPointer {
  /// Four bytes that have to be there.
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
