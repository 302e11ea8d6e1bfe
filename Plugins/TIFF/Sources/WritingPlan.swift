// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// How pages are compressed, and in which layouts they are taken: what the options of a caller come to.
struct WritingPlan {
  let compression: Compression
  let usesPredictor: Bool
  /// The side of tiles, or 0.
  let tile: Int
  let bigTIFF: TIFFOption.BigTIFF
  let level: Int32
  /// 0 to 100, of JPEG and WebP.
  let quality: Int
  let isLossless: Bool
  let subsampling: Subsampling

  init(_ options: WriteOptions) throws(CoderError) {
    compression = options[TIFFOption.compression].compression
    guard LibTIFF.has(compression) else { throw .unsupported("this libtiff cannot write \(compression.name)") }
    usesPredictor = options[TIFFOption.predictor]
    tile = (options[TIFFOption.tile] + 15) / 16 * 16
    bigTIFF = options[TIFFOption.bigTIFF]
    let level = options[TIFFOption.level]
    // libtiff's own 9 of Zstandard makes files 1 % smaller in four times the time.
    let usual: Int32 = compression == .zstd ? 3 : -1
    self.level = level == 0 ? usual : Int32(compression == .adobeDeflate ? min(level, 9) : level)
    quality = Int((options[TIFFOption.quality] * 100).rounded())
    isLossless = options.isLossless
    subsampling = options[TIFFOption.subsampling]
    guard !isLossless || compression != .jpeg else {
      throw .unsupported("lossless was asked for, JPEG loses something")
    }
  }

  /// The nearest layout that the compression takes.
  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    let alpha = wanted.alpha == .premultiplied ? .straight : wanted.alpha
    let hasAlpha = alpha != .opaque
    switch compression {
    case .group4: return PixelLayout(.gray8, .opaque)
    case .jpeg: return PixelLayout(wanted.format.isGray ? .gray8 : .rgb8, .opaque)
    case .webP:
      if isLossless, hasAlpha { throw .unsupported("lossless WebP with alpha: libtiff changes hidden colors") }
      return PixelLayout(hasAlpha ? .rgba8 : .rgb8, alpha)
    default:
      switch wanted.format {
      case .bgra8: return PixelLayout(.rgba8, alpha)
      case .rgbaFloat16: return PixelLayout(.rgbaFloat32, alpha)
      default: return PixelLayout(wanted.format, alpha)
      }
    }
  }

  /// How a page of a size and layout is compressed.
  func page(_ pixels: PixelView) -> ctiff_page {
    var page = page(pixels.size, layout: pixels.layout)
    page.pixels = pixels.base.assumingMemoryBound(to: UInt8.self)
    page.stride = UInt64(clamping: pixels.stride)
    return page
  }

  /// A page whose pixels are to come.
  func page(_ size: Size, layout: PixelLayout) -> ctiff_page {
    let hasAlpha = layout.format.hasAlpha && layout.alpha != .opaque
    let colors = layout.format.isGray ? 1 : 3
    var page = ctiff_page()
    page.width = UInt32(clamping: size.width)
    page.height = UInt32(clamping: size.height)
    page.pixel_bytes = UInt32(layout.format.bytesPerPixel)
    page.samples = UInt32(colors + (hasAlpha ? 1 : 0))
    page.bits = compression == .group4 ? 1 : UInt32(layout.format.bytesPerChannel * 8)
    page.sample_format = UInt32(layout.format.isFloat ? CTIFF_FLOAT : CTIFF_UNSIGNED)
    page.has_alpha = hasAlpha ? 1 : 0
    let photometric: Photometric =
      compression == .group4
      ? .minIsWhite : colors == 1 ? .minIsBlack : compression == .jpeg ? .yCbCr : .rgb
    page.photometric = UInt32(photometric.rawValue)
    page.compression = UInt32(compression.code)
    let canPredict = [.lzw, .adobeDeflate, .zstd].contains(compression) && usesPredictor
    page.predictor = canPredict ? (layout.format.isFloat ? 3 : 2) : 1
    page.level = level
    page.quality = UInt32(max(0, min(100, quality)))
    page.is_lossless = isLossless ? 1 : 0
    let factors = factors
    page.subsampling = UInt32(factors.horizontal << 4 | factors.vertical)
    setStriles(of: &page, vertical: factors.vertical)
    return page
  }

  /// As YCbCrSubSampling has it.
  var factors: (horizontal: Int, vertical: Int) {
    switch subsampling {
    case .s422: (2, 1)
    case .s420: (2, 2)
    case .s440: (1, 2)
    case .s411: (4, 1)
    default: (1, 1)
    }
  }

  /// Raw bytes of a strip: enough for threads and codecs to be at work, few enough to be read one by one.
  private static let stripBytes = 256 << 10

  private func setStriles(of page: inout ctiff_page, vertical: Int) {
    if tile > 0 {
      page.is_tiled = 1
      page.strile_width = UInt32(tile)
      page.strile_height = UInt32(tile)
    } else {
      let row = max(1, (Int(page.width) * Int(page.samples) * Int(page.bits) + 7) / 8)
      let rows = max(1, Self.stripBytes / row)
      // A row of JPEG's blocks is 8 or 16 rows, and G4 is better the longer it goes on.
      let whole = compression == .jpeg ? (rows + 15) / 16 * 16 : compression == .group4 ? Int(page.height) : rows
      page.strile_width = page.width
      page.strile_height = UInt32(clamping: min(whole, Int(page.height)))
    }
    page.across = (page.width + page.strile_width - 1) / page.strile_width
    page.down = UInt32((UInt64(page.height) + UInt64(page.strile_height) - 1) / UInt64(page.strile_height))
  }
}
