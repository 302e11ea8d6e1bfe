// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// What `coders thumbnail` does.
struct ThumbnailRun: Sendable {
  let box: PictureBox
  /// The file or directory to write, or `-`.
  let output: String
  var mode = ThumbnailMode.fit
  var quality = DecodeOptions.ThumbnailQuality.exact
  /// As the user names it, or nil for that of the output's name.
  var format: String?
  var edit = PixelEdit()
  var linearLight = false
  var batch = BatchSettings()
  var encoding = EncodingSettings()
  var read = ReadSettings()
  /// The colors of the output.
  var color: @Sendable (Console) throws(CoderError) -> OutputColor = { _ in .convert(to: .sRGB) }

  init(box: PictureBox, output: String) { (self.box, self.output) = (box, output) }

  /// Makes the thumbnails, and prints what was written.
  ///
  /// - Parameters:
  ///   - isOneInput: Whether one file is named, and neither a directory nor a list.
  ///   - registry: Of `read`.
  func run(
    _ inputs: [InputFile], isOneInput: Bool, _ registry: CoderRegistry, _ failures: Failures, _ console: Console
  ) throws(CoderError) {
    try OutputFile(output, console).refuseTerminal(console)
    let isFile = OutputNames.isFile(output, isOneInput: isOneInput, console)
    // A directory and standard output have no extension.
    let format = try registry.format(named: format ?? (isFile && output != "-" ? nil : "png"), output: output)
    let suffix = registry.writer(of: format)?.preferredExtension(of: format) ?? format.rawValue
    let names = try OutputNames(inputs, in: output, isFile: isFile, suffix: suffix, console)
    batch.run(
      ThumbnailWork(run: self, registry: registry, format: format, console: console),
      zip(inputs, names.paths).map { ($0.path, $1) }, output: output, isQuiet: read.coders.isQuiet, failures, console)
  }
}

/// Makes one thumbnail.
private struct ThumbnailWork: FileWork {
  let run: ThumbnailRun
  let registry: CoderRegistry
  let format: ImageFormat
  let console: Console

  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    let image = try image(input)
    currentFile = output
    let writing = try run.encoding.options(
      as: format, registry, console, file: output, run.read, unlessAsked: .web)
    let target = OutputFile(output, console)
    let encoder = try registry.makeEncoder(
      as: format, to: target.destination, options: writing,
      coder: try registry.coderID(named: run.encoding.encoder))
    try encoder.add(image)
    let made = try encoder.finish()
    try target.take(made, console)
    if let found = image.problem { problem(found) }
    return EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
  }

  private func image(_ input: String) throws(CoderError) -> Image {
    let edit = run.edit
    var options = run.read.decodeOptions(console, file: input)
    options.firstFrameOnly = true
    options.isStrict = run.encoding.isStrict
    options.thumbnailMode = run.mode
    options.thumbnailQuality = run.quality
    options.linearLight = run.linearLight
    options.color = try run.color(console)
    var source = try run.read.source(input, registry, console)
    if run.box.size == nil { source = try registry.rereadable(source, options) }
    guard edit.isIdentity else {
      var image = try run.read.decode(source, registry, options: options)
      let pixels = try edit.applied(to: image.pixels)
      let fit = Fit.plan(
        displayed: pixels.size, box: run.box.size(for: pixels.size), mode: options.thumbnailMode)
      var smaller = EncodeOptions.Output()
      smaller.linearLight = options.linearLight
      smaller.maxPixelSize = fit.size
      image.frames[0].pixels = try WrittenColors(image, as: format, smaller, log: options.log)
        .applied(to: pixels, size: fit.size, region: fit.crop)
      return image
    }
    options.thumbnailSize = run.box.size
    if options.thumbnailSize == nil {
      let header = try run.read.open(source, registry, options: options).header
      options.thumbnailSize = run.box.size(for: header.displayedSize)
    }
    return try run.read.decode(source, registry, options: options)
  }
}
