// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders
import ImageProcessing
import TerminalGraphics

/// `coders placeholder`: what stands for a picture until it is there.
struct PlaceholderCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "placeholder",
    abstract: "Print placeholders of pictures: ThumbHash, BlurHash, main colors.",
    discussion: """
      A ThumbHash is printed as Base64; it has alpha and the shape of the picture. A BlurHash (--blurhash) is a text of \
      about 28 characters, of 4 frequencies across and 3 down, or as --frequencies says. --colors prints the main colors \
      and how much of the picture each makes up. Of animations, the first frame counts.

      Examples:
        coders placeholder photo.jpg
        coders placeholder --blurhash --frequencies 4x4 *.jpg
        coders placeholder --colors 5 photo.jpg
        coders placeholder --json -r photos/
      """)

  @Flag(help: "Print the BlurHash.")
  var blurhash = false

  @Option(
    help: ArgumentHelp(
      "How many frequencies a BlurHash has across and down, 1x1 to 9x9. (default: 4x3)", valueName: "nxn"),
    transform: FrequenciesArgument.parsed)
  var frequencies: FrequenciesArgument?

  @Option(help: ArgumentHelp("Print this many main colors, 1 to 64.", valueName: "n"))
  var colors: Int?

  @Flag(help: "Print ThumbHash, BlurHash and colors of all files as JSON.")
  var json = false

  @OptionGroup var input: InputOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if let colors, !(1...64).contains(colors) {
      throw ValidationError("--colors is \(colors); 1 to 64 are allowed")
    }
  }

  /// What stands for a picture.
  private struct Placeholder: Sendable {
    let thumbHash: String
    let blurHash: String
    let colors: [DominantColor]
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    let files = try input.inputs(registry, console, read: read, failures).map(\.path)
    let (across, down, count) = (frequencies?.across ?? 4, frequencies?.down ?? 3, colors ?? 5)
    let placeholders = PictureReading.run(files, side: 256, read, registry, failures, console) {
      (pixels) throws(CoderError) in
      let hash = try ThumbHash.bytes(of: pixels)
      return Placeholder(
        thumbHash: String(decoding: hash.withUnsafeBytes { Base64.text($0) }, as: UTF8.self),
        blurHash: try BlurHash.text(of: pixels, across: across, down: down),
        colors: try DominantColor.colors(of: pixels, count: count))
    }
    if json {
      let listed = zip(files, placeholders).map { JSONValue.object(Self.members($0, $1)) }
      console.print(JSONValue.object(["schema": .integer(1), "files": .list(listed)]).printed)
      return failures.status
    }
    for case (let file, let placeholder?) in zip(files, placeholders) {
      let name = files.count > 1 ? "  " + file.printable : ""
      if blurhash { console.print(placeholder.blurHash + name) }
      if colors != nil {
        for main in placeholder.colors {
          let tenths = Int((main.share * 1000).rounded())
          console.print("\(main.color.description.dropLast(2))  \(tenths / 10).\(tenths % 10)%" + name)
        }
      }
      if !blurhash, colors == nil { console.print(placeholder.thumbHash + name) }
    }
    return failures.status
  }

  private static func members(_ file: String, _ placeholder: Placeholder?) -> [String: JSONValue] {
    guard let placeholder else {
      return ["file": .text(file), "thumbhash": .null, "blurhash": .null, "colors": .list([])]
    }
    return [
      "file": .text(file), "thumbhash": .text(placeholder.thumbHash), "blurhash": .text(placeholder.blurHash),
      "colors": .list(
        placeholder.colors.map {
          .object(["color": .text(String($0.color.description.dropLast(2))), "share": .number($0.share)])
        }),
    ]
  }
}

/// Frequencies on the command line: `4x3`.
struct FrequenciesArgument: DescribedArgument {
  let across: Int
  let down: Int

  init?(argument: String) {
    let sides = argument.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ (1...9).contains($0) }) else { return nil }
    (across, down) = (sides[0], sides[1])
  }

  static func allowed(for text: String) -> String { "frequencies are 1x1 to 9x9, such as 4x3" }
}
