// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Names of chunks (PNG Third Edition §5.4 and §11).
extension FourCC {
  static let ihdr = FourCC("IHDR")
  static let plte = FourCC("PLTE")
  static let idat = FourCC("IDAT")
  static let iend = FourCC("IEND")
  static let actl = FourCC("acTL")
  static let fctl = FourCC("fcTL")
  static let fdat = FourCC("fdAT")
  static let bkgd = FourCC("bKGD")
  static let chrm = FourCC("cHRM")
  static let cicp = FourCC("cICP")
  static let exif = FourCC("eXIf")
  static let gama = FourCC("gAMA")
  static let mdcv = FourCC("mDCV")
  static let clli = FourCC("cLLI")
  /// Names of the same chunks in drafts of the Third Edition, which encoders wrote until 2024.
  static let draftMDCV = FourCC("mDCv")
  static let draftCLLI = FourCC("cLLi")
  static let iccp = FourCC("iCCP")
  static let itxt = FourCC("iTXt")
  static let phys = FourCC("pHYs")
  static let cabx = FourCC("caBX")
  static let srgb = FourCC("sRGB")
  static let text = FourCC("tEXt")
  static let time = FourCC("tIME")
  static let trns = FourCC("tRNS")
  static let ztxt = FourCC("zTXt")
  /// The first chunk of what Apple's tools make of PNG for devices; not PNG.
  static let cgbi = FourCC("CgBI")

  /// Whether all four are ASCII letters.
  var isChunkName: Bool {
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
}

/// A chunk's header and where it lies. The chunk may reach beyond the end of the file.
struct Chunk {
  /// The offset of the length field.
  let offset: Int
  /// Bytes of data: at most 2³¹ − 1.
  let length: Int
  let name: FourCC
  /// The first four bytes of the data as a number, or nil when there are fewer in the chunk or in the file.
  let lead: UInt32?

  var dataOffset: Int { offset + 8 }
  /// After the CRC.
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
  /// The offset of the next chunk.
  private(set) var offset: Int

  init(_ source: SourceView, from offset: Int) {
    self.source = source
    self.offset = offset
  }

  mutating func next() throws(CoderError) -> Step {
    var reader = try source.reader(at: offset, count: 12, of: "a chunk")
    guard reader.count >= 8 else { return .end }
    let length = try reader.uint32("the length")
    let name = try reader.fourCC("the name")
    guard name.isChunkName else {
      return .damage(.malformed("a chunk name of \(hex(name.rawValue)), four letters are needed", at: offset + 4))
    }
    guard length <= 0x7FFF_FFFF else {
      return .damage(.malformed("a \(name) chunk of \(length) bytes, at most 2147483647 are allowed", at: offset))
    }
    let lead = length >= 4 && reader.remaining == 4 ? try reader.uint32("data") : nil
    let chunk = Chunk(offset: offset, length: Int(length), name: name, lead: lead)
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
    // Name, data and CRC.
    let reader = try source.reader(at: chunk.offset + 4, count: chunk.length + 8, of: "a chunk")
    guard reader.count == chunk.length + 8 else {
      self = .cut
      return
    }
    // The CRC covers the name and the data (PNG Third Edition §5.3).
    let crc = LibPNG.crc(try reader.bytes(at: 0, count: chunk.length + 4))
    let stored = try reader.uint32(at: chunk.length + 4)
    guard crc == stored else {
      self = .damaged(
        CoderError(
          code: .checksumMismatch, message: "\(chunk.name) with CRC \(hex(crc)), \(hex(stored)) is stored",
          offset: chunk.offset))
      return
    }
    self = .data(try ArrayMemory.copy(reader.bytes(at: 4, count: chunk.length), for: "metadata"))
  }
}

/// A number as messages show bytes: `0x00ff12ab`.
func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}
