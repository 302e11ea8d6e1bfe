// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// The formats of `--format`, of which the one with the smallest file is written.
struct OutputFormats: Sendable {
  /// What one of them is called in names of files.
  struct Named: Sendable {
    let format: ImageFormat
    let suffix: String
  }

  /// At least one.
  let all: [Named]
  var first: ImageFormat { all[0].format }
  var suffixes: [String] { all.map(\.suffix) }

  /// - Parameters:
  ///   - words: As the user names them, between commas, or `smallest` for those of ``EncodeOptions/look``; or nil for that
  ///     of the output's name.
  ///   - encoding: Has to say how the files are alike, if there are several.
  /// - Throws: ``CoderError/Code/invalidArgument`` for what no coder writes, or where nothing says how files are alike.
  init(
    _ words: String?, output: String, encoding: EncodingSettings, in registry: CoderRegistry
  ) throws(CoderError) {
    var formats: [ImageFormat] = []
    if words == "smallest" {
      formats = [.jpeg, .webP, .avif, .jpegXL, .heic].filter { registry.writer(of: $0) != nil }
      guard !formats.isEmpty else { throw .noCoder("no coder writes a format whose files can be compared") }
    } else if let words, words.contains(",") {
      for word in words.split(separator: ",") {
        let format = try registry.format(named: String(word), output: output)
        if !formats.contains(format) { formats.append(format) }
      }
    } else {
      formats = [try registry.format(named: words, output: output)]
    }
    guard !formats.isEmpty else { throw .invalidArgument("--format without a name") }
    all = formats.map { format in
      Named(format: format, suffix: registry.writer(of: format)?.preferredExtension(of: format) ?? format.rawValue)
    }
    guard all.count > 1 else { return }
    guard encoding.look != nil || encoding.isLossless else {
      throw .invalidArgument(
        "--format with several formats needs --look or --lossless, with which their files look alike")
    }
    guard encoding.encoder == nil else { throw .invalidArgument("--encoder is for one format, not for \(all.count)") }
  }

  /// Checks what several formats leave open.
  ///
  /// - Parameters:
  ///   - output: The value of `-o`.
  ///   - isFile: Whether it names a file.
  /// - Throws: ``CoderError/Code/invalidArgument``.
  func check(
    _ inputs: [String], output: String, isFile: Bool, batch: BatchSettings, in registry: CoderRegistry
  ) throws(CoderError) {
    guard all.count > 1 else { return }
    if batch.updates { throw .invalidArgument("--update needs the outputs' names, which several formats leave open") }
    if inputs.contains("-") {
      throw .invalidArgument("standard input is read once, and is no input for several formats")
    }
    if isFile, output != "-", let suffix = Path.suffix(output), registry.format(forExtension: suffix) != nil {
      throw .invalidArgument("\(output.printable) names a format; with several, leave the extension out")
    }
  }
}

/// Makes a file of each of some formats in memory, and writes the smallest.
struct SmallestWork: FileWork {
  let formats: OutputFormats
  let registry: CoderRegistry
  let read: ReadSettings
  /// Whether an animation is to stay one.
  let keepsFrames: Bool
  let console: Console
  /// The work for a format, whose files stay in memory and whose warnings are not printed.
  let work: @Sendable (ImageFormat) -> any FileWork

  /// - Parameter output: With the extension of the first format.
  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    let decoder = try read.open(
      try read.source(input, registry, console), registry,
      options: try read.decodeOptions(registry, console, file: input))
    let hasAlpha = decoder.header.alpha != .opaque
    var (best, refusal): (EncodingReport?, CoderError?) = (nil, nil)
    var isFirst = true
    let moves = keepsFrames && decoder.frameCount > 1 && formats.all.contains { writesFrames($0.format) }
    // Without alpha or its frames, a picture that has some does not look like itself.
    for named in formats.all where !(hasAlpha && named.format == .jpeg) && (!moves || writesFrames(named.format)) {
      let name = output == "-" ? output : "\(output.dropLast(formats.suffixes[0].count))\(named.suffix)"
      do throws(CoderError) {
        let report = try work(named.format).make(
          input, name, currentFile: &currentFile, problem: isFirst ? problem : { _ in })
        isFirst = false
        if report.made.byteCount < best?.made.byteCount ?? .max { best = report }
      } catch {
        guard error.code == .unsupported else { throw error }
        refusal = refusal ?? error
      }
    }
    guard let best else {
      throw refusal ?? .unsupported("a picture with alpha in formats without, which are all that --format names")
    }
    currentFile = best.file
    let log = console.log(for: best.file, isQuiet: read.coders.isQuiet)
    for change in best.made.changes where change.isMissed { log?(.warning, change.message) }
    try OutputFile(best.file, console).write(best.made.bytes, to: console)
    return best
  }

  private func writesFrames(_ format: ImageFormat) -> Bool { registry.writer(of: format)?.writesFrames ?? false }
}
