// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// Encodes one picture or animation to a file's bytes.
  ///
  /// - Parameters:
  ///   - format: The file format, or nil to choose one that can hold the picture: see ``format(for:)``.
  ///   - coder: The identifier of the only coder to use, or nil for the first that can encode the picture.
  /// - Throws: ``CoderError/Code/noCoder`` if no coder writes the format; what the coder throws.
  @available(*, noasync, message: "this blocks a thread: await registry.async.encode(…)")
  public func encode(
    _ image: Image, as format: ImageFormat? = nil, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) throws(CoderError) -> [UInt8] {
    try encode([image], as: format ?? self.format(for: image), options: options, coder: coder)
  }

  /// Encodes pictures to a file's bytes.
  ///
  /// - Parameter pages: One picture or animation, or several pictures for a format that holds pages.
  /// - Throws: ``CoderError/Code/noCoder`` if no coder writes the format; what the coder throws.
  @available(*, noasync, message: "this blocks a thread: await registry.async.encode(…)")
  public func encode(
    _ pages: [Image], as format: ImageFormat, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) throws(CoderError) -> [UInt8] {
    if options.look != nil, options.iconSizes.isEmpty {
      let encoder = try makeEncoder(as: format, options: options, pageCount: pages.count, coder: coder)
      for (index, page) in pages.enumerated() {
        if index > 0 { try encoder.endPage() }
        try encoder.add(page)
      }
      return try encoder.finish().bytes
    }
    return try withWriter(of: format, id: coder) { (coder) throws(CoderError) in
      guard pages.count <= 1 || coder.writesPages else {
        throw .unsupported("\(format) holds 1 page, \(pages.count) were given")
      }
      let written = pages.map { coder.framesToWrite(of: $0, among: pages.count, as: format, options) }
      return try coder.encode(written, as: format, options: options)
    }
  }

  /// Begins a file that is written frame by frame or page by page.
  ///
  /// - Parameters:
  ///   - pageCount: The number of pages that the file will have.
  ///   - coder: The identifier of the only coder to use, or nil for the first that writes the format.
  /// - Throws: ``CoderError/Code/noCoder`` if no coder writes the format; what the coder throws.
  @available(*, noasync, message: "this blocks a thread: await registry.async.makeEncoder(…)")
  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination = .memory, options: EncodeOptions = EncodeOptions(),
    pageCount: Int = 1, coder: String? = nil
  ) throws(CoderError) -> ImageEncoder {
    let encoder = try withWriter(of: format, id: coder) { (coder) throws(CoderError) in
      try coder.makeEncoder(as: format, to: destination, options: options, pageCount: pageCount)
    }
    encoder.open = { (source) throws(CoderError) in
      var reading = DecodeOptions()
      reading.limits = options.limits
      reading.cancellation = options.cancellation
      reading.log = options.log
      reading.appliesOrientation = !options.preservesOrientation
      return try self.open(source, options: reading)
    }
    return encoder
  }

  /// The format to use for a picture if the caller names none: WebP or else APNG for an animation; PNG for a picture
  /// that has alpha or more than 8 bits, or comes from a lossless file; JPEG for other pictures.
  public func format(for image: Image) -> ImageFormat {
    let isAnimated = image.frames.count > 1
    if isAnimated, !candidates(writing: .webP).isEmpty { return .webP }
    let layout = image.pixels.layout
    let isExact = layout.alpha != .opaque || layout.format.bytesPerChannel > 1 || image.header?.isLossless ?? false
    return isAnimated || isExact || candidates(writing: .jpeg).isEmpty ? .png : .jpeg
  }

  /// Tries the coders that write a format, in their order, until one does.
  private func withWriter<Result>(
    of format: ImageFormat, id: String?, _ body: (any ImageCoder) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let policy = policy
    if let problem = policy.problem { throw problem }
    if let id { try policy.checkAllowed(coder: id) }
    var first: CoderError?
    for candidate in candidates(writing: format) where id == nil || candidate.id == id {
      do throws(CoderError) {
        let coder = try load(candidate)
        guard coder.canEncode(format) else { continue }
        return try body(coder)
      } catch {
        guard error.allowsFallback else { throw error }
        first = first ?? error
      }
    }
    if let first { throw first }
    if let shortage = catalog.shortage { throw shortage }
    guard hasCoders else { throw .noCoder(catalog.emptiness) }
    if let coders = policy.coders {
      throw .noCoder("no coder that may be used (set by \(coders.words)) writes \(format)")
    }
    let who = id.map { "no coder with the id \($0)" } ?? "no coder"
    throw .noCoder("\(who) writes \(format)\(catalog.unusedHint)")
  }
}
