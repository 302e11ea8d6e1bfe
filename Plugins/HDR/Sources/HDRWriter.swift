// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes pictures of Radiance in RGBE, row by row.
///
/// - Format: Radiance File Formats (Greg Ward), "Picture File Format".
final class HDRWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private var format = PixelFormat.rgbaFloat32
  /// Whether the picture has samples of floating point before the host converts them.
  private var isFloat = true
  private var curve = LightCurve(.rgbaFloat32, isLight: true)
  private var canvas = Size(width: 0, height: 0)
  private var frameCount = 0
  private var rowsLeft = 0

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    guard !options.isLossless else {
      throw .unsupported("lossless as Radiance HDR, whose samples are mantissas of 8 bits with one exponent")
    }
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    isFloat = wanted.format.isFloat
    // Alpha is laid over the background by the host, which it does for layouts without alpha alone.
    let isDeep = wanted.format.bytesPerChannel > 1 && wanted.alpha == .opaque
    format = !isDeep ? .rgb8 : isFloat ? .rgbaFloat32 : .rgba16
    return PixelLayout(format, .opaque)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    canvas = header.canvas
    // Floating point without a word is light, other samples are those of sRGB; files have light alone.
    let transfer = header.cicp.map(\.transfer).flatMap { $0 == 2 ? nil : $0 } ?? (isFloat ? 8 : 13)
    curve = LightCurve(format, isLight: transfer == 8)
    var text = "#?RADIANCE\n"
    // A file without a word is taken for one with the primaries of BT.709.
    if let code = header.cicp?.primaries, code != 1, let primaries = StoredColor.Primaries.primaries(code: code) {
      text += "PRIMARIES=" + primaries.numbers.map { "\($0)" }.joined(separator: " ") + "\n"
    }
    text += "FORMAT=32-bit_rle_rgbe\n\n-Y \(canvas.height) +X \(canvas.width)\n"
    try output.write(Array(text.utf8))
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    _ = try beginRows(frame, size: pixels.size, layout: pixels.layout)
    try add(rows: pixels)
    try endRows()
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard frameCount == 0 else { throw .unsupported("a second frame, and Radiance HDR holds one") }
    guard size == canvas else { throw .invalidArgument("a frame of \(size) on a canvas of \(canvas)") }
    guard layout.format == format else {
      throw .invalidArgument("pixels of \(layout.format) where \(format) was agreed on")
    }
    frameCount = 1
    rowsLeft = size.height
    return true
  }

  func add(rows: PixelView) throws(CoderError) {
    let width = canvas.width
    let memory = try host.allocate(
      bytes: Scanline.memory(width: width) + ScanlineEncoder.memory(width: width), for: "a scanline")
    defer { host.free(memory) }
    let planes = memory.assumingMemoryBound(to: UInt8.self)
    let bytes = planes + Scanline.memory(width: width)
    let encoder = ScanlineEncoder(width: width)
    for y in 0..<rows.size.height {
      if host.isCancelled { throw .cancelled }
      curve.forEachPixel(in: rows.base + y * rows.stride, width: width) { x, light in
        let pixel = SharedExponent.pixel(light)
        for channel in 0..<4 {
          planes[channel * width + x] = UInt8(truncatingIfNeeded: pixel >> (24 - 8 * UInt32(channel)))
        }
      }
      let end = encoder.encode(planes, to: bytes)
      try output.write(UnsafeRawBufferPointer(start: bytes, count: end - bytes))
      rowsLeft -= 1
      if rowsLeft & 255 == 0 { host.progress(1 - Double(rowsLeft) / Double(canvas.height)) }
    }
  }

  func endRows() throws(CoderError) {}

  func finish() throws(CoderError) {
    guard frameCount == 1 else { throw .outOfOrder("a file without a picture") }
  }
}
