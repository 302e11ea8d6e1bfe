// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of verbs that take any number of files.
struct InputOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Take the images in directories, and in those below.")
  var recursive = false

  @Option(
    help: ArgumentHelp(
      "Also take the files that this file names, one a line, or each ended by a null byte; - is standard input.",
      valueName: "file"))
  var filesFrom: String?

  @Argument(help: ArgumentHelp("Image files, or directories with -r; - is standard input.", valueName: "file"))
  var files: [String] = []

  func validate() throws {
    guard filesFrom != nil || !files.isEmpty else { throw ValidationError("Missing expected argument '<file> ...'") }
  }

  /// Whether one file is named, and neither a directory nor a list: then it may have an output of any name.
  var isOneFile: Bool { files.count == 1 && filesFrom == nil && !recursive }

  /// The files in the order of the command line, then those of `--files-from`; directories as their content.
  ///
  /// - Parameters:
  ///   - read: How the files are read.
  ///   - output: A directory that is written to, whose content is no input, or nil.
  ///   - failures: Gets the errors of directories that cannot be read.
  /// - Throws: ``CoderError/Code/io`` for a list that cannot be read; ``CoderError/Code/invalidArgument``.
  func inputs(
    _ registry: CoderRegistry, _ console: Console, read: ReadSettings, writingTo output: String? = nil,
    _ failures: Failures
  ) throws(CoderError) -> [InputFile] {
    if filesFrom == "-" { try read.checkStandardInput(for: "no names of files") }
    guard files.count(where: { $0 == "-" }) + (filesFrom == "-" ? 1 : 0) <= 1 else {
      throw .invalidArgument("standard input can be given only once")
    }
    let named = files + (try filesFrom.map { (list) throws(CoderError) in try FileNameList.read(list, console) } ?? [])
    guard recursive else { return named.map { InputFile(path: $0) } }
    let walk = DirectoryWalk(
      suffixes: Set(registry.readableExtensions), output: output.map { console.location(of: $0) }, console: console,
      failures: failures)
    return named.enumerated().flatMap { order, name in walk.files(of: name, order: order) }
  }
}

extension CoderRegistry {
  /// The extensions of files that an installed coder reads.
  var readableExtensions: [String] {
    catalog.entries.filter { $0.reason == nil }.compactMap(\.manifest).filter(\.canRead).flatMap(\.formats)
      .flatMap(\.extensions)
  }
}
