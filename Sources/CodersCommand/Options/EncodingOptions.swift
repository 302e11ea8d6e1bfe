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

  @Option(help: ArgumentHelp("Shows through where the format has no alpha.", valueName: "rrggbb"))
  var background: ColourArgument?

  @Option(
    name: .customLong("option"),
    help: ArgumentHelp("An option of the format's own; can be repeated.", valueName: "name=value"))
  var values: [NamedValue] = []

  @Option(name: .customLong("encoder"), help: ArgumentHelp("Write with this coder alone.", valueName: "id"))
  var encoder: String?

  func validate() throws {
    if let quality, !(0...1).contains(quality) {
      throw ValidationError("--quality is \(quality), 0 to 1 is allowed")
    }
  }

  /// Whether nothing was asked for that a file which is not encoded anew would not have.
  var isPlain: Bool {
    quality == nil && !progressive && background == nil && values.isEmpty && encoder == nil
  }

  /// Options of an encode in this run.
  func encodeOptions(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, file: String, isQuiet: Bool
  ) throws(CoderError) -> EncodeOptions {
    var options = EncodeOptions()
    options.quality = quality
    options.isLossless = lossless
    options.isProgressive = progressive
    if let background { options.background = (background.red, background.green, background.blue) }
    let writer = registry.catalog.writer(of: format, id: encoder)
    for value in values { options.values[value.name] = try value.number(writer?.options ?? []) }
    options.cancellation = console.cancellation
    options.log = console.log(for: file, isQuiet: isQuiet)
    return options
  }
}

extension Catalog {
  /// The manifest of the coder that a format is written with.
  func writer(of format: ImageFormat, id: String?) -> Manifest? {
    entries.lazy.filter { $0.reason == nil }.compactMap(\.manifest).first { manifest in
      manifest.canWrite && manifest.formats.contains { $0.format == format } && (id == nil || manifest.id == id)
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
    guard let format = format(forExtension: word) else {
      let known = catalog.entries.filter { $0.reason == nil }.compactMap(\.manifest).filter(\.canWrite)
        .flatMap(\.formats).flatMap(\.extensions).sorted().joined(separator: ", ")
      throw .noCoder("no coder writes \"\(word)\"; \(known.isEmpty ? "nothing is" : known + " are") written")
    }
    return format
  }

  /// Encodes with one coder when it is named, else with the first that can.
  func encode(
    _ pages: [Image], as format: ImageFormat, options: EncodeOptions, encoder: String?
  ) throws(CoderError) -> [UInt8] {
    guard let encoder else { return try encode(pages, as: format, options: options) }
    return try coder(encoder).encode(pages, as: format, options: options)
  }
}
