// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders frames`: lists or extracts the frames of an animation or the pages of a file.
struct FramesCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "frames",
    abstract: "List the frames of an animation or the pages of a file, or write them as PNG files.",
    usage: "coders frames [<options>] <in>",
    discussion: """
      Without -o, lists each frame's rectangle on the canvas, its delay as stored in the file, and its disposal and \
      blend modes; no pixels are decoded. With -o, writes 0001.png, 0002.png and so on: the whole canvas as it is \
      shown, or with --raw only the frame's own pixels. Prints the names of the written files.

      Pages are separate pictures in one file: the directories of a TIFF, the sizes of an icon, the items of a HEIF. If \
      a file has pages and is not an animation, its pages are listed or written instead; --page selects one.

      Examples:
        coders frames animation.gif
        coders frames --json animation.webp
        coders frames scan.tiff -o pages/
        coders frames animation.gif -o frames/
        coders frames --raw animation.apng -o raw/
      """)

  @Flag(help: "Write each frame's own pixels without drawing them on the canvas.")
  var raw = false

  @Flag(help: "Print the list, or with -o the written files, as JSON.")
  var json = false

  @Option(name: .shortAndLong, help: ArgumentHelp("The directory to write to; it is created.", valueName: "dir"))
  var output: String?

  @Argument(help: ArgumentHelp("The animation; - is standard input.", valueName: "in"))
  var input: String

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if raw, output == nil { throw ValidationError("--raw needs -o") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    CurrentFiles.set(input: input)
    do throws(CoderError) {
      let decoder = try read.open(
        try read.source(input, registry, console), registry,
        options: try read.decodeOptions(registry, console, file: input))
      if let output {
        let extraction = FrameExtraction(
          decoder, registry: registry, console: console, input: input, isRaw: raw,
          pages: read.page == nil)
        let paths = extraction.run(into: output, failures)
        if json {
          console.print(
            JSONValue.object(["schema": .integer(1), "file": .text(input), "written": .texts(paths)]).printed)
        } else if !read.coders.isQuiet {
          for path in paths { console.print(path.printable) }
        }
      } else {
        let list = try FrameList(decoder, file: input)
        if json {
          console.print(list.json.printed)
        } else {
          for line in list.lines(console.style) { console.print(line) }
        }
      }
    } catch {
      failures.add(error, file: input)
    }
    return failures.status
  }
}
