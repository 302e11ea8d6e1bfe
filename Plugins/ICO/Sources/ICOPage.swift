// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin

/// A picture of an icon: a bitmap, or a whole PNG file.
enum ICOPage {
  case bitmap(IconBitmapDecoder)
  case png(PNGEntry)
  case failed(CoderError)

  init(_ entry: ICODirectory.Entry, in source: SourceView, host: CoderHost) {
    do throws(CoderError) {
      guard try !source.view(at: entry.offset, least: 1, most: 1).isEmpty else {
        throw .truncated("a picture at \(entry.offset) of a file of \(source.size) bytes", at: source.size)
      }
      if try PNGEntry.begins(at: entry.offset, in: source) {
        self = .png(try PNGEntry(entry, in: source, limits: host.limits))
      } else {
        self = .bitmap(
          try IconBitmapDecoder(
            at: entry.offset, count: entry.byteCount, stated: entry.size, in: source, host: host))
      }
    } catch {
      self = .failed(error)
    }
  }

  /// Whether a picture may be there. One that is cut, or too large for the limits, is.
  var isPicture: Bool {
    guard case .failed(let error) = self else { return true }
    return error.code == .truncated || error.code == .limitExceeded
  }

  /// The size that the picture itself states, or nil when it is not known.
  var size: Size? {
    switch self {
    case .bitmap(let decoder): decoder.bitmap.size
    case .png(let png): png.size
    case .failed: nil
    }
  }

  /// Bits of a pixel, or nil when they are not known.
  var bitCount: Int? {
    switch self {
    case .bitmap(let decoder): decoder.bitmap.header.bitCount
    case .png(let png): png.bitCount
    case .failed: nil
    }
  }
}

/// A PNG file in an icon, as far as its first chunk tells (PNG Third Edition, §5.2 and §11.2.1).
struct PNGEntry {
  let range: Range<Int>
  let size: Size
  let depth: Int
  let bitCount: Int
  let hasPalette: Bool
  /// Whether the directory says more bytes than there are.
  let isTruncated: Bool

  /// The signature and the first chunk.
  private static let headerBytes = 33
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Whether a PNG file is there, or what a cut left of its signature.
  static func begins(at offset: Int, in source: SourceView) throws(CoderError) -> Bool {
    let bytes = [UInt8](copying: try source.bytes(at: offset, count: signature.count))
    return !bytes.isEmpty && bytes.elementsEqual(signature.prefix(bytes.count))
  }

  init(_ entry: ICODirectory.Entry, in source: SourceView, limits: Limits) throws(CoderError) {
    let header = try source.reader(at: entry.offset, count: Self.headerBytes, of: "the PNG header")
    // The chunk's checksum has to be there too.
    _ = try header.bytes(at: 0, count: Self.headerBytes, "IHDR")
    let colorType = try header.uint8(at: 25, "the color type")
    guard header.has("IHDR", at: 12) else {
      throw .malformed("a PNG picture whose first chunk is not IHDR", at: entry.offset &+ 12)
    }
    size = Size(width: Int(try header.uint32(at: 16)), height: Int(try header.uint32(at: 20)))
    try limits.check(canvas: size)
    depth = max(1, min(16, Int(try header.uint8(at: 24))))
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(colorType)] ?? 4
    bitCount = channels &* depth
    hasPalette = colorType == 3
    // A length of nothing says nothing: the file ends by itself.
    if entry.byteCount < Self.headerBytes, source.size == .max { _ = try source.contents() }
    let end = entry.byteCount < Self.headerBytes ? source.size : entry.offset &+ entry.byteCount
    isTruncated = end > source.size
    range = entry.offset..<min(end, source.size)
  }
}
