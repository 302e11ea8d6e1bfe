// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The box at the end of a file that has the video of a motion photo.
///
/// - Format: Android's "Motion Photo format" 1.0, "ISOBMFF image specific behavior".
public enum VideoBox {
  /// The box of a video file.
  public static func box(of video: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(.motionVideo) { $0.put(video) }
    return writer.bytes
  }

  /// Checks what a writer is to put into the box.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for an animation, and for what is no video.
  public static func check(_ video: [UInt8], in header: ImageHeader?) throws(CoderError) {
    guard header?.isAnimated != true else { throw .unsupported("a motion photo that is an animation") }
    guard video.count > 16, video[4..<8].elementsEqual("ftyp".utf8), video.count < Int(UInt32.max) - 8 else {
      throw .unsupported("bytes after the picture that are no video of less than 4 GiB")
    }
  }

  /// Writes a file with the video. One that it has already goes; all else stays byte for byte.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for what is no video, and for a file that ends in a box without a size of
  ///   4 GiB.
  public static func attach(_ context: OperationContext, _ video: [UInt8]) throws(CoderError) {
    try check(video, in: nil)
    let file = FileBytes(whole: try context.source.contents())
    var pieces = FilePieces()
    var offset = 0
    while offset < file.count {
      guard let box = file.box(at: offset, before: file.count), !box.isCut else {
        throw .truncated("the last box is cut; a video would not be found after it", at: file.count)
      }
      offset = box.end
      let length = box.end - box.start
      if box.type == .motionVideo {
        guard box.end < file.count else { continue }
        // What is after it stays at its place.
        var writer = ByteWriter()
        guard length <= Int(UInt32.max) else { throw .unsupported("a video of more than 4 GiB that is to go") }
        writer.box(FourCC("free")) { $0.putZeros(length - 8) }
        pieces.put(writer.bytes)
        continue
      }
      guard file.uint32(at: box.start) == 0 else {
        pieces.keep(box.start..<box.end)
        continue
      }
      guard length <= Int(UInt32.max) else { throw .unsupported("a last box without a size") }
      var writer = ByteWriter()
      writer.put(UInt32(length))
      pieces.put(writer.bytes)
      pieces.keep((box.start + 4)..<box.end)
    }
    pieces.put(self.box(of: video))
    try pieces.write(in: context)
  }
}
