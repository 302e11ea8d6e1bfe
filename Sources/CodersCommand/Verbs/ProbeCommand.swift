// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders probe`: describes files from their headers.
struct ProbeCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "probe", _superCommandName: superCommandName,
    abstract: "Describe image files without decoding their pixels.",
    usage: "coders probe [<options>] [<file> ...]",
    discussion: """
      Prints format, size, pixel format, animation, metadata and color information of each file. The size is the \
      displayed size; if the orientation swaps width and height, the stored size follows. --json also prints all \
      properties under ImageIO's names, and the rectangle, delay, disposal and blend of every frame. Standard input is \
      read to its end: frames and metadata may be the last of a file. `coders stream -` shows what has arrived.

      Examples:
        coders probe photo.jpg
        coders probe --short *.png
        coders probe --short -r photos/
        coders probe --json animation.webp
        coders probe --explain unknown.bin
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print one line per file.")
  var short = false

  @Flag(help: "Print how the coder was chosen, step by step.")
  var explain = false

  @Flag(help: "Count the frames of files that do not count them, by reading all of each.")
  var count = false

  @OptionGroup var input: InputOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if json, short { throw ValidationError("--json cannot be used with --short") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    var probe = ProbeRun()
    probe.form = json ? .json : short ? .lines : .blocks
    probe.explains = explain
    probe.countsFrames = count
    probe.read = read
    let registry = probe.read.registry(console)
    let failures = Failures(console)
    probe.run(try input.inputs(registry, console, read: read, failures).map(\.path), registry, failures, console)
    return failures.status
  }
}
