// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A reader of frames that are there already.
final class PictureReader: ReaderSession {
  private let image: Image
  private let header: ImageHeader

  /// - Throws: ``CoderError/Code/libraryFailure`` for frames of several sizes or layouts.
  init(_ image: Image, format: ImageFormat) throws(CoderError) {
    let (pixels, layout) = (image.pixels, image.pixels.layout)
    for (index, frame) in image.frames.enumerated()
    where frame.pixels.size != pixels.size || frame.pixels.layout != layout {
      throw .libraryFailure(
        "the coder gives frame \(index) as \(frame.pixels.size) \(frame.pixels.format), the first one as \(pixels.size) "
          + "\(pixels.format)")
    }
    self.image = image
    var header = ImageHeader(
      format: format, canvas: pixels.size, pixelFormat: layout.format,
      bitsPerChannel: layout.format.bytesPerChannel * 8,
      alpha: layout.alpha)
    header.orientation = image.orientation
    header.frameCount = image.frames.count
    header.isAnimated = image.frames.count > 1
    if header.isAnimated { header.loopCount = image.loopCount }
    header.cicp = image.cicp
    header.metadata = Set(image.metadata.keys)
    self.header = header
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    guard page == 0 else { throw .missing("page", index: page, count: 1) }
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    guard image.frames.indices.contains(index) else {
      throw .missing("frame", index: index, count: image.frames.count)
    }
    return FrameHeader(
      rect: Rect(covering: header.canvas), delay: image.frames[index].delay, hasAlpha: header.alpha != .opaque)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(request, size: header.canvas, pixelFormat: header.pixelFormat, alpha: header.alpha)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let frame = image.frames[offer.frame]
    for y in 0..<header.canvas.height {
      try sink.rows(at: y).base.copyMemory(from: frame.pixels.row(y), byteCount: frame.pixels.rowBytes)
      try sink.done(at: y)
    }
    // Frames that are missing are told with the last one that is there.
    let isLast = offer.frame == image.frames.count - 1 && image.frames.allSatisfy { $0.problem == nil }
    if let problem = frame.problem ?? (isLast ? image.problem : nil) { throw problem }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? { image.metadata[kind] }
}

extension ImageDecoder {
  /// Opens pictures that are there already, for a coder that decodes whole files in its own way.
  ///
  /// Thumbnails, orientation, colors, pixel formats, metadata and limits are as of every other file.
  ///
  /// - Parameters:
  ///   - image: All frames of the file. Its orientation has not been applied to their pixels. A coder that decodes a part of
  ///     a damaged file says so in ``Frame/problem``.
  ///   - format: Of the file.
  ///   - coder: The identifier of the coder that opens it.
  ///   - context: As the coder got it.
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/unsupported`` for what the options do not allow;
  ///   ``CoderError/Code/libraryFailure`` for frames of several sizes or layouts.
  public convenience init(
    _ image: Image, format: ImageFormat, coder: String, context: DecodeContext
  ) throws(CoderError) {
    try self.init(coder: coder, context) { () throws(CoderError) in
      OpenFile(try PictureReader(image, format: format), coder: coder, context)
    }
  }
}
