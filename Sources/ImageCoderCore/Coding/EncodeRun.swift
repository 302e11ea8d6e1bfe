// SPDX-License-Identifier: Apache-2.0

/// One encode: what the image is becomes what the format can hold.
struct EncodeRun {
  private let container: any Container
  private let pages: [Image]
  private let format: ImageFormat
  private let options: EncodeOptions

  /// - Parameter pages: One picture or animation, or several pictures for a format that holds pages.
  init(
    _ container: any Container, pages: [Image], format: ImageFormat, options: EncodeOptions
  ) throws(CoderError) {
    self.container = container
    self.pages = try options.pageSizes.isEmpty ? pages : Self.sizes(options.pageSizes, of: pages, options)
    self.format = format
    self.options = options
    if let quality = options.quality, !(quality >= 0 && quality <= 1) {
      throw .invalidArgument("quality \(quality), 0 to 1 is allowed")
    }
    guard !self.pages.isEmpty else { throw .invalidArgument("there is no picture to encode") }
    guard self.pages.count == 1 || container.writesPages else {
      throw .unsupported("\(format) holds 1 page, \(self.pages.count) were given")
    }
    guard self.pages.count <= options.limits.maxPages else {
      throw .limitExceeded(
        "maxPages", found: self.pages.count, allowed: options.limits.maxPages, what: "a page count of")
    }
    try OptionDescription.check(options.values, against: container.options, of: format)
  }

  /// One picture in several sizes, none of them enlarged.
  private static func sizes(
    _ sides: [Int], of pages: [Image], _ options: EncodeOptions
  ) throws(CoderError) -> [Image] {
    guard pages.count == 1, let image = pages.first else {
      throw .invalidArgument("sizes are made of one picture, \(pages.count) were given")
    }
    var made: [Image] = []
    for side in sides {
      guard side > 0 else { throw .invalidArgument("a page of size \(side), at least 1 is needed") }
      guard side <= max(image.size.width, image.size.height) else {
        options.log?(.warning, "size \(side) is left out: the picture is \(image.size)")
        continue
      }
      var page = image
      let size = Fit.plan(displayed: image.size, box: Size(width: side, height: side), mode: .fit).size
      page.frames = [Frame(pixels: try image.pixels.resampled(to: size))]
      made.append(page)
    }
    return made.isEmpty ? pages : made
  }

  /// Encodes to a file's bytes.
  func bytes() throws(CoderError) -> [UInt8] {
    let session = HostSession(
      source: nil, limits: options.limits, cancellation: options.cancellation, log: options.log)
    return try session.output { (output) throws(CoderError) in
      let writer = try container.openWriter(session, output: output, options: writeOptions)
      for image in pages { try add(image, to: writer, session) }
      try writer.finish()
    }
  }

  private func add(_ image: Image, to writer: any WriterSession, _ session: HostSession) throws(CoderError) {
    let frames = framesToWrite(of: image)
    let first = try prepared(frames[0].pixels, of: image)
    let layout = try writer.layout(for: first.layout)
    if options.isLossless, !layout.holds(first.layout) {
      throw .unsupported(
        "lossless was asked for; \(format) takes \(layout.format), the picture is \(first.layout.format)")
    }
    try writer.setHeader(header(first, of: image, layout: layout, frameCount: frames.count))
    for kind in MetadataKind.allCases { try add(kind, of: image, to: writer, layout: layout) }
    for (index, frame) in frames.enumerated() {
      if session.isCancelled { throw .cancelled }
      let pixels = try converted(index == 0 ? first : try prepared(frame.pixels, of: image), to: layout)
      guard pixels.size == first.size else {
        throw .invalidArgument("frame \(index) is \(pixels.size), the first is \(first.size)")
      }
      let view = PixelView(
        layout: layout, size: pixels.size, base: UnsafeRawPointer(pixels.base), stride: pixels.stride)
      try writer.add(
        view,
        frame: FrameHeader(
          rect: Rect(covering: pixels.size), delay: frame.delay, disposal: .keep, blend: .source, dependsOn: index,
          hasAlpha: layout.alpha != .opaque))
    }
  }

  /// All frames, where the format holds an animation and the file is one.
  private func framesToWrite(of image: Image) -> [Frame] {
    guard image.frames.count > 1 else { return image.frames }
    guard options.firstFrameOnly || container.names == nil || pages.count > 1 else { return image.frames }
    if !options.firstFrameOnly {
      let reason = pages.count > 1 ? "a page holds no animation" : "\(format) holds no animation"
      options.log?(.warning, "\(reason): the first of \(image.frames.count) frames is written")
    }
    return [image.frames[0]]
  }

  private var writeOptions: WriteOptions {
    var wishes = WriteOptions(format: format)
    wishes.quality = options.quality
    wishes.isLossless = options.isLossless
    wishes.isProgressive = options.isProgressive
    wishes.subsampling = options.subsampling
    wishes.values = options.values
    return wishes
  }

  /// The pixels upright and within the maximum size.
  private func prepared(_ pixels: PixelBuffer, of image: Image) throws(CoderError) -> PixelBuffer {
    var pixels = pixels
    let displayed = image.orientation.displayed(pixels.size)
    let size = Fit.plan(displayed: displayed, box: options.maxPixelSize, mode: .fit).size
    if size != displayed {
      pixels = try pixels.resampled(to: image.orientation.swapsSides ? size.transposed : size)
    }
    return try pixels.oriented(by: image.orientation)
  }

  private func converted(_ pixels: PixelBuffer, to layout: PixelLayout) throws(CoderError) -> PixelBuffer {
    var pixels = pixels
    if !layout.format.hasAlpha, pixels.alpha != .opaque { pixels = try pixels.flattened(on: options.background) }
    return try pixels.converted(to: layout)
  }

  private func header(
    _ first: PixelBuffer, of image: Image, layout: PixelLayout, frameCount: Int
  ) -> ImageHeader {
    var header = ImageHeader(
      format: format, canvas: first.size, pixelFormat: layout.format, bitsPerChannel: layout.format.bytesPerChannel * 8,
      alpha: layout.alpha)
    header.frameCount = frameCount
    header.pageCount = pages.count
    header.isAnimated = frameCount > 1
    header.loopCount = frameCount > 1 ? image.loopCount : nil
    header.cicp = image.cicp
    return header
  }

  private func add(
    _ kind: MetadataKind, of image: Image, to writer: any WriterSession, layout: PixelLayout
  ) throws(CoderError) {
    guard options.metadata.contains(kind), var payload = image.metadata[kind] else { return }
    switch kind {
    case .icc:
      guard ICCProfile.describes(layout.format, profile: payload) else {
        options.log?(.warning, "the ICC profile is left out: it is not for \(layout.format.isGray ? "gray" : "RGB")")
        return
      }
    case .exif:
      // The pixels are upright now; a tag that turns them again would turn them twice.
      ExifOrientation.set(.up, in: &payload)
    case .xmp: break
    }
    do throws(CoderError) {
      try writer.add(payload, as: kind)
    } catch {
      guard error.code == .unsupported else { throw error }
      options.log?(.warning, "\(kind) is left out: \(error.message)")
    }
  }
}

extension OptionDescription {
  /// Checks values of a format's own options.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that is not known, with the known ones, or a value that
  ///   is out of range, with the range.
  static func check(
    _ values: [String: Double], against known: [OptionDescription], of format: ImageFormat
  ) throws(CoderError) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let option = known.first(where: { $0.name == name }) else {
        let names = known.map(\.name).joined(separator: ", ")
        throw .invalidArgument("\(format) has no option \(name); it has \(names.isEmpty ? "none" : names)")
      }
      let range = option.range
      guard range.contains(value), !option.isWhole || value == value.rounded() else {
        throw .invalidArgument(
          "option \(name) is \(option.text(of: value)), \(option.text(of: range.lowerBound)) to "
            + "\(option.text(of: range.upperBound)) is allowed")
      }
    }
  }

  private var range: ClosedRange<Double> {
    switch kind {
    case .boolean: 0...1
    case .integer(let range, _): Double(range.lowerBound)...Double(range.upperBound)
    case .number(let range, _): range
    case .choice(let words, _): 0...Double(max(0, words.count - 1))
    }
  }

  /// A value as the option's kind has it: whole numbers without a fraction.
  private func text(of value: Double) -> String {
    guard isWhole, let whole = Int(exactly: value) else { return "\(value)" }
    return "\(whole)"
  }

  private var isWhole: Bool {
    if case .number = kind { return false }
    return true
  }
}

/// What is looked at in an ICC profile (ICC.1:2022 §7.2).
enum ICCProfile {
  /// Whether a profile's colour space is that of pixels of a format.
  static func describes(_ format: PixelFormat, profile: [UInt8]) -> Bool {
    // §7.2.6: bytes 16 to 19 are the data colour space's signature.
    guard profile.count >= 128 else { return false }
    return Array(profile[16..<20]) == Array((format.isGray ? "GRAY" : "RGB ").utf8)
  }
}
