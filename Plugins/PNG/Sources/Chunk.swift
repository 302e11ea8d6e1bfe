// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The four letters that name a chunk, as a big-endian number (PNG Third Edition §5.4).
struct ChunkName: RawRepresentable, Hashable, CustomStringConvertible {
  let rawValue: UInt32

  static let ihdr = ChunkName(rawValue: 0x4948_4452)
  static let plte = ChunkName(rawValue: 0x504C_5445)
  static let idat = ChunkName(rawValue: 0x4944_4154)
  static let iend = ChunkName(rawValue: 0x4945_4E44)
  static let actl = ChunkName(rawValue: 0x6163_544C)
  static let fctl = ChunkName(rawValue: 0x6663_544C)
  static let fdat = ChunkName(rawValue: 0x6664_4154)
  static let bkgd = ChunkName(rawValue: 0x624B_4744)
  static let chrm = ChunkName(rawValue: 0x6348_524D)
  static let cicp = ChunkName(rawValue: 0x6349_4350)
  static let exif = ChunkName(rawValue: 0x6558_4966)
  static let gama = ChunkName(rawValue: 0x6741_4D41)
  static let iccp = ChunkName(rawValue: 0x6943_4350)
  static let itxt = ChunkName(rawValue: 0x6954_5874)
  static let phys = ChunkName(rawValue: 0x7048_5973)
  static let srgb = ChunkName(rawValue: 0x7352_4742)
  static let text = ChunkName(rawValue: 0x7445_5874)
  static let time = ChunkName(rawValue: 0x7449_4D45)
  static let trns = ChunkName(rawValue: 0x7452_4E53)
  static let ztxt = ChunkName(rawValue: 0x7A54_5874)
  /// The first chunk of what Apple's tools make of PNG for devices; not PNG.
  static let cgbi = ChunkName(rawValue: 0x4367_4249)

  var bytes: [UInt8] { rawValue.bigEndianBytes }

  /// Whether all four are ASCII letters.
  var isValid: Bool {
    var rest = rawValue | 0x2020_2020
    for _ in 0..<4 {
      let letter = rest & 0xFF
      guard letter >= 0x61, letter <= 0x7A else { return false }
      rest >>= 8
    }
    return true
  }

  /// Whether a decoder that does not know the chunk must give up (§5.4, the ancillary bit).
  var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

  var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A chunk's header and where it lies. The chunk may reach behind the end of the file.
struct Chunk {
  /// Of the length field.
  let offset: Int
  /// Bytes of data: at most 2³¹ − 1.
  let length: Int
  let name: ChunkName
  /// The first four bytes of the data as a number, or nil when there are fewer in the chunk or in the file.
  let lead: UInt32?

  var dataOffset: Int { offset + 8 }
  /// Behind the CRC.
  var end: Int { offset + 12 + length }
}

/// Steps from chunk to chunk and looks at nothing but headers.
///
/// - Complexity: O(1) for each chunk, however long its data is.
struct ChunkWalk {
  enum Step {
    case chunk(Chunk)
    /// Fewer bytes are left than a chunk header has.
    case end
    /// The next bytes are no chunk header.
    case damage(CoderError)
  }

  let source: SourceView
  /// Of the next chunk.
  private(set) var offset: Int

  init(_ source: SourceView, from offset: Int) {
    self.source = source
    self.offset = offset
  }

  mutating func next() throws(CoderError) -> Step {
    let bytes = try source.view(at: offset, count: 12)
    guard bytes.count >= 8 else { return .end }
    let length = bytes.bigEndian32(at: 0)
    let name = ChunkName(rawValue: bytes.bigEndian32(at: 4))
    guard name.isValid else {
      return .damage(.malformed("a chunk name of \(hex(name.rawValue)), four letters are needed", at: offset + 4))
    }
    guard length <= 0x7FFF_FFFF else {
      return .damage(.malformed("a \(name) chunk of \(length) bytes, at most 2147483647 are allowed", at: offset))
    }
    let hasLead = length >= 4 && bytes.count == 12
    let chunk = Chunk(
      offset: offset, length: Int(length), name: name, lead: hasLead ? bytes.bigEndian32(at: 8) : nil)
    offset = chunk.end
    return .chunk(chunk)
  }
}

/// What reading a chunk's data comes to.
enum ChunkData {
  case data([UInt8])
  /// The file ends inside the chunk.
  case cut
  /// The CRC is wrong.
  case damaged(CoderError)
  /// Longer than the limit for metadata.
  case tooLong

  init(of chunk: Chunk, in source: SourceView, limit: Int) throws(CoderError) {
    guard chunk.length <= limit else {
      self = .tooLong
      return
    }
    let bytes = try source.view(at: chunk.offset + 4, count: chunk.length + 8)
    guard bytes.count == chunk.length + 8 else {
      self = .cut
      return
    }
    // The CRC covers the name and the data (PNG Third Edition §5.3).
    let crc = LibPNG.crc(UnsafeRawBufferPointer(rebasing: bytes[..<(chunk.length + 4)]))
    let stored = bytes.bigEndian32(at: chunk.length + 4)
    guard crc == stored else {
      self = .damaged(
        CoderError(
          code: .checksumMismatch, message: "\(chunk.name) with CRC \(hex(crc)), \(hex(stored)) is stored",
          offset: chunk.offset))
      return
    }
    self = .data([UInt8](bytes[4..<(chunk.length + 4)]))
  }
}

extension UnsafeRawBufferPointer {
  /// Four bytes, highest first. `offset + 4` lies inside the buffer.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

extension [UInt8] {
  /// Four bytes, highest first, or nil behind the end.
  func bigEndian32(at offset: Int) -> UInt32? {
    guard offset >= 0, offset <= count - 4 else { return nil }
    return UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }

  /// Two bytes, highest first, or nil behind the end.
  func bigEndian16(at offset: Int) -> UInt16? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    return UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, highest first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}

/// A number as messages show bytes: `0x00ff12ab`.
func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}
