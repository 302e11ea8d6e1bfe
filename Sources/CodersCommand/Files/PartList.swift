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
    let list = parts.enumerated().map { index, part in
      var (bytes, size): (Int?, Size?) = (nil, nil)
      switch part.content {
      case .bytes(let content): bytes = content.count
      case .page(_, let stored): size = stored
      case .words: break
      }
      return JSONValue.object([
        "part": .integer(index + 1), "kind": .text(part.kind.rawValue), "note": .text(part.note),
        "bytes": bytes.map { .integer($0) } ?? .null, "width": size.map { .integer($0.width) } ?? .null,
        "height": size.map { .integer($0.height) } ?? .null, "written": .optional(written[index]),
      ])
    }
    return .object([
      "schema": .integer(1), "file": .text(file), "format": .text(format.rawValue), "parts": .list(list),
    ])
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
        try target.write(try content(of: parts[index], registry, console), to: console)
        written[index] = path
      } catch {
        failures.add(error, file: path)
      }
    }
    return written
  }

  private func content(
    of part: FilePart, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> [UInt8] {
    switch part.content {
    case .bytes(let bytes): return bytes
    case .words: return Array(part.note.utf8)
    case .page(let index, _):
      var options = EncodeOptions()
      options.cancellation = console.cancellation
      let isHidden = index >= decoder.header.pageCount
      let picture = isHidden ? try decoder.auxiliaryPictures().first { $0.page == index } : nil
      var image: Image
      if let picture { image = try decoder.decodeAuxiliary(picture) } else { image = try decoder.page(index).image() }
      image.metadata = image.metadata.filter { $0.key == .icc }
      return try registry.encode(image, as: .png, options: options)
    }
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

extension CoderRegistry {
  /// The JPEG file that a JPEG XL stores, as a part of it.
  func storedParts(of decoder: ImageDecoder, in source: ByteSource, _ reading: DecodeOptions) -> [FilePart] {
    guard decoder.header.format == .jpegXL else { return [] }
    let restored = Result { () throws(CoderError) in
      try apply(.transcode, to: source, as: .jpeg, reading: DecodeOptions(limits: reading.limits)).file?.bytes
    }
    guard let bytes = (try? restored.get()) ?? nil else { return [] }
    return [FilePart(.storedJPEG, .bytes(bytes), suffix: "jpg", note: "restored byte for byte")]
  }
}
