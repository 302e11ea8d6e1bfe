// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A device-independent bitmap in a source: its header, its palette, and where its pixels are.
public struct Bitmap: Sendable {
  public let header: BitmapHeader
  public let size: Size
  /// Colors as blue, green and red from the lowest byte on, and opaque. Empty for pixels that are no indexes.
  public let palette: [UInt32]
  /// Where pixels begin in the source.
  public let pixelOffset: Int
  /// Bytes of a row that hold pixels, and from one row to the next: rows are padded to four bytes.
  public let rowBytes: Int
  public let stride: Int
  /// Bytes from the first pixel to the last row's last, of pixels that are not compressed.
  public let pixelBytes: Int
  let masks: PixelMasks?

  /// Finds a bitmap's palette and pixels.
  ///
  /// - Parameters:
  ///   - height: Rows of the picture, where they are not those of the header.
  ///   - alphaIsUsual: Whether the fourth byte of BI_RGB of 32 bits is alpha, as in icons.
  ///   - stated: Where the file says that pixels begin, or nil when they follow the palette. An offset inside the
  ///     header, or where the palette's first color is, does not count, nor one after the end of a file that has room
  ///     for the pixels after the palette.
  /// - Throws: ``CoderError/Code/limitExceeded``; ``CoderError/Code/truncated`` when the palette is cut.
  public init(
    _ header: BitmapHeader, height: Int? = nil, alphaIsUsual: Bool = false, pixelsAt stated: Int?,
    in source: SourceView, limits: Limits
  ) throws(CoderError) {
    self.header = header
    size = Size(width: header.width, height: height ?? header.height)
    try limits.check(canvas: size)
    // Both sides are below 2³² and a pixel has at most 64 bits: a row's bytes are far from overflow, rows may be not.
    rowBytes = (header.width &* header.bitCount &+ 7) >> 3
    stride = (rowBytes &+ 3) & ~3
    let (bytes, isTooLarge) = stride.multipliedReportingOverflow(by: size.height &- 1)
    let (all, isStillTooLarge) = bytes.addingReportingOverflow(rowBytes)
    guard !isTooLarge, !isStillTooLarge else { throw .unsupported("a bitmap of \(size) pixels") }
    pixelBytes = all
    masks = alphaIsUsual && header.bitCount == 32 && header.compression == .none ? .bgra : PixelMasks(header)

    let start = header.offset &+ header.byteCount &+ header.trailingMaskBytes
    let entryBytes = header.version == .os2Version1 ? 3 : 4
    let possible = header.bitCount > 0 && header.bitCount <= 8 ? 1 << header.bitCount : 0
    // What is more than a 16-bit index could use is no number of colors.
    let isStated = header.statedColors > 0 && header.statedColors <= 65_536
    let colors = isStated ? header.statedColors : possible
    let behindPalette = start &+ colors &* entryBytes
    let first = possible > 0 ? start &+ entryBytes : start
    var room = Int.max
    if let stated, stated >= first, stated < source.size || behindPalette > source.size &- min(all, source.size) {
      pixelOffset = stated
      // A palette ends where pixels begin.
      room = (stated &- start) / entryBytes
    } else {
      pixelOffset = behindPalette
    }
    let count = min(possible, colors, room)
    guard count > 0 else {
      palette = []
      return
    }
    let entries = try source.bytes(at: start, count: count &* entryBytes, of: "the palette")
    palette = (0..<count).map { index in
      let place = index &* entryBytes
      return UInt32(entries[place]) | UInt32(entries[place &+ 1]) << 8 | UInt32(entries[place &+ 2]) << 16 | 0xFF00_0000
    }
  }

  /// Whether pixels are runs, which have to be read from the first one on.
  public var isCompressed: Bool {
    switch header.compression {
    case .none, .bitFields: false
    default: true
    }
  }

  /// Whether the bitmap is a whole file of another format (BI_JPEG, BI_PNG).
  public var isEmbedded: Bool { header.compression == .jpeg || header.compression == .png }

  public var hasPalette: Bool { header.bitCount <= 8 && !isEmbedded }

  /// Whether every color that an index can stand for is gray; an index after the palette's end is black.
  public var isGray: Bool {
    hasPalette
      && palette.allSatisfy { color in
        let gray = color & 0xFF
        return color & 0xFF_FFFF == gray | gray << 8 | gray << 16
      }
  }

  /// Whether pixels state alpha.
  public var hasAlpha: Bool { header.bitCount == 64 || (masks?.alpha ?? 0) != 0 }

  /// Whether samples have more than 8 bits.
  public var isDeep: Bool { header.bitCount == 64 || (masks?.widest ?? 0) > 8 }

  /// Bits of the widest sample; a palette's have 8.
  public var bitsPerChannel: Int { header.bitCount == 64 ? 16 : masks.map { max(1, $0.widest) } ?? 8 }

  /// The color of each of so many indexes.
  func colors(_ count: Int) -> [UInt32] {
    palette + [UInt32](repeating: 0xFF00_0000, count: max(0, count - palette.count))
  }

  /// Whether rows come from the bottom up.
  var isBottomUp: Bool { !header.isTopDown }

  /// The row of the picture that a row of the file is, or the other way round.
  func flipped(_ row: Int) -> Int { isBottomUp ? size.height &- 1 &- row : row }
}

extension Bitmap {
  /// The layout in which pixels can be delivered that is nearest to what is wanted.
  ///
  /// - Parameter isOpaque: Whether every pixel is.
  public func layout(for wanted: PixelFormat?, isOpaque: Bool) -> PixelLayout {
    let native = native(isOpaque: isOpaque)
    switch wanted {
    case .rgba8, .bgra8: return PixelLayout(wanted ?? .rgba8, isOpaque ? .opaque : .straight)
    case .rgb8 where isOpaque: return PixelLayout(.rgb8, .opaque)
    default: return native
    }
  }

  /// The narrowest layout that holds every pixel.
  public func native(isOpaque: Bool) -> PixelLayout {
    if isDeep { return PixelLayout(.rgba16, isOpaque ? .opaque : .straight) }
    if !isOpaque { return PixelLayout(.rgba8, .straight) }
    return PixelLayout(isGray ? .gray8 : .rgb8, .opaque)
  }
}
