// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// How the thumbnails of an application look and what their files contain.
///
///     extension ThumbnailPreset {
///       static let avatar = ThumbnailPreset(size: Size(width: 128, height: 128), mode: .fill, format: .webP)
///     }
public struct ThumbnailPreset: Sendable, Hashable {
  /// The box that the picture has to fit, in pixels. A side of 0 is unlimited: 300×0 limits only the width. A picture is
  /// never enlarged.
  public var size: Size
  /// How the picture is fitted to the box.
  public var mode: ThumbnailMode
  /// The format to write, or nil to choose one that can hold the picture: see ``CoderRegistry/format(for:)``.
  public var format: ImageFormat?
  /// Which colors the file has. sRGB, which is what programs take pictures without a profile for, unless set.
  public var color = OutputColor.convert(to: .sRGB)
  /// What the file contains besides. Only the first frame of an animation is written, unless its `firstFrameOnly` is off.
  public var output: EncodeOptions.Output

  /// Makes a preset for files that are safe to publish: ``EncodeOptions/Output/web``.
  public init(size: Size, mode: ThumbnailMode = .fit, format: ImageFormat? = nil, quality: Double? = nil) {
    self.size = size
    self.mode = mode
    self.format = format
    output = .web
    output.firstFrameOnly = true
    output.quality = quality
  }

  /// For pages of the web: the longest side has 1024 pixels, the colors are sRGB, and the file says nothing of the
  /// photographer.
  public static let web = ThumbnailPreset(size: Size(width: 1024, height: 1024))

  /// The same in another box.
  public func sized(width: Int, height: Int) -> ThumbnailPreset {
    var preset = self
    preset.size = Size(width: width, height: height)
    return preset
  }
}

extension CoderRegistry {
  /// Makes a small file of a picture, ready to be published.
  ///
  ///     let small = try registry.makeThumbnail(of: .bytes(upload), .web.sized(width: 300, height: 0))
  ///
  /// - Parameters:
  ///   - reading: How the file is read: limits, allowed formats, whether a part of a picture is enough. Its size, mode,
  ///     color and first-frame options are set from the preset, and pixels are made square.
  ///   - problem: Called if the picture was decoded only in part. If nil, or if `reading` is strict, that is an error.
  /// - Returns: The new file; its bytes, if the destination is memory.
  /// - Throws: As ``decode(_:options:coder:)`` and ``encode(_:as:options:coder:)-(Image,_,_,_)``.
  @available(*, noasync, message: "this blocks a thread: await registry.async.makeThumbnail(…)")
  public func makeThumbnail(
    of source: ByteSource, _ preset: ThumbnailPreset = .web, at destination: EncodeDestination = .memory,
    reading: DecodeOptions = DecodeOptions(), problem: ((CoderError) -> Void)? = nil
  ) throws(CoderError) -> EncodedFile {
    var writing = EncodeOptions(preset.output, limits: reading.limits, cancellation: reading.cancellation)
    writing.log = reading.log
    let source = try rereadable(source, reading)
    return try makeThumbnail(preset, at: destination, reading: reading, writing: writing, problem: problem) {
      (options) throws(CoderError) in
      var image = try decode(source, options: options)
      addStoredFacts(to: &image, of: source, options)
      return image
    }
  }

  /// Makes a thumbnail of a picture that the caller decodes.
  ///
  /// - Parameters:
  ///   - writing: What is written instead of the output of the preset.
  ///   - coder: The identifier of the coder that writes, or nil for the first.
  ///   - decode: Decodes the picture with the options of the thumbnail.
  package func makeThumbnail(
    _ preset: ThumbnailPreset, at destination: EncodeDestination, reading: DecodeOptions, writing: EncodeOptions,
    coder: String? = nil, problem: ((CoderError) -> Void)?, decode: (DecodeOptions) throws(CoderError) -> Image
  ) throws(CoderError) -> EncodedFile {
    var reading = reading
    reading.size = .fitting(preset.size, preset.mode)
    reading.color = preset.color
    reading.firstFrameOnly = preset.output.firstFrameOnly
    // A thumbnail is shown by programs that take all pixels for squares.
    reading.squaresPixels = true
    reading.isStrict = reading.isStrict || problem == nil
    // What is not written need not be read.
    reading.metadata.formIntersection(writing.output.metadata)
    let image = try decode(reading)
    let encoder = try makeEncoder(
      as: preset.format ?? format(for: image), to: destination, options: writing, coder: coder)
    try encoder.add(image)
    let made = try encoder.finish()
    if let found = image.problem { problem?(found) }
    return made
  }
}
