// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders convert`: one file into another format.
struct ConvertCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert an image, animations included, to another format.",
    discussion: """
      The format is that of the output's extension, or of --format. The output appears whole or not at all: it is \
      written beside its name and renamed. Pictures are turned upright; ICC profile, Exif and XMP go along where the \
      format has a place for them, and a warning says what does not. A file that is cut or damaged is converted as far \
      as it goes, with the error on standard error and in the exit status.

      Animations go along frame by frame, with their delays and loop count, cut to what changes from frame to frame. All \
      pages go along where the output's format holds pages, else the primary one; --page takes one. --sizes makes an \
      icon of several sizes.

      A file that is already what is asked for is copied as it is. A JPEG becomes a JPEG XL, and such a JPEG XL a JPEG \
      again, without loss and without being decoded. --reencode, --orientation and every option that asks for other \
      pixels or payloads encode it anew.

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert animation.gif animation.webp
        coders convert animation.gif first.png --first-frame
        coders convert logo.png logo.ico --sizes 16,32,48,256
        coders convert photo.heic small.jpg --max-size 1024 --max-bytes 200k
        coders convert photo.jpg plain.webp --metadata strip --option method=6
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Option(help: ArgumentHelp("The output's format: an extension, a name or a type identifier.", valueName: "f"))
  var format: String?

  @Option(help: ArgumentHelp("Sizes of an icon's pages, from one picture.", valueName: "n,n"))
  var sizes: SizesArgument?

  @Option(
    help: ArgumentHelp(
      "Turn pixels upright, or keep the tag where the format has one; upright otherwise.", valueName: "what"))
  var orientation: OrientationArgument?

  @Flag(help: "Encode a file anew that could be copied.")
  var reencode = false

  @Flag(help: "Print what was made as JSON.")
  var json = false

  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if json, output == "-" { throw ValidationError("standard output takes the picture or --json, not both") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var concerned = output
    var isOfInput: (CoderError) -> Bool = { _ in false }
    do throws(CoderError) {
      let format = try registry.format(named: format, output: output)
      let writing = try options(as: format, registry, console)
      concerned = input
      let reading = read.decodeOptions(console, file: input)
      let source = try read.source(input, console).rereadable(read.limits.limits)
      // Opened here for what only the header says: whether the file can be read at all, and how many frames there are.
      let decoder = try registry.open(source, options: reading, coder: read.coder)
      concerned = output
      let writer = registry.catalog.writer(of: format, id: encoding.encoder)?.id
      isOfInput = { $0.isOfInput(reader: decoder.coderID, writer: writer) }
      let progress = Progress(
        console, total: sequence.firstFrame ? 1 : decoder.frameCount, isQuiet: read.coders.quiet)
      defer { progress.finish() }
      let target = OutputFile(output)
      let made = try registry.convert(
        source, to: format, at: target.destination, options: progress.listening(writing), reading: reading,
        reader: read.coder, coder: encoding.encoder
      ) { failures.add($0, file: input) }
      try target.take(made, console)
      progress.finish()
      EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
        .print(console, json: json, isQuiet: read.coders.quiet)
    } catch {
      failures.add(error, file: isOfInput(error) ? input : concerned)
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
  /// Whether an error of a conversion is the input's and not the output's, after the input was opened.
  func isOfInput(reader: String, writer: String?) -> Bool {
    switch code.group {
    case .file: true
    case .limits: !message.contains("maxFileSize") && (coder == nil || coder == reader)
    case .reach: coder == reader && reader != writer
    case .caller, .environment: false
    }
  }
}
