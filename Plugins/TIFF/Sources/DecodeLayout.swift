// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// Everything that decoding a picture needs to know, ready for C.
struct DecodeLayout {
  private var picture = ctiff_picture()
  private let codec: [UInt8]
  private let striles: Striles
  private let palette: [UInt8]
  /// The strips or tiles that are decoded, in pixels of the picture, made smaller: all of them unless a part is wanted.
  let part: Rect

  /// - Parameters:
  ///   - reduction: How many times smaller the picture becomes, as ``TIFFPicture/canReduce(by:)`` allows.
  ///   - wanted: The part that is needed, in pixels of the smaller picture and inside it, or nil for all of it.
  ///   - isTopDown: Whether rows have to come one after the other.
  ///   - isInks: Whether pixels are four inks.
  init(
    _ whole: TIFFPicture, reduction: Int = 1, wanted: Rect? = nil, output: PixelFormat, isTopDown: Bool,
    isInks: Bool = false, limits: Limits
  ) throws(CoderError) {
    var tiff = whole
    let samples = tiff.samples
    let isRaw = tiff.compression == .none
    let isLosslessJPEG = try tiff.isLosslessJPEG()
    let convertsYCbCr =
      samples.photometric == .yCbCr && tiff.compression == .jpeg && !isLosslessJPEG && !samples.isPlanar
    // Chroma that is not subsampled lies in blocks of three samples, which are pixels.
    let hasBlocks = samples.photometric == .yCbCr && !convertsYCbCr && !samples.isPlanar
    picture.strile_width = UInt32(clamping: tiff.strile.width)
    picture.output = output.rawValue
    picture.bits = UInt32(samples.bits)
    picture.sample_format = UInt32(samples.number.rawValue)
    picture.samples = UInt32(samples.count)
    picture.alpha = isInks ? -1 : Int32(samples.alpha ?? -1)
    let isSubsampled = hasBlocks && !isLosslessJPEG
    picture.horizontal = isSubsampled ? UInt32(tiff.subsampling.horizontal) : 1
    picture.vertical = isSubsampled ? UInt32(tiff.subsampling.vertical) : 1
    picture.kind = Self.kind(samples, hasBlocks: hasBlocks, convertsYCbCr: convertsYCbCr)
    picture.directory = UInt64(tiff.directory.offset)
    picture.flags = Self.flags(tiff, isTopDown: isTopDown, convertsYCbCr: convertsYCbCr)
    if isInks { picture.flags |= UInt32(CTIFF_INKS) }
    if isLosslessJPEG { picture.flags |= UInt32(CTIFF_LOSSLESS_JPEG) }
    if picture.kind == UInt32(CTIFF_LAB) { picture.sample_format = UInt32(CTIFF_UNSIGNED) }
    if samples.photometric == .logL || samples.photometric == .logLuv {
      picture.bits = 8
      picture.sample_format = UInt32(CTIFF_UNSIGNED)
      picture.samples = samples.photometric == .logL ? 1 : 3
    }
    try Self.setColor(of: tiff, in: &picture)
    let rowBytes = Self.rowBytes(picture, isPlanar: samples.isPlanar)
    var striles: Striles
    if tiff.compression == .oldJPEG {
      striles = try Striles(oldJPEG: tiff)
    } else {
      striles = try Striles(tiff, rowBytes: rowBytes, rowsPerUnit: Int(picture.vertical))
    }
    var columns = 0..<tiff.across
    var rows = 0..<striles.down
    let cell = Size(width: tiff.strile.width / reduction, height: striles.height / reduction)
    // Old JPEG's codec finds its bytes by itself. Where there is one strip or tile, its sides need be no multiples.
    if let wanted, tiff.compression != .oldJPEG {
      if columns.count > 1 { columns = Self.cells(of: cell.width, from: wanted.x, count: wanted.width, in: columns) }
      if rows.count > 1 { rows = Self.cells(of: cell.height, from: wanted.y, count: wanted.height, in: rows) }
    }
    let reduced = tiff.reduced(by: reduction)
    part = Rect(
      x: columns.lowerBound * cell.width, y: rows.lowerBound * cell.height,
      width: Self.length(columns, of: cell.width, in: reduced.width, isLast: columns.upperBound == tiff.across),
      height: Self.length(rows, of: cell.height, in: reduced.height, isLast: rows.upperBound == striles.down))
    if part.size != reduced {
      tiff = tiff.part(
        Size(
          width: Self.length(
            columns, of: tiff.strile.width, in: tiff.canvas.width, isLast: columns.upperBound == tiff.across),
          height: Self.length(
            rows, of: striles.height, in: tiff.canvas.height, isLast: rows.upperBound == striles.down)))
      striles.keep(columns: columns, rows: rows, of: whole)
    }
    self.striles = striles
    picture.width = UInt32(clamping: tiff.canvas.width)
    picture.height = UInt32(clamping: tiff.canvas.height)
    picture.across = UInt32(clamping: columns.count)
    picture.strile_height = UInt32(clamping: striles.height)
    picture.down = UInt32(clamping: striles.down)
    picture.reduction = UInt32(reduction)
    if reduction > 1 { Self.reduce(&picture, canvas: part.size) }
    palette = samples.photometric == .palette ? try Self.palette(tiff.directory, bits: samples.bits) : []
    if reduction > 1 || isLosslessJPEG {
      codec = try tiff.codecTag(Tag.jpegTables)?.bytes ?? []
    } else {
      codec = isRaw || tiff.compression == .oldJPEG ? [] : try Self.codec(tiff, striles: striles)
    }
    // As many threads as the memory allows, in strips or tiles, and no more than use it.
    let strile = max(1, ctiff_strile_bytes(&picture)) * UInt64(reduction * reduction)
    let budget = UInt64(clamping: min(limits.maxMemory / 8, 128 << 20))
    picture.workers = UInt32(clamping: min(8, max(1, budget / strile)))
  }

  /// Calls `body` with the picture as C sees it, whose pointers are valid during the call.
  func withPicture<Result>(_ body: (inout ctiff_picture) -> Result) -> Result {
    codec.withUnsafeBufferPointer { codec in
      palette.withUnsafeBufferPointer { palette in
        striles.offsets.withUnsafeBufferPointer { offsets in
          striles.lengths.withUnsafeBufferPointer { lengths in
            var picture = picture
            picture.codec = codec.baseAddress
            picture.codec_length = UInt64(codec.count)
            picture.palette = palette.baseAddress
            picture.palette_length = UInt64(palette.count)
            picture.offsets = offsets.baseAddress
            picture.lengths = lengths.baseAddress
            picture.strile_count = UInt64(min(offsets.count, lengths.count))
            return body(&picture)
          }
        }
      }
    }
  }

  /// Which cells of a row or column of them some pixels are in.
  private static func cells(of side: Int, from first: Int, count: Int, in all: Range<Int>) -> Range<Int> {
    let cells = (first / side)..<((first + count + side - 1) / side)
    return cells.clamped(to: all)
  }

  /// Pixels of some cells, of which the last may reach beyond the picture.
  private static func length(_ cells: Range<Int>, of side: Int, in whole: Int, isLast: Bool) -> Int {
    isLast ? whole - cells.lowerBound * side : cells.count * side
  }

  /// Makes all sizes those of a smaller picture. Strips and tiles stay as many as they are.
  private static func reduce(_ picture: inout ctiff_picture, canvas: Size) {
    let factor = picture.reduction
    (picture.coded_width, picture.coded_height) = (picture.strile_width, picture.strile_height)
    picture.width = UInt32(clamping: canvas.width)
    picture.height = UInt32(clamping: canvas.height)
    picture.strile_width = (picture.strile_width + factor - 1) / factor
    picture.strile_height = (picture.strile_height + factor - 1) / factor
  }

  private static func kind(_ samples: Samples, hasBlocks: Bool, convertsYCbCr: Bool) -> UInt32 {
    switch samples.photometric {
    case .minIsWhite, .minIsBlack, .mask, .logL: UInt32(CTIFF_GRAY)
    case .rgb, .logLuv: UInt32(CTIFF_RGB)
    case .palette: UInt32(CTIFF_PALETTE)
    case .separated: UInt32(CTIFF_CMYK)
    case .yCbCr: UInt32(convertsYCbCr ? CTIFF_RGB : CTIFF_YCBCR)
    case .cieLab, .iccLab, .ituLab: UInt32(CTIFF_LAB)
    }
  }

  private static func flags(_ tiff: TIFFPicture, isTopDown: Bool, convertsYCbCr: Bool) -> UInt32 {
    let samples = tiff.samples
    var flags = 0
    if tiff.isTiled { flags |= Int(CTIFF_TILED) }
    if samples.isPlanar { flags |= Int(CTIFF_PLANAR) }
    if samples.photometric == .minIsWhite { flags |= Int(CTIFF_INVERTED) }
    if tiff.compression == .none { flags |= Int(CTIFF_RAW) }
    let isSwapped = tiff.directory.file.order != .native
    if tiff.compression == .none, isSwapped { flags |= Int(CTIFF_SWAPPED) }
    if tiff.isReversed { flags |= Int(CTIFF_REVERSED) }
    if tiff.compression == .oldJPEG { flags |= Int(CTIFF_OLD_JPEG) }
    // Of these alone it is known what they leave unwritten when they say that all is well.
    let mayLeaveOut = !tiff.compression.isPlain && tiff.compression != .jpeg && tiff.compression != .oldJPEG
    if mayLeaveOut { flags |= Int(CTIFF_CLEARED) }
    if [.adobeDeflate, .deflate, .pixarLog].contains(tiff.compression) { flags |= Int(CTIFF_DEFLATE) }
    if tiff.compression == .jpeg { flags |= Int(CTIFF_STRICT) }
    if convertsYCbCr { flags |= Int(CTIFF_JPEG) }
    if tiff.compression.isLog { flags |= Int(CTIFF_LOG) }
    if isTopDown { flags |= Int(CTIFF_TOP_DOWN) }
    return UInt32(flags)
  }

  private static func rowBytes(_ picture: ctiff_picture, isPlanar: Bool) -> Int {
    let width = Int(picture.strile_width)
    if picture.kind == UInt32(CTIFF_YCBCR), !isPlanar {
      let (across, down) = (Int(picture.horizontal), Int(picture.vertical))
      return (width + across - 1) / across * (across * down + Int(picture.samples) - 1)
    }
    return (width * (isPlanar ? 1 : Int(picture.samples)) * Int(picture.bits) + 7) / 8
  }

  private static func setColor(of tiff: TIFFPicture, in picture: inout ctiff_picture) throws(CoderError) {
    let directory = tiff.directory
    // TIFF 6.0 §21: ITU-R BT.601 and full range when nothing is said; libtiff has the same defaults.
    let luma = try directory.reals(Tag.yCbCrCoefficients, limit: 3).flatMap { $0.count == 3 ? $0 : nil }
    let reference = try directory.reals(Tag.referenceBlackWhite, limit: 6).flatMap { $0.count == 6 ? $0 : nil }
    let coefficients = (luma ?? [0.299, 0.587, 0.114]).map { Float($0) }
    let range = (reference ?? [0, 255, 128, 255, 128, 255]).map { Float($0) }
    picture.luma = (coefficients[0], coefficients[1], coefficients[2])
    picture.reference = (range[0], range[1], range[2], range[3], range[4], range[5])
    let top: Float = tiff.samples.bits == 8 ? 255 : 65_535
    let unit: Float = tiff.samples.bits == 8 ? 1 : 256
    switch tiff.samples.photometric {
    case .iccLab:
      // TIFF Technical Note, ICC L*a*b*: a* and b* are offset by half, L* of 16 bits ends at FF00.
      let whole: Float = tiff.samples.bits == 8 ? 255 : 65_280
      picture.lab_scale = (100 / whole, 1 / unit, 1 / unit)
      picture.lab_start = (0, -128, -128)
    case .ituLab:
      // TIFF-FX (RFC 2301) §5.2.3: the default Decode of ITULAB.
      picture.lab_scale = (100 / top, 170 / top, 200 / top)
      picture.lab_start = (0, -170 * 128 / 255, -200 * 96 / 255)
    default:
      // TIFF 6.0 §23: a* and b* are signed, which is a flipped sign bit away from an offset.
      picture.lab_flip = tiff.samples.bits == 8 ? 0x80 : 0x8000
      picture.lab_scale = (100 / top, 1 / unit, 1 / unit)
      picture.lab_start = (0, -128, -128)
    }
  }

  /// ColorMap as bytes (TIFF 6.0 §5): 16-bit samples, of which some writers filled the lower half alone.
  private static func palette(_ directory: TIFFDirectory, bits: Int) throws(CoderError) -> [UInt8] {
    let count = 1 << bits
    guard let stored = try directory.numbers(Tag.colorMap, limit: 3 * count) else {
      throw .malformed("a palette picture without ColorMap", at: directory.offset)
    }
    guard stored.count >= 3 else { throw .malformed("a ColorMap of \(stored.count) numbers, \(3 * count) are needed") }
    let entries = stored.count / 3
    let isNarrow = stored.allSatisfy { $0 < 256 }
    var palette = [UInt8](repeating: 0, count: 3 * count)
    for index in 0..<min(entries, count) {
      for channel in 0..<3 {
        let value = stored[channel * entries + index]
        palette[3 * index + channel] = UInt8(truncatingIfNeeded: isNarrow ? value : value >> 8)
      }
    }
    return palette
  }

  /// The directory for libtiff, with the tags of the codec's own.
  private static func codec(_ tiff: TIFFPicture, striles: Striles) throws(CoderError) -> [UInt8] {
    var codec = CodecDirectory(tiff, striles: striles.offsets.count)
    if tiff.compression == .jpeg, tiff.samples.photometric == .yCbCr {
      // libtiff refuses JPEG whose own header has another subsampling than the directory.
      let found = try tiff.directory.jpegHead(at: striles.offsets.first { $0 != 0 } ?? 0)
      codec.setSubsampling(found.map { ($0.horizontal, $0.vertical) } ?? tiff.subsampling)
    }
    let own: [Int] =
      switch tiff.compression {
      case .group3: [Tag.group3Options]
      case .group4: [Tag.group4Options]
      case .jpeg: [Tag.jpegTables]
      case .lerc: [Tag.lercParameters]
      default: []
      }
    for tag in own {
      guard let found = try tiff.codecTag(tag) else { continue }
      codec.add(tag, type: found.entry.type, count: found.entry.count, value: found.bytes)
    }
    return codec.file
  }
}
