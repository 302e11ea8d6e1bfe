// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What `coders convert` does.
struct ConvertRun: Sendable {
  /// As the user names it or several of them, or nil for that of the output's name.
  var format: String?
  var isFirstFrameOnly = false
  /// Whether a file is encoded again even if it could be copied.
  var reencodes = false
  /// Whether pixels are made square that the file says are not.
  var squaresPixels = false
  var batch = BatchSettings()
  var encoding = EncodingSettings()
  var read = ReadSettings()
  /// A picture that belongs to the file's, which is written instead.
  var auxiliary: PageKind?
  /// The colors of the output.
  var color: @Sendable (Console) throws(CoderError) -> OutputColor = { _ in .asStored }
  /// Sets what else is done to the picture, once its file is open.
  var adjust:
    @Sendable (inout EncodeOptions, inout DecodeOptions, ImageDecoder, ImageFormat) throws(CoderError) -> Void = {
      (_, _, _, _) in
    }

  init() {}

  /// Converts one file to another.
  ///
  /// - Parameter registry: Of `read`.
  func run(
    _ input: String, to output: String, _ registry: CoderRegistry, _ failures: Failures, _ console: Console
  ) {
    do throws(CoderError) {
      try OutputFile(output, console).refuseTerminal(console)
      let formats = try OutputFormats(format, output: output, encoding: encoding, in: registry)
      try formats.check([input], output: output, isFile: true, batch: batch, in: registry)
      var path = output
      if formats.all.count == 1 {
        try refuseSecondInput(output, formats.first, registry, console)
      } else {
        path = try OutputNames(
          [InputFile(path: input)], in: output, isFile: true, suffixes: formats.suffixes, console
        ).paths[0]
      }
      let files = FileRun(
        work(formats, in: registry, showsFrames: true, console), updates: batch.updates, isQuiet: read.coders.isQuiet,
        failures: failures, console)
      guard case .written(let report) = files.make([(input, path)], jobs: 1)[0] else { return }
      if batch.isJSON {
        console.print(report.json.printed)
      } else if formats.all.count > 1, output != "-", !read.coders.isQuiet {
        console.print(report.file.printable)
      }
    } catch {
      failures.add(error, file: output)
    }
  }

  /// Converts files, and prints what was written.
  ///
  /// - Parameters:
  ///   - output: The file or directory to write, or `-`.
  ///   - isOneInput: Whether one file is named, and neither a directory nor a list.
  ///   - registry: Of `read`.
  func run(
    _ inputs: [InputFile], to output: String, isOneInput: Bool, _ registry: CoderRegistry, _ failures: Failures,
    _ console: Console
  ) throws(CoderError) {
    let isFile = OutputNames.isFile(output, isOneInput: isOneInput, console)
    guard format != nil || isFile else {
      throw .invalidArgument("\(output.printable) is a directory; use --format to set the format of the files in it")
    }
    let formats = try OutputFormats(format, output: output, encoding: encoding, in: registry)
    try formats.check(inputs.map(\.path), output: output, isFile: isFile, batch: batch, in: registry)
    let names = try OutputNames(inputs, in: output, isFile: isFile, suffixes: formats.suffixes, console)
    batch.run(
      work(formats, in: registry, showsFrames: inputs.count == 1, console),
      zip(inputs, names.paths).map { ($0.path, $1) },
      output: output, isQuiet: read.coders.isQuiet, failures,
      console)
  }

  private func work(
    _ formats: OutputFormats, in registry: CoderRegistry, showsFrames: Bool, _ console: Console
  ) -> any FileWork {
    var run = self
    guard formats.all.count > 1 else {
      return ConvertWork(
        run: run, registry: registry, format: formats.first, showsFrames: showsFrames, console: console)
    }
    run.encoding.formats = formats.all.map(\.format)
    run.read.coders.isQuiet = true
    return SmallestWork(
      formats: formats, registry: registry, read: read, keepsFrames: !run.isFirstFrameOnly, console: console
    ) { [run] format in
      ConvertWork(
        run: run, registry: registry, format: format, showsFrames: false, staysInMemory: true, console: console)
    }
  }

  /// `coders convert *.png --format webp` that matches two files means both as inputs.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a second file that is there and is named like another format.
  private func refuseSecondInput(
    _ output: String, _ wanted: ImageFormat, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) {
    guard output != "-", let suffix = Path.suffix(output), let named = registry.format(forExtension: suffix),
      named != wanted, Path.exists(console.location(of: output))
    else { return }
    throw .invalidArgument(
      "\(output.printable) is there and named like \(registry.name(of: named)), --format is \(registry.name(of: wanted)); "
        + "name the output with -o")
  }
}

/// Converts one file.
private struct ConvertWork: FileWork {
  let run: ConvertRun
  let registry: CoderRegistry
  let format: ImageFormat
  /// Whether a progress bar counts the frames.
  let showsFrames: Bool
  /// Whether the file is not written yet.
  var staysInMemory = false
  let console: Console

  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    currentFile = output
    let target = OutputFile(staysInMemory ? "-" : output, console)
    let coder = try registry.coderID(named: run.encoding.encoder)
    var writing = try run.encoding.options(as: format, registry, console, file: output, run.read)
    currentFile = input
    var reading = try run.read.decodeOptions(registry, console, file: input)
    reading.isStrict = run.encoding.isStrict
    reading.squaresPixels = run.squaresPixels
    reading.color = try run.color(console)
    let source = try registry.rereadable(try run.read.source(input, registry, console), reading)
    // Opened here to learn the number of frames, and to report an unreadable input as the input's error.
    let decoder = try run.read.open(source, registry, options: reading)
    writing.allowsCopy = !run.reencodes
    // What is square already may be copied.
    if decoder.header.pixelAspect == nil { reading.squaresPixels = false }
    try run.adjust(&writing, &reading, decoder, format)
    currentFile = output
    let progress = Progress(
      console, total: run.isFirstFrameOnly ? 1 : decoder.frameCount,
      isQuiet: run.read.coders.isQuiet || !showsFrames)
    defer { progress.finish() }
    do throws(CoderError) {
      if let wanted = run.auxiliary {
        return try convert(wanted, of: decoder, coder, to: target, output, writing)
      }
      let made = try registry.convert(
        source, to: format, at: target.destination, options: progress.listening(writing), reading: reading,
        reader: try registry.coderID(named: run.read.coder), coder: coder, problem: problem)
      if !staysInMemory { try target.take(made, console) }
      return EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
    } catch {
      let writer = registry.writer(of: format, id: coder)?.id
      if error.isOfInput(reader: decoder.coderID, writer: writer) { currentFile = input }
      throw error
    }
  }

  /// Writes a picture that belongs to the page.
  private func convert(
    _ kind: PageKind, of decoder: ImageDecoder, _ coder: String?, to target: OutputFile,
    _ output: String, _ options: EncodeOptions
  ) throws(CoderError) -> EncodingReport {
    let pictures = try decoder.auxiliaryPictures()
    guard let picture = pictures.first(where: { $0.kind == kind }) else {
      let words = pictures.map(\.kind.word).joined(separator: ", ")
      throw .invalidArgument("--auxiliary is \(kind.word), the file has \(words.isEmpty ? "none" : words)")
    }
    let encoder = try registry.makeEncoder(as: format, to: target.destination, options: options, coder: coder)
    try encoder.add(try decoder.decodeAuxiliary(picture))
    let made = try encoder.finish()
    if !staysInMemory { try target.take(made, console) }
    return EncodingReport(file: output, format: format, made: made, allowed: options.maxFileSize)
  }
}

extension CoderError {
  /// Whether an error of a conversion comes from the input rather than the output, once the input is open.
  func isOfInput(reader: String, writer: String?) -> Bool {
    switch code.group {
    case .file: true
    case .limits: limit != .maxFileSize && (coder == nil || coder == reader)
    case .unsupported: coder == reader && reader != writer
    case .caller, .environment: false
    }
  }
}
