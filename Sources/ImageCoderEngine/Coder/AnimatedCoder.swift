// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// The coder for every container, parameterized by the names of the container's properties.
///
/// Still formats use it too, because a still is an animation of one frame. Everything that formats have in common is implemented here and below, once: loop counts,
/// delays, first-frame-only decoding, access to frames, compositing, thumbnails, incremental decoding, the encode loop.
/// A format supplies its reader and writer, and its ``ContainerPropertyNames``: the names of its properties and the
/// loop count that applies if the file does not state one.
///
/// - Threads: May be used from any thread.
public final class AnimatedCoder: ImageCoder {
  let base: any Container

  /// Opens pages that are files of another format when the context does not say how.
  private let openEmbedded: EmbeddedFileOpener?

  /// Makes a coder from a reader and a writer in Swift.
  public convenience init(_ container: SwiftContainer) { self.init(container, openEmbedded: nil) }

  package init(_ container: any Container, openEmbedded: EmbeddedFileOpener? = nil) {
    base = container
    self.openEmbedded = openEmbedded
  }

  /// Implements ``ImageCoder/id``: the container's identifier.
  public var id: String { base.id }
  /// Implements ``ImageCoder/formats``: those that the container reads or writes.
  public var formats: [ImageFormat] { base.formats }

  /// Implements ``ImageCoder/canRead``: whether the container has a reader.
  public var canRead: Bool { base.canRead }
  /// Implements ``ImageCoder/signatures``: those of the container.
  public var signatures: [FormatSignature] { base.signatures }
  /// Implements ``ImageCoder/writesPages``: whether the container's writer takes more than one.
  public var writesPages: Bool { base.writesPages }
  /// Implements ``ImageCoder/writerFeatures``: those of the container's writer.
  public var writerFeatures: WriterFeatures { base.writerFeatures }
  /// Implements ``ImageCoder/options``: those of the container's writer.
  public var options: [OptionDescription] { base.options }
  /// Implements ``ImageCoder/readOptions``: those of the container's reader.
  public var readOptions: [OptionDescription] { base.readOptions }

  /// Implements ``ImageCoder/canDecode(_:fileSize:)`` with the container's signatures, or else its own look at the
  /// bytes; ``Recognition/no`` if it has no reader.
  public func canDecode(_ prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition {
    guard base.canRead else { return .no }
    var answer = Recognition.no
    for signature in base.signatures { answer.merge(signature.matches(prefix, isComplete: prefix.count == fileSize)) }
    if case .yes = answer { return answer }
    answer.merge(base.recognize(prefix: prefix, fileSize: fileSize) ?? .no)
    return answer
  }

  /// Implements ``ImageCoder/makeDecoder(_:)``.
  public func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
    var context = context
    context.openEmbedded = context.openEmbedded ?? openEmbedded
    return try ImageDecoder(base, context)
  }

  /// Implements ``ImageCoder/header(of:)``: of a file of one picture as its reader gives it, without preparing anything
  /// for decoding.
  public func header(of context: DecodeContext) throws(CoderError) -> ImageHeader {
    do throws(CoderError) {
      return try OpenFile.header(base, context)
    } catch {
      throw error.annotated(coder: id, setBy: context.options.restrictions.setter(of: error))
    }
  }

  /// Implements ``ImageCoder/canEncode(_:)``: whether the container has a writer for the format.
  public func canEncode(_ format: ImageFormat) -> Bool { base.canWrite && base.writtenFormats.contains(format) }

  /// Implements ``ImageCoder/encode(_:as:options:)``. An animation that the format or a file of several pages cannot
  /// hold is written as its first frame, with a warning to ``EncodeOptions/log``.
  public func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    let pages = try options.iconSizes.isEmpty ? pages : options.sizes(of: pages)
    var options = options
    options.iconSizes = []
    let encoder = try makeEncoder(as: format, to: .memory, options: options, pageCount: pages.count)
    for (index, page) in pages.enumerated() {
      if index > 0 { try encoder.endPage() }
      try encoder.add(framesToWrite(of: page, among: pages.count, as: format, options))
    }
    return try encoder.finish().bytes
  }

  /// Implements ``ImageCoder/makeEncoder(as:to:options:pageCount:)``.
  ///
  /// - Throws: ``CoderError/Code/noCoder`` for a format that the coder does not write;
  ///   ``CoderError/Code/invalidArgument`` if ``EncodeOptions/Output/iconSizes`` is not empty.
  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder {
    guard canEncode(format) else { throw .noCoder("\(id) does not write \(format)") }
    guard options.iconSizes.isEmpty else {
      throw .invalidArgument("sizes are made of a whole picture, which an encoder of frames does not have")
    }
    return try ImageEncoder(
      base, format: format, destination: destination, options: options, pageCount: pageCount)
  }
}

extension ImageCoder {
  /// All frames, where the format holds an animation and the file is one.
  package func framesToWrite(
    of image: Image, among pageCount: Int, as format: ImageFormat, _ options: EncodeOptions
  ) -> Image {
    guard image.frames.count > 1, !options.firstFrameOnly, !writerFeatures.contains(.frames) || pageCount > 1
    else {
      return image
    }
    let reason = pageCount > 1 ? "a page holds no animation" : "\(format) is written without animation"
    options.log?(.warning, "\(reason): the first of \(image.frames.count) frames is written")
    var first = image
    first.frames = [image.frames[0]]
    return first
  }
}

extension EncodeOptions {
  /// One picture in several sizes, none of them enlarged, each a square: the rest of it is transparent.
  package func sizes(of pages: [Image]) throws(CoderError) -> [Image] {
    guard pages.count == 1, let image = pages.first else {
      throw .invalidArgument("sizes are made of one picture, \(pages.count) were given")
    }
    var smaller = output
    smaller.color = .asStored
    let colors = try WrittenColors(image, as: image.header?.format ?? .png, smaller, log: log)
    var made: [Image] = []
    for side in self.iconSizes {
      guard side > 0 else { throw .invalidArgument("a page of size \(side), it must be at least 1") }
      guard side <= max(image.size.width, image.size.height) else {
        log?(.warning, "size \(side) is left out: the picture is \(image.size)")
        continue
      }
      var page = image
      let size = Fit.plan(displayed: image.size, box: Size(width: side, height: side), mode: .fit).size
      page.frames = [Frame(pixels: try colors.applied(to: image.pixels, size: size).squared())]
      made.append(page)
    }
    return made.isEmpty ? pages : made
  }
}

extension PixelBuffer {
  /// The picture in the middle of a transparent square; this buffer if it is a square.
  fileprivate func squared() throws(CoderError) -> PixelBuffer {
    guard size.width != size.height else { return self }
    let side = max(size.width, size.height)
    let isNarrow = format.bytesPerChannel == 1
    let picture = try converted(to: PixelLayout(isNarrow ? .rgba8 : format.hasAlpha ? format : .rgba16, .straight))
    let square = try PixelBuffer(
      size: Size(width: side, height: side), format: picture.format, alpha: .straight)
    square.clear(rows: 0..<side)
    let place = Rect(
      x: (side - size.width) / 2, y: (side - size.height) / 2, width: size.width, height: size.height)
    try square.region(place).assign(from: picture)
    return square
  }
}
