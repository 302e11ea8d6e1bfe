// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders stream`: what can be seen of an image while its bytes arrive.
struct StreamCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "stream",
    abstract: "Show what can be seen of an image while its bytes arrive.",
    discussion: """
      Hands the file to its coder a few bytes at a time, as a network does, and writes what a person would see: 0001.png, \
      0002.png and so on, and strip.png with some of them side by side. A line for each says how many bytes it took, how \
      many rows are final, which pass is being sent, and how many frames are complete. Without -o, prints the lines \
      alone. Every byte is looked at once: the last picture is the decoded file.

      Examples:
        coders stream --chunk 4096 photo-progressive.jpg -o steps/
        coders stream --thresholds 0.2,0.5,0.8 --blur 0.01 photo-progressive.jpg -o steps/
        coders stream --json animation.gif
      """)

  @Option(help: ArgumentHelp("Bytes at a time.", valueName: "n"))
  var chunk = 4096

  @Option(help: ArgumentHelp("Qualities, 0 to 1, at which a picture is shown anew.", valueName: "q,q"))
  var thresholds: QualitiesArgument?

  @Option(help: ArgumentHelp("Blur of coarse pictures: a radius, as a share of the longer side.", valueName: "share"))
  var blur = 0.0

  @Option(help: ArgumentHelp("Fit pictures into a box.", valueName: "n[xm]"))
  var size: BoxArgument?

  @Flag(help: "Print the steps as JSON.")
  var json = false

  @Option(name: .shortAndLong, help: ArgumentHelp("The directory to write to; it is made.", valueName: "dir"))
  var output: String?

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if chunk < 1 { throw ValidationError("--chunk is \(chunk), at least 1 is needed") }
    if !(0...1).contains(blur) { throw ValidationError("--blur is \(blur), 0 to 1 is allowed") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var options = read.decodeOptions(console, file: input)
    options.thumbnailSize = size?.size
    do throws(CoderError) {
      let decoder: IncrementalDecoder
      if let id = read.coder {
        decoder = try registry.coder(id).makeIncrementalDecoder(options: options)
      } else {
        decoder = registry.makeIncrementalDecoder(options: options)
      }
      let source = try OpenSource(try read.source(input, console), limits: options.limits)
      var policy = PartialPicturePolicy()
      policy.thresholds = thresholds?.qualities ?? []
      policy.blur = blur
      let run = StreamRun(decoder, source: source, chunk: chunk, policy: policy, folder: output)
      let steps = try run.steps(registry, console)
      if let problem = run.problem { failures.add(problem, file: input) }
      if json {
        console.print(
          JSON.object(["schema": .integer(1), "file": .text(input), "steps": .list(steps.map(\.json))]).printed)
      } else if !read.coders.quiet {
        for line in StreamStep.table(steps).lines(console.style) { console.print(line) }
      }
    } catch {
      failures.add(error, file: input)
    }
    return failures.status
  }
}
