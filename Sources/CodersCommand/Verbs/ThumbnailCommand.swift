// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders thumbnail`: makes thumbnails of files.
struct ThumbnailCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail", _superCommandName: superCommandName,
    abstract: "Make thumbnails of images on all processors.",
    discussion: """
      A thumbnail is upright, shows the first frame, and is never larger than its picture. It is safe to publish: its \
      file says neither where nor when nor with what the picture was taken. Its colors are sRGB, which needs no ICC \
      profile; --color sets others or keeps those of the input. --metadata keep keeps everything.

      With one input, -o names the output file and its extension sets the format, unless -o is a directory or ends in a \
      slash. With several inputs, -o names a directory; each thumbnail is named after its input, with the extension of \
      the format. If two inputs have the same name, the later one gets a number: photo.png, photo-2.png. Existing \
      outputs are replaced; inputs are never replaced. With -r, the directories of the inputs are kept. An error in one \
      file does not stop the others. Prints the names of the written files. --crop, --rotate and --flip apply to the \
      upright pixels, in this order, before the picture is fitted.

      Examples:
        coders thumbnail --size 256 photo.jpg -o small.webp
        coders thumbnail --size 256 *.jpg -o thumbnails/
        coders thumbnail --size 256 -r photos/ -o thumbnails/ --update
        coders thumbnail --freedesktop --size large photos/*.jpg
        coders thumbnail --size 320x200 --fill --format webp *.png -o cards/
      """)

  enum Mode: EnumerableFlag {
    case fit, fill, stretch

    var mode: ThumbnailMode {
      switch self {
      case .fit: .fit
      case .fill: .fill
      case .stretch: .stretch
      }
    }

    static func help(for value: Mode) -> ArgumentHelp? {
      switch value {
      case .fit: "Fit the whole picture inside the box."
      case .fill: "Fill the whole box; the overflow is cropped evenly on both sides."
      case .stretch: "Stretch the picture to exactly the size of the box."
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      """
      The box, in pixels: 256 for both sides, 320x200, or 320x and x200 for one side; or 50% of the picture. With \
      --freedesktop: normal, large, x-large, xx-large, or pixels. (default with --freedesktop: normal)
      """,
      valueName: "size"), transform: ThumbnailSizeArgument.parsed)
  var size: ThumbnailSizeArgument?

  @Flag(help: "How the picture is fitted to the box.")
  var mode = Mode.fit

  @Flag(
    help: """
      Use the embedded thumbnail if it is large enough, and let the codec scale down to the target size: faster, \
      slightly less exact.
      """)
  var fast = false

  @Option(
    help: ArgumentHelp(
      """
      The output's format: an extension, a name or a type identifier; several between commas, or smallest, for the \
      smallest file with --look or --lossless. (default: from the extension of an output file; png for a directory or \
      standard output)
      """, valueName: "f"))
  var format: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file or directory to write; directories are created; - is standard output.", valueName: "file|dir"))
  var output: String?

  @Flag(
    help: """
      Find or make the thumbnails that file managers share, in $XDG_CACHE_HOME/thumbnails or ~/.cache/thumbnails, and \
      print their names. With -o, write one such file there instead, as a file manager asks a thumbnailer to.
      """)
  var freedesktop = false

  @Option(
    help: ArgumentHelp(
      "With --freedesktop and -o: the URI that the thumbnail names. (default: that of the file)", valueName: "uri"))
  var inputURI: String?

  @OptionGroup var batch: BatchOptions
  @OptionGroup var input: InputOptions
  @OptionGroup var part: PartOptions
  @OptionGroup var light: LightOptions
  @OptionGroup(title: "Encoding") var encoding: EncodingOptions
  @OptionGroup(title: "Parts and turns") var edits: EditOptions
  @OptionGroup(title: "Colors") var color: ColorOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  var read: ReadSettings {
    var read = reading.settings
    read.part = part.region?.rect
    return read
  }

  func validate() throws {
    if !freedesktop {
      guard output != nil else { throw ValidationError("Missing expected argument '--output <file|dir>'") }
      guard size != nil else { throw ValidationError("Missing expected argument '--size <size>'") }
      guard inputURI == nil else { throw ValidationError("--input-uri needs --freedesktop") }
      if case .named? = size { throw ValidationError(PictureBox.allowed(for: "")) }
    } else if output != nil, !input.isOneFile {
      throw ValidationError("--freedesktop with -o takes one file")
    } else if inputURI != nil, output == nil {
      throw ValidationError("--input-uri needs -o")
    }
    if freedesktop, !reading.values.isEmpty {
      throw ValidationError("--freedesktop makes pictures that all programs share, without --read-option")
    }
    if batch.json, output == "-" { throw ValidationError("standard output takes either the picture or --json") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    if freedesktop { return try FreedesktopRun(command: self, console: console).run() }
    guard let output, case .box(let box)? = size else {
      throw .invalidArgument("--size and --output are needed")
    }
    var thumbnails = ThumbnailRun(box: box, output: output)
    thumbnails.mode = mode.mode
    if fast { thumbnails.quality = .fast }
    thumbnails.format = format
    thumbnails.edit = edits.edit
    thumbnails.linearLight = light.linearLight
    thumbnails.batch = batch.settings
    thumbnails.encoding = encoding.settings
    thumbnails.read = read
    thumbnails.color = { [color] console throws(CoderError) in
      try color.outputColor(console, unlessAsked: .convert(to: .sRGB))
    }
    let registry = read.registry(console)
    let failures = Failures(console)
    let inputs = try input.inputs(registry, console, read: read, writingTo: output, failures)
    try thumbnails.run(inputs, isOneInput: input.isOneFile, registry, failures, console)
    return failures.status
  }
}
