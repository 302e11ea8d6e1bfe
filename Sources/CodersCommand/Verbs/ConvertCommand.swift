// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert animation.gif animation.webp --lossless
        coders convert animation.gif first.png --first-frame
        coders convert photo.jpg small.webp --max-size 1024 --option method=6
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Flag(name: .customLong("first-frame"), help: "Only the first frame of an animation.")
  var firstFrame = false

  @Option(help: ArgumentHelp("The output's format: an extension, a name or a type identifier.", valueName: "f"))
  var format: String?

  @Option(help: ArgumentHelp("The box that the picture has to fit; it is never enlarged.", valueName: "wxh"))
  var maxSize: BoxArgument?

  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @OptionGroup var read: ReadOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var concerned = output
    do throws(CoderError) {
      let format = try registry.format(named: format, output: output)
      let writing = try encoding.encodeOptions(
        as: format, registry, console, file: output, isQuiet: read.coders.quiet)
      concerned = input
      var reading = read.decodeOptions(console, file: input)
      reading.firstFrameOnly = firstFrame
      reading.thumbnailSize = maxSize?.size
      let image = try registry.decode(try read.source(input, console), options: reading, coder: read.coder)
      if let problem = image.problem { failures.add(problem, file: input) }
      concerned = output
      let bytes = try registry.encode(image, as: format, options: writing, encoder: encoding.encoder)
      try OutputFile(output).write(bytes, to: console)
    } catch {
      failures.add(error, file: concerned)
    }
    return failures.status
  }
}
