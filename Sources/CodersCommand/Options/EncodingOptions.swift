// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of an encode.
struct EncodingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("From 0 (smallest) to 1 (best); the format's own default otherwise.", valueName: "q"))
  var quality: Double?

  @Flag(help: "Every sample comes back as it was; an error where the format cannot.")
  var lossless = false

  @Flag(help: "Interlaced or progressive output.")
  var progressive = false

  @Option(help: ArgumentHelp("Chroma of lossy pictures: 420 for 4:2:0.", valueName: "s"))
  var subsampling: SubsamplingArgument?

  @Option(help: ArgumentHelp("Shows through where the format has no alpha; ffffff otherwise.", valueName: "rrggbb"))
  var background: ColourArgument?

  @Option(
    help: ArgumentHelp(
      "The most that the file may have, as 200k or 1.5M (k is 1000): the best quality that fits is searched.",
      valueName: "n"))
  var maxBytes: ByteCountArgument?

  @Option(help: ArgumentHelp("Keep a thumbnail with this longest side inside the file.", valueName: "n"))
  var embedThumbnail: Int?

  @Option(help: ArgumentHelp("What goes along: keep, strip, or some of icc,exif,xmp.", valueName: "kinds"))
  var metadata: MetadataArgument?

  @Option(
    name: .customLong("option"),
    help: ArgumentHelp(
      "An option of the format's own, which coders options lists; can be repeated. One for another format is an error.",
      valueName: "[format.]name=value"))
  var values: [NamedValue] = []

  @Option(name: .customLong("encoder"), help: ArgumentHelp("Write with this coder alone.", valueName: "id"))
  var encoder: String?

  func validate() throws {
    if let quality, !(0...1).contains(quality) {
      throw ValidationError("--quality is \(quality), 0 to 1 is allowed")
    }
    if let embedThumbnail, embedThumbnail < 1 {
      throw ValidationError("--embed-thumbnail is \(embedThumbnail), at least 1 is needed")
    }
  }

  /// Options of an encode in this run.
  func encodeOptions(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, file: String, _ read: ReadOptions
  ) throws(CoderError) -> EncodeOptions {
    var options = EncodeOptions()
    options.quality = quality
    options.isLossless = lossless
    options.isProgressive = progressive
    options.subsampling = subsampling?.subsampling
    if let background {
      options.background = RGBColor(red: background.red, green: background.green, blue: background.blue)
    }
    options.maxFileSize = maxBytes?.bytes
    options.thumbnailSide = embedThumbnail
    if let metadata { options.metadata = metadata.kinds }
    for value in values {
      if let name = value.format, registry.format(forExtension: name) != format {
        throw .invalidArgument("option \(name).\(value.name) is not for \(format)")
      }
      options.values[value.name] = .word(value.value)
    }
    options.limits = read.limits.limits
    options.cancellation = console.cancellation
    options.log = console.log(for: file, isQuiet: read.coders.quiet)
    return options
  }
}

/// Options of a verb that writes whole animations.
struct SequenceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The box that the picture has to fit; it is never enlarged.", valueName: "wxh"))
  var maxSize: BoxArgument?

  @Flag(name: .customLong("first-frame"), help: "Only the first frame of an animation.")
  var firstFrame = false

  @Option(help: ArgumentHelp("How often an animation plays in all, or forever.", valueName: "n"))
  var loop: LoopArgument?

  @Flag(help: "Write every frame as the whole canvas, not cut to what changed.")
  var noReduce = false

  /// Adds these options to those of an encode.
  func apply(to options: inout EncodeOptions) {
    options.maxPixelSize = maxSize?.size
    options.firstFrameOnly = firstFrame
    options.loopCount = loop?.count
    options.reducesFrames = !noReduce
  }
}

extension Catalog {
  /// Manifests of the coders that write, in the order in which they are tried.
  var writers: [Manifest] { entries.filter { $0.reason == nil }.compactMap(\.manifest).filter(\.canWrite) }

  /// The manifest of the coder that a format is written with.
  func writer(of format: ImageFormat, id: String?) -> Manifest? {
    writers.first { manifest in
      manifest.formats.contains { $0.format == format } && (id == nil || manifest.id == id)
    }
  }
}

extension CoderRegistry {
  /// The format that a user names: by `--format`, or by the output's name.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` when neither says anything; ``CoderError/Code/noCoder`` for a format
  ///   that no coder writes, with those that are written.
  func format(named name: String?, output: String) throws(CoderError) -> ImageFormat {
    guard let word = name ?? Path.suffix(output) else {
      throw .invalidArgument("the output's name has no extension: --format is needed")
    }
    guard let format = format(forExtension: word), catalog.writer(of: format, id: nil) != nil else {
      let known = catalog.writers.flatMap(\.formats).flatMap(\.extensions).sorted().joined(separator: ", ")
      throw .noCoder("no coder writes \"\(word)\"; \(known.isEmpty ? "nothing is" : known + " are") written")
    }
    return format
  }
}
