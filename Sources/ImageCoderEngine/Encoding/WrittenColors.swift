// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How a picture in memory is made smaller before it is written, and which colors it gets.
package struct WrittenColors {
  /// Nil where colors stay as they are.
  private let plan: ColorPlan?
  /// How light is resampled, or nil where codes are.
  private let linear: LinearLight?
  /// A profile that says what samples mean which stay as they are, where the file has no other place for that.
  private let profile: [UInt8]?
  /// Why colors are not stated as the source states them, or nil.
  let reason: String?

  /// Plans for all frames of an image. Colors that the file cannot state are converted to sRGB, unless a profile can state
  /// them.
  ///
  /// - Parameter format: Of the file. What counts of an image that comes from no file is what would count there.
  /// - Throws: ``CoderError/Code/unsupported`` for PQ and HLG in a format without code points, which every program would
  ///   show as if it were SDR; for a target, what ``ColorTransform`` does.
  package init(
    _ image: Image, as format: ImageFormat, _ output: EncodeOptions.Output, log: ((LogSeverity, String) -> Void)?
  ) throws(CoderError) {
    var conversion: ColorConversion?
    var statement = ColorStatement.asStored
    if case .convert(let wanted) = output.color {
      conversion = wanted
    } else {
      statement = ColorStatement(of: image, in: format, keepsProfiles: output.metadata.contains(.icc))
      if case .converted(let name) = statement {
        guard !output.isLossless else {
          throw .unsupported("lossless was asked for; \(format) has no place to say that colors are \(name)")
        }
        conversion = ColorConversion(to: .sRGB)
      }
    }
    (profile, reason) = (statement.profile, statement.reason(in: format))
    guard conversion != nil || output.linearLight else {
      (plan, linear) = (nil, nil)
      return
    }
    let warn = { (message: String) in log?(.warning, message) ?? () }
    let picture = PictureColor(of: image, as: format)
    let isAnimated = image.header?.isAnimated ?? (image.frames.count > 1)
    if let conversion {
      if [.rec2100PQ, .rec2100HLG].contains(conversion.target), !format.holdsCodePoints {
        throw .unsupported(
          "\(format) has no place for the code points of PQ and HLG; avif, heic, jxl and png have one")
      }
      plan = try ColorPlan(conversion, of: picture, isAnimated: isAnimated, warn: warn)
    } else {
      plan = nil
    }
    // Pictures that keep their size are not resampled, and need no warning.
    if output.linearLight, output.maxSize != nil || !output.iconSizes.isEmpty {
      linear = try (plan ?? .asStored)
        .resamplingLight(conversion, of: picture, isAnimated: isAnimated, warn: warn).linear
    } else {
      linear = nil
    }
  }

  /// Whether colors stay as they are.
  var keepsColors: Bool { plan?.transform == nil }

  /// Whether pixels that keep their size are written as they are.
  var changesNothing: Bool { plan?.transform == nil && linear == nil }

  /// The image with what is true of the result's colors.
  func describe(_ image: inout Image, metadata: Set<MetadataKind>) {
    if let profile {
      image.cicp = nil
      image.metadata[.icc] = profile
    }
    plan?.describe(&image, metadata: metadata)
  }

  /// A picture at a size, with the colors of the result.
  ///
  /// - Returns: The buffer itself where nothing changes.
  package func applied(to pixels: PixelBuffer, size: Size, region: ResamplingRegion? = nil) throws(CoderError)
    -> PixelBuffer
  {
    let layout = layout(for: pixels.layout)
    if let linear, size != pixels.size || region.map({ $0 != .whole(pixels.size) }) ?? false {
      let resampler = try LightResampler(linear, pixels.size, pixels.layout, region: region, to: size)
      for y in 0..<pixels.size.height { resampler.push(pixels.row(y)) }
      return try resampler.finish().converted(to: layout, color: linear.encode)
    }
    let small = try pixels.resampled(to: size, region: region)
    guard let transform = plan?.transform else { return small }
    return try small.converted(to: layout, color: transform)
  }

  /// A picture as the options want it: edited, within the maximum size, with the colors of the result.
  ///
  /// - Parameters:
  ///   - image: What the picture is a frame of.
  ///   - turns: Whether it is turned upright.
  func applied(
    to pixels: PixelBuffer, of image: Image, _ options: EncodeOptions, turns: Bool
  ) throws(CoderError) -> PixelBuffer {
    guard options.edit.isIdentity else {
      let edited = try options.edit.applied(to: try pixels.oriented(by: image.orientation))
      return try applied(
        to: edited, size: Fit.plan(displayed: edited.size, box: options.maxSize, mode: .fit).size)
    }
    let displayed = image.orientation.displayed(pixels.size)
    let size = Fit.plan(displayed: displayed, box: options.maxSize, mode: .fit).size
    let small = try applied(to: pixels, size: image.orientation.swapsSides ? size.transposed : size)
    return turns ? try small.oriented(by: image.orientation) : small
  }

  /// The layout of the result: 8 bits are too few for HDR, and floating point is for light.
  private func layout(for layout: PixelLayout) -> PixelLayout {
    guard let plan, let result = plan.result else { return layout }
    let isTooNarrow = plan.isHDR && layout.format.bytesPerChannel == 1
    return isTooNarrow || layout.format.isFloat && !result.isLight
      ? PixelLayout(.rgba16, layout.alpha) : layout
  }
}

extension EncodeOptions {
  /// - Throws: ``CoderError/Code/invalidArgument`` for a box with a side below 0.
  func checkBox() throws(CoderError) {
    if let box = output.maxSize, box.width < 0 || box.height < 0 { throw .invalidArgument(PictureSize.text(of: box)) }
  }

  /// A picture as these options want it in a file, for a coder that writes files in its own way: edited, within the maximum
  /// size, upright, and with the frames, the colors and the metadata of the file.
  public func applied(to image: Image, as format: ImageFormat) throws(CoderError) -> Image {
    try checkBox()
    let colors = try WrittenColors(image, as: format, output, log: log)
    var image = image
    if output.firstFrameOnly { image.frames = Array(image.frames.prefix(1)) }
    var result = image
    for (index, frame) in image.frames.enumerated() {
      result.frames[index].pixels = try colors.applied(to: frame.pixels, of: image, self, turns: true)
    }
    result.orientation = .up
    result.metadata = result.metadata.filter { output.metadata.contains($0.key) }
    if var exif = result.metadata[.exif] {
      ExifOrientation.set(.up, in: &exif)
      result.metadata[.exif] = exif
    }
    colors.describe(&result, metadata: output.metadata)
    return result
  }
}

extension PictureColor {
  /// What an image says of its colors, or a picture of the caller's own.
  ///
  /// - Parameter format: Whose order of statements counts where the image comes from no file.
  init(of image: Image, as format: ImageFormat) {
    let pixels = image.pixels
    var header = ImageHeader(
      format: image.header?.format ?? format, canvas: pixels.size, pixelFormat: pixels.format,
      bitsPerChannel: pixels.format.bytesPerChannel * 8, alpha: pixels.alpha)
    header.cicp = image.cicp
    header.gamma = image.header?.gamma
    header.metadata = Set(image.metadata.keys)
    var statements = Statements()
    statements.stored = image.stored
    statements.profile = image.metadata[.icc]
    if statements.profile == nil, Self.usesExif(header) { statements.exif = image.metadata[.exif] }
    self.init(header, statements)
  }
}

extension ImageFormat {
  /// Whether files take a profile. Formats of others are not known to lack a place.
  var holdsProfiles: Bool {
    ![.ico, .cur, .icns, .qoi, .pnm, .radiance, .openEXR].contains(self)
  }

  /// Whether samples of floating point stay what they are: light.
  var holdsLight: Bool { [.tiff, .pnm, .radiance, .openEXR].contains(self) }

  /// Whether files can state code points of ITU-T H.273. Formats of others are not known to lack a place.
  package var holdsCodePoints: Bool {
    let others: Set<ImageFormat> = [
      .jpeg, .gif, .webP, .tiff, .bmp, .ico, .cur, .icns, .jpeg2000, .qoi, .pnm,
      .radiance,
    ]
    return !others.contains(self)
  }
}
