// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders stream`: decodes a file incrementally and writes each picture that it shows.
struct StreamCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "stream",
    abstract: "Decode a file incrementally and show each step.",
    discussion: """
      Gives the file to its coder in chunks, as a download does, and writes the picture that can be shown after each \
      chunk: 0001.png, 0002.png and so on, and strip.png with some of them side by side. Prints one line for each \
      picture: bytes so far, status, complete frames, final rows, current pass and estimated quality. Without -o, only \
      prints the lines. The last picture is the same as a normal decode of the file.

      Examples:
        coders stream --chunk 4096 photo-progressive.jpg -o steps/
        coders stream --thresholds 0.2,0.5,0.8 --blur 0.01 photo-progressive.jpg -o steps/
        coders stream --json animation.gif
      """)

  @Option(help: ArgumentHelp("Bytes in each chunk.", valueName: "n"))
  var chunk = 4096

  @Option(
    help: ArgumentHelp(
      "Show a new picture only when the quality, 0 to 1, passes one of these values.", valueName: "q,q"),
    transform: QualitiesArgument.parsed)
  var thresholds: QualitiesArgument?

  @Option(
    help: ArgumentHelp("Blur coarse pictures with this radius, as a fraction of the longer side.", valueName: "share"))
  var blur = 0.0

  @Option(
    help: ArgumentHelp("Shrink pictures to fit this box: 300x200, 300, 300x, x200 or 50%.", valueName: "size"),
    transform: PictureBox.parsed)
  var size: PictureBox?

  @Flag(help: "Print the steps as JSON.")
  var json = false

  @Option(name: .shortAndLong, help: ArgumentHelp("The directory to write to; it is created.", valueName: "dir"))
  var output: String?

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if input == "-", let size, size.size == nil {
      throw ValidationError("--size is a share of a picture whose size is not known yet; give it in pixels")
    }
    if chunk < 1 { throw ValidationError("--chunk is \(chunk), it must be at least 1") }
    if !(0...1).contains(blur) { throw ValidationError("--blur is \(blur), 0 to 1 is allowed") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    CurrentFiles.set(input: input, output: output)
    var options = try read.decodeOptions(registry, console, file: input)
    do throws(CoderError) {
      if let box = size?.size { options.size = .fitting(box) }
      if let size, size.size == nil {
        let header = try read.open(try read.source(input, registry, console), registry, options: options).header
        options.size = .fitting(size.size(for: header.displayedSize))
      }
      let decoder: IncrementalDecoder
      if let id = try registry.coderID(named: read.coder) {
        decoder = try registry.coder(id).makeIncrementalDecoder(options: options)
      } else {
        decoder = registry.makeIncrementalDecoder(options: options)
      }
      let source: any ChunkSource =
        input == "-"
        ? PipeChunks(cancellation: console.cancellation)
        : FileChunks(try OpenSource(try read.source(input, registry, console), limits: options.limits))
      var policy = PartialPicturePolicy()
      policy.thresholds = thresholds?.qualities ?? []
      policy.blur = blur
      let run = StreamRun(decoder, source: source, chunk: chunk, policy: policy, folder: output)
      let showsLines = !json && !read.coders.isQuiet
      if showsLines { console.print(StreamStep.table.line(nil, console.style)) }
      var steps: [JSONValue] = []
      try run.run(registry, console) { step in
        if showsLines { console.print(StreamStep.table.line(step.row, console.style)) }
        if json { steps.append(step.json) }
        // A program that shows a download sees each step when it happens.
        console.flush()
      }
      if let problem = run.problem { failures.add(problem, file: input) }
      if json {
        console.print(JSONValue.object(["schema": .integer(1), "file": .text(input), "steps": .list(steps)]).printed)
      }
    } catch {
      failures.add(error, file: input)
    }
    return failures.status
  }
}
