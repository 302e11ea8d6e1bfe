// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderModel
import ImageCoders

/// Options of verbs that write images.
struct EncodingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("From 0 (smallest file) to 1 (best picture). (default: the format's own)", valueName: "q"))
  var quality: Double?

  @Option(
    help: ArgumentHelp(
      "How much the file should look like the picture, up to 100: 80 is high quality, 70 good. Uses the smallest such file.",
      valueName: "score"))
  var look: Double?

  @Flag(help: "Keep every sample exactly; an error if the format cannot.")
  var lossless = false

  @Flag(help: "Write an interlaced or progressive file.")
  var progressive = false

  @Option(help: ArgumentHelp("Chroma subsampling of lossy pictures: 420 or 4:2:0.", valueName: "s"))
  var subsampling: SubsamplingArgument?

  @Option(
    help: ArgumentHelp(
      "The color under transparent pixels if the format has no alpha: ff8800, or a name of CSS. (default: white)",
      valueName: "color"), transform: ColorArgument.parsed)
  var background: ColorArgument?

  @Option(
    help: ArgumentHelp(
      "The largest file size in bytes, such as 200k or 1.5M (k is 1000): uses the best quality that fits.",
      valueName: "n"), transform: ByteCountArgument.parsed)
  var maxBytes: ByteCountArgument?

  @Option(help: ArgumentHelp("Store a thumbnail with this longest side inside the file.", valueName: "n"))
  var embedThumbnail: Int?

  @Option(
    help: ArgumentHelp(
      """
      Metadata to copy: keep, strip, a list from icc,exif,xmp,iptc,geotiff,text,trailer, or web: only an ICC profile \
      that is not sRGB. (default: keep; of a thumbnail web)
      """, valueName: "kinds"),
    transform: MetadataArgument.parsed)
  var metadata: MetadataArgument?

  @Option(
    name: .customLong("option"),
    help: ArgumentHelp(
      "A format-specific option; coders options lists them; can be repeated. An option of another format is an error.",
      valueName: "[format.]name=value"), transform: NamedValue.parsed)
  var values: [NamedValue] = []

  @Option(
    name: .customLong("encoder"),
    help: ArgumentHelp("Write with this coder only: its identifier, or the last part of it.", valueName: "id"))
  var encoder: String?

  @Option(
    help: ArgumentHelp("Pixels per inch that the file states. (default: those of the input)", valueName: "ppi"),
    transform: DensityArgument.parsed)
  var density: DensityArgument?

  @Flag(
    help: """
      Treat an input that can be read only in part as an error, and one of which the output would lose something: \
      captions, places, a video, a gain map. Nothing is written for it.
      """)
  var strict = false

  func validate() throws {
    if maxBytes?.bytes == 0 { throw ValidationError("--max-bytes is 0, it must be at least 1") }
    if let quality, !(0...1).contains(quality) {
      throw ValidationError("--quality is \(quality), 0 to 1 is allowed")
    }
    if let look, !(look > 0 && look <= 100) {
      throw ValidationError("--look is \(look), above 0 and up to 100 is allowed")
    }
    if look != nil, quality != nil { throw ValidationError("--look and --quality exclude each other") }
    if let embedThumbnail, embedThumbnail < 1 {
      throw ValidationError("--embed-thumbnail is \(embedThumbnail), it must be at least 1")
    }
  }

  /// What the options say.
  var settings: EncodingSettings {
    var settings = EncodingSettings()
    settings.common[.quality] = quality.map { .number($0) }
    settings.common[.progressive] = progressive ? .boolean(true) : nil
    settings.common[.subsampling] = (subsampling?.subsampling?.description).map { .word($0) }
    settings.isLossless = lossless
    settings.background = background?.color
    settings.maxFileSize = maxBytes?.bytes
    settings.look = look
    settings.embeddedThumbnailSide = embedThumbnail
    settings.metadata = metadata?.choice
    settings.values = values
    settings.encoder = encoder
    settings.isStrict = strict
    settings.density = density?.density
    return settings
  }
}

/// The option of verbs that make pictures smaller.
struct LightOptions: ParsableArguments {
  @Flag(help: "Resize in linear light, so that fine patterns keep their brightness.")
  var linearLight = false
}

/// Options of verbs that write whole animations.
struct SequenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shrink the picture to fit this box, 300x200, 300, 300x, x200 or 50%; it is never enlarged.", valueName: "size"),
    transform: PictureBox.parsed)
  var maxSize: PictureBox?

  @OptionGroup var light: LightOptions

  @Flag(name: .customLong("first-frame"), help: "Write only the first frame of an animation.")
  var firstFrame = false

  @Option(
    help: ArgumentHelp("How many times the animation plays in total, or forever.", valueName: "n"),
    transform: LoopArgument.parsed)
  var loop: LoopArgument?

  @Flag(help: "Write every frame as the whole canvas, not only the part that changed.")
  var noReduce = false

  /// Adds these options to the options of an encode.
  ///
  /// - Parameter picture: The size of which `--max-size` may be a share.
  func apply(to options: inout EncodeOptions, picture: Size) {
    options.maxSize = maxSize?.size(for: picture)
    options.linearLight = light.linearLight
    options.firstFrameOnly = firstFrame
    options.loopCount = loop?.count
    options.optimizesFrames = !noReduce
  }
}
