// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Writes one file through a container's writer: pages, each with its header, payloads, thumbnail and frames.
///
/// What the image is becomes what the format can hold. A page's header goes out when it is known whether the page is an
/// animation: with its second frame, or at its end.
final class FileWriter {
  let container: any Container
  let format: ImageFormat
  let options: EncodeOptions
  private let pageCount: Int
  let session: HostSession
  private let output: WriterOutput
  let writer: any WriterSession
  var page: Page?
  /// Whether the page in progress was written row by row: it takes no more frames.
  var isPageWritten = false
  /// Frames that were given, of all pages.
  var frameCount = 0
  /// What became of the facts of the source, of all pages.
  var changes: [FactChange] = []

  /// The page in progress.
  struct Page {
    /// Where payloads, colors and the loop count come from. Its frames are not looked at.
    var image: Image
    let colors: WrittenColors
    /// What was given, before any edit.
    let given: Size
    var size: Size
    /// The only frame so far.
    var first: (pixels: PixelBuffer, delay: FrameDelay)?
    /// What the frames need, as far as they are known when the page begins.
    var needed: PixelLayout?
    var layout: PixelLayout?
    var reducer: FrameReducer?
  }

  /// - Parameters:
  ///   - values: Of the options that were given, as the writer gets them.
  ///   - quality: In place of that of the options.
  init(
    _ container: any Container, format: ImageFormat, options: EncodeOptions, values: [String: OptionValue],
    quality: Double?,
    pageCount: Int, target: any ByteTarget
  ) throws(CoderError) {
    self.container = container
    self.format = format
    self.options = options
    self.pageCount = pageCount
    // That a frame is done is said here, once.
    var progress: (@Sendable (Double) -> Void)?
    if let listener = options.progress { progress = { if $0 < 1 { listener($0) } } }
    session = HostSession(
      source: nil, limits: options.limits, cancellation: options.cancellation, log: options.log, progress: progress)
    output = WriterOutput(target, session: session)
    var requested = WriteOptions(format: format)
    requested.isLossless = options.isLossless || options.keepsSamples
    requested.values = values
    if container.follows(.quality) { requested.values[CommonOption.quality.name] = quality.map { .number($0) } }
    writer = try container.openWriter(session, output: output.output, options: requested)
  }

  /// Adds a frame to the page in progress.
  ///
  /// - Parameters:
  ///   - pixels: As the image has them stored: its orientation is not applied.
  ///   - area: Where the frame may differ from the one before, or nil when that is not known.
  ///   - image: What the frame is one of; the first one counts.
  func add(
    _ given: PixelBuffer, delay: FrameDelay, changedIn area: Rect?, of image: Image
  ) throws(CoderError) {
    if session.isCancelled { throw .cancelled }
    guard !isPageWritten else { throw .outOfOrder("a frame after a page that was added whole") }
    let colors: WrittenColors
    if let known = page?.colors {
      colors = known
    } else {
      colors = try WrittenColors(image, as: format, options.output, log: options.log)
    }
    let pixels = try prepared(given, of: image, colors)
    // Of a frame that was resampled or turned, other pixels change.
    let area = pixels === given ? area : nil
    frameCount += 1
    guard var page else {
      var described = image
      colors.describe(&described, metadata: options.metadata)
      page = Page(image: described, colors: colors, given: given.size, size: pixels.size, first: (pixels, delay))
      return
    }
    guard container.writerFeatures.contains(.frames) else {
      throw .unsupported("a second frame; \(format) is written without animation")
    }
    guard pageCount == 1 else { throw .unsupported("a second frame; a page holds no animation") }
    guard pixels.size == page.size else {
      throw .invalidArgument("frame \(frameCount) is \(pixels.size), the first is \(page.size)")
    }
    if let first = page.first {
      try begin(&page, before: pixels)
      try page.reducer?.add(converted(first.pixels, &page), delay: first.delay)
      page.first = nil
      options.progress?(1)
    }
    try check(pixels, page)
    try page.reducer?.add(converted(pixels, &page), delay: delay, changedIn: area)
    options.progress?(1)
    self.page = page
  }

  /// Adds whole pages.
  func add(_ pages: [Image]) throws(CoderError) {
    for (index, image) in pages.enumerated() {
      if index > 0 { try endPage() }
      for frame in image.frames { try add(frame.pixels, delay: frame.delay, changedIn: nil, of: image) }
    }
  }

  /// Ends the page in progress.
  func endPage() throws(CoderError) {
    guard !isPageWritten else {
      isPageWritten = false
      return
    }
    guard var page else { throw .invalidArgument("there is no picture to encode") }
    self.page = nil
    if let first = page.first {
      try begin(&page, before: nil)
      let pixels = try converted(first.pixels, &page)
      try write(
        pixels, FrameHeader(rect: Rect(covering: page.size), delay: first.delay, hasAlpha: pixels.alpha != .opaque))
      options.progress?(1)
    } else {
      try page.reducer?.finish()
    }
  }

  /// Writes what is left.
  func finish() throws(CoderError) {
    if page != nil || isPageWritten { try endPage() }
    try writer.finish()
  }

  func write(_ pixels: PixelBuffer, _ frame: FrameHeader) throws(CoderError) {
    if session.isCancelled { throw .cancelled }
    try writer.add(
      PixelView(layout: pixels.layout, size: pixels.size, base: UnsafeRawPointer(pixels.base), stride: pixels.stride),
      frame: frame)
  }
}

// MARK: The page's lead

extension FileWriter {
  /// - Parameter second: The second frame of an animation, or nil for a still.
  private func begin(_ page: inout Page, before second: PixelBuffer?) throws(CoderError) {
    guard let first = page.first?.pixels else { return }
    let isAnimated = second != nil
    let layout = try agree(on: first.layout, second: second?.layout, &page)
    try begin(page, layout: layout, isAnimated: isAnimated)
    try addLight(of: page.image, isAnimated ? nil : first)
    try addThumbnail(of: first, page)
    guard isAnimated else { return }
    page.reducer = FrameReducer(container.writerFeatures, isReducing: options.optimizesFrames) {
      [unowned self] (pixels, frame) throws(CoderError) in try write(pixels, frame)
    }
  }

  /// Settles the layout of the page's frames with the writer.
  func agree(on first: PixelLayout, second: PixelLayout?, _ page: inout Page) throws(CoderError) -> PixelLayout {
    var needed = first
    if let second {
      needed = needed.union(second)
      if let announced = options.layout { needed = needed.union(announced) }
    }
    let layout = try writer.layout(for: wanted(needed, isAnimated: second != nil))
    if options.isLossless, !layout.holds(needed) {
      throw .unsupported("lossless was asked for; \(format) takes \(layout), the picture is \(needed)")
    }
    page.needed = needed
    page.layout = layout
    return layout
  }

  /// Writes what stands before the frames.
  func begin(_ page: Page, layout: PixelLayout, isAnimated: Bool) throws(CoderError) {
    let carried = try carried(page)
    try writer.setHeader(header(page, carried, layout: layout, isAnimated: isAnimated))
    if let reason = page.colors.reason { try note(FactChange(.colors, .changed, because: reason)) }
    for fact in carried.facts { try note(fact) }
    for kind in MetadataKind.allCases { try add(kind, carried, of: page.image, layout: layout) }
  }

  /// The layout that the writer is asked for. Frames that are drawn over others want alpha, even of opaque pictures,
  /// where a pixel that stays as it is may be left out and nothing is lost by that.
  private func wanted(_ needed: PixelLayout, isAnimated: Bool) -> PixelLayout {
    let features = container.writerFeatures
    let isExact = options.isLossless || !container.follows(.quality) || features.contains(.binaryAlpha)
    guard isAnimated, isExact, options.optimizesFrames, features.contains(.blends) else { return needed }
    return PixelLayout(needed.format == .bgra8 ? .bgra8 : needed.format.composed, .straight)
  }

  /// - Throws: ``CoderError/Code/invalidArgument`` for a later frame that has colors or alpha, when the file was begun
  ///   without; ``CoderError/Code/unsupported`` for one that is not kept without loss.
  private func check(_ pixels: PixelBuffer, _ page: Page) throws(CoderError) {
    guard let needed = page.needed, let layout = page.layout, !needed.holds(pixels.layout) else { return }
    let alpha = layout.alpha == .opaque && pixels.isOpaque ? AlphaMode.opaque : pixels.alpha
    let found = PixelLayout(pixels.format, alpha)
    if options.isLossless, !layout.holds(found) {
      throw .unsupported(
        "lossless was asked for; \(format) takes \(layout), frame \(frameCount) is \(found)")
    }
    let losesColor = layout.format.isGray && !found.format.isGray
    let losesAlpha = needed.alpha == .opaque && layout.alpha == .opaque && found.alpha != .opaque
    guard !losesColor, !losesAlpha else {
      throw .invalidArgument(
        "frame \(frameCount) has \(losesColor ? "colors" : "alpha"), the first two have not; "
          + "EncodeOptions.layout announces what frames need")
    }
  }

  private func header(
    _ page: Page, _ carried: CarriedMetadata, layout: PixelLayout, isAnimated: Bool
  ) -> ImageHeader {
    let image = page.image
    var header = ImageHeader(
      format: format, canvas: page.size, pixelFormat: layout.format,
      bitsPerChannel: bits(of: image, layout: layout), alpha: layout.alpha)
    // Frames that show the same become one, so their number is known at the end.
    header.frameCount = isAnimated ? 0 : 1
    header.pageCount = pageCount
    header.isAnimated = isAnimated
    header.loopCount = isAnimated ? options.loopCount ?? image.loopCount : nil
    header.cicp = image.cicp
    header.orientation = keptOrientation(of: image)
    header.resolution = carried.density?.horizontal
    header.pixelAspect = carried.density.flatMap { $0.vertical == $0.horizontal ? nil : $0.vertical / $0.horizontal }
    return header
  }

  /// What the samples really hold: those of 16 bits may have come from 10 or 12.
  private func bits(of image: Image, layout: PixelLayout) -> Int {
    let stored = layout.format.bytesPerChannel * 8
    guard stored == 16, !layout.format.isFloat, let bits = image.header?.bitsPerChannel, (9...16).contains(bits) else {
      return stored
    }
    return bits
  }

  func keptOrientation(of image: Image) -> Orientation {
    options.preservesOrientation && options.edit.isIdentity && container.writerFeatures.contains(.orientation)
      ? image.orientation : .up
  }

  /// Says how bright the light of an HDR picture is.
  ///
  /// - Parameter still: What is measured, or nil for an animation, whose other frames are not known yet.
  func addLight(of image: Image, _ still: PixelBuffer?) throws(CoderError) {
    guard let cicp = image.cicp, cicp.transfer == 16 || cicp.transfer == 18 else { return }
    var light = image.light
    if let still, isLightMeasured(of: image) {
      let found = try LightLevels.measured(in: still)
      (light.contentPeak, light.frameAveragePeak) = (found.contentPeak, found.frameAveragePeak)
    }
    guard light != LightLevels() else { return }
    do throws(CoderError) {
      try writer.setLight(light)
      if format == .jpegXL, light.frameAveragePeak != nil {
        // ISO/IEC 18181-1 §E.4: one number, the greatest light.
        try note(FactChange(.light, .dropped, because: "\(format) has no place for the mean light"))
      }
    } catch {
      guard error.code == .unsupported else { throw error }
      try note(FactChange(.light, .dropped, because: error.message))
      options.log?(.warning, "how bright the light is, is left out: \(error.message)")
    }
  }

  /// Whether the light of a still is measured. What a file says of itself, or leaves open, is passed on.
  func isLightMeasured(of image: Image) -> Bool {
    guard let cicp = image.cicp, cicp.transfer == 16, image.light.contentPeak == nil else { return false }
    return image.header.map { $0.cicp != cicp } ?? true
  }

  private func addThumbnail(of pixels: PixelBuffer, _ page: Page) throws(CoderError) {
    guard let side = options.embeddedThumbnailSide, let layout = page.layout else { return }
    guard container.writerFeatures.contains(.thumbnail) else {
      options.log?(.warning, "the thumbnail is left out: \(format) has no place for one")
      return
    }
    let size = Fit.plan(displayed: pixels.size, box: Size(width: side, height: side), mode: .fit).size
    // A picture that is small already is its own thumbnail.
    guard size != pixels.size else { return }
    let small = try converted(try pixels.resampled(to: size), to: layout)
    do throws(CoderError) {
      try writer.addThumbnail(
        PixelView(layout: layout, size: size, base: UnsafeRawPointer(small.base), stride: small.stride))
    } catch {
      guard error.code == .unsupported else { throw error }
      options.log?(.warning, "the thumbnail is left out: \(error.message)")
    }
  }
}

// MARK: Pixels

extension FileWriter {
  /// The pixels within the maximum size, in the colors of the file, and upright unless the orientation is kept as a tag.
  private func prepared(
    _ pixels: PixelBuffer, of image: Image, _ colors: WrittenColors
  ) throws(CoderError) -> PixelBuffer {
    let isKept = keptOrientation(of: image) == image.orientation
    return try colors.applied(to: pixels, of: image, options, turns: !isKept)
  }

  private func converted(_ pixels: PixelBuffer, _ page: inout Page) throws(CoderError) -> PixelBuffer {
    guard let layout = page.layout else { throw .outOfOrder("a frame before the header") }
    let pixels = try converted(pixels, to: layout)
    guard page.reducer != nil, layout.format == .rgba8 || layout.format == .bgra8, layout.alpha == .straight,
      container.writerFeatures.contains(.binaryAlpha)
    else { return pixels }
    let hard = try pixels.copy()
    if hard.hardenAlpha(), options.isLossless {
      throw .unsupported("partly transparent pixels in a lossless frame; \(format) has opaque and transparent ones")
    }
    return hard
  }

  func converted(_ pixels: PixelBuffer, to layout: PixelLayout) throws(CoderError) -> PixelBuffer {
    var pixels = pixels
    if !layout.format.hasAlpha, pixels.alpha != .opaque { pixels = try pixels.flattened(on: options.background) }
    return try pixels.converted(to: layout)
  }
}

extension PixelBuffer {
  /// Whether every alpha sample is the maximum.
  fileprivate var isOpaque: Bool {
    guard format.hasAlpha, alpha != .opaque else { return true }
    guard !format.isFloat else { return false }
    let (pixel, sample) = (format.bytesPerPixel, format.bytesPerChannel)
    for y in 0..<size.height {
      let row = UnsafeRawPointer(row(y)) + (pixel - sample)
      for x in 0..<size.width {
        let isMaximum =
          sample == 1
          ? row.load(fromByteOffset: x * pixel, as: UInt8.self) == .max
          : row.load(fromByteOffset: x * pixel, as: UInt16.self) == .max
        if !isMaximum { return false }
      }
    }
    return true
  }
}
