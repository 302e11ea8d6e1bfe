// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// One directory as a picture: its size, its samples, and how they lie in the file.
///
/// - Format: TIFF 6.0 §§3, 8, 15, 21.
struct TIFFPicture {
  let directory: TIFFDirectory
  private(set) var canvas: Size
  let compression: Compression
  let samples: Samples
  let orientation: Orientation
  let isTiled: Bool
  /// The size of a strip or tile.
  let strile: Size
  /// FillOrder 2.
  let isReversed: Bool
  let predictor: Int
  /// The subsampling of chroma, across and down; 1 and 1 for all other pictures.
  let subsampling: (horizontal: Int, vertical: Int)

  /// Reads what a directory says, and checks it against the limits.
  init(_ directory: TIFFDirectory, limits: Limits) throws(CoderError) {
    self.directory = directory
    guard let width = try directory.number(Tag.imageWidth), let height = try directory.number(Tag.imageLength) else {
      throw .malformed("a directory without ImageWidth or ImageLength", at: directory.offset)
    }
    canvas = Size(width: width, height: height)
    try limits.check(canvas: canvas)
    compression = Compression(code: try directory.number(Tag.compression) ?? 1)
    // The codec of JBIG ends the process when its data is not what it expects.
    guard compression != .jbig, LibTIFF.has(compression) else {
      throw .unsupported("compression \(compression.code), \(compression.name)", at: directory.offset)
    }
    let coded = compression == .oldJPEG ? try OldJPEG(directory) : nil
    samples = try Samples(directory, compression: compression, coded: coded)
    orientation = Orientation(rawValue: try directory.number(Tag.orientation) ?? 1) ?? .up
    isReversed = try directory.number(Tag.fillOrder) == 2
    let declared = try directory.number(Tag.predictor) ?? 1
    let isPredicted = compression.isPlain && compression != .packBits && compression != .none
    predictor = isPredicted ? declared : 1
    guard (1...3).contains(predictor) else { throw .unsupported("predictor \(predictor), 1 to 3 are known") }
    isTiled = directory[Tag.tileWidth] != nil
    strile = try Self.strile(directory, canvas: canvas, isTiled: isTiled, limits: limits)
    let isCoded = samples.photometric == .yCbCr && !samples.isPlanar
    if isCoded, let factors = coded?.subsampling {
      subsampling = factors
    } else {
      subsampling = try Self.subsampling(directory, samples: samples, compression: compression)
    }
    let (raster, overflow) = strile.pixelCount.multipliedReportingOverflow(by: max(1, samples.count * samples.bits / 8))
    try limits.check(memory: overflow ? .max : raster)
  }

  /// Bytes of the picture's rows that come out of a codec for any bytes; 0 with others, whose work goes by the pixels.
  var inflatedBytes: Int {
    guard [.lzw, .adobeDeflate, .deflate, .lzma, .zstd, .pixarLog].contains(compression) else { return 0 }
    let (bits, overflow) = canvas.width.multipliedReportingOverflow(by: samples.count * samples.bits)
    let (bytes, overflows) = (bits / 8 + 1).multipliedReportingOverflow(by: canvas.height)
    return overflow || overflows ? .max : bytes
  }

  private static func strile(
    _ directory: TIFFDirectory, canvas: Size, isTiled: Bool, limits: Limits
  ) throws(CoderError) -> Size {
    if isTiled {
      guard let width = try directory.number(Tag.tileWidth), let height = try directory.number(Tag.tileLength),
        width > 0, height > 0
      else { throw .malformed("tiles without a size", at: directory.offset) }
      let size = Size(width: width, height: height)
      let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
      guard !overflow, width <= 1 << 20, height <= 1 << 20 else {
        throw .limitExceeded(.maxPixels, found: overflow ? .max : pixels, allowed: limits.maxPixels, what: "a tile of")
      }
      // A tile may be larger than the picture, but not beyond all measure.
      guard pixels <= max(limits.maxPixels, 1 << 16) else {
        throw .limitExceeded(.maxPixels, found: pixels, allowed: limits.maxPixels, what: "a tile of pixels,")
      }
      return size
    }
    let rows = try directory.number(Tag.rowsPerStrip) ?? canvas.height
    guard rows > 0 else { throw .malformed("0 rows per strip, it must be at least 1", at: directory.offset) }
    return Size(width: canvas.width, height: min(rows, canvas.height))
  }

  /// TIFF 6.0 §21: YCbCrSubSampling, 2 and 2 when it is missing. JPEG says it in its own header.
  private static func subsampling(
    _ directory: TIFFDirectory, samples: Samples, compression: Compression
  ) throws(CoderError) -> (horizontal: Int, vertical: Int) {
    guard samples.photometric == .yCbCr else { return (1, 1) }
    let stated = try directory.numbers(Tag.yCbCrSubsampling, limit: 2) ?? [2, 2]
    guard stated.count == 2 else { throw .malformed("one YCbCrSubSampling, 2 are needed", at: directory.offset) }
    let (horizontal, vertical) = (Int(clamping: stated[0]), Int(clamping: stated[1]))
    guard [1, 2, 4].contains(horizontal), [1, 2, 4].contains(vertical) else {
      throw .malformed("chroma subsampling \(horizontal), \(vertical); 1, 2 and 4 are allowed", at: directory.offset)
    }
    guard !samples.isPlanar || (horizontal == 1 && vertical == 1) else {
      throw .unsupported("planar YCbCr with subsampling \(horizontal), \(vertical)")
    }
    guard samples.count == 3 else { throw .unsupported("YCbCr with \(samples.count) samples") }
    return (horizontal, vertical)
  }

  /// The same of a part of the picture, which begins where a strip or tile does.
  func part(_ size: Size) -> TIFFPicture {
    var part = self
    part.canvas = size
    return part
  }

  /// How often the picture's area is covered by strips or tiles: once, or once for each sample.
  var planes: Int { samples.isPlanar ? samples.count : 1 }
  /// Strips or tiles of one plane side by side, and rows of them.
  var across: Int { (canvas.width + strile.width - 1) / strile.width }
  var down: Int { (canvas.height + strile.height - 1) / strile.height }

  /// A tag that a codec reads by itself: what it says, and its bytes.
  func codecTag(_ tag: Int) throws(CoderError) -> (entry: TIFFDirectory.Entry, bytes: [UInt8])? {
    guard let entry = directory[tag], entry.length > 0 else { return nil }
    guard entry.length <= 1 << 20 else {
      throw .malformed("tag \(tag) of \(entry.length) bytes, 1048576 at most", at: directory.offset)
    }
    return (entry, try directory.bytes(of: entry))
  }

  /// Whether pixels of another directory are the same picture, smaller: the same samples and the same shape.
  func isSmaller(_ other: TIFFPicture) -> Bool {
    guard other.canvas.width < canvas.width, other.canvas.height <= canvas.height,
      other.samples.pixelFormat == samples.pixelFormat, other.samples.alphaMode == samples.alphaMode,
      other.samples.photometric.colorModel == samples.photometric.colorModel, other.orientation == orientation
    else { return false }
    // Within a pixel: |w′ × h − h′ × w| ≤ max(w, h).
    let cross =
      Double(other.canvas.width) * Double(canvas.height) - Double(other.canvas.height) * Double(canvas.width)
    return abs(cross) <= Double(max(canvas.width, canvas.height))
  }

  /// Whether the file keeps every sample. JPEG never does; LERC and WebP may.
  var isLossless: Bool {
    switch compression {
    case .jpeg, .oldJPEG, .webP, .lerc, .pixarLog, .sgiLog, .sgiLog24: false
    default: true
    }
  }
}
