// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders parts`: lists what a file carries besides its picture, and takes it out.
struct PartsCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "parts",
    abstract: "List what a file carries besides its main picture, or take it out into files.",
    usage: "coders parts [<options>] <in>",
    discussion: """
      Without -o, lists the parts: the video of a motion photo and other bytes after the picture, thumbnails, the gain \
      map, depth, mattes and other pictures that belong to the main one, the other view of a stereo picture, pictures \
      of a burst, further pages and layers, the JPEG file in a JPEG XL, content credentials, and blocks of metadata. \
      Identifiers of Live Photos and bursts are listed, and have nothing to take out.

      With -o, writes each part to a file of the directory, which is created: video.mp4, gain-map.jpg, exif.exif. A \
      picture that is a file of its own is written byte for byte, others as PNG. If one part is chosen, -o names a file, \
      unless it ends in a slash or is a directory; - is standard output. Prints the names of the written files. The \
      exit status is 1 if there is no part of a kind that is asked for.

      `coders metadata --video` puts a video back; `coders metadata --strip` takes parts away.

      Examples:
        coders parts photo.jpg
        coders parts --json photo.heic
        coders parts photo.jpg -o parts/
        coders parts photo.jpg --kind video -o clip.mp4
        coders parts photo.jpg --kind thumbnail,gain-map -o parts/
      """)

  @Option(
    help: ArgumentHelp("Only parts of these kinds, as the list names them.", valueName: "kinds"),
    transform: PartKindsArgument.parsed)
  var kind: PartKindsArgument?

  @Flag(help: "Print the list, or with -o the written files, as JSON.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The directory to write to, or the file for one part; it is created.", valueName: "dir|file"))
  var output: String?

  @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "in"))
  var input: String

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if json, output == "-" { throw ValidationError("standard output takes either the part or --json") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    CurrentFiles.set(input: input)
    do throws(CoderError) {
      let options = try read.decodeOptions(registry, console, file: input)
      let source = try registry.rereadable(try read.source(input, registry, console), options)
      let decoder = try read.open(source, registry, options: options)
      var parts = registry.parts(of: decoder, in: source, options)
      if let kinds = kind?.kinds {
        parts.removeAll { !kinds.contains($0.kind) }
        guard !parts.isEmpty else {
          let words = kinds.map(\.rawValue).sorted().joined(separator: " or ")
          throw CoderError(code: .unsupported, message: "the file has no part of the kind \(words)")
        }
      }
      let list = PartList(parts, of: decoder, file: input, format: decoder.header.format)
      if let output {
        let written = try list.write(to: output, registry, console, failures: failures)
        if json {
          console.print(list.json(written: written).printed)
        } else if !read.coders.isQuiet, output != "-" {
          for path in written.values.sorted() { console.print(path.printable) }
        }
      } else if json {
        console.print(list.json(written: [:]).printed)
      } else {
        for line in list.lines(console.style) { console.print(line) }
      }
    } catch {
      failures.add(error, file: input)
    }
    return failures.status
  }
}

/// Kinds of parts on the command line: `video,thumbnail`.
struct PartKindsArgument: DescribedArgument {
  let kinds: Set<FilePart.Kind>

  init?(argument: String) {
    var kinds: Set<FilePart.Kind> = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = FilePart.Kind(rawValue: String(word)) else { return nil }
      kinds.insert(kind)
    }
    self.kinds = kinds
  }

  static func allowed(for text: String) -> String {
    let words = FilePart.Kind.allCases.map(\.rawValue)
    let given = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let wrong = given.first { !words.contains($0) } ?? ""
    return "kinds are a list from \(words.joined(separator: ","))" + Spelling.question(wrong, in: words)
  }
}
