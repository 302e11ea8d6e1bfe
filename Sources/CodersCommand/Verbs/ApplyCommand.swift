// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders apply`: runs an operation of a coder on a whole file.
struct ApplyCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Run an operation of a coder on a whole file, without decoding its pixels.",
    discussion: """
      `coders operations` lists the operations, with the values and blocks that each takes. --value gives a value, --block \
      the bytes of a file as a block. The format stays, unless --to names another one. What the coder reports is printed \
      after the name of the new file: its facts.

      With --ask, nothing is written and only headers are read. The exit status is 0 if nothing there speaks against the \
      operation, and 2 if the coder cannot do it with this file; the facts then say what would be possible.

      Examples:
        coders apply transcode photo.jpg -o photo.jxl --to jxl
        coders apply turn photo.jpg -o turned.jpg --value orientation=6
        coders apply turn photo.jpg --ask --value x=16 --value y=32
        coders apply edit-metadata photo.jpg -o public.jpg --value drop="exif xmp"
        coders apply edit-metadata photo.png -o marked.png --block icc=paper.icc
      """)

  @Argument(help: ArgumentHelp("The name of the operation.", valueName: "operation"))
  var operation: String

  @Argument(help: ArgumentHelp("An image file; - is standard input.", valueName: "file"))
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
  var output: String?

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The format of the new file: an extension, a name or a type identifier. (default: that of the input)",
      valueName: "format"))
  var format: String?

  @Option(
    name: .customLong("value"), help: ArgumentHelp("Give a value; may be repeated.", valueName: "name=value"),
    transform: OperationPart.parsed)
  var values: [OperationPart] = []

  @Option(
    name: .customLong("block"),
    help: ArgumentHelp("Give the bytes of a file as a block; may be repeated.", valueName: "name=file"),
    transform: OperationPart.parsed)
  var blocks: [OperationPart] = []

  @Flag(help: "Only ask whether the operation would work; write nothing.")
  var ask = false

  @Flag(help: "Print a report of the new file and its facts as JSON.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if ask, output != nil { throw ValidationError("--ask writes nothing; it cannot be used with -o") }
    if !ask, output == nil { throw ValidationError("say where the new file goes: -o names it, --ask only asks") }
    if reading.page != nil { throw ValidationError("an operation works on the whole file; it takes no --page") }
    if !reading.values.isEmpty {
      throw ValidationError("an operation works on the file as it is; it takes no --read-option")
    }
    if json, output == "-" { throw ValidationError("standard output takes either the file or --json") }
    for parts in [values, blocks] {
      let names = parts.map(\.name)
      if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
        throw ValidationError("\(twice) is given twice")
      }
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    var whole = FileOperation(operation)
    for value in values { whole.values[value.name] = .word(value.content) }
    let target = output.map { OutputFile($0, console) }
    try target?.refuseTerminal(console)
    let options = try read.decodeOptions(registry, console, file: file)
    var report = OperationReport(of: operation, input: file, file: output)
    var failure: CoderError?
    do throws(CoderError) {
      for block in blocks { whole.blocks[block.name] = try bytes(of: block.content, console) }
      let format = try format.map { (name) throws(CoderError) in try registry.formatOfOperations(named: name) }
      CurrentFiles.set(input: file, output: output)
      let source = try read.source(file, registry, console)
      let coder = try registry.coderID(named: read.coder)
      if let target {
        let applied = try registry.apply(
          whole, to: source, as: format, at: target.destination, reading: options, coder: coder)
        (report.coder, report.facts, report.byteCount) = (applied.coder, applied.facts, applied.file?.byteCount)
        guard let file = applied.file else { throw .unsupported("the file has nothing that \(operation) takes out") }
        try target.take(file, console)
      } else {
        let answer = try registry.ask(whole, of: source, as: format, reading: options, coder: coder)
        (report.coder, report.facts, failure) = (answer.coder, answer.facts, answer.refusal)
      }
    } catch {
      failure = error
    }
    report.error = failure.map { JSONValue($0) } ?? .null
    print(report, failed: failure != nil, console)
    let failures = Failures(console)
    if let failure { failures.add(failure, file: file) }
    return failures.status
  }

  private func print(_ report: OperationReport, failed: Bool, _ console: Console) {
    if json {
      console.print(report.json.printed)
    } else if !read.coders.isQuiet {
      if let output, output != "-", !failed { console.print(output.printable) }
      let width = report.facts.sorted.map(\.name.count).max() ?? 0
      for (name, value) in report.facts.sorted {
        let space = String(repeating: " ", count: width - name.count + 2)
        let line = "  \(name.printable)\(space)\(value.inWords.printable)"
        // Standard output is the file.
        if output == "-" { console.printError(line) } else { console.print(line) }
      }
    }
  }

  private func bytes(of file: String, _ console: Console) throws(CoderError) -> [UInt8] {
    CurrentFiles.set(input: file)
    do throws(CoderError) {
      return try OpenSource(.file(console.location(of: file)), limits: read.limits).contents()
    } catch {
      throw error.annotated(file: file)
    }
  }
}

/// A value or a block of an operation on the command line: `orientation=6`, `mark=logo.png`.
struct OperationPart: DescribedArgument {
  let name: String
  let content: String

  init?(argument: String) {
    guard let pair = SettingArgument(argument: argument) else { return nil }
    (name, content) = (pair.name, pair.value)
  }

  static func allowed(for text: String) -> String { "a value is NAME=VALUE, a block NAME=FILE" }
}
