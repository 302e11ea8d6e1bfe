// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin
import SmallPNG

/// Writes icons and cursors of Windows: pages as bitmaps of 32 bits with a mask, which every reader knows, or as PNG files.
///
/// The directory comes first in the file, and is filled in when all pictures are written.
final class ICOWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  /// For cursors: the pixel that points.
  private let hotSpot: (x: Int, y: Int)
  private let isCursor: Bool
  private let png: ICOOption.PNGPictures
  private var canvas: Size?
  /// Pictures that are going to be written; 0 before the first header.
  private var pageCount = 0
  private var entries = ByteWriter(order: .littleEndian)
  private var writtenPages = 0
  /// Bytes written so far.
  private var end = 0

  private static let largestSide = 256
  private static let headerBytes = 40

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    hotSpot = (options[ICOOption.hotSpotX], options[ICOOption.hotSpotY])
    isCursor = options.format == .cur
    png = options[ICOOption.png]
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    switch wanted.format {
    case .rgb8, .gray8, .gray16: PixelLayout(.rgb8, .opaque)
    case .bgra8: PixelLayout(.bgra8, wanted.alpha == .opaque ? .opaque : .straight)
    default: PixelLayout(.rgba8, wanted.alpha == .opaque ? .opaque : .straight)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard max(header.canvas.width, header.canvas.height) <= Self.largestSide else {
      throw .unsupported("an icon of \(header.canvas), and \(Self.largestSide) pixels on a side are the most")
    }
    try host.limits.check(canvas: header.canvas)
    if pageCount == 0 {
      guard header.pageCount <= Int(UInt16.max) else {
        throw .unsupported("\(header.pageCount) pages, and an icon file holds \(UInt16.max)")
      }
      pageCount = max(1, header.pageCount)
      var directory = ByteWriter(order: .littleEndian)
      directory.put(UInt16(0))
      directory.put(UInt16(isCursor ? 2 : 1))
      directory.put(UInt16(clamping: pageCount))
      directory.putZeros(ICODirectory.entryBytes * pageCount)
      try write(directory)
    }
    guard writtenPages < pageCount else { throw .outOfOrder("page \(writtenPages + 1) of \(pageCount)") }
    canvas = header.canvas
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    throw .unsupported("an icon file has no place for \(kind)")
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let canvas else { throw .outOfOrder("a picture before its header") }
    guard frame.rect == Rect(covering: canvas), pixels.size == canvas else {
      throw .unsupported("a frame of \(frame.rect.size) on a canvas of \(canvas)")
    }
    self.canvas = nil
    let start = end
    if isPNG(canvas) {
      let file = try SmallPNG.bytes(of: pixels, keepsAlpha: true, host: host, packed: FixedDeflate.packed)
      guard start + file.count <= Int(UInt32.max) else { throw Self.tooLong }
      try output.write(file)
      end += file.count
      addEntry(canvas, at: start)
      writtenPages += 1
      return
    }
    let mask = Self.mask(of: pixels)
    let colorBytes = RowPacker.stride(width: canvas.width, storage: .bgra) * canvas.height
    guard start + Self.headerBytes + colorBytes + mask.count <= Int(UInt32.max) else { throw Self.tooLong }
    var header = ByteWriter(order: .littleEndian)
    header.put(UInt32(Self.headerBytes))
    header.put(UInt32(canvas.width))
    // The rows of the colors and of the mask.
    header.put(UInt32(canvas.height * 2))
    header.put(UInt16(1))
    header.put(UInt16(32))
    header.put(UInt32(0))
    header.put(UInt32(colorBytes + mask.count))
    header.putZeros(16)
    try write(header)
    try RowPacker(pixels, as: .bgra, host: host).write(to: output, bottomUp: true)
    try output.write(mask)
    end += colorBytes + mask.count
    addEntry(canvas, at: start)
    writtenPages += 1
  }

  func finish() throws(CoderError) {
    guard pageCount > 0, writtenPages == pageCount else {
      throw .outOfOrder("the end after \(writtenPages) of \(max(1, pageCount)) pages")
    }
    try output.patch(entries.bytes, at: ICODirectory.headerBytes)
  }
}

extension ICOWriter {
  private static var tooLong: CoderError {
    .unsupported("a file of over \(UInt32.max) bytes, which is the most that an icon's directory can say")
  }

  private func isPNG(_ size: Size) -> Bool {
    switch png {
    case .automatic: !isCursor && max(size.width, size.height) >= Self.largestSide
    case .never: false
    case .always: true
    }
  }

  private func write(_ fields: ByteWriter) throws(CoderError) {
    try output.write(fields.bytes)
    end += fields.bytes.count
  }

  private func addEntry(_ size: Size, at start: Int) {
    let hotSpot = isCursor ? (x: min(hotSpot.x, size.width - 1), y: min(hotSpot.y, size.height - 1)) : nil
    ICODirectory.Entry(size: size, bitCount: 32, hotSpot: hotSpot, offset: start, byteCount: end - start)
      .write(to: &entries)
  }

  /// One bit per pixel, set where it is wholly transparent; rows from the bottom up, padded to four bytes.
  private static func mask(of pixels: PixelView) -> [UInt8] {
    let stride = (pixels.size.width + 31) / 32 * 4
    var mask = [UInt8](repeating: 0, count: stride * pixels.size.height)
    guard pixels.layout.alpha != .opaque else { return mask }
    for y in 0..<pixels.size.height {
      let row = pixels.base + y * pixels.stride
      let start = (pixels.size.height - 1 - y) * stride
      for x in 0..<pixels.size.width where row.load(fromByteOffset: x * 4 + 3, as: UInt8.self) == 0 {
        mask[start + x / 8] |= 0x80 >> UInt8(x % 8)
      }
    }
    return mask
  }
}
