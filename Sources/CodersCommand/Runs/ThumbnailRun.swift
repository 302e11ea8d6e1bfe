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
  /// As the user names it or several of them, or nil for that of the output's name.
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
    let formats = try OutputFormats(
      format ?? (isFile && output != "-" ? nil : "png"), output: output, encoding: encoding, in: registry)
    try formats.check(inputs.map(\.path), output: output, isFile: isFile, batch: batch, in: registry)
    let names = try OutputNames(inputs, in: output, isFile: isFile, suffixes: formats.suffixes, console)
    batch.run(
      work(formats, in: registry, console), zip(inputs, names.paths).map { ($0.path, $1) }, output: output,
      isQuiet: read.coders.isQuiet, failures, console)
  }

  private func work(_ formats: OutputFormats, in registry: CoderRegistry, _ console: Console) -> any FileWork {
    var run = self
    guard formats.all.count > 1 else {
      return ThumbnailWork(run: run, registry: registry, format: formats.first, console: console)
    }
    run.encoding.formats = formats.all.map(\.format)
    run.read.coders.isQuiet = true
    return SmallestWork(
      formats: formats, registry: registry, read: read, keepsFrames: false, console: console
    ) { [run] format in
      ThumbnailWork(run: run, registry: registry, format: format, staysInMemory: true, console: console)
    }
  }
}

/// Makes one thumbnail.
private struct ThumbnailWork: FileWork {
  let run: ThumbnailRun
  let registry: CoderRegistry
  let format: ImageFormat
  /// Whether the file is not written yet.
  var staysInMemory = false
  let console: Console

  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    currentFile = output
    let target = OutputFile(staysInMemory ? "-" : output, console)
    let writing = try run.encoding.options(
      as: format, registry, console, file: output, run.read, unlessAsked: .web)
    let coder = try registry.coderID(named: run.encoding.encoder)
    currentFile = input
    var reading = try run.read.decodeOptions(registry, console, file: input)
    reading.isStrict = run.encoding.isStrict
    reading.thumbnailQuality = run.quality
    reading.linearLight = run.linearLight
    reading.squaresPixels = true
    let source = try registry.rereadable(try run.read.source(input, registry, console), reading)
    var preset = ThumbnailPreset(size: try size(of: source, reading), mode: run.mode, format: format)
    preset.color = try run.color(console)
    let made = try registry.makeThumbnail(
      preset, at: target.destination, reading: reading, writing: writing, coder: coder, problem: problem
    ) { (options) throws(CoderError) in
      var image =
        try run.edit.isIdentity ? run.read.decode(source, registry, options: options) : edited(source, options)
      registry.addStoredFacts(to: &image, of: source, options)
      currentFile = output
      return image
    }
    if !staysInMemory { try target.take(made, console) }
    return EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
  }

  /// The box in pixels.
  private func size(of source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> Size {
    if let size = run.box.size { return size }
    // A share of an edited picture is computed when it is there.
    guard run.edit.isIdentity else { return Size(width: 0, height: 0) }
    return run.box.size(for: try run.read.open(source, registry, options: options).header.displayedSize)
  }

  /// The edited picture, made as small as the box: what is cropped or turned is not known before it is decoded.
  private func edited(_ source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> Image {
    var options = options
    options.size = .own
    var image = try run.read.decode(source, registry, options: options)
    image.changes.formUnion(run.edit.changes)
    let pixels = try run.edit.applied(to: image.pixels)
    let fit = Fit.plan(displayed: pixels.size, box: run.box.size(for: pixels.size), mode: run.mode)
    var smaller = EncodeOptions.Output()
    smaller.linearLight = options.linearLight
    smaller.maxSize = fit.size
    if fit.size != pixels.size { image.changes.insert(run.mode == .fill ? [.scaled, .cropped] : .scaled) }
    image.frames[0].pixels = try WrittenColors(image, as: format, smaller, log: options.log)
      .applied(to: pixels, size: fit.size, region: fit.crop)
    return image
  }
}
