// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders animate`: an animation of several files.
struct AnimateCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "animate",
    abstract: "Make an animation of pictures and animations, in the order given.",
    discussion: """
      Each input adds its picture, or all frames of its animation; all have to have one size. --delay is how long each \
      frame is shown; without it, frames of an animation keep their own delays, and pictures are shown for a tenth of a \
      second. The first input gives the file its metadata and its loop count; an animation that begins with a picture \
      plays forever.

      Frames are read, cut to what changed and written one by one, so that long animations need little memory. Frames \
      that show the same become one that is shown longer.

      Examples:
        coders animate frame-*.png -o party.gif
        coders animate frame-*.png -o party.webp --delay 40ms --loop 3
        coders animate title.png film.gif credits.png -o all.png --lossless
        coders animate slow.gif -o fast.gif --delay 1/50
        coders animate photos/*.jpg -o show.avif --delay 2s --max-size 800 --max-bytes 1.5M
      """)

  @Option(
    help: ArgumentHelp("How long each frame is shown: 40ms, 4cs, 0.04s or 1/25 of a second.", valueName: "t"))
  var delay: DelayArgument?

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @Option(help: ArgumentHelp("The output's format: an extension, a name or a type identifier.", valueName: "f"))
  var format: String?

  @Flag(help: "Print what was made as JSON.")
  var json = false

  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("Images; - is standard input.", valueName: "in"))
  var files: [String]

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if json, output == "-" { throw ValidationError("standard output takes the animation or --json, not both") }
    if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read once") }
  }

  /// How long a picture is shown when nobody says.
  private static let usualDelay = FrameDelay(numerator: 1, denominator: 10)

  /// A file that adds frames, with what its header says.
  private struct Input {
    let file: String
    let source: ByteSource
    let header: ImageHeader
    let frameCount: Int
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var concerned = output
    do throws(CoderError) {
      let format = try registry.format(named: format, output: output)
      try check(format, registry)
      let inputs = try inputs(registry, console, &concerned)
      concerned = output
      let writing = try options(as: format, inputs, registry, console)
      let progress = Progress(
        console, total: inputs.reduce(0) { $0 + $1.frameCount }, isQuiet: read.coders.quiet)
      defer { progress.finish() }
      let target = OutputFile(output)
      let encoder = try registry.makeEncoder(
        as: format, to: target.destination, options: progress.listening(writing), coder: encoding.encoder)
      let writer = registry.catalog.writer(of: format, id: encoding.encoder)?.id
      for (order, input) in inputs.enumerated() {
        concerned = input.file
        let decoder = try open(input.source, input.file, registry, console)
        do throws(CoderError) {
          try encoder.add(decoder, delay: delay?.delay ?? (input.header.isAnimated ? nil : Self.usualDelay)) {
            failures.add($0, file: input.file, order: order)
          }
        } catch {
          if !error.isOfInput(reader: decoder.coderID, writer: writer) { concerned = output }
          throw error
        }
      }
      concerned = output
      let made = try encoder.finish()
      try target.take(made, console)
      progress.finish()
      EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
        .print(console, json: json, isQuiet: read.coders.quiet)
    } catch {
      failures.add(error, file: concerned, order: files.count)
    }
    return failures.status
  }

  /// - Throws: ``CoderError/Code/unsupported`` for a format of stills, with those of animations.
  private func check(_ format: ImageFormat, _ registry: CoderRegistry) throws(CoderError) {
    let writers = registry.catalog.writers
    guard registry.catalog.writer(of: format, id: encoding.encoder)?.names == nil else { return }
    let animated = writers.filter { $0.names != nil }.flatMap(\.formats).flatMap(\.extensions).sorted()
    throw .unsupported(
      "\(format) holds no animation; \(animated.isEmpty ? "nothing does" : animated.joined(separator: ", ") + " do")")
  }

  /// Reads all headers, before anything is written.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture of another size than the first.
  private func inputs(
    _ registry: CoderRegistry, _ console: Console, _ concerned: inout String
  ) throws(CoderError) -> [Input] {
    var inputs: [Input] = []
    for file in files {
      if console.cancellation.isCancelled { throw .cancelled }
      concerned = file
      let source = try read.source(file, console).rereadable(read.limits.limits)
      let decoder = try open(source, file, registry, console)
      let header = decoder.header
      if let first = inputs.first, first.header.displayedSize != header.displayedSize {
        throw .invalidArgument(
          "the picture is \(header.displayedSize), \(first.file.printable) is \(first.header.displayedSize)")
      }
      inputs.append(
        Input(
          file: file, source: source, header: header, frameCount: sequence.firstFrame ? 1 : decoder.frameCount))
    }
    return inputs
  }

  private func options(
    as format: ImageFormat, _ inputs: [Input], _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> EncodeOptions {
    var options = try encoding.encodeOptions(as: format, registry, console, file: output, read)
    sequence.apply(to: &options)
    // Without a loop count, formats have defaults of their own, and pictures have none.
    if inputs.first?.header.isAnimated == false { options.loopCount = options.loopCount ?? .infinite }
    // What pixels of all inputs fit into has to be known before the first frame is written.
    for header in inputs.map(\.header) {
      let layout = PixelLayout(header.pixelFormat, header.alpha == .opaque ? .opaque : .straight)
      options.layout = options.layout?.union(layout) ?? layout
    }
    return options
  }

  private func open(
    _ source: ByteSource, _ file: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> ImageDecoder {
    var options = read.decodeOptions(console, file: file)
    // A reader may have a way to a smaller picture.
    options.thumbnailSize = sequence.maxSize?.size
    options.firstFrameOnly = sequence.firstFrame
    return try registry.open(source, options: options, coder: read.coder)
  }
}
