import ImageCoderPlugin

/// Reads files of the format; FORMAT.md describes the bytes.
final class FlipbookReader: ContainerReader {
  private let source: SourceView
  private let file: FileHeader
  private let isIncremental: Bool
  /// Frames whose headers were read.
  private var frames: [Frame] = []
  /// Why no more frames can be found.
  private var end: CoderError?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    isIncremental = options.contains(.incremental)
    let bytes = try source.bytes(at: 0, least: FileHeader.size, most: FileHeader.size)
    var reader = ByteReader(bytes, of: "the header")
    file = try FileHeader(parsing: &reader)
    // R7: limits before memory.
    try host.limits.check(canvas: file.canvas)
    try host.limits.check(frames: file.frameCount)
    // A file without its first frame shows nothing.
    try readFrameHeader()
  }

  /// Reads the header of the next frame. In an incremental session this waits for its bytes, and for no others.
  private func readFrameHeader() throws(CoderError) {
    if let end { throw end }
    let start = frames.last?.packets.upperBound ?? FileHeader.size
    let bytes = try source.bytes(at: start, least: Frame.headerSize, most: Frame.headerSize)
    do throws(CoderError) {
      var reader = ByteReader(bytes, at: start, of: "the header of a frame")
      let frame = try Frame(parsing: &reader, on: file.canvas)
      guard file.isAnimated || frame.header.rect.size == file.canvas else {
        throw .malformed("a still picture of \(frame.header.rect.size) on a canvas of \(file.canvas)", at: start + 4)
      }
      frames.append(frame)
    } catch {
      end = error
      throw error
    }
  }

  /// Finds a frame, so that any can be decoded in any order.
  private func findFrame(_ index: Int) throws(CoderError) -> Frame {
    guard index < file.frameCount else {
      throw .invalidArgument("frame \(index) of a file that has \(file.frameCount)")
    }
    while frames.count <= index { try readFrameHeader() }
    return frames[index]
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .own, canvas: file.canvas, pixelFormat: .rgba8, bitsPerChannel: 8, alpha: .straight)
    header.isLossless = true
    header.isAnimated = file.isAnimated
    if file.isAnimated { header.loopCount = file.loopCount }
    if isIncremental && source.size == .max {
      header.isIncomplete = true  // frameCount is what is known so far; nothing waits here
    } else {
      // Counts the frames that the file really has. A damaged frame ends the count, and is no error of this call.
      while frames.count < file.frameCount && end == nil {
        do throws(CoderError) { try readFrameHeader() } catch { if end == nil { throw error } }
      }
      header.isTruncated = end?.code == .truncated || (frames.last?.packets.upperBound ?? 0) > source.size
      header.isDamaged = end?.code == .malformed
    }
    header.frameCount = frames.count
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader { try findFrame(index).header }

  // Rows are always RGBA with straight alpha and in the frame's own size; the host does the rest.
  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let size = try findFrame(request.frame).header.rect.size
    return DecodeOffer(request, size: size, pixelFormat: .rgba8, alpha: .straight)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let frame = try findFrame(offer.frame)
    var packets = PacketDecoder(source, packets: frame.packets)
    for y in 0..<frame.header.rect.height {
      let row = try sink.rows(at: y)
      try packets.decodeRow(of: frame.header.rect.width, to: row.base)
      try sink.done(at: y)  // R9: the rows above are done if the next one fails
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard file.isAnimated else { return properties }
    if let frame {
      let delay = try findFrame(frame).header.delay ?? .zero
      properties["{Flipbook}", "UnclampedDelayTime"] = .number(delay.seconds)
    } else {
      properties["{Flipbook}", "LoopCount"] = .integer(Int64(file.loopCount.plays))
    }
    return properties
  }
}
