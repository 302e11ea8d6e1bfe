// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// How a verb writes images: what its options say, or what holds without them.
struct EncodingSettings: Sendable {
  /// Values of the options that have the same meaning in every format.
  var common: [CommonOption: OptionValue] = [:]
  var isLossless = false
  var background: PixelColor?
  /// Bytes, or nil for any number.
  var maxFileSize: Int?
  /// How much files should look like their pictures, or nil.
  var look: Double?
  /// The longest side of a thumbnail inside the file, or nil for none.
  var embeddedThumbnailSide: Int?
  /// Metadata that is copied, or nil for what is usual for the verb.
  var metadata: MetadataChoice?
  var values: [NamedValue] = []
  /// All formats that are tried, where these are several.
  var formats: [ImageFormat] = []
  /// The coder that writes, by its identifier or the last part of it, or nil.
  var encoder: String?
  /// Whether an input that can be read only in part is an error, and one of which something would be lost.
  var isStrict = false
  /// Pixels per inch that files state, or nil for those of their inputs.
  var density: Density?

  init() {}

  /// The encode options for one output file.
  ///
  /// - Parameter output: What the file contains where no option says something else.
  func options(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, file: String, _ read: ReadSettings,
    unlessAsked output: EncodeOptions.Output = EncodeOptions.Output()
  ) throws(CoderError) -> EncodeOptions {
    var options = EncodeOptions(output)
    for (option, value) in common { options.values[option.name] = value }
    options.isLossless = isLossless
    if let background { options.background = background }
    options.maxFileSize = maxFileSize
    options.look = look
    options.embeddedThumbnailSide = embeddedThumbnailSide
    options.density = density
    options.isStrict = isStrict
    metadata?.apply(to: &options.output)
    for value in values {
      if let name = value.format, let named = registry.format(forExtension: name), named != format,
        formats.contains(named)
      {
        continue
      }
      if let name = value.format, registry.format(forExtension: name) != format {
        throw .invalidArgument("option \(name).\(value.name) does not apply to \(format)")
      }
      options.values[value.name] = .word(value.value)
    }
    options.limits = read.limits
    options.cancellation = console.cancellation
    options.log = console.log(for: file, isQuiet: read.coders.isQuiet)
    return options
  }
}

/// Metadata that is copied.
struct MetadataChoice: Sendable {
  let kinds: Set<MetadataKind>
  /// Whether a profile is left out that says what every program takes for granted.
  var isForTheWeb: Bool

  init(_ kinds: Set<MetadataKind>, isForTheWeb: Bool = false) {
    self.kinds = kinds
    self.isForTheWeb = isForTheWeb
  }

  /// Sets what is written.
  func apply(to output: inout EncodeOptions.Output) {
    output.metadata = kinds
    output.writesSRGBProfile = !isForTheWeb
  }
}

/// A format-specific option.
struct NamedValue: Sendable {
  /// The format it is for, or nil: an extension, a name or a type identifier.
  let format: String?
  let name: String
  let value: String

  init(format: String?, name: String, value: String) {
    (self.format, self.name, self.value) = (format, name, value)
  }
}

extension CoderRegistry {
  /// The format to write, from `--format` or else from the output's extension.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` when neither names a format that a coder writes.
  func format(named name: String?, output: String) throws(CoderError) -> ImageFormat {
    guard let word = name ?? Path.suffix(output) else {
      throw .invalidArgument("the output's name has no extension; use --format to set the format")
    }
    do throws(CoderError) { return try formatToWrite(named: word) } catch {
      let extensions = writers.flatMap(\.writtenFormats).flatMap(\.extensions)
      guard let meant = Spelling.closest(to: word.lowercased(), in: extensions.sorted()) else { throw error }
      throw .invalidArgument("\(error.message); did you mean \(meant)?")
    }
  }

  /// Checks that the format holds animations.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` with the extensions of formats that do.
  func checkAnimations(_ format: ImageFormat, _ coder: String?) throws(CoderError) {
    guard writer(of: format, id: coder)?.writesFrames != true else { return }
    let animated = writers.filter(\.writesFrames).flatMap(\.writtenFormats).flatMap(\.extensions).sorted()
    throw .unsupported(
      "\(format) cannot hold an animation; "
        + (animated.isEmpty ? "no installed coder writes one" : animated.joined(separator: ", ") + " can"))
  }
}
