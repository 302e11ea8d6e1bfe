// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Prints the reports of `coders probe` in one of its forms.
protocol ProbePrinter: AnyObject {
  /// Prints or keeps the report of a file. The caller prints errors.
  func print(_ file: String, _ report: Result<FileReport, CoderError>, steps: [SelectionStep])

  /// Prints the reports that were kept.
  func finish()
}

/// A block of lines for each file.
final class ProbeTextPrinter: ProbePrinter {
  private let console: Console
  private var isFirst = true

  init(_ console: Console) { self.console = console }

  func print(_ file: String, _ report: Result<FileReport, CoderError>, steps: [SelectionStep]) {
    guard case .success(let report) = report else {
      printSteps(steps, below: file.printable)
      return
    }
    if !isFirst { console.print("") }
    isFirst = false
    console.print(console.style.title(file.printable))
    for (name, value) in report.fields {
      console.print("  \(name)\(String(repeating: " ", count: 13 - name.count))\(value.printable)")
    }
    printSteps(steps, below: nil)
  }

  private func printSteps(_ steps: [SelectionStep], below title: String?) {
    guard !steps.isEmpty else { return }
    if let title {
      if !isFirst { console.print("") }
      isFirst = false
      console.print(console.style.title(title))
    }
    console.print("  choice")
    for step in steps {
      console.print("    \(step.coder ?? "file"): \(step.code.rawValue): \(step.message.printable)")
    }
  }

  func finish() {}
}

/// One line for each file.
final class ProbeTablePrinter: ProbePrinter {
  private let console: Console
  private var table = Table(["FILE", "FORMAT", "SIZE", "PIXELS", "FRAMES", "SECONDS", "FLAGS"], rightAligned: [4, 5])
  private var steps: [String] = []

  init(_ console: Console) { self.console = console }

  func print(_ file: String, _ report: Result<FileReport, CoderError>, steps: [SelectionStep]) {
    for step in steps {
      self.steps.append("\(file.printable): \(step.coder ?? "file"): \(step.code.rawValue): \(step.message.printable)")
    }
    guard case .success(let report) = report else { return }
    let header = report.header
    let isAnimated = header.isAnimated
    table.add([
      file, header.format.rawValue, "\(header.displayedSize)",
      header.alpha == .opaque ? "\(header.pixelFormat)" : "\(header.pixelFormat) \(header.alpha)",
      isAnimated ? report.frameCount.map { "\($0)" } ?? "?" : "", isAnimated ? report.duration?.short ?? "?" : "",
      report.notes.joined(separator: " "),
    ])
  }

  func finish() {
    if !table.isEmpty { for line in table.lines(console.style) { console.print(line) } }
    for line in steps { console.print(line) }
  }
}

/// One JSON document for all files.
final class ProbeJSONPrinter: ProbePrinter {
  private let console: Console
  private var files: [JSONValue] = []

  init(_ console: Console) { self.console = console }

  func print(_ file: String, _ report: Result<FileReport, CoderError>, steps: [SelectionStep]) {
    var members: [String: JSONValue]
    switch report {
    case .success(let report): members = report.members
    case .failure(let error): members = ["error": JSONValue(error)]
    }
    members["file"] = .text(file)
    if !steps.isEmpty {
      members["choice"] = .list(
        steps.map {
          .object(["coder": .optional($0.coder), "code": .text($0.code.rawValue), "message": .text($0.message)])
        })
    }
    files.append(.object(members))
  }

  func finish() { console.print(JSONValue.object(["schema": .integer(1), "files": .list(files)]).printed) }
}

extension JSONValue {
  /// An error and its exit status.
  init(_ error: CoderError) {
    self = .object([
      "code": .text("\(error.code)"), "message": .text(error.sentence), "coder": .optional(error.coder),
      "offset": error.offset.map { .integer($0) } ?? .null, "limit": .optional(error.limit?.rawValue),
      "found": error.found.map { .integer($0) } ?? .null, "allowed": error.allowed.map { .integer($0) } ?? .null,
      "set_by": .optional(error.setBy),
      "exit_status": .integer(Int64(ExitStatus(error).rawValue)),
    ])
  }
}
