// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum QOIOption {
  enum ColorSpace: String, CaseIterable {
    case automatic = "auto"
    case sRGB = "srgb"
    case linear
  }

  static let colorSpace = WriterOption.choice(
    "colorspace", default: ColorSpace.automatic,
    "What the header says of the samples; auto: linear when the picture says so, else srgb.")

  static let table = [colorSpace.description]
}

/// Writes QOI, row by row.
///
/// - Format: The Quite OK Image Format, version 1.0 (qoiformat.org).
final class QOIWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let colorSpace: QOIOption.ColorSpace
  private var canvas = Size(width: 0, height: 0)
  private var frameCount = 0

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
    guard frameCount == 0 else { throw .unsupported("a second frame, and QOI holds one") }
    guard pixels.size == canvas else { throw .invalidArgument("a frame of \(pixels.size) on a canvas of \(canvas)") }
    frameCount = 1
    let memory = try host.allocate(bytes: ChunkEncoder.memory(for: pixels.size.width), for: "the chunks of a row")
    defer { host.free(memory) }
    let chunks = memory.assumingMemoryBound(to: UInt8.self)
    var encoder = ChunkEncoder()
    for y in 0..<pixels.size.height {
      if host.isCancelled { throw .cancelled }
      let row = pixels.base + y * pixels.stride
      let end =
        if pixels.layout.format == .rgb8 {
          encoder.encode(row, pixels.size.width, as: ThreeChannels.self, to: chunks)
        } else {
          encoder.encode(row, pixels.size.width, as: FourChannels.self, to: chunks)
        }
      try output.write(UnsafeRawBufferPointer(start: chunks, count: end - chunks))
      if y & 255 == 255 { host.progress(Double(y + 1) / Double(pixels.size.height)) }
    }
    let end = encoder.finish(to: chunks)
    try output.write(UnsafeRawBufferPointer(start: chunks, count: end - chunks))
  }

  func finish() throws(CoderError) {
    guard frameCount == 1 else { throw .outOfOrder("a file without a picture") }
    try output.write(QOIHeader.endMarker)
  }
}
