// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders probe`: describes files from their headers.
struct ProbeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Describe image files without decoding their pixels.",
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

  @OptionGroup var input: InputOptions
  @OptionGroup var read: ReadOptions

  func validate() throws {
    if json, short { throw ValidationError("--json cannot be used with --short") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    let printer = printer(console)
    for (order, file) in try input.inputs(registry, console, failures).map(\.path).enumerated()
    where !console.cancellation.isCancelled {
      // Results of earlier files are not lost if this one's coder ends the process.
      console.flush()
      CurrentFiles.set(input: file)
      var steps: [SelectionStep] = []
      let report = Result { () throws(CoderError) in
        var options = read.decodeOptions(console, file: file)
        // No pixels are decoded, so the memory limit must not refuse an animation for the size of all its frames.
        options.thumbnailSize = Size(width: 1, height: 1)
        let decoder = try read.open(
          try read.source(file, registry, console), registry, options: options,
          explain: explain ? { steps.append($0) } : nil)
        // For an icon, the thumbnail size above selects its smallest picture; report the primary one.
        let isIcon = read.page == nil && decoder.header.pagesAreSizes
        return try FileReport(isIcon ? decoder.page(decoder.header.primaryPage) : decoder)
      }
      if !read.coders.quiet { printer.print(file, report, steps: steps) }
      if case .failure(let error) = report { failures.add(error, file: file, order: order) }
    }
    printer.finish()
    return failures.status
  }

  private func printer(_ console: Console) -> any ProbePrinter {
    if json { return ProbeJSONPrinter(console) }
    return short ? ProbeTablePrinter(console) : ProbeTextPrinter(console)
  }
}
