// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandRuns
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageProcessing

/// `coders convert`: converts a file to another format.
struct ConvertCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert images, animations included, to another format.",
    usage: """
      coders convert [<options>] <in> <out>
      coders convert [<options>] --output <file|dir> <file> ...
      """,
    discussion: """
      With two arguments, the first is converted to the second. With -o, every argument is an input: -o names a file if \
      one file is named, without -r and --files-from, unless it is a directory or ends in a slash, and otherwise a \
      directory, which is created. Each output there is named after its input, with the extension of --format; if two inputs have the same name, the later \
      one gets a number: photo.webp, photo-2.webp. With -r, the directories of the inputs are kept. An error in one file \
      does not stop the others. Existing outputs are replaced; inputs are never replaced. -o prints the names of the \
      written files.

      The extension of the output, or --format, sets the output's format. The output appears complete or not at all: it \
      is written to a temporary file in the same directory and then renamed. Pictures are turned upright. The ICC \
      profile, Exif and XMP are copied if the format can hold them; a warning names what is dropped. A truncated or \
      damaged file is converted as far as it can be read; the error is printed and sets the exit status. With --strict, \
      nothing is written for it.

      Animations are converted frame by frame with their delays and loop count; each frame is cut to the part that \
      changed. If the output's format holds pages, all pages are converted, otherwise only the primary page; --page \
      selects one. --sizes makes an icon with several sizes.

      If the input already meets the options, it is copied unchanged. A JPEG is stored in a JPEG XL file without \
      decoding or loss, and restored from it. What is done to the picture is done to the upright pixels of every frame, in \
      the order of the options, before --max-size. A JPEG is not decoded, and loses nothing, if \
      --crop, --flip and turns by multiples of 90 are all that is asked for, a part begins at multiples of 8 or 16 pixels, as the file has it, and mirrored \
      sides are such multiples; --lossless refuses the others, which are encoded again. --orientation apply turns a JPEG \
      upright in the same way. --reencode, --orientation keep and other options that change pixels or metadata turn copying off.

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert *.png --format webp -o out/
        coders convert -r photos/ --format avif -o small/ --max-size 50% --update
        find . -name '*.tiff' -print0 | coders convert --files-from - --format png -o out/
        coders convert scan.png part.png --crop 300x200+10+20 --rotate 90
        coders convert photo.jpg card.png --resize 320x200,fill --round 12
        coders convert scan.jpg straight.jpg --rotate 1.5 --crop 900x600,center
        coders convert photo.jpg web.jpg --overlay logo.png,bottom-right,-20,-20
        coders convert animation.gif animation.webp
        coders convert animation.gif first.png --first-frame
        coders convert logo.png logo.ico --sizes 16,32,48,256
        coders convert photo.heic small.jpg --max-size 1024 --max-bytes 200k
        coders convert photo.jpg plain.webp --metadata strip --option method=6
        coders convert photo.heic photo.jpg --color srgb
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Option(
    help: ArgumentHelp(
      "The output's format: an extension, a name or a type identifier. (default: from the extension of the output)",
      valueName: "f"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "Write an icon with these sizes, made from one picture; one that is no square is centered.",
      valueName: "n,n"), transform: SizesArgument.parsed)
  var sizes: SizesArgument?

  @Option(
    help: ArgumentHelp(
      "Turn the pixels upright, or keep the orientation tag if the format has one. (default: apply)", valueName: "what")
  )
  var orientation: OrientationArgument?

  @Flag(help: "Encode the file again even if it could be copied.")
  var reencode = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file or directory to write; directories are created; - is standard output.", valueName: "file|dir"))
  var output: String?

  @OptionGroup var batch: BatchOptions
  @OptionGroup(title: "Changes of the picture") var changes: OperationOptions
  @OptionGroup(title: "Colors") var color: ColorOptions
  @OptionGroup(title: "Gain maps") var gainMaps: GainMapOptions
  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @OptionGroup var input: InputOptions
  @OptionGroup var reading: ReadOptions

  /// Whether the two arguments are an input and an output.
  private var isPair: Bool { output == nil }

  func validate() throws {
    if isPair, input.files.count != 2 || input.recursive || input.filesFrom != nil {
      throw ValidationError("name an input and an output, or any number of inputs and the output with -o")
    }
    if batch.json, (output ?? input.files.last) == "-" {
      throw ValidationError("standard output takes either the picture or --json")
    }
    if orientation == .keep, !changes.isEmpty {
      throw ValidationError(
        "--crop, --rotate, --flip and the like turn the picture upright; --orientation keep does not")
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    let operations = try changes.operations(read, registry, console)
    guard let output else {
      runPair(input.files[0], input.files[1], operations, registry, failures, console)
      return failures.status
    }
    try OutputFile(output, console).refuseTerminal(console)
    let inputs = try input.inputs(registry, console, writingTo: output, failures)
    let isFile = OutputNames.isFile(output, isOneInput: input.isOneFile, console)
    guard format != nil || isFile else {
      throw .invalidArgument("\(output.printable) is a directory; use --format to set the format of the files in it")
    }
    let format = try registry.format(named: format, output: output)
    let suffix = registry.writer(of: format)?.preferredExtension(of: format) ?? format.rawValue
    let names = try OutputNames(inputs, in: output, isFile: isFile, suffix: suffix, console)
    batch.settings.run(
      ConvertWork(
        command: self, operations: operations, registry: registry, format: format, showsFrames: inputs.count == 1,
        console: console),
      zip(inputs, names.paths).map { ($0.path, $1) }, output: output, isQuiet: read.coders.isQuiet, failures, console)
    return failures.status
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

  private func runPair(
    _ input: String, _ output: String, _ operations: [ImageOperation], _ registry: CoderRegistry,
    _ failures: Failures, _ console: Console
  ) {
    do throws(CoderError) {
      try OutputFile(output, console).refuseTerminal(console)
      let wanted = try registry.format(named: format, output: output)
      try refuseSecondInput(output, wanted, registry, console)
      let work = ConvertWork(
        command: self, operations: operations, registry: registry, format: wanted, showsFrames: true,
        console: console)
      let run = FileRun(work, updates: batch.update, isQuiet: read.coders.isQuiet, failures: failures, console)
      guard case .written(let report) = run.make([(input, output)], jobs: 1)[0], batch.json else { return }
      console.print(report.json.printed)
    } catch {
      failures.add(error, file: output)
    }
  }
}

/// Converts one file.
private struct ConvertWork: FileWork {
  let command: ConvertCommand
  let operations: [ImageOperation]
  let registry: CoderRegistry
  let format: ImageFormat
  /// Whether a progress bar counts the frames.
  let showsFrames: Bool
  let console: Console

  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    currentFile = output
    let target = OutputFile(output, console)
    let coder = try registry.coderID(named: command.encoding.encoder)
    var writing = try command.encoding.settings.options(
      as: format, registry, console, file: output, command.read)
    currentFile = input
    var reading = command.read.decodeOptions(console, file: input)
    reading.isStrict = command.encoding.strict
    reading.color = try command.color.outputColor(console, unlessAsked: .asStored)
    let source = try registry.rereadable(try command.read.source(input, registry, console), reading)
    // Opened here to learn the number of frames, and to report an unreadable input as the input's error.
    let decoder = try command.read.open(source, registry, options: reading)
    try setOptions(&writing, of: decoder)
    command.gainMaps.gainMap?.apply(to: &writing, &reading, format: format)
    currentFile = output
    let progress = Progress(
      console, total: command.sequence.firstFrame ? 1 : decoder.frameCount,
      isQuiet: command.read.coders.isQuiet || !showsFrames)
    defer { progress.finish() }
    do throws(CoderError) {
      if let wanted = command.gainMaps.auxiliary?.kind {
        return try convert(wanted, of: decoder, coder, to: target, output, writing)
      }
      let made = try registry.convert(
        source, to: format, at: target.destination, options: progress.listening(writing), reading: reading,
        reader: try registry.coderID(named: command.read.coder), coder: coder, problem: problem)
      try target.take(made, console)
      return EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
    } catch {
      let writer = registry.writer(of: format, id: coder)?.id
      if error.isOfInput(reader: decoder.coderID, writer: writer) { currentFile = input }
      throw error
    }
  }

  /// Writes a picture that belongs to the page.
  private func convert(
    _ kind: AuxiliaryPicture.Kind, of decoder: ImageDecoder, _ coder: String?, to target: OutputFile,
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
    try target.take(made, console)
    return EncodingReport(file: output, format: format, made: made, allowed: options.maxFileSize)
  }

  private func setOptions(_ options: inout EncodeOptions, of decoder: ImageDecoder) throws(CoderError) {
    options.edit = try PixelEdit(
      operations, picture: decoder.header.displayedSize, limits: command.read.limits)
    options.edit.storesUpright = command.orientation == .apply
    command.sequence.apply(to: &options, picture: try options.edit.size(of: decoder.header.displayedSize))
    options.pageSizes = command.sizes?.sides ?? []
    options.keepsOrientation = command.orientation == .keep
    options.copiesUnchanged = !command.reencode && command.orientation != .keep
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
