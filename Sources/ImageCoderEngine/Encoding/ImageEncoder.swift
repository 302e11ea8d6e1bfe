// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Where an encoded file goes.
public enum EncodeDestination: Sendable {
  /// Takes bytes that belong at an offset; see ``writing(_:)``.
  public typealias Writer = @Sendable (_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws -> Void

  /// Into memory: ``EncodedFile/bytes``.
  case memory
  /// Into a file at a path. The file appears complete or not at all: it is written under a temporary name in the same
  /// directory, and then renamed.
  case file(String)
  /// To the caller, as the file is written, in blocks of 64 KiB or more.
  ///
  /// Bytes come in their order, but for those that a writer puts right later: each byte before the offset was given before.
  /// It is called on the thread that encodes. What it throws ends the encode as ``CoderError/Code/io``, or as it is if it is
  /// a ``CoderError``; what it got of a file that fails counts for nothing.
  case writing(Writer)
}

/// The result of an encode.
public struct EncodedFile: Sendable {
  /// The format that was written.
  public var format: ImageFormat
  /// The bytes of the file, or empty if the destination is not memory.
  public var bytes: [UInt8]
  /// The size of the file in bytes, whatever its destination.
  public var byteCount: Int
  /// The number of frames that were added, including equal ones; 0 for a file that was converted without decoding.
  public var frameCount: Int
  /// The quality that was found for ``EncodeOptions/Output/maxFileSize``, or that of the options.
  public var quality: Double?
  /// How it looks, and what it took to find that out, if ``EncodeOptions/Output/look`` was asked for.
  public var look: LookResult?
  /// What of the source was changed along with the picture, put into another place, or left out. What is not named is as
  /// it was.
  public var changes: [FactChange] = []

  package init(
    format: ImageFormat, bytes: [UInt8], byteCount: Int, frameCount: Int = 0, quality: Double? = nil,
    changes: [FactChange] = []
  ) {
    self.changes = changes
    self.format = format
    self.bytes = bytes
    self.byteCount = byteCount
    self.frameCount = frameCount
    self.quality = quality
  }

  /// This file, whose bytes are all in memory, where it belongs.
  package func put(at destination: EncodeDestination) throws(CoderError) -> EncodedFile {
    switch destination {
    case .memory: return self
    case .file(let path): try NewFile.write(bytes, to: path)
    case .writing(let write):
      let target = CallerTarget(write)
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try target.append(bytes) }
      try target.end()
    }
    var file = self
    file.bytes = []
    return file
  }
}

/// Writes one file, frame by frame or page by page.
///
///     let encoder = try registry.makeEncoder(as: .webP, to: .file("out.webp"))
///     for picture in pictures { try encoder.add(picture, delay: .milliseconds(40)) }
///     try encoder.finish()
///
/// Each frame is encoded as it is added; only the last two are kept in memory. With
/// ``EncodeOptions/Output/maxFileSize`` or ``EncodeOptions/Output/look``, all are kept, because the whole file is tried at several qualities. The file
/// appears when ``finish()`` returns; if it is never called, no file is left.
///
/// - Threads: One at a time. ``EncodeOptions/cancellation`` stops it from any thread.
public final class ImageEncoder {
  /// Opens a file whose frames are added.
  package typealias Opener = (_ source: ByteSource) throws(CoderError) -> ImageDecoder

  /// Nil after a failure: what was written until then is gone with it.
  private var body: (any EncoderBody)?
  private let coder: String
  private let options: EncodeOptions
  /// Set by the registry that made the encoder.
  package var open: Opener?
  /// Whether XMP of a decoder is written without what it says of a gain map, which is not written with the picture.
  package var leavesGainMapOut = false
  /// Whether the maker of the encoder says what becomes of depth, mattes and the like.
  package var leavesAuxiliariesOut = false
  /// What became of facts that are not in an image: pages, frames, pictures beside it.
  private var changes: [FactChange] = []
  /// What a file inside the file says that the file itself does not: the JPEG that a JPEG XL stores.
  package var inner: (payloads: [MetadataKind: [UInt8]], density: Density?)?
  private var failure: CoderError?
  private var isFinished = false

  init(
    _ container: any Container, format: ImageFormat, destination: EncodeDestination, options: EncodeOptions,
    pageCount: Int
  ) throws(CoderError) {
    coder = container.id
    self.options = options
    do throws(CoderError) {
      let plan = try EncodePlan(container, format: format, options: options, pageCount: pageCount)
      guard options.maxFileSize != nil || options.look != nil else {
        body = try StreamingBody(plan, destination)
        return
      }
      if let look = options.look {
        body = CollectingBody(destination, limits: options.limits) { [unowned self] (pages) throws(CoderError) in
          guard let open else { throw .noCoder("a look needs the encoder of a registry, which reads what it writes") }
          var encoding = try LookEncoding(plan, look: look, pages, open: open)
          return try encoding.file()
        }
        return
      }
      body = CollectingBody(destination, limits: options.limits) { (pages) throws(CoderError) in
        try plan.largestFile(pages)
      }
    } catch {
      throw error.annotated(coder: container.id)
    }
  }

  /// Keeps what is added until the end, for a coder that encodes whole images only.
  init(
    coder: String, destination: EncodeDestination, options: EncodeOptions,
    encode: @escaping (_ pages: [Image]) throws(CoderError) -> EncodedFile
  ) {
    self.coder = coder
    self.options = options
    body = CollectingBody(destination, limits: options.limits, encode: encode)
  }

  /// Adds a still, or a frame of an animation.
  ///
  /// - Parameter delay: How long it is shown.
  /// - Throws: ``CoderError/Code/unsupported`` for a second frame in a format without animation;
  ///   ``CoderError/Code/invalidArgument`` for a frame of another size than the first, or with colors or alpha that the
  ///   first two do not have: see ``EncodeOptions/Output/layout``.
  public func add(_ pixels: PixelBuffer, delay: FrameDelay = .zero) throws(CoderError) {
    try add(pixels, delay: delay, changedIn: nil, of: Image(pixels))
  }

  /// Adds a picture, or all frames of an animation.
  ///
  /// The first image that is added determines the file's metadata, colors and loop count.
  ///
  /// - Parameter delay: The delay of each frame, or nil to use the image's own delays.
  public func add(_ image: Image, delay: FrameDelay? = nil) throws(CoderError) {
    for frame in options.firstFrameOnly ? [image.frames[0]] : image.frames {
      try add(frame.pixels, delay: delay ?? frame.delay, changedIn: nil, of: image)
    }
  }

  /// Adds a file: all frames of an animation, with only one at a time in memory.
  ///
  /// - Throws: What the coder of the file throws; the frames of a truncated or damaged file are added first.
  public func add(_ source: ByteSource, delay: FrameDelay? = nil) throws(CoderError) {
    guard let open else { throw .noCoder("the encoder of a coder reads no files; that of a registry does") }
    try add(try open(source), delay: delay)
  }

  /// Adds all frames of a decoder, one after the other.
  ///
  /// - Parameter problem: Called for each frame that was decoded only in part. If nil, such a frame is an error.
  public func add(
    _ decoder: ImageDecoder, delay: FrameDelay? = nil, problem: ((CoderError) -> Void)? = nil
  ) throws(CoderError) {
    var image: Image?
    let count = options.firstFrameOnly ? 1 : decoder.frameCount
    if count > 1 { decoder.reuseFrameMemory() }
    for index in 0..<count {
      let frame: Frame
      do throws(CoderError) { frame = try decoder.lentFrame(at: index) } catch {
        guard index > 0, error.keepsEarlierFrames else { throw error }
        return try Self.report(error, to: problem)
      }
      var found = frame.problem
      if image == nil {
        image = try described([frame], of: decoder)
        found = image?.problem
      }
      guard let image else { return }
      let area = try decoder.changedArea(at: index)
      try add(frame.pixels, delay: delay ?? frame.delay, changedIn: area, of: image)
      try Self.report(found, to: problem)
    }
  }

  /// Adds all that a decoder has as a page, or as a file of one.
  ///
  /// The rows of a still go from the reader to the writer one band after the other, where both take them so: then no one
  /// holds the whole picture.
  ///
  /// - Parameter problem: As for ``add(_:delay:problem:)-(ImageDecoder,_,_)``.
  package func addPage(_ decoder: ImageDecoder, problem: ((CoderError) -> Void)? = nil) throws(CoderError) {
    guard let rows = try decoder.pictureRows() else { return try add(decoder, problem: problem) }
    // Nobody looks at this pixel: it stands for the layout of the others.
    let pixel = try PixelBuffer(size: Size(width: 1, height: 1), format: rows.layout.format, alpha: rows.layout.alpha)
    let delay = try decoder.frameHeader(at: 0).delay ?? .zero
    let image = try described([Frame(pixels: pixel, delay: delay)], of: decoder)
    var (found, isAdded) = (image.problem, false)
    try run { (body) throws(CoderError) in
      var missing: CoderError?
      isAdded = try body.addPage(rows, of: decoder, as: image, problem: &missing)
      found = missing ?? found
    }
    guard isAdded else { return try add(decoder, problem: problem) }
    try Self.report(found, to: problem)
  }

  /// A decoder's image without its pixels.
  private func described(_ frames: [Frame], of decoder: ImageDecoder) throws(CoderError) -> Image {
    var image = try decoder.image(of: frames)
    if options.metadata.contains(.trailer) {
      do throws(CoderError) { image.metadata[.trailer] = try decoder.metadata(.trailer) } catch {
        try note(FactChange(.video, .dropped, because: error.message))
      }
    }
    if !options.metadata.isEmpty {
      do throws(CoderError) { image.metadata[.other] = try decoder.metadata(.other) } catch {
        try note(FactChange(.applicationData, .dropped, because: error.message))
      }
    }
    if let inner {
      image.metadata.merge(inner.payloads.filter { options.metadata.contains($0.key) }) { stated, _ in stated }
      if let names = inner.payloads[.other] { image.metadata[.other, default: []] += names }
      image.density = image.density ?? inner.density
    }
    if leavesAuxiliariesOut { image.companions.removeAll { Fact.auxiliaryKinds.contains($0) } }
    if leavesGainMapOut { image.companions.removeAll { $0 == .gainMap } }
    if leavesGainMapOut, let packet = image.metadata[.xmp] { image.metadata[.xmp] = GainMap.without(mapIn: packet) }
    return image
  }

  /// Reports what became of a fact that is not in the images that are added.
  ///
  /// - Throws: As ``FileWriter/note(_:)``.
  package func note(_ change: FactChange, isLogged: Bool = false) throws(CoderError) {
    guard !changes.contains(change) else { return }
    changes.append(change)
    try change.tell(options, isLogged: isLogged)
  }

  private static func report(_ found: CoderError?, to listener: ((CoderError) -> Void)?) throws(CoderError) {
    guard let found else { return }
    guard let listener else { throw found }
    listener(found)
  }

  /// Ends the current page; frames that are added later belong to the next page. See `makeEncoder(…, pageCount:)`.
  public func endPage() throws(CoderError) {
    try run { (body) throws(CoderError) in try body.endPage() }
  }

  /// Writes the rest of the file, and gives it its name.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for a file that ``EncodeOptions/Output/maxFileSize`` does not
  ///   allow.
  @discardableResult
  public func finish() throws(CoderError) -> EncodedFile {
    var file: EncodedFile?
    try run { (body) throws(CoderError) in file = try body.finish() }
    isFinished = true
    guard var file else { throw .libraryFailure("the encoder ended without a file") }
    file.changes = changes + file.changes
    return file
  }

  private func add(
    _ pixels: PixelBuffer, delay: FrameDelay, changedIn area: Rect?, of image: Image
  ) throws(CoderError) {
    try run { (body) throws(CoderError) in try body.add(pixels, delay: delay, changedIn: area, of: image) }
  }

  /// A writer that failed is not called again.
  private func run(_ step: (any EncoderBody) throws(CoderError) -> Void) throws(CoderError) {
    guard !isFinished else { throw .outOfOrder("a file that is finished takes no more") }
    if let failure { throw failure }
    do throws(CoderError) {
      guard let body else { throw .outOfOrder("an encoder without a file") }
      try step(body)
    } catch {
      let error = error.annotated(coder: coder)
      failure = error
      body = nil
      throw error
    }
  }
}

/// What an encoder does with frames.
protocol EncoderBody: AnyObject {
  /// - Parameter area: Where the frame may differ from the one before, or nil when that is not known.
  func add(_ pixels: PixelBuffer, delay: FrameDelay, changedIn area: Rect?, of image: Image) throws(CoderError)
  /// Adds a page row by row.
  ///
  /// - Returns: False if the page's picture is needed whole; then nothing of it was added.
  func addPage(
    _ rows: PictureRows, of decoder: ImageDecoder, as image: Image, problem: inout CoderError?
  ) throws(CoderError) -> Bool
  func endPage() throws(CoderError)
  func finish() throws(CoderError) -> EncodedFile
}

extension EncoderBody {
  func addPage(
    _ rows: PictureRows, of decoder: ImageDecoder, as image: Image, problem: inout CoderError?
  ) throws(CoderError) -> Bool { false }
}

/// Encodes each frame as it comes.
private final class StreamingBody: EncoderBody {
  private let writer: FileWriter
  private let target: any ByteTarget
  private let quality: Double?
  private let format: ImageFormat

  init(_ plan: EncodePlan, _ destination: EncodeDestination) throws(CoderError) {
    switch destination {
    case .memory: target = MemoryTarget(limits: plan.options.limits)
    case .file(let path): target = try NewFile(path)
    case .writing(let write): target = CallerTarget(write)
    }
    quality = plan.options.quality
    format = plan.format
    writer = try plan.writer(quality: quality, target: target)
  }

  func add(_ pixels: PixelBuffer, delay: FrameDelay, changedIn area: Rect?, of image: Image) throws(CoderError) {
    try writer.add(pixels, delay: delay, changedIn: area, of: image)
  }

  func addPage(
    _ rows: PictureRows, of decoder: ImageDecoder, as image: Image, problem: inout CoderError?
  ) throws(CoderError) -> Bool {
    try writer.addPage(rows, of: decoder, as: image, problem: &problem)
  }

  func endPage() throws(CoderError) { try writer.endPage() }

  func finish() throws(CoderError) -> EncodedFile {
    try writer.finish()
    let count = target.count
    try target.end()
    return EncodedFile(
      format: format, bytes: (target as? MemoryTarget)?.bytes ?? [], byteCount: count, frameCount: writer.frameCount,
      quality: quality, changes: writer.changes)
  }
}

/// Keeps what it is given, and encodes it at the end.
private final class CollectingBody: EncoderBody {
  typealias Encode = (_ pages: [Image]) throws(CoderError) -> EncodedFile

  private let destination: EncodeDestination
  private let limits: Limits
  private let encode: Encode
  private var pages: [Image] = []
  private var isPageOpen = false
  private var kept = 0

  init(_ destination: EncodeDestination, limits: Limits, encode: @escaping Encode) {
    self.destination = destination
    self.limits = limits
    self.encode = encode
  }

  func add(_ pixels: PixelBuffer, delay: FrameDelay, changedIn area: Rect?, of image: Image) throws(CoderError) {
    kept += pixels.byteCount
    try limits.check(memory: kept)
    let frame = Frame(pixels: pixels, delay: delay)
    if isPageOpen {
      pages[pages.count - 1].frames.append(frame)
    } else {
      var page = image
      page.frames = [frame]
      pages.append(page)
      isPageOpen = true
    }
  }

  func endPage() throws(CoderError) { isPageOpen = false }

  func finish() throws(CoderError) -> EncodedFile {
    try encode(pages).put(at: destination)
  }
}
