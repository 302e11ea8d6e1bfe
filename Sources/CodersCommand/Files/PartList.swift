// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// The parts of a file, as a table, as JSON, or as files.
struct PartList {
  private let parts: [FilePart]
  private let decoder: ImageDecoder
  private let file: String
  private let format: ImageFormat

  init(_ parts: [FilePart], of decoder: ImageDecoder, file: String, format: ImageFormat) {
    self.parts = parts
    self.decoder = decoder
    self.file = file
    self.format = format
  }

  /// The table.
  func lines(_ style: Style) -> [String] {
    guard !parts.isEmpty else { return ["no parts besides the picture"] }
    var table = Table(["PART", "KIND", "SIZE", ""], rightAligned: [0])
    for (index, part) in parts.enumerated() {
      let size: String =
        switch part.content {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .page(_, let size): size.map { "\($0)" } ?? ""
        case .words: ""
        }
      table.add(["\(index + 1)", part.kind.rawValue, size, part.note])
    }
    return table.lines(style)
  }

  /// The output of `coders parts --json`; `docs/cli.md` documents its keys.
  ///
  /// - Parameter written: The files that were written, by the place of their part in the list.
  func json(written: [Int: String]) -> JSONValue {
    FilePart.report(of: parts, file: file, format: format, written: written)
  }

  /// Writes the parts that have a content. A picture that cannot be decoded is reported, and the others are written.
  ///
  /// - Returns: The paths, by the place of the part in the list.
  func write(
    to output: String, _ registry: CoderRegistry, _ console: Console, failures: Failures
  ) throws(CoderError) -> [Int: String] {
    let chosen = parts.indices.filter { if case .words = parts[$0].content { false } else { true } }
    let isFile = OutputNames.isFile(output, isOneInput: chosen.count == 1, console)
    guard output != "-" || chosen.count == 1 else {
      throw .invalidArgument("standard output takes one part, not \(chosen.count); --kind chooses")
    }
    let names = isFile ? Dictionary(uniqueKeysWithValues: chosen.map { ($0, output) }) : names(of: chosen, in: output)
    if !isFile { try Path.makeDirectory(output, console) }
    var written: [Int: String] = [:]
    for index in chosen {
      guard let path = names[index] else { continue }
      CurrentFiles.set(input: file, output: path)
      do throws(CoderError) {
        if path != "-", let own = Path.Identity(console.location(of: path)),
          own == Path.Identity(console.location(of: file))
        {
          throw .invalidArgument("the part would replace the input")
        }
        let target = OutputFile(path, console)
        try target.refuseTerminal(console)
        let part = try registry.file(of: parts[index], in: decoder, cancellation: console.cancellation)
        try target.write(part, to: console)
        written[index] = path
      } catch {
        failures.add(error, file: path)
      }
    }
    return written
  }

  /// `thumbnail.jpg`, or where there are several of a kind `thumbnail-2.jpg`.
  private func names(of chosen: [Int], in directory: String) -> [Int: String] {
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    var counts: [FilePart.Kind: Int] = [:]
    var names: [Int: String] = [:]
    for index in chosen {
      let kind = parts[index].kind
      counts[kind, default: 0] += 1
      let number = counts[kind, default: 1]
      names[index] = "\(folder)\(kind.rawValue)\(number > 1 ? "-\(number)" : "").\(parts[index].suffix)"
    }
    return names
  }
}
