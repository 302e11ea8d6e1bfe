// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization

/// `coders contact-sheet`: one picture of many files.
struct ContactSheetCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "contact-sheet",
    abstract: "Draw one picture that shows many files, with names and sizes.",
    discussion: """
      Transparency shows as a checkerboard, an animation as a strip of film with three of its frames. Files that cannot \
      be read get a cell that says so. The format is that of the output's extension.

      Examples:
        coders contact-sheet *.png *.gif -o sheet.png
        coders contact-sheet --columns 8 --size 96 photos/*.jpg -o sheet.webp
      """)

  @Option(
    help: ArgumentHelp("Cells in a row; as many as make the sheet a bit wider than high otherwise.", valueName: "n"))
  var columns: Int?

  @Option(help: ArgumentHelp("The box of a picture, in pixels.", valueName: "n"))
  var size = 192

  @Option(name: .shortAndLong, help: ArgumentHelp("The picture to write.", valueName: "sheet"))
  var output: String

  @Argument(help: ArgumentHelp("Image files.", valueName: "file"))
  var files: [String]

  @OptionGroup var read: ReadOptions

  func validate() throws {
    guard (32...1024).contains(size) else { throw ValidationError("--size is \(size), 32 to 1024 is allowed") }
    if let columns, columns < 1 { throw ValidationError("--columns is \(columns), at least 1 is needed") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let format = try registry.format(named: nil, output: output)
    let failures = Failures(console)
    let items = items(registry, console)
    for (order, item) in items.enumerated() {
      if let problem = item.problem { failures.add(problem, file: files[order], order: order) }
    }
    do throws(CoderError) {
      if console.cancellation.isCancelled { throw .cancelled }
      let sheet = Image(try ContactSheet(items, columns: columns, size: size).drawn())
      try OutputFile(output).write(try registry.encode(sheet, as: format), to: console)
    } catch {
      failures.add(error, file: output, order: files.count)
    }
    return failures.status
  }

  /// Reads all files, several at a time.
  private func items(_ registry: CoderRegistry, _ console: Console) -> [SheetItem] {
    let items = Items(files.count)
    let progress = Progress(console, total: files.count, isQuiet: read.coders.quiet)
    ThreadPool.shared.run(files.count, jobs: ThreadPool.processors) { index in
      let options = read.decodeOptions(console, file: files[index])
      items.set(index, SheetItem(files[index], size: size, registry: registry, coder: read.coder, options: options))
      progress.advance()
    }
    progress.finish()
    return items.all
  }

  private final class Items: Sendable {
    private let items: Mutex<[SheetItem?]>

    init(_ count: Int) { items = Mutex(Array(repeating: nil, count: count)) }

    func set(_ index: Int, _ item: SheetItem) { items.withLock { $0[index] = item } }

    var all: [SheetItem] { items.withLock { $0.compactMap { $0 } } }
  }
}
