import ImageCoderPlugin

extension ImageFormat {
  static let own = ImageFormat(rawValue: "org.example.flipbook")
}

/// The file's header, which begins with `FLIP` and the version 1. Numbers have their most significant byte first.
struct FileHeader {
  static let size = 14

  var isAnimated: Bool
  var canvas: Size
  var frameCount: Int
  var loopCount: LoopCount

  /// - Parameter reader: Begins at the start of the file, and ends with the header or the file.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let signature: StaticString = "FLIP"
    let isCutOff = reader.count > 0 && reader.count < 4
    guard reader.has(signature, at: 0) || (isCutOff && signature.begins(with: reader.bytes)) else {
      throw .wrongFormat("the file does not begin with \"FLIP\"", at: 0)
    }
    try reader.skip(4, "the signature")
    let version = try reader.uint8("the version")
    guard version == 1 else { throw .unsupported("version \(version), version 1 is supported", at: 4) }
    let flags = try reader.uint8("the flags")
    guard flags <= 1 else { throw .malformed("flags of \(flags), 0 and 1 are allowed", at: 5) }
    isAnimated = flags == 1
    canvas = Size(width: Int(try reader.uint16("the width")), height: Int(try reader.uint16("the height")))
    guard !canvas.isEmpty else { throw .malformed("a canvas of \(canvas), at least 1×1 is needed", at: 6) }
    frameCount = Int(try reader.uint16("the number of frames"))
    guard frameCount == 1 || (frameCount > 1 && isAnimated) else {
      throw .malformed("\(frameCount) frames; a still has 1, an animation 1 to 65535", at: 10)
    }
    loopCount = LoopCount(plays: UInt32(try reader.uint16("the number of plays")))
  }

  init(isAnimated: Bool, canvas: Size, frameCount: Int, loopCount: LoopCount) {
    (self.isAnimated, self.canvas, self.frameCount, self.loopCount) = (isAnimated, canvas, frameCount, loopCount)
  }

  func write(to writer: inout ByteWriter) {
    writer.put("FLIP")
    writer.put(UInt8(1))
    writer.put(UInt8(isAnimated ? 1 : 0))
    writer.put(UInt16(clamping: canvas.width))
    writer.put(UInt16(clamping: canvas.height))
    writer.put(UInt16(clamping: frameCount))
    writer.put(UInt16(clamping: loopCount.plays))
  }
}

/// A frame: its header, and where its packets are in the file.
struct Frame {
  static let headerSize = 16

  var header: FrameHeader
  var packets: Range<Int>

  /// - Parameters:
  ///   - reader: Begins at the frame's header.
  ///   - canvas: What the frame has to lie on.
  init(parsing reader: inout ByteReader, on canvas: Size) throws(CoderError) {
    let start = reader.offset
    let x = Int(try reader.uint16("x"))
    let y = Int(try reader.uint16("y"))
    let width = Int(try reader.uint16("the width"))
    let height = Int(try reader.uint16("the height"))
    let rect = Rect(x: x, y: y, width: width, height: height)
    let delay = FrameDelay.milliseconds(UInt32(try reader.uint16("the delay")))
    let disposal = try reader.uint8("the disposal")
    let blend = try reader.uint8("the blend")
    let length = Int(try reader.uint32("the number of bytes"))
    guard !rect.isEmpty, rect.isInside(canvas) else {
      throw .malformed("a frame of \(rect.size) at \(x),\(y) on a canvas of \(canvas)", at: start)
    }
    guard let disposal = FrameHeader.Disposal(rawValue: UInt32(disposal)) else {
      throw .malformed("disposal \(disposal), 0 to 2 are allowed", at: start + 10)
    }
    guard let blend = FrameHeader.Blend(rawValue: UInt32(blend)) else {
      throw .malformed("blend \(blend), 0 and 1 are allowed", at: start + 11)
    }
    header = FrameHeader(rect: rect, delay: delay, disposal: disposal, blend: blend)
    packets = reader.offset..<reader.offset + length
  }

  /// Writes the header of a frame on a canvas of at most 65535 columns and rows.
  static func write(
    _ header: FrameHeader, milliseconds: UInt16, packetBytes: UInt32, to writer: inout ByteWriter
  ) {
    for value in [header.rect.x, header.rect.y, header.rect.width, header.rect.height] {
      writer.put(UInt16(clamping: value))
    }
    writer.put(milliseconds)
    writer.put(UInt8(clamping: header.disposal.rawValue))
    writer.put(UInt8(clamping: header.blend.rawValue))
    writer.put(packetBytes)
  }
}

extension StaticString {
  /// Whether these bytes are how the text begins.
  fileprivate func begins(with bytes: RawSpan) -> Bool {
    withUTF8Buffer { text in
      bytes.withUnsafeBytes { bytes in bytes.count <= text.count && text.starts(with: bytes) }
    }
  }
}
