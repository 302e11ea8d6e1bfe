// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// An open image: its header, frames in any order, metadata and properties.
///
/// - Threads: One at a time, any thread.
public final class ImageDecoder {
  /// The identifier of the coder that reads the file.
  public let coderID: String
  /// The page that is decoded: for a thumbnail it may be a hidden one, a preview of the picture.
  public let page: Int
  /// The page's header.
  public let header: ImageHeader
  /// The total number of times that the animation plays: as the file states, or the container's default.
  public let loopCount: LoopCount

  let file: OpenFile
  var context: DecodeContext
  /// The format of the bytes that the reader has: another one than the header's where a coder made them of such a file.
  let readFormat: ImageFormat
  let frames: FrameTable
  let plan: OutputPlan
  /// Whether the canvas of an animation is opaque while any frame is shown.
  let isCanvasOpaque: Bool
  let colors: ColorPlan
  /// The gain map that is applied to the first frame, or nil.
  let applied: AppliedGainMap?
  var pictures: PictureDecoder
  var cursor: FrameCursor?
  /// While bytes arrive: the frame that was decoded last, if that was without the canvas.
  var last: (index: Int, pixels: PixelBuffer)?

  var options: DecodeOptions { context.options }
  var session: HostSession { file.session }
  var reader: any ReaderSession { file.reader }
  var names: ContainerPropertyNames? { file.names }

  /// Opens a file with a container's reader.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` before any pixel memory is taken; what the reader throws.
  package convenience init(_ container: any Container, _ context: DecodeContext) throws(CoderError) {
    try self.init(coder: container.id, context) { () throws(CoderError) in try OpenFile(container, context) }
  }

  convenience init(
    coder: String, _ context: DecodeContext, open: () throws(CoderError) -> OpenFile
  ) throws(CoderError) {
    do throws(CoderError) {
      let file = try open()
      let isOutermost = file.session.budget.beginCall()
      defer { if isOutermost { file.session.budget.endCall() } }
      do throws(CoderError) { try self.init(file, context) } catch { throw file.session.reason(for: error) }
    } catch {
      throw error.annotated(coder: coder, setBy: context.options.restrictions.setter(of: error))
    }
  }

  init(_ file: OpenFile, _ context: DecodeContext) throws(CoderError) {
    let options = context.options
    let (page, header) = try file.allowedPage(for: options)
    self.file = file
    self.page = page
    self.header = context.stated(header)
    readFormat = header.format
    self.context = context
    coderID = file.coder
    let (reader, names) = (file.reader, file.names)
    loopCount = try Self.loopCount(header, reader: reader, page: page, names: names)
    frames = FrameTable(
      count: header.hasOpenEnd ? .max : header.frameCount, canvas: header.canvas, limits: options.limits
    ) {
      (index) throws(CoderError) in
      try Self.frameHeader(index, of: header, reader: reader, page: page, names: names)
    }
    applied = try Self.gainMapToApply(header, page: page, file, options)
    if let applied {
      colors = ColorPlan(result: applied.result)
    } else {
      colors = try Self.colors(header, page: page, file, options)
    }
    let count = Self.stepCount(header, options)
    let native = Self.nativeLayout(of: header, showing: count, of: frames, in: colors)
    isCanvasOpaque = header.isAnimated && native.alpha == .opaque
    plan = try OutputPlan(
      header, frameCount: Self.budgetedFrames(header, end: count, of: frames, options),
      native: applied == nil ? native : PixelLayout(.rgbaFloat16, native.alpha), options: options)
    pictures = PictureDecoder(
      reader: reader, session: file.session, pool: options.pool, color: colors.transform, linear: colors.linear,
      native: header.pixelFormat, incremental: context.incremental)
    let orientation = plan.orientation
    context.incremental?.open(self) { (pixels) throws(CoderError) in try pixels.oriented(by: orientation) }
  }

  deinit { context.incremental?.close() }

  /// Another page of the same open file, with the same options.
  ///
  /// - Returns: A decoder that shares the file with this one: only one of the two may be used at a time.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have; any error of the reader.
  public func page(_ index: Int) throws(CoderError) -> ImageDecoder {
    try attributing { () throws(CoderError) in try ImageDecoder(file, context.page(index)) }
  }

  var isComposedStill: Bool { !header.isAnimated && options.zeroDelayFrames == .merge }

  /// The size of every decoded frame, in pixels.
  public var outputSize: Size { plan.orientation.displayed(plan.size) }

  /// A frame's place in the animation, with the delay that the file states.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that the file does not have.
  public func frameHeader(at index: Int) throws(CoderError) -> FrameHeader {
    try attributing { () throws(CoderError) in try frames.header(index) }
  }

  /// Makes one call of several: what a call may take of time, reads and inflated bytes is for all of them together.
  package func asOneCall<Result>(_ body: () throws(CoderError) -> Result) throws(CoderError) -> Result {
    try attributing(body)
  }

  /// Checks what a caller is going to keep.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more bytes than the options allow.
  package func check(memory bytes: Int) throws(CoderError) {
    try attributing { () throws(CoderError) in try session.limits.check(memory: bytes) }
  }

  /// The whole canvas as it is while a frame is shown, in the size and layout of the options.
  ///
  /// Frames may be decoded in any order; decoding them one after the other is fastest.
  ///
  /// - Throws: ``CoderError``, if not a single row can be decoded; otherwise ``Frame/problem`` says why rows are
  ///   missing, or with ``DecodeOptions/Output/isStrict`` is thrown.
  public func frame(at index: Int) throws(CoderError) -> Frame { try frame(at: index, lendsCanvas: false) }

  /// A frame as ``frame(at:)`` gives it, or without a copy the canvas itself. Nobody may write to its pixels.
  ///
  /// What is drawn later leaves them as they are. Who releases them before asks for no memory: the next frame is drawn on
  /// them.
  package func lentFrame(at index: Int) throws(CoderError) -> Frame { try frame(at: index, lendsCanvas: true) }

  private func frame(at index: Int, lendsCanvas: Bool) throws(CoderError) -> Frame {
    try attributing { () throws(CoderError) in
      guard index >= 0, index < end else { throw .missing("frame", index: index, count: frameCount) }
      let header = try frames.header(index)
      if let applied {
        var frame = try rendition(applied)
        if options.isStrict, let problem = frame.problem { throw problem }
        if let destination = options.destination {
          try check(destination)
          destination.assign(from: frame.pixels)
          frame.pixels = destination
        }
        return frame
      }
      let drawn = isComposedStill ? frames.count - 1 : showsPoster ? self.header.sequence.posterFrame : index
      // The first frame can be decoded of any animation.
      if drawn > 0 {
        try session.limits.check(frames: self.header.hasOpenEnd ? drawn + 1 : frames.count, of: self.header.canvas)
      }
      var destination = index == 0 ? options.destination : nil
      try check(destination)
      let isUpright = plan.orientation == .up
      let target = isUpright ? destination : nil
      if destination != nil, isUpright { destination = nil }
      let isAlone = try standsAlone(drawn)
      if isAlone, self.header.mayGainFrames { try showBehind(drawn) }
      var picture =
        try isAlone
        ? pictures.decode(frame: drawn, page: page, canvas: self.header.canvas, plan: plan, destination: target)
        : compose(drawn, into: target, lendsCanvas: lendsCanvas)
      if options.isStrict, let problem = picture.problem { throw problem }
      last = isAlone && self.header.mayGainFrames ? (drawn, picture.pixels) : nil
      if !isUpright {
        picture.pixels = try picture.pixels.oriented(by: plan.orientation, pool: options.pool)
        if let destination {
          destination.assign(from: picture.pixels)
          picture.pixels = destination
        }
      }
      return Frame(
        pixels: picture.pixels, delay: header.delay ?? .zero,
        problem: picture.problem?.annotated(coder: coderID, file: file.path))
    }
  }

  /// A frame's own pixels as stored in the file: not composited, scaled or turned.
  ///
  /// - Returns: The pixels of the frame's rectangle, in ``DecodeOptions/pixelFormat`` or the header's pixel format.
  package func rawFrame(at index: Int) throws(CoderError) -> Frame {
    try attributing { () throws(CoderError) in
      let header = try frames.header(index)
      let layout = PixelLayout(
        options.pixelFormat ?? Self.nativeLayout(of: self.header).format,
        self.header.alpha == .opaque ? .opaque : options.alpha)
      let buffer = try PixelBuffer(
        size: header.rect.size, format: layout.format, alpha: layout.alpha, pool: options.pool)
      let picture = try pictures.decode(frame: index, page: page, rect: header.rect, into: buffer)
      return Frame(
        pixels: picture.pixels, delay: header.delay ?? .zero,
        problem: picture.problem?.annotated(coder: coderID, file: file.path))
    }
  }

  /// A raw metadata payload byte for byte, without the container's own prefix, or nil if the file has none.
  ///
  /// - Returns: Nil too where a policy forbids that metadata is read, except for a profile.
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/malformed``.
  public func metadata(_ kind: MetadataKind) throws(CoderError) -> [UInt8]? {
    try attributing { () throws(CoderError) in
      guard mayRead(kind), let payload = try reader.metadata(kind, page: kind == .icc ? page : describedPage) else {
        return nil
      }
      try session.limits.check(metadata: payload.count)
      return payload
    }
  }

  /// Properties by ImageIO's names.
  ///
  /// - Parameter frame: A frame's number, or nil for the properties of the page.
  public func properties(frame: Int? = nil) throws(CoderError) -> Properties {
    try attributing { () throws(CoderError) in
      var properties = try reader.properties(page: page, frame: frame)
      properties.nameFlags()
      if let frame {
        let header = try frames.header(frame)
        properties.add(header, names: self.header.isAnimated ? names : nil)
      } else {
        properties.add(self.header, loopCount: loopCount, names: names)
        addMetadata(to: &properties)
      }
      return properties
    }
  }

  /// Adds what the file's metadata says; what the container itself states stays.
  ///
  /// A payload that cannot be read does not take the other properties away: ``metadata(_:)`` says what is wrong with it.
  private func addMetadata(to properties: inout Properties) {
    func payload(_ kind: MetadataKind) -> [UInt8]? {
      guard header.metadata.contains(kind), mayRead(kind) else { return nil }
      return (try? reader.metadata(kind, page: kind == .icc ? page : describedPage)) ?? nil
    }
    let reads = describedPage == 0 && options.restrictions.metadata == nil
    let iptc = payload(.iptc) ?? (reads ? file.iptc(format: readFormat) : nil)
    var described = Properties(describing: payload, iptc: iptc)
    let profile = described["ProfileName"]
    described.merge(properties)
    properties = described
    properties["ProfileName"] = profile ?? properties["ProfileName"]
    // JFIF and Exif state it in numbers of their own.
    if readFormat == .jpeg, properties["DPIWidth"] == nil,
      let density = Density(header) ?? payload(.exif).flatMap({ Density(exif: $0) })
    {
      properties["DPIWidth"] = .number(density.horizontal)
      properties["DPIHeight"] = .number(density.vertical)
    }
  }

  /// The page whose metadata counts: of a preview that stands for its owner, that of the owner.
  private var describedPage: Int { options.isThumbnail && header.role.showsOwner ? header.role.owner : page }

  /// A profile is part of how the picture looks.
  private func mayRead(_ kind: MetadataKind) -> Bool { kind == .icc || options.restrictions.metadata == nil }

  /// Whether a frame can be decoded without the canvas, and no later one is drawn on what it leaves.
  func standsAlone(_ index: Int) throws(CoderError) -> Bool {
    let frame = try frames.header(index)
    guard frame.rect == Rect(covering: header.canvas), try frames.start(of: index) == index else { return false }
    guard index + 1 < end else { return true }
    // The canvas, which the frame would only cover for a while, stays as it is.
    if frame.disposal == .restorePrevious, !header.mayGainFrames { return true }
    // Of a frame that is not there yet nothing is known. The canvas can be made of this one if it has to.
    if header.mayGainFrames {
      return colors.transform == nil && frame.replacesCanvas && frame.disposal != .restorePrevious
        && plan.layout == canvasLayout
        && !plan.isReduced
    }
    // A next frame whose header cannot be read will say so itself.
    do throws(CoderError) { return try !frames.mayBeDrawnOver(index) } catch { return true }
  }

  /// Lets what the frame before leaves be seen where rows of a frame are missing that is decoded without the canvas.
  private func showBehind(_ index: Int) throws(CoderError) {
    guard let incremental = context.incremental, index > 0, try frames.header(index - 1).disposal == .keep,
      let before = last?.pixels ?? cursor?.pixels(of: index - 1)
    else { return }
    let header = try frames.header(index)
    incremental.compose { rows in
      rows
    } _: { (rows, missing) throws(CoderError) in
      try Canvas.showing(rows, without: missing, of: header, on: before)
    }
  }

  /// Composes a frame on the canvas and brings it to plan: the canvas itself if that is lent, or a copy.
  private func compose(
    _ index: Int, into destination: PixelBuffer?, lendsCanvas: Bool
  ) throws(CoderError) -> PictureDecoder.Picture {
    let cursor = try canvasCursor()
    if let last, last.index == index - 1 { try cursor.resume(behind: last.index, drawn: last.pixels) }
    let (canvas, problem) = try cursor.show(index)
    var pixels = try planned(canvas)
    if let destination {
      destination.assign(from: pixels)
      pixels = destination
    } else if pixels.base == canvas.base, !lendsCanvas {
      // Also a buffer that only gives the canvas's memory another alpha mode: the next frame would show through it.
      pixels = try pixels.copy(pool: options.pool)
    }
    return PictureDecoder.Picture(pixels: pixels, problem: problem)
  }

  /// The canvas in the size and layout of the result; its own memory where they agree.
  private func planned(_ canvas: PixelBuffer) throws(CoderError) -> PixelBuffer {
    var pixels = canvas
    if plan.isReduced { pixels = try pixels.resampled(to: plan.size, region: plan.region, pool: options.pool) }
    return try pixels.converted(to: plan.layout, color: colors.transform, pool: options.pool)
  }

  func canvasCursor() throws(CoderError) -> FrameCursor {
    if let cursor { return cursor }
    let layout = canvasLayout
    let (bytes, overflow) = header.canvas.pixelCount.multipliedReportingOverflow(by: 3 * layout.format.bytesPerPixel)
    try session.limits.check(memory: overflow ? .max : bytes)
    let canvas = try Canvas(size: header.canvas, layout: layout, pool: options.pool)
    let pictures = pictures
    let page = page
    let frames = frames
    // Frames come and go; their memory is used again.
    let scratch = PixelPool(byteLimit: options.canvasMemory.scratchCanvases * canvas.pixels.byteCount)
    let cursor = FrameCursor(
      canvas: canvas, frames: frames,
      checkpointLimit: options.canvasMemory.checkpoints(of: canvas.pixels.byteCount, limits: session.limits)
    ) { [unowned self, incremental = context.incremental] (index, canvas) throws(CoderError) in
      let header = try frames.header(index)
      let replaces = header.replacesCanvas
      incremental?.compose { [plan] rows in
        let rows = header.rect.y + rows
        return plan.isReduced
          ? plan.region.rows(from: rows, of: canvas.pixels.size.height, resampledTo: plan.size.height) : rows
      } _: { [unowned self] (rows, missing) throws(CoderError) in
        try planned(try Canvas.showing(rows, without: missing, of: header, on: canvas.pixels))
      }
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
        guard index > 0, error.keepsEarlierFrames else { throw error }
        // One that needs no other frame has nothing below it.
        if try frames.start(of: index) == index { canvas.clear() }
        return error
      }
    }
    cursor.keepsCheckpoints = (options.canvasMemory.checkpointLimit ?? 0) > 0
    self.cursor = cursor
    return cursor
  }

  private func check(_ destination: PixelBuffer?) throws(CoderError) {
    guard let destination else { return }
    guard destination.size == outputSize, destination.format == plan.layout.format else {
      throw .invalidArgument(
        "the destination is \(destination.size) \(destination.format), the result \(outputSize) \(plan.layout.format)")
    }
  }

  func attributing<Result>(_ body: () throws(CoderError) -> Result) throws(CoderError) -> Result {
    let isOutermost = session.budget.beginCall()
    defer { if isOutermost { session.budget.endCall() } }
    do throws(CoderError) { return try body() } catch {
      let error = session.reason(for: error)
      throw error.annotated(coder: coderID, file: file.path, setBy: options.restrictions.setter(of: error))
    }
  }
}
