// SPDX-License-Identifier: Apache-2.0

/// One encode: what the image is becomes what the format can hold.
struct EncodeRun {
  private let container: any Container
  private let image: Image
  private let format: ImageFormat
  private let options: EncodeOptions

  init(
    _ container: any Container, image: Image, format: ImageFormat, options: EncodeOptions
  ) throws(CoderError) {
    self.container = container
    self.image = image
    self.format = format
    self.options = options
    if let quality = options.quality, !(quality >= 0 && quality <= 1) {
      throw .invalidArgument("quality \(quality), 0 to 1 is allowed")
    }
    try OptionDescription.check(options.values, against: container.options, of: format)
  }

  /// Encodes to a file's bytes.
  func bytes() throws(CoderError) -> [UInt8] {
    let session = HostSession(
      source: nil, limits: options.limits, cancellation: options.cancellation, log: options.log)
    let output = MemoryOutput(session: session)
    // The writer holds plain pointers into both until it has finished.
    defer { withExtendedLifetime((session, output)) {} }
    let writer = try container.openWriter(session, output: output.output, options: writeOptions)
    var frames = image.frames
    if frames.count > 1, options.firstFrameOnly || container.names == nil {
      if !options.firstFrameOnly {
        options.log?(.warning, "\(format) holds no animation: the first of \(frames.count) frames is written")
      }
      frames = [frames[0]]
    }
    let first = try prepared(frames[0].pixels)
    let layout = try writer.layout(for: first.layout)
    if options.isLossless, !layout.holds(first.layout) {
      throw .unsupported(
        "lossless was asked for; \(format) takes \(layout.format), the picture is \(first.layout.format)")
    }
    try writer.setHeader(header(first, layout: layout, frameCount: frames.count))
    for kind in MetadataKind.allCases { try add(kind, to: writer, layout: layout) }
    for (index, frame) in frames.enumerated() {
      if session.isCancelled { throw .cancelled }
      let pixels = try converted(index == 0 ? first : try prepared(frame.pixels), to: layout)
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
    try writer.finish()
    return output.bytes
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
  private func prepared(_ pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
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

  private func header(_ first: PixelBuffer, layout: PixelLayout, frameCount: Int) -> ImageHeader {
    var header = ImageHeader(
      format: format, canvas: first.size, pixelFormat: layout.format, bitsPerChannel: layout.format.bytesPerChannel * 8,
      alpha: layout.alpha)
    header.frameCount = frameCount
    header.isAnimated = frameCount > 1
    header.loopCount = frameCount > 1 ? image.loopCount : nil
    header.cicp = image.cicp
    return header
  }

  private func add(_ kind: MetadataKind, to writer: any WriterSession, layout: PixelLayout) throws(CoderError) {
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
