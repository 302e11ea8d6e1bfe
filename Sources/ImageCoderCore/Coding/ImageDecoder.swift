// SPDX-License-Identifier: Apache-2.0

/// An open image: its header, frames in any order, metadata and properties.
///
/// - Threads: One at a time, any thread.
public final class ImageDecoder {
  /// The identifier of the coder that reads the file.
  public let coder: String
  /// The page that is decoded.
  public let page: Int
  /// The page's header.
  public let header: ImageHeader
  /// How often the animation plays in all: what the file says, or the container's default.
  public let loopCount: LoopCount

  /// Bytes that checkpoints of an animation may hold, so that frames can be reached out of order.
  public static let checkpointBytes = 8 << 20

  private let file: OpenFile
  private let options: DecodeOptions
  private let frames: FrameTable
  private let plan: OutputPlan
  private let pictures: PictureDecoder
  private var cursor: FrameCursor?

  private var session: HostSession { file.session }
  private var reader: any ReaderSession { file.reader }
  private var names: ContainerNames? { file.names }

  /// Opens a file with a container's reader.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` before any pixel memory is taken; what the reader throws.
  public convenience init(
    _ container: any Container, source: OpenSource, options: DecodeOptions
  ) throws(CoderError) {
    do throws(CoderError) {
      try self.init(try OpenFile(container, source: source, options: options), options: options)
    } catch {
      throw error.attributed(to: container.id)
    }
  }

  private init(_ file: OpenFile, options: DecodeOptions) throws(CoderError) {
    let limits = options.limits
    let (page, header) = try file.page(for: options)
    if let allowed = options.allowedFormats, !allowed.contains(header.format) {
      let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
      throw .unsupported("the file is \(header.format), the caller allows \(names)")
    }
    try limits.check(canvas: header.canvas)
    try limits.check(frames: header.frameCount)
    self.file = file
    self.page = page
    self.header = header
    self.options = options
    coder = file.coder
    let (reader, names) = (file.reader, file.names)
    loopCount = try Self.loopCount(header, reader: reader, page: page, names: names)
    frames = FrameTable(count: header.mayGainFrames ? .max : header.frameCount, canvas: header.canvas) {
      (index) throws(CoderError) in
      try Self.frameHeader(index, of: header, reader: reader, page: page, names: names)
    }
    plan = try OutputPlan(
      header, frameCount: header.mayGainFrames ? 1 : Self.stepCount(header, options),
      native: Self.nativeLayout(of: header),
      options: options)
    pictures = PictureDecoder(
      reader: reader, session: file.session, pool: options.pool,
      arriving: options.arriving)
    let orientation = plan.orientation
    options.arriving?.open(self) { (pixels) throws(CoderError) in try pixels.oriented(by: orientation) }
  }

  deinit { options.arriving?.close() }

  /// Another page of the same open file, with the same options.
  ///
  /// - Returns: A decoder that shares the file with this one: the two are used one at a time.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have; what the reader says of the
  ///   page.
  public func page(_ index: Int) throws(CoderError) -> ImageDecoder {
    var options = options
    options.page = index
    do throws(CoderError) {
      return try ImageDecoder(file, options: options)
    } catch {
      throw error.attributed(to: coder)
    }
  }

  /// Frames that ``frame(at:)`` can be asked for, at least 1.
  ///
  /// 1 for a still picture that the file keeps in several parts, unless ``DecodeOptions/stillParts`` says otherwise;
  /// ``ImageHeader/frameCount`` counts the parts.
  public var frameCount: Int { Self.stepCount(header, options) }

  private var isComposedStill: Bool { !header.isAnimated && options.stillParts == .composed }

  /// The size of every frame that is handed out, pixels.
  public var outputSize: Size { plan.orientation.displayed(plan.size) }

  /// A frame's place in the animation, with the delay that the file states.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that the file does not have.
  public func frameHeader(at index: Int) throws(CoderError) -> FrameHeader {
    try attributing { () throws(CoderError) in try frames.header(index) }
  }

  /// The whole canvas as it is while a frame is shown, as the options want it.
  ///
  /// Any frame may be asked for at any time; going forward one by one is the fastest.
  ///
  /// - Throws: ``CoderError``, when not one row can be had; otherwise ``Frame/problem`` says what is missing.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    try attributing { () throws(CoderError) in
      guard index >= 0, index < frameCount else { throw .invalidArgument("frame \(index) of \(frameCount)") }
      let header = try frames.header(index)
      let drawn = isComposedStill ? frames.count - 1 : index
      var destination = index == 0 ? options.destination : nil
      try check(destination)
      let isUpright = plan.orientation == .up
      let target = isUpright ? destination : nil
      if destination != nil, isUpright { destination = nil }
      var picture =
        try standsAlone(drawn)
        ? pictures.decode(frame: drawn, page: page, canvas: self.header.canvas, plan: plan, destination: target)
        : compose(drawn, into: target)
      if !isUpright {
        picture.pixels = try picture.pixels.oriented(by: plan.orientation, pool: options.pool)
        if let destination {
          destination.assign(from: picture.pixels)
          picture.pixels = destination
        }
      }
      return Frame(
        pixels: picture.pixels, delay: header.delay ?? .zero, problem: picture.problem?.attributed(to: coder))
    }
  }

  /// A frame's own pixels, as the file has them: neither composited, scaled nor turned.
  ///
  /// - Returns: The pixels of the frame's rectangle, in ``DecodeOptions/pixelFormat`` or the header's own.
  public func rawFrame(at index: Int) throws(CoderError) -> Frame {
    try attributing { () throws(CoderError) in
      let header = try frames.header(index)
      let layout = PixelLayout(
        options.pixelFormat ?? Self.nativeLayout(of: self.header).format,
        self.header.alpha == .opaque ? .opaque : options.alpha)
      let buffer = try PixelBuffer(
        size: header.rect.size, format: layout.format, alpha: layout.alpha, pool: options.pool)
      let picture = try pictures.decode(frame: index, page: page, rect: header.rect, into: buffer)
      return Frame(
        pixels: picture.pixels, delay: header.delay ?? .zero, problem: picture.problem?.attributed(to: coder))
    }
  }

  /// All frames, or the first, with metadata.
  ///
  /// - Throws: ``CoderError``, when not one row of the first frame can be had. Damage behind it ends the animation
  ///   there; ``Image/problem`` says why.
  public func image() throws(CoderError) -> Image {
    if header.isGrowing { return try growingImage() }
    // Whoever asks for frames one by one keeps as many as they like; here all are kept.
    try attributing { () throws(CoderError) in try session.limits.check(memory: plan.bytes(frames: frameCount)) }
    var decoded: [Frame] = [try frame(at: 0)]
    options.arriving?.add(decoded[0])
    var problem = decoded[0].problem
    var index = 1
    while index < frameCount {
      do throws(CoderError) {
        let next = try frame(at: index)
        problem = problem ?? next.problem
        decoded.append(next)
        options.arriving?.add(next)
      } catch {
        guard error.code.group == .file || error.code == .library else { throw error }
        problem = problem ?? error
        break
      }
      index += 1
    }
    return try image(of: decoded, header: header, loopCount: loopCount, problem: problem)
  }

  /// All frames of a file whose bytes arrive, each as soon as it is there.
  private func growingImage() throws(CoderError) -> Image {
    try attributing { () throws(CoderError) in
      var decoded: [Frame] = []
      var problem: CoderError?
      while !(options.firstFrameOnly && decoded.count == 1) {
        guard try hasFrame(decoded.count) else { break }
        try session.limits.check(frames: decoded.count + 1)
        try session.limits.check(memory: plan.bytes(frames: decoded.count + 1))
        do throws(CoderError) {
          let next = try frame(at: decoded.count)
          problem = problem ?? next.problem
          decoded.append(next)
          options.arriving?.add(next)
        } catch {
          guard error.code.group == .file || error.code == .library else { throw error }
          problem = problem ?? error
          break
        }
      }
      if problem != nil || !options.firstFrameOnly { try file.waitForAll() }
      // What is kept of a damaged file depends on all of its frames.
      if problem != nil { return try ImageDecoder(file, options: options).image() }
      // Now the header says what it says of the whole file.
      let whole = try reader.header(page: page)
      let loopCount = try Self.loopCount(whole, reader: reader, page: page, names: names)
      options.arriving?.update(whole, loopCount: loopCount)
      // What began as a still may turn out to have more frames.
      if !header.isAnimated, whole.frameCount > decoded.count || whole.isAnimated, !options.firstFrameOnly {
        return try ImageDecoder(file, options: options).image()
      }
      // What turns a picture may stand behind its pixels; then sizes and boxes are other ones.
      if whole.orientation != header.orientation { return try ImageDecoder(file, options: options).image() }
      // A frame that began may turn out to be none.
      if whole.isAnimated, decoded.count > whole.frameCount {
        decoded.removeLast(decoded.count - whole.frameCount)
        problem = decoded.lazy.compactMap(\.problem).first
      }
      if !whole.isAnimated, options.stillParts == .composed {
        // What began as an animation is another picture where its frames turn out to be none.
        let first = try Self.frameHeader(0, of: whole, reader: reader, page: page, names: names)
        guard try first == frames.header(0) else { return try ImageDecoder(file, options: options).image() }
        decoded = [decoded[decoded.count - 1]]
      }
      let layout = try OutputPlan(
        whole, frameCount: decoded.count, native: Self.nativeLayout(of: whole), options: options
      ).layout
      for index in decoded.indices {
        decoded[index].pixels = try decoded[index].pixels.converted(to: layout, pool: options.pool)
      }
      return try image(of: decoded, header: whole, loopCount: loopCount, problem: problem)
    }
  }

  /// Whether a file whose bytes arrive has a frame; waits until that is known.
  private func hasFrame(_ index: Int) throws(CoderError) -> Bool {
    guard header.mayGainFrames else { return index < frameCount }
    do throws(CoderError) {
      _ = try frames.header(index)
      return true
    } catch {
      guard error.code == .invalidArgument, index > 0 else { throw error }
      return false
    }
  }

  private func image(
    of decoded: [Frame], header: ImageHeader, loopCount: LoopCount, problem: CoderError?
  ) throws(CoderError) -> Image {
    var problem = problem
    if problem == nil, !options.firstFrameOnly { problem = missingFrames(header) }
    var image = Image(frames: decoded, loopCount: loopCount)
    image.orientation = options.appliesOrientation ? .up : header.orientation
    image.cicp = header.cicp
    image.scale = max(1, options.scale)
    image.header = header
    image.coder = coder
    image.problem = problem
    for kind in options.metadata {
      // Metadata that is damaged or too large never costs the pixels.
      do throws(CoderError) {
        if let payload = try metadata(kind) { image.metadata[kind] = payload }
      } catch {
        options.log?(.warning, "\(kind) is left out: \(error)")
      }
    }
    return image
  }

  /// What the header says of frames that are not there.
  private func missingFrames(_ header: ImageHeader) -> CoderError? {
    let there = header.frameCount == 1 ? "1 frame" : "\(header.frameCount) frames"
    if header.isDamaged { return CoderError.malformed("the file is damaged after \(there)").attributed(to: coder) }
    if header.isTruncated { return CoderError.truncated("the file ends after \(there)").attributed(to: coder) }
    return nil
  }

  /// A raw payload byte for byte, without the container's own prefix, or nil when the file has none.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/malformed``.
  public func metadata(_ kind: MetadataKind) throws(CoderError) -> [UInt8]? {
    try attributing { () throws(CoderError) in
      guard let payload = try reader.metadata(kind, page: page) else { return nil }
      try session.limits.check(metadata: payload.count)
      return payload
    }
  }

  /// Properties by ImageIO's names.
  ///
  /// - Parameter frame: A frame's number, or nil for what holds for the page.
  public func properties(frame: Int? = nil) throws(CoderError) -> Properties {
    try attributing { () throws(CoderError) in
      var properties = try reader.properties(page: page, frame: frame)
      if let frame {
        let header = try frames.header(frame)
        properties.add(header, names: self.header.isAnimated ? names : nil)
      } else {
        properties.add(self.header, loopCount: loopCount, names: names)
      }
      return properties
    }
  }

  /// Whether a frame can be decoded without the canvas, and the next one does not need the canvas either.
  private func standsAlone(_ index: Int) throws(CoderError) -> Bool {
    // Of a frame that is not there yet nothing is known.
    if header.mayGainFrames { return false }
    let covers = try frames.header(index).rect == Rect(covering: header.canvas)
    guard covers, try frames.start(of: index) == index else { return false }
    guard index + 1 < frameCount else { return true }
    // A next frame whose header cannot be read will say so itself.
    do throws(CoderError) { return try frames.start(of: index + 1) > index } catch { return true }
  }

  /// Composes a frame on the canvas and brings a copy to plan.
  private func compose(_ index: Int, into destination: PixelBuffer?) throws(CoderError) -> PictureDecoder.Picture {
    let (canvas, problem) = try canvasCursor().show(index)
    var pixels = try planned(canvas)
    if let destination {
      destination.assign(from: pixels)
      pixels = destination
    } else if pixels.base == canvas.base {
      // Also a buffer that only gives the canvas's memory another alpha mode: the next frame would show through it.
      pixels = try pixels.copy(pool: options.pool)
    }
    return PictureDecoder.Picture(pixels: pixels, problem: problem)
  }

  /// The canvas in the size and layout of the result; its own memory where they agree.
  private func planned(_ canvas: PixelBuffer) throws(CoderError) -> PixelBuffer {
    var pixels = canvas
    if plan.isReduced { pixels = try pixels.resampled(to: plan.size, region: plan.region, pool: options.pool) }
    return try pixels.converted(to: plan.layout, pool: options.pool)
  }

  private func canvasCursor() throws(CoderError) -> FrameCursor {
    if let cursor { return cursor }
    let layout = PixelLayout(header.pixelFormat.bytesPerChannel == 2 ? .rgba16 : .rgba8, .straight)
    let (bytes, overflow) = header.canvas.pixelCount.multipliedReportingOverflow(by: 3 * layout.format.bytesPerPixel)
    try session.limits.check(memory: overflow ? .max : bytes)
    let canvas = try Canvas(size: header.canvas, layout: layout)
    let pictures = pictures
    let page = page
    let frames = frames
    // Frames come and go; their memory is used again.
    let scratch = PixelPool(byteLimit: 2 * canvas.pixels.byteCount)
    let cursor = FrameCursor(
      canvas: canvas, frames: frames, checkpointBytes: min(Self.checkpointBytes, session.limits.maxMemory / 8),
      pool: nil
    ) { (index, canvas) throws(CoderError) in
      let header = try frames.header(index)
      let replaces = header.blend == .source || !header.hasAlpha
      let target =
        try replaces
        ? canvas.region(header.rect)
        : PixelBuffer(size: header.rect.size, format: layout.format, alpha: layout.alpha, pool: scratch)
      do throws(CoderError) {
        let picture = try pictures.decode(
          frame: index, page: page, rect: header.rect, into: target)
        if !replaces { canvas.blendOver(picture.pixels, at: header.rect) }
        return picture.problem
      } catch {
        // A frame without a row leaves the canvas as it is; the first frame has nothing to leave.
        guard index > 0, error.code.group == .file || error.code == .library else { throw error }
        return error
      }
    }
    self.cursor = cursor
    options.arriving?.compose { [unowned self] () throws(CoderError) in
      let pixels = try planned(canvas.pixels)
      return pixels.base == canvas.pixels.base ? try pixels.copy() : pixels
    }
    return cursor
  }

  private func check(_ destination: PixelBuffer?) throws(CoderError) {
    guard let destination else { return }
    guard destination.size == outputSize, destination.format == plan.layout.format else {
      throw .invalidArgument(
        "the destination is \(destination.size) \(destination.format), the result \(outputSize) \(plan.layout.format)")
    }
  }

  private func attributing<Result>(_ body: () throws(CoderError) -> Result) throws(CoderError) -> Result {
    do throws(CoderError) { return try body() } catch { throw error.attributed(to: coder) }
  }

  private static func stepCount(_ header: ImageHeader, _ options: DecodeOptions) -> Int {
    let isComposed = !header.isAnimated && options.stillParts == .composed
    if options.firstFrameOnly { return 1 }
    if header.mayGainFrames { return .max }
    return isComposed ? 1 : header.frameCount
  }

  /// Animations are composed with alpha at the depth of the file; stills keep the file's own format.
  private static func nativeLayout(of header: ImageHeader) -> PixelLayout {
    guard header.isAnimated else { return PixelLayout(header.pixelFormat, header.alpha) }
    return PixelLayout(header.pixelFormat.bytesPerChannel == 2 ? .rgba16 : .rgba8, .straight)
  }
}

extension CoderError {
  /// The same error with the coder that reported it, unless it has one.
  package func attributed(to coder: String) -> CoderError {
    guard self.coder == nil else { return self }
    var error = self
    error.coder = coder
    return error
  }
}
