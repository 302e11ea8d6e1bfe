// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What `coders probe` does.
struct ProbeRun {
  /// How reports are printed.
  enum Form: Sendable {
    case blocks, lines, json
  }

  var form = Form.blocks
  /// Whether the steps are printed in which coders were chosen.
  var explains = false
  /// Whether frames are counted that the file itself does not count.
  var countsFrames = false
  var read = ReadSettings()

  init() {}

  /// Prints a report of each file.
  ///
  /// - Parameters:
  ///   - files: As the user names them.
  ///   - registry: Of `read`.
  func run(_ files: [String], _ registry: CoderRegistry, _ failures: Failures, _ console: Console) {
    let printer = printer(console)
    for (order, file) in files.enumerated() where !console.cancellation.isCancelled {
      // Results of earlier files are not lost if this one's coder ends the process.
      console.flush()
      CurrentFiles.set(input: file)
      var steps: [SelectionStep] = []
      let report = Result { () throws(CoderError) in
        var options = try read.decodeOptions(registry, console, file: file)
        // No pixels are decoded, so the memory limit must not refuse an animation for the size of all its frames.
        options.size = .fitting(Size(width: 1, height: 1))
        let decoder = try read.open(
          try read.source(file, registry, console), registry, options: options,
          explain: explains ? { steps.append($0) } : nil)
        // For an icon, the thumbnail size above selects its smallest picture; report the primary one.
        let isIcon = read.page == nil && decoder.header.pagesAreSizes
        // A million frames are described in the time of one call, or not at all.
        return try decoder.asOneCall { () throws(CoderError) in
          try FileReport(isIcon ? decoder.page(decoder.header.primaryPage) : decoder, counts: countsFrames)
        }
      }
      if !read.coders.isQuiet { printer.print(file, report, steps: steps) }
      if case .failure(let error) = report { failures.add(error, file: file, order: order) }
    }
    printer.finish()
  }

  private func printer(_ console: Console) -> any ProbePrinter {
    switch form {
    case .blocks: ProbeTextPrinter(console)
    case .lines: ProbeTablePrinter(console)
    case .json: ProbeJSONPrinter(console)
    }
  }
}
