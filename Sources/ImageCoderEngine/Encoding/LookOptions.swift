// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Options of encoders for files that are small for their look.
enum LookOptions {
  /// What encoders do for fewer bytes where nothing else is asked for.
  static func preferred(_ options: EncodeOptions, for plan: EncodePlan, look: Double) -> EncodeOptions {
    var options = options
    func prefer(_ name: String, _ value: OptionValue) {
      guard options.values[name] == nil, plan.container.options.contains(where: { $0.name == name }) else { return }
      options.values[name] = value
    }
    switch plan.format {
    case .jpeg:
      prefer("effort", "small")
      // Halved chroma is smaller wherever it looks good enough.
      prefer(CommonOption.subsampling.name, "4:2:0")
    case .webP:
      prefer("method", 6)
      if look > 70 { prefer("sharp-yuv", true) }
    case .avif:
      // Fewer bytes where steps are fine, more where they are coarse.
      if look > 75 { prefer("bit-depth", "10") }
    default: break
    }
    return options
  }

  /// The same with chroma of full size, or nil if the caller has a say or the format none.
  static func finer(_ options: EncodeOptions, for plan: EncodePlan) -> EncodeOptions? {
    guard plan.options.subsampling == nil, plan.container.follows(.subsampling) else { return nil }
    var options = options
    options.subsampling = .s444
    return options
  }

  /// Formats whose lossless files of screens are smaller than lossy ones.
  static func triesLossless(_ format: ImageFormat) -> Bool { format == .webP || format == .jpegXL }

  /// For a part of the picture, whose size, colors and turn are those of the file already.
  static func part(_ options: EncodeOptions) -> EncodeOptions {
    var options = options
    options.maxSize = nil
    options.edit = PixelEdit()
    options.color = .asStored
    options.metadata = []
    options.embeddedThumbnailSide = nil
    options.iconSizes = []
    options.density = nil
    return options
  }
}
