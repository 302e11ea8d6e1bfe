// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageProcessing

/// `coders convert`: converts a file to another format.
struct ConvertCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "convert", _superCommandName: superCommandName,
    abstract: "Convert images, animations included, to another format.",
    usage: """
      coders convert [<options>] <in> <out>
      coders convert [<options>] --output <file|dir> <file> ...
      """,
    discussion: """
      With two arguments, the first is converted to the second. With -o, every argument is an input. With a single \
      input, -o names a file. With several inputs, -r or --files-from, or if it ends in a slash or is a directory, \
      -o names a directory, which is created. Each output there is named after its input, with the extension of --format; if two inputs have the same name, the later \
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
      the order of the options, before --max-size. JPEG files are cropped, flipped and turned by multiples of 90 \
      without loss if the operation is aligned with the file's blocks of 8 or 16 pixels. Otherwise they are encoded \
      again, or refused with --lossless. --orientation apply turns a JPEG \
      upright in the same way. --reencode, --orientation keep and other options that change pixels or metadata turn copying off.

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert *.png --format webp -o out/
        coders convert -r photos/ --format avif -o small/ --max-size 50% --update
        find . -name '*.tiff' -print0 | coders convert --files-from - --format png -o out/
        coders convert scan.png part.png --crop 300x200+10+20 --rotate 90
        coders convert map.tiff corner.png --region 512x512+0+0
        coders convert photo.jpg card.png --resize 320x200,fill --round 12
        coders convert scan.jpg straight.jpg --rotate 1.5 --crop 900x600,center
        coders convert photo.jpg web.jpg --overlay logo.png,bottom-right,-20,-20
        coders convert animation.gif animation.webp
        coders convert animation.gif first.png --first-frame
        coders convert logo.png logo.ico --sizes 16,32,48,256
        coders convert photo.heic small.jpg --max-size 1024 --max-bytes 200k
        coders convert photo.jpg plain.webp --metadata strip --option method=6
        coders convert photo.heic photo.jpg --color srgb
        coders convert heights.tif heights.png --range percentile
        coders convert photos/*.jpg --format smallest --look 75 -o web/
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Option(
    help: ArgumentHelp(
      """
      The output's format: an extension, a name or a type identifier; several between commas, or smallest, for the \
      smallest file with --look or --lossless. (default: from the extension of the output)
      """,
      valueName: "f"))
  var format: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file or directory to write; directories are created; - is standard output.", valueName: "file|dir"))
  var output: String?

  @OptionGroup var batch: BatchOptions
  @OptionGroup var input: InputOptions

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

  @Flag(
    help: "Make pixels square that an EXR or GIF file says are not: the picture becomes wider or taller.")
  var squarePixels = false

  @Flag(help: "Encode the file again even if it could be copied.")
  var reencode = false

  @OptionGroup var part: PartOptions
  @OptionGroup var drawing: DrawingOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions
  @OptionGroup(title: "Animations and sizes") var sequence: SequenceOptions
  @OptionGroup(title: "Changes of the picture") var changes: OperationOptions
  @OptionGroup(title: "Colors") var color: ColorOptions
  @Option(
    help: ArgumentHelp(
      """
      Spread measured values from black to white: auto for the least and the greatest, percentile or percentile=N to \
      leave out N percent at either end (2), or MIN,MAX in the numbers of the file. Pixels without a value, as \
      GDAL_NODATA has them, are transparent.
      """, valueName: "what"), transform: RangeArgument.parsed)
  var range: RangeArgument?

  @OptionGroup(title: "Gain maps") var gainMaps: GainMapOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  var read: ReadSettings {
    var read = reading.settings
    read.part = part.region?.rect
    read.size = drawing.size
    return read
  }

  /// Whether the two arguments are an input and an output.
  private var isPair: Bool { output == nil }

  func validate() throws {
    if isPair, input.files.count != 2 || input.recursive || input.filesFrom != nil {
      throw ValidationError("name an input and an output, or any number of inputs and the output with -o")
    }
    if batch.json, (output ?? input.files.last) == "-" {
      throw ValidationError("standard output takes either the picture or --json")
    }
    if range != nil, sizes != nil { throw ValidationError("--range cannot be used with --sizes") }
    if orientation == .keep, !changes.isEmpty {
      throw ValidationError(
        "--crop, --rotate, --flip and the like turn the picture upright; --orientation keep does not")
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    let conversion = conversion(try changes.operations(read, registry, console))
    guard let output else {
      conversion.run(input.files[0], to: input.files[1], registry, failures, console)
      return failures.status
    }
    try OutputFile(output, console).refuseTerminal(console)
    let inputs = try input.inputs(registry, console, read: read, writingTo: output, failures)
    try conversion.run(inputs, to: output, isOneInput: input.isOneFile, registry, failures, console)
    return failures.status
  }

  /// What is done, apart from the arguments.
  ///
  /// - Parameter operations: What is done to the pixels.
  private func conversion(_ operations: [ImageOperation]) -> ConvertRun {
    var run = ConvertRun()
    run.format = format
    run.isFirstFrameOnly = sequence.firstFrame
    run.reencodes = reencode || orientation == .keep
    run.batch = batch.settings
    run.encoding = encoding.settings
    run.read = read
    run.auxiliary = gainMaps.auxiliary?.kind
    let (color, gainMap, sequence, limits) = (color, gainMaps.gainMap, sequence, read.limits)
    let (orientation, sides) = (orientation, sizes?.sides ?? [])
    let range = range?.range
    run.color = { (console) throws(CoderError) in try color.outputColor(console, unlessAsked: .asStored) }
    run.squaresPixels = squarePixels
    run.adjust = { (writing, reading, decoder, format) throws(CoderError) in
      writing.edit = try PixelEdit(operations, picture: decoder.outputSize, limits: limits)
      writing.edit.storesUpright = orientation == .apply
      sequence.apply(to: &writing, picture: try writing.edit.size(of: decoder.outputSize))
      writing.iconSizes = sides
      writing.range = range
      writing.preservesOrientation = orientation == .keep
      gainMap?.apply(to: &writing, &reading, format: format)
    }
    return run
  }
}
