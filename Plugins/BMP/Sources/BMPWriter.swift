// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin

/// Writes BMP: 8-bit gray and palettes, 24-bit colors, 32-bit colors with alpha.
///
/// A picture without alpha and profile has BITMAPINFOHEADER, which every reader knows; alpha needs the masks of
/// BITMAPV4HEADER, and a profile BITMAPV5HEADER.
final class BMPWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let isBottomUp: Bool
  private let usesPalette: Bool
  private let usesRuns: Bool
  private var canvas: Size?
  private var isGray = false
  /// Pixels per metre, across and down: 72 dots per inch if nothing is stated.
  private var density: (x: Int32, y: Int32) = (2_835, 2_835)
  private var profile: [UInt8] = []
  private var isWritten = false

  private static let fileHeaderBytes = 14

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    isBottomUp = options[BMPOption.bottomUp]
    usesRuns = options[BMPOption.rle]
    usesPalette = options[BMPOption.palette] || usesRuns
    guard isBottomUp || !usesRuns else {
      throw .invalidArgument("rle with bottom-up off, and runs are stored from the bottom up only")
    }
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    switch wanted.format {
    case .gray8, .gray16: PixelLayout(.gray8, .opaque)
    case .rgb8: PixelLayout(.rgb8, .opaque)
    case .bgra8: PixelLayout(.bgra8, wanted.alpha == .opaque ? .opaque : .straight)
    default: PixelLayout(.rgba8, wanted.alpha == .opaque ? .opaque : .straight)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    try host.limits.check(canvas: header.canvas)
    canvas = header.canvas
    isGray = header.pixelFormat.isGray
    let sides = [1, header.pixelAspect ?? 1].map { (header.resolution ?? 0) / 0.0254 * $0 }.map { $0.rounded() }
    if sides.allSatisfy({ $0 >= 1 && $0 <= Double(Int32.max) }) { density = (Int32(sides[0]), Int32(sides[1])) }
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard kind == .icc else { throw .unsupported("BMP has no place for \(kind)") }
    guard !isGray else { throw .unsupported("a profile of a gray picture, and a bitmap's colors are RGB") }
    profile = metadata
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let canvas else { throw .outOfOrder("a frame before the header") }
    guard !isWritten else { throw .unsupported("a second frame in a bitmap") }
    guard frame.rect == Rect(covering: canvas), pixels.size == canvas else {
      throw .unsupported("a frame of \(frame.rect.size) on a canvas of \(canvas)")
    }
    isWritten = true
    if let picture = try indexed(pixels) {
      try write(picture)
    } else if pixels.layout.format == .gray8 {
      let gray = (0..<256).map { UInt32($0) | UInt32($0) << 8 | UInt32($0) << 16 }
      try write(pixels, as: .byte, colors: gray)
    } else {
      try write(pixels, as: pixels.layout.alpha == .opaque ? .bgr : .bgra, colors: [])
    }
  }

  func finish() throws(CoderError) {
    guard isWritten else { throw .outOfOrder("a file without a picture") }
  }
}

extension BMPWriter {
  /// The picture as indexes, where they are asked for and its colors are few enough.
  private func indexed(_ pixels: PixelView) throws(CoderError) -> IndexedPicture? {
    guard usesPalette, pixels.layout.alpha == .opaque else { return nil }
    if pixels.layout.format == .gray8 {
      guard usesRuns else { return nil }
      try host.limits.check(memory: pixels.size.pixelCount)
      return IndexedPicture(gray: pixels)
    }
    try host.limits.check(memory: pixels.size.pixelCount)
    return try IndexedPicture(pixels, host: host)
  }

  private func write(_ picture: IndexedPicture) throws(CoderError) {
    guard usesRuns else {
      return try picture.indexes.withPixels(of: picture.size) { (view) throws(CoderError) in
        try write(view, as: .byte, colors: picture.colors)
      }
    }
    var bytes = 0
    try output.write(header(picture.size, bits: 8, pixelBytes: 0, colors: picture.colors, isCompressed: true))
    for y in stride(from: picture.size.height - 1, through: 0, by: -1) {
      if y & 63 == 0, host.isCancelled { throw .cancelled }
      let runs = picture.runs(ofRow: y) + [0, y == 0 ? 1 : 0]
      try output.write(runs)
      bytes += runs.count
    }
    let start = headerBytes(hasAlpha: false) + 4 * picture.colors.count
    try check(fileBytes: start + bytes + profile.count)
    try output.write(profile)
    try output.patch(number(start + bytes + profile.count), at: 2)
    try output.patch(number(bytes), at: Self.fileHeaderBytes + 20)
    if !profile.isEmpty {
      try output.patch(number(start + bytes - Self.fileHeaderBytes), at: Self.fileHeaderBytes + 112)
    }
  }

  private func write(_ pixels: PixelView, as storage: RowPacker.Storage, colors: [UInt32]) throws(CoderError) {
    let bits = storage == .byte ? 8 : storage == .bgr ? 24 : 32
    let stride = RowPacker.stride(width: pixels.size.width, storage: storage)
    let (bytes, isTooLarge) = stride.multipliedReportingOverflow(by: pixels.size.height)
    try check(fileBytes: isTooLarge ? .max : bytes)
    try check(fileBytes: bytes + headerBytes(hasAlpha: bits == 32) + 4 * colors.count + profile.count)
    try output.write(header(pixels.size, bits: bits, pixelBytes: bytes, colors: colors, isCompressed: false))
    try RowPacker(pixels, as: storage, host: host).write(to: output, bottomUp: isBottomUp)
    try output.write(profile)
  }

  /// The bytes of one number of 32 bits.
  private func number(_ value: Int) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    writer.put(UInt32(truncatingIfNeeded: value))
    return writer.bytes
  }

  private func check(fileBytes: Int) throws(CoderError) {
    guard fileBytes <= Int(UInt32.max) else {
      throw .unsupported("a file of \(fileBytes) bytes, and BMP holds \(UInt32.max)")
    }
  }

  private func headerBytes(hasAlpha: Bool) -> Int {
    Self.fileHeaderBytes + (!profile.isEmpty ? 124 : hasAlpha ? 108 : 40)
  }

  /// BITMAPFILEHEADER, the header and the palette.
  private func header(_ size: Size, bits: Int, pixelBytes: Int, colors: [UInt32], isCompressed: Bool) -> [UInt8] {
    let hasAlpha = bits == 32
    let start = headerBytes(hasAlpha: hasAlpha) + 4 * colors.count
    var fields = ByteWriter(order: .littleEndian)
    fields.put("BM")
    fields.put(UInt32(truncatingIfNeeded: start + pixelBytes + profile.count))
    fields.put(UInt32(0))
    fields.put(UInt32(truncatingIfNeeded: start))
    fields.put(UInt32(truncatingIfNeeded: headerBytes(hasAlpha: hasAlpha) - Self.fileHeaderBytes))
    fields.put(UInt32(truncatingIfNeeded: size.width))
    fields.put(UInt32(truncatingIfNeeded: isBottomUp ? size.height : -size.height))
    fields.put(UInt16(1))
    fields.put(UInt16(truncatingIfNeeded: bits))
    // BI_RGB, BI_RLE8, BI_BITFIELDS
    fields.put(UInt32(truncatingIfNeeded: isCompressed ? 1 : hasAlpha ? 3 : 0))
    fields.put(UInt32(truncatingIfNeeded: pixelBytes))
    fields.put(density.x)
    fields.put(density.y)
    fields.put(UInt32(truncatingIfNeeded: colors.count))
    fields.put(UInt32(0))
    if hasAlpha || !profile.isEmpty {
      for mask in hasAlpha ? [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] : [0, 0, 0, 0] {
        fields.put(UInt32(truncatingIfNeeded: mask))
      }
      // PROFILE_EMBEDDED, or sRGB; endpoints and gammas are of no use with either.
      fields.put(UInt32(truncatingIfNeeded: profile.isEmpty ? 0x7352_4742 : 0x4D42_4544))
      fields.putZeros(48)
      if !profile.isEmpty {
        // LCS_GM_IMAGES; offsets count from this header's beginning.
        fields.put(UInt32(4))
        fields.put(UInt32(truncatingIfNeeded: start + pixelBytes - Self.fileHeaderBytes))
        fields.put(UInt32(truncatingIfNeeded: profile.count))
        fields.put(UInt32(0))
      }
    }
    for color in colors {
      // Blue, green, red, and a byte without meaning.
      fields.put((color & 0xFF) << 16 | color & 0xFF00 | color >> 16 & 0xFF)
    }
    return fields.bytes
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as pixels of one byte.
  fileprivate func withPixels(
    of size: Size, _ body: (PixelView) throws(CoderError) -> Void
  ) throws(CoderError) {
    var failure: CoderError?
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let view = PixelView(layout: PixelLayout(.gray8, .opaque), size: size, base: base, stride: size.width)
      do throws(CoderError) { try body(view) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
