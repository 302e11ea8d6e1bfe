import ImageCoderPlugin

/// Writes files of the format, row by row.
final class FlipbookWriter: ContainerWriter {
  /// The manifest describes this option with the same words.
  static let runs = CoderOption.boolean("runs", default: true, "Store equal pixels once.")

  private let output: ByteOutput
  private let host: CoderHost
  private let encoder: PacketEncoder
  private let isLossless: Bool
  private var file: FileHeader?
  /// Bytes written.
  private var position = 0
  private var frameCount = 0

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    guard options.format == .own else {
      throw .unsupported("the format \(options.format), \(ImageFormat.own) is written")
    }
    (self.output, self.host) = (output, host)
    encoder = PacketEncoder(hasRuns: options[Self.runs])
    isLossless = options.isLossless
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    guard wanted.format.bytesPerChannel == 1 || !isLossless else {
      throw .unsupported("\(wanted.format) without loss; samples have 8 bits")
    }
    return PixelLayout(.rgba8, .straight)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let loopCount = header.isAnimated ? header.loopCount ?? .infinite : .infinite
    guard header.canvas.width <= 65_535, header.canvas.height <= 65_535, loopCount.plays <= 65_535 else {
      throw .unsupported("a canvas of \(header.canvas) and \(loopCount) plays, the format holds 65535 of each")
    }
    // finish() writes how many frames there were.
    let file = FileHeader(
      isAnimated: header.isAnimated, canvas: header.canvas, frameCount: 1, loopCount: loopCount)
    self.file = file
    try write { file.write(to: &$0) }
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    let most = file?.isAnimated == true ? 65_535 : 1
    guard frameCount < most else { throw .unsupported("more than \(most) frames in a file") }
    let milliseconds = try Self.milliseconds(frame.delay ?? .zero)
    try write { Frame.write(frame, milliseconds: milliseconds, packetBytes: 0, to: &$0) }
    let start = position
    let memory = try host.allocate(bytes: PacketEncoder.memory(for: pixels.size.width), for: "a row")
    defer { host.free(memory) }
    for y in 0..<pixels.size.height {
      if host.isCancelled { throw .cancelled }
      let count = encoder.encode(pixels.base + y * pixels.stride, pixels.size.width, to: memory)
      try output.write(UnsafeRawBufferPointer(start: memory, count: count))
      position += count
    }
    guard let size = UInt32(exactly: position - start) else {
      throw .unsupported("a frame of \(position - start) bytes, the format holds \(UInt32.max)")
    }
    frameCount += 1
    var length = ByteWriter()
    length.put(size)
    try output.patch(length.bytes, at: start - length.count)
  }

  func finish() throws(CoderError) {
    guard frameCount > 0 else { throw .outOfOrder("finish without a frame") }
    var count = ByteWriter()
    count.put(UInt16(clamping: frameCount))
    try output.patch(count.bytes, at: 10)
  }

  private func write(_ body: (inout ByteWriter) -> Void) throws(CoderError) {
    var writer = ByteWriter()
    body(&writer)
    try output.write(writer.bytes)
    position += writer.count
  }

  /// A delay to the nearest millisecond.
  private static func milliseconds(_ delay: FrameDelay) throws(CoderError) -> UInt16 {
    let denominator = UInt64(delay.denominator)
    let value = (UInt64(delay.numerator) * 1000 + denominator / 2) / denominator
    guard let short = UInt16(exactly: value) else {
      throw .unsupported("a delay of \(value) ms, the format holds 65535")
    }
    return short
  }
}
