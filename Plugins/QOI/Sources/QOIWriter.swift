// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum QOIOption {
  enum ColorSpace: String, CaseIterable {
    case automatic = "auto"
    case sRGB = "srgb"
    case linear
  }

  static let colorSpace = CoderOption.choice(
    "colorspace", default: ColorSpace.automatic,
    "What the header says of the samples; auto: linear when the picture says so, else srgb.")

  static let table = [colorSpace.description]
}

/// Writes QOI, row by row.
///
/// - Format: The Quite OK Image Format, version 1.0 (qoiformat.org).
final class QOIWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let colorSpace: QOIOption.ColorSpace
  private var canvas = Size(width: 0, height: 0)
  private var frameCount = 0
  /// The encoder of the picture whose rows come.
  private var encoder = ChunkEncoder()
  private var rowsLeft = 0

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    colorSpace = options[QOIOption.colorSpace]
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    wanted.alpha == .opaque && wanted.format != .rgba8
      ? PixelLayout(.rgb8, .opaque) : PixelLayout(.rgba8, wanted.alpha == .opaque ? .opaque : .straight)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    // A height and a width of 32 bits hold every canvas that there is.
    canvas = header.canvas
    let isLinear = colorSpace == .linear || (colorSpace == .automatic && header.cicp?.transfer == 8)
    var bytes = ByteWriter()
    QOIHeader(canvas: canvas, hasAlpha: header.alpha != .opaque, isLinear: isLinear).write(to: &bytes)
    try output.write(bytes.bytes)
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    _ = try beginRows(frame, size: pixels.size, layout: pixels.layout)
    try add(rows: pixels)
    try endRows()
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard frameCount == 0 else { throw .unsupported("a second frame, and QOI holds one") }
    guard size == canvas else { throw .invalidArgument("a frame of \(size) on a canvas of \(canvas)") }
    frameCount = 1
    encoder = ChunkEncoder()
    rowsLeft = size.height
    return true
  }

  func add(rows: PixelView) throws(CoderError) {
    try withChunks { (chunks) throws(CoderError) in
      for y in 0..<rows.size.height {
        if host.isCancelled { throw .cancelled }
        let row = rows.base + y * rows.stride
        let end =
          if rows.layout.format == .rgb8 {
            encoder.encode(row, rows.size.width, as: ThreeChannels.self, to: chunks)
          } else {
            encoder.encode(row, rows.size.width, as: FourChannels.self, to: chunks)
          }
        try output.write(UnsafeRawBufferPointer(start: chunks, count: end - chunks))
        rowsLeft -= 1
        if rowsLeft & 255 == 0 { host.progress(1 - Double(rowsLeft) / Double(canvas.height)) }
      }
    }
  }

  func endRows() throws(CoderError) {
    try withChunks { (chunks) throws(CoderError) in
      let end = encoder.finish(to: chunks)
      try output.write(UnsafeRawBufferPointer(start: chunks, count: end - chunks))
    }
  }

  /// Memory for the chunks of a row.
  private func withChunks(_ body: (UnsafeMutablePointer<UInt8>) throws(CoderError) -> Void) throws(CoderError) {
    let memory = try host.allocate(bytes: ChunkEncoder.memory(for: canvas.width), for: "the chunks of a row")
    defer { host.free(memory) }
    try body(memory.assumingMemoryBound(to: UInt8.self))
  }

  func finish() throws(CoderError) {
    guard frameCount == 1 else { throw .outOfOrder("a file without a picture") }
    try output.write(QOIHeader.endMarker)
  }
}
