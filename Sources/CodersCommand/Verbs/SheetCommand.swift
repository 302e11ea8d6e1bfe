// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageSheets

/// `coders sheet`: packs frames into one picture, or makes an animation of such a picture.
struct SheetCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "sheet",
    abstract: "Pack frames into one picture with JSON beside it, or unpack them.",
    usage: """
      coders sheet [<options>] --output <out> <in> ...
      coders sheet [<options>] --unpack --output <out> <in>
      """,
    discussion: """
      Packs pictures and all frames of animations, in the order given, into one picture: row by row, about as wide as \
      high, one transparent pixel apart. All have to have the same size. The JSON gets the picture's name with .json. It \
      is what most engines for games read; --form sets its layout. Each frame also has its exact delay, and the sheet its \
      number of plays, in keys that other programs pass over.

      With --atlas, pictures of any sizes are packed closely and keep their names. Transparent edges are left out, and \
      pictures of the same pixels take one place.

      With --cell, pictures of any sizes are made small enough for cells of one size, and stand in their middle.

      With --unpack, the input is such JSON, as TexturePacker and Aseprite write it, or with --grid a picture without \
      JSON. The output is an animation with the delays and the number of plays of the sheet. Turned and trimmed frames \
      are as they were before. --tag takes the frames of one tag of Aseprite, in the order of one play. An output that \
      ends in / is a folder, which gets each frame as a picture of its own size, by its name: PNG, or as --format says.

      Examples:
        coders sheet party.gif -o party.png
        coders sheet walk-*.png -o walk.webp --form aseprite --columns 8
        coders sheet --atlas ui/*.png -o ui.png --padding 2
        coders sheet --cell 160x160 photos/*.jpg -o contact.png
        coders sheet --unpack party.json -o party.gif
        coders sheet --unpack hero.json --tag walk -o walk.webp --lossless
        coders sheet --unpack hero.json -o sprites/
        coders sheet --unpack sparks.png --grid 8x4 --delay 40ms -o sparks.avif
      """)

  @Flag(help: "Make an animation of a sheet.")
  var unpack = false

  @Option(
    help: ArgumentHelp(
      "The layout of the JSON: texturepacker, texturepacker-array, aseprite or aseprite-array. (default: texturepacker)",
      valueName: "name"), transform: FormArgument.parsed)
  var form: FormArgument?

  @Flag(help: "Pack pictures of any sizes, each by its name.")
  var atlas = false

  @Option(help: ArgumentHelp("Of an atlas, pixels between two pictures. (default: 1)", valueName: "n"))
  var padding: Int?

  @Flag(help: "Of an atlas, make both sides powers of two.")
  var powerOfTwo = false

  @Flag(help: "Of an atlas, turn pictures by 90° where that makes it smaller.")
  var turn = false

  @Option(
    help: ArgumentHelp(
      "Make a contact sheet: fit the first frame of each file into a cell of this size.", valueName: "WxH"),
    transform: PictureBox.parsed)
  var cell: PictureBox?

  @Option(help: ArgumentHelp("Frames in a row. (default: as many as make the sheet square)", valueName: "n"))
  var columns: Int?

  @Option(
    help: ArgumentHelp("Refuse to make a sheet with a side longer than this. (default: 8192)", valueName: "n"))
  var maxSheetSide: Int?

  @Option(
    help: ArgumentHelp("How many times the animation plays in total, or forever.", valueName: "n"),
    transform: LoopArgument.parsed)
  var loop: LoopArgument?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The picture to write, whose JSON gets its name; with --unpack the animation, - is standard output, or a folder/.",
      valueName: "out"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "The output's format: an extension, a name or a type identifier. (default: from the extension of the output)",
      valueName: "f"))
  var format: String?

  @Flag(help: "Print a report of the written files as JSON.")
  var json = false

  @OptionGroup var sheet: SheetOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(
    help: ArgumentHelp("Pictures and animations, or the sheet to unpack; - is standard input.", valueName: "in"))
  var files: [String]

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if let columns, columns < 1 { throw ValidationError("--columns is \(columns), it must be at least 1") }
    if let maxSheetSide, maxSheetSide < 1 {
      throw ValidationError("--max-sheet-side is \(maxSheetSide), it must be at least 1")
    }
    if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be given only once") }
    if unpack { try validateUnpacking() } else { try validatePacking() }
  }

  private func validatePacking() throws {
    if output == "-" { throw ValidationError("a sheet is two files; name the picture with -o") }
    if output.hasSuffix("/") { throw ValidationError("-o names the picture; a folder is for --unpack") }
    if SheetOptions.isDescription(output) {
      throw ValidationError("-o names the picture, such as \(Path.base(output).printable).png; its JSON gets that name")
    }
    if let padding, padding < 0 || padding > 65536 {
      throw ValidationError("--padding is \(padding); 0 to 65536 is possible")
    }
    if !atlas, padding != nil || powerOfTwo || turn {
      throw ValidationError("--padding, --power-of-two and --turn need --atlas")
    }
    if atlas, cell != nil { throw ValidationError("--cell is of pictures of one size, not of an --atlas") }
    if let cell, cell.size.map({ $0.isEmpty }) ?? true {
      throw ValidationError("--cell is a number of pixels, as 160x120")
    }
    if atlas, columns != nil { throw ValidationError("--columns is of frames of one size, not of an --atlas") }
    if sheet.grid != nil || sheet.tag != nil { throw ValidationError("--grid and --tag need --unpack") }
    if let input = files.first(where: SheetOptions.isDescription) {
      throw ValidationError("\(input.printable) is the JSON of a sheet; use --unpack to make an animation of it")
    }
  }

  private func validateUnpacking() throws {
    guard files.count == 1 else { throw ValidationError("--unpack takes one sheet, not \(files.count)") }
    if form != nil || columns != nil || maxSheetSide != nil || atlas || padding != nil || powerOfTwo || turn
      || cell != nil
    {
      throw ValidationError(
        "--form, --atlas, --cell, --padding, --power-of-two, --turn, --columns and --max-sheet-side are for sheets that are "
          + "written, not for --unpack")
    }
    guard sheet.isSheet(files[0]) else {
      throw ValidationError("--unpack takes the JSON of a sheet, or with --grid a picture without JSON")
    }
    if json, output == "-" { throw ValidationError("standard output takes either the animation or --json") }
    if loop != nil, output.hasSuffix("/") {
      throw ValidationError("--loop is of animations, not of pictures in a folder")
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    var currentFile = output
    do throws(CoderError) {
      guard !output.hasSuffix("/") else {
        try SheetUnpacking(command: self, registry: registry, console: console, failures: failures).run(&currentFile)
        return failures.status
      }
      let format = try registry.format(named: format, output: output)
      let report =
        try unpack
        ? unpacked(as: format, registry, console, failures, &currentFile)
        : packed(as: format, registry, console, failures, &currentFile)
      report.file.printSize(console, isQuiet: read.coders.isQuiet)
      if json { console.print(report.json.printed) }
    } catch {
      failures.add(error, file: currentFile, order: files.count)
    }
    return failures.status
  }

  // MARK: Packing

  private func packed(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, _ failures: Failures,
    _ currentFile: inout String
  ) throws(CoderError) -> SheetReport {
    guard !SystemName.isEscaped(Path.name(output)) else {
      throw .invalidArgument("the name of the picture is not UTF-8, so that JSON cannot name it")
    }
    let description = Path.withoutSuffix(output) + ".json"
    try refuseInputs(files, [output, description], console)
    let run = SheetPacking(self, registry, console, failures)
    let (sheet, image, metadata, names) = try atlas ? run.atlas(&currentFile) : run.sheet(&currentFile)
    currentFile = output
    let options = try encoding.settings.options(as: format, registry, console, file: output, read)
    let target = OutputFile(output, console)
    let coder = try registry.coderID(named: encoding.encoder)
    let encoder = try registry.makeEncoder(as: format, to: target.destination, options: options, coder: coder)
    try encoder.add(image)
    for change in metadata.changes(keeping: options.metadata) { try encoder.note(change) }
    let made = try encoder.finish()
    try target.take(made, console)
    currentFile = description
    let form = form?.form ?? .texturePackerHash
    let content =
      names.map { sheet.description(image: Path.name(output), names: $0, form: form) }
      ?? sheet.description(image: Path.name(output), name: Path.base(output), form: form)
    try OutputFile(description, console).write(content.json(), to: console)
    let file = EncodingReport(file: output, format: format, made: made, allowed: options.maxFileSize)
    return SheetReport(file: file, frameCount: sheet.frameCount, frameSize: sheet.size, written: (content, description))
  }

  // MARK: Unpacking

  private func unpacked(
    as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, _ failures: Failures,
    _ currentFile: inout String
  ) throws(CoderError) -> SheetReport {
    let target = OutputFile(output, console)
    try target.refuseTerminal(console)
    let coder = try registry.coderID(named: encoding.encoder)
    CurrentFiles.set(input: files[0], output: output)
    var reading = try read.decodeOptions(registry, console, file: files[0])
    reading.isStrict = encoding.strict
    let source = try sheet.source(files[0], read, registry, options: reading, console, &currentFile)
    let frames = source.sheet
    if let problem = source.image.problem { failures.add(problem, file: source.picture) }
    currentFile = output
    try refuseInputs([files[0], source.picture], [output], console)
    let order = Self.order(of: frames)
    if order.count > 1 { try registry.checkAnimations(format, coder) }
    var options = try encoding.settings.options(as: format, registry, console, file: output, read)
    options.layout = frames.picture.layout
    let progress = Progress(console, total: order.count, isQuiet: read.coders.isQuiet)
    defer { progress.finish() }
    let encoder = try registry.makeEncoder(
      as: format, to: target.destination, options: progress.listening(options), coder: coder)
    for index in order {
      let frame = try frames.frame(at: index)
      var image = source.image
      image.frames = [frame]
      image.changes = [.cropped]
      image.loopCount = loop?.count ?? frames.loopCount
      try encoder.add(image)
    }
    let made = try encoder.finish()
    try target.take(made, console)
    progress.finish()
    let file = EncodingReport(file: output, format: format, made: made, allowed: options.maxFileSize)
    return SheetReport(file: file, frameCount: order.count, frameSize: frames.size, written: nil)
  }

  /// The frames of one play: files have no direction.
  private static func order(of sheet: SpriteSheet) -> [Int] {
    let all = Array(0..<sheet.frameCount)
    return switch sheet.mode {
    case .forward: all
    case .reverse: all.reversed()
    case .bounce: all + all.dropFirst().dropLast().reversed()
    case .reverseBounce: all.reversed() + all.dropFirst().dropLast()
    }
  }

  /// The sheet's own picture has the name that an animation might get.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for an output that is an input.
  func refuseInputs(_ inputs: [String], _ outputs: [String], _ console: Console) throws(CoderError) {
    for output in outputs where output != "-" {
      for input in inputs where input != "-" && Path.areSame(console.location(of: output), console.location(of: input))
      {
        throw .invalidArgument("the output \(output.printable) would replace the input \(input.printable)")
      }
    }
  }
}

/// The layout of a sheet's JSON on the command line.
struct FormArgument: DescribedArgument {
  let form: SheetDescription.Form

  init?(argument: String) {
    guard let form = SheetDescription.Form(rawValue: argument) else { return nil }
    self.form = form
  }

  static func allowed(for text: String) -> String {
    let names = SheetDescription.Form.allCases.map(\.rawValue)
    return "the layout is one of \(names.joined(separator: ", "))\(Spelling.question(text, in: names))"
  }
}
