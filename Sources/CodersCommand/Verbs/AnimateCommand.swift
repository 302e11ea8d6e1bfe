// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders animate`: makes an animation of several files.
struct AnimateCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "animate",
    abstract: "Make an animation from pictures and animations, in the order given.",
    discussion: """
      Each input adds its picture, or all frames of its animation. All inputs must have the same size, after --max-size. --delay sets how \
      long each frame is shown. Without it, frames of an animation keep their own delays, and each picture is shown for \
      a tenth of a second. Metadata and loop count come from the first input; if that is a picture, the animation plays \
      forever.

      Frames are read and written one by one, so a long animation needs little memory. Each frame is cut to the part \
      that changed. Identical frames in a row become one frame that is shown longer.

      Examples:
        coders animate frame-*.png -o party.gif
        coders animate frame-*.png -o party.webp --delay 40ms --loop 3
        coders animate title.png film.gif credits.png -o all.png --lossless
        coders animate slow.gif -o fast.gif --delay 1/50
        coders animate photos/*.jpg -o show.avif --delay 2s --max-size 800 --max-bytes 1.5M
      """)

  @Option(
    help: ArgumentHelp("How long each frame is shown: 40ms, 4cs, 0.04s or 1/25 (of a second).", valueName: "t"),
    transform: DelayArgument.parsed)
  var delay: DelayArgument?

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "The output's format: an extension, a name or a type identifier. (default: from the extension of the output)",
      valueName: "f"))
  var format: String?

  @Flag(help: "Print a report of the written file as JSON.")
  var json = false

  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("Images; - is standard input.", valueName: "in"))
  var files: [String]

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if json, output == "-" { throw ValidationError("standard output takes either the animation or --json") }
    if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be given only once") }
  }

  /// How long a picture is shown without `--delay`.
  private static let defaultDelay = FrameDelay(numerator: 1, denominator: 10)

  /// An input file with the facts of its header.
  private struct Input {
    let file: String
    let source: ByteSource
    let header: ImageHeader
    let frameCount: Int
    /// What `--max-size` makes of its picture.
    let size: Size
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    var currentFile = output
    do throws(CoderError) {
      let target = OutputFile(output, console)
      try target.refuseTerminal(console)
      let format = try registry.format(named: format, output: output)
      let coder = try registry.coderID(named: encoding.encoder)
      try registry.checkAnimations(format, coder)
      let inputs = try inputs(registry, console, &currentFile)
      currentFile = output
      let writing = try options(as: format, inputs, registry, console)
      let progress = Progress(
        console, total: inputs.reduce(0) { $0 + $1.frameCount }, isQuiet: read.coders.isQuiet)
      defer { progress.finish() }
      let encoder = try registry.makeEncoder(
        as: format, to: target.destination, options: progress.listening(writing), coder: coder)
      let writer = registry.writer(of: format, id: coder)?.id
      var joined = JoinedMetadata()
      for (order, input) in inputs.enumerated() {
        currentFile = input.file
        CurrentFiles.set(input: input.file, output: output)
        let decoder = try open(input.source, input.file, registry, console)
        joined.add(decoder)
        do throws(CoderError) {
          try encoder.add(decoder, delay: delay?.delay ?? (input.header.isAnimated ? nil : Self.defaultDelay)) {
            failures.add($0, file: input.file, order: order)
          }
        } catch {
          if !error.isOfInput(reader: decoder.coderID, writer: writer) { currentFile = output }
          throw error
        }
      }
      currentFile = output
      for change in joined.changes(keeping: writing.metadata) { try encoder.note(change) }
      let made = try encoder.finish()
      try target.take(made, console)
      progress.finish()
      EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
        .print(console, json: json, isQuiet: read.coders.isQuiet)
    } catch {
      failures.add(error, file: currentFile, order: files.count)
    }
    return failures.status
  }

  /// Reads the headers of all inputs before anything is written.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture whose size differs from the first.
  private func inputs(
    _ registry: CoderRegistry, _ console: Console, _ currentFile: inout String
  ) throws(CoderError) -> [Input] {
    var inputs: [Input] = []
    for file in files {
      if console.cancellation.isCancelled { throw .cancelled }
      currentFile = file
      CurrentFiles.set(input: file)
      let source = try registry.rereadable(
        try read.source(file, registry, console), try read.decodeOptions(registry, console, file: file))
      let decoder = try open(source, file, registry, console)
      let header = decoder.header
      let shown = header.displayedSize
      let size = sequence.maxSize.map { shown.fitted(in: $0.size(for: shown)) } ?? shown
      if let first = inputs.first, first.size != size {
        let scaled = sequence.maxSize == nil ? "" : " after scaling"
        throw .invalidArgument("the picture is \(size)\(scaled), \(first.file.printable) is \(first.size)")
      }
      inputs.append(
        Input(
          file: file, source: source, header: header, frameCount: sequence.firstFrame ? 1 : decoder.frameCount,
          size: size))
    }
    return inputs
  }

  private func options(
    as format: ImageFormat, _ inputs: [Input], _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> EncodeOptions {
    var options = try encoding.settings.options(as: format, registry, console, file: output, read)
    sequence.apply(to: &options, picture: inputs.first?.header.displayedSize ?? Size(width: 1, height: 1))
    // Of a share of pictures of different sizes, all are what the first one is.
    if sequence.maxSize?.size == nil, sequence.maxSize != nil { options.maxSize = inputs.first?.size }
    // A picture has no loop count, and each format has its own default.
    if inputs.first?.header.isAnimated == false { options.loopCount = options.loopCount ?? .infinite }
    // The pixel layout must fit all inputs and must be known before the first frame is written.
    for header in inputs.map(\.header) {
      let layout = PixelLayout(header.pixelFormat, header.alpha == .opaque ? .opaque : .straight)
      options.layout = options.layout?.union(layout) ?? layout
    }
    return options
  }

  private func open(
    _ source: ByteSource, _ file: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> ImageDecoder {
    var options = try read.decodeOptions(registry, console, file: file)
    // Some readers decode directly to a smaller size.
    if let box = sequence.maxSize?.size { options.size = .fitting(box) }
    options.linearLight = sequence.light.linearLight
    options.firstFrameOnly = sequence.firstFrame
    options.isStrict = encoding.strict
    return try read.open(source, registry, options: options)
  }
}
