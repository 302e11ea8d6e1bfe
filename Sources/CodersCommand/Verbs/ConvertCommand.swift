// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders convert`: converts a file to another format.
struct ConvertCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert an image, animations included, to another format.",
    discussion: """
      The extension of the output, or --format, sets the output's format. The output appears complete or not at all: it \
      is written to a temporary file in the same directory and then renamed. Pictures are turned upright. The ICC \
      profile, Exif and XMP are copied if the format can hold them; a warning names what is dropped. A truncated or \
      damaged file is converted as far as it can be read; the error is printed and sets the exit status.

      Animations are converted frame by frame with their delays and loop count; each frame is cut to the part that \
      changed. If the output's format holds pages, all pages are converted, otherwise only the primary page; --page \
      selects one. --sizes makes an icon with several sizes.

      If the input already meets the options, it is copied unchanged. A JPEG is stored in a JPEG XL file without \
      decoding or loss, and restored from it. --reencode, --orientation and options that change pixels or metadata turn \
      copying off.

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert animation.gif animation.webp
        coders convert animation.gif first.png --first-frame
        coders convert logo.png logo.ico --sizes 16,32,48,256
        coders convert photo.heic small.jpg --max-size 1024 --max-bytes 200k
        coders convert photo.jpg plain.webp --metadata strip --option method=6
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Option(
    help: ArgumentHelp(
      "The output's format: an extension, a name or a type identifier. (default: from the extension of the output)",
      valueName: "f"))
  var format: String?

  @Option(help: ArgumentHelp("Write an icon with these sizes, made from one picture.", valueName: "n,n"))
  var sizes: SizesArgument?

  @Option(
    help: ArgumentHelp(
      "Turn the pixels upright, or keep the orientation tag if the format has one. (default: apply)", valueName: "what")
  )
  var orientation: OrientationArgument?

  @Flag(help: "Encode the file again even if it could be copied.")
  var reencode = false

  @Flag(help: "Print a report of the written file as JSON.")
  var json = false

  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if json, output == "-" { throw ValidationError("standard output takes either the picture or --json") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var currentFile = output
    var isOfInput: (CoderError) -> Bool = { _ in false }
    do throws(CoderError) {
      let target = OutputFile(output)
      try target.refuseTerminal(console)
      let format = try registry.format(named: format, output: output)
      let writing = try options(as: format, registry, console)
      currentFile = input
      let reading = read.decodeOptions(console, file: input)
      let source = try read.source(input, console).rereadable(read.limits.limits)
      // Opened here to learn the number of frames, and to report an unreadable input as the input's error.
      let decoder = try registry.open(source, options: reading, coder: read.coder)
      currentFile = output
      let writer = registry.writer(of: format, id: encoding.encoder)?.id
      isOfInput = { $0.isOfInput(reader: decoder.coderID, writer: writer) }
      let progress = Progress(
        console, total: sequence.firstFrame ? 1 : decoder.frameCount, isQuiet: read.coders.quiet)
      defer { progress.finish() }
      let made = try registry.convert(
        source, to: format, at: target.destination, options: progress.listening(writing), reading: reading,
        reader: read.coder, coder: encoding.encoder
      ) { failures.add($0, file: input) }
      try target.take(made, console)
      progress.finish()
      EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
        .print(console, json: json, isQuiet: read.coders.quiet)
    } catch {
      failures.add(error, file: isOfInput(error) ? input : currentFile)
    }
    return failures.status
  }

  private func options(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> EncodeOptions {
    var options = try encoding.encodeOptions(as: format, registry, console, file: output, read)
    sequence.apply(to: &options)
    options.pageSizes = sizes?.sides ?? []
    options.keepsOrientation = orientation == .keep
    options.copiesUnchanged = !reencode && orientation == nil
    return options
  }
}

extension CoderError {
  /// Whether an error of a conversion comes from the input rather than the output, once the input is open.
  func isOfInput(reader: String, writer: String?) -> Bool {
    switch code.group {
    case .file: true
    case .limits: limit != .maxFileSize && (coder == nil || coder == reader)
    case .reach: coder == reader && reader != writer
    case .caller, .environment: false
    }
  }
}
