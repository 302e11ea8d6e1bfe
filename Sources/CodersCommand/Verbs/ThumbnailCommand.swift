// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders thumbnail`: small pictures of many files.
struct ThumbnailCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail",
    abstract: "Make thumbnails of images, on all processors.",
    discussion: """
      Thumbnails are upright, show the first frame, and are never larger than their picture. Each is named after its \
      input with the extension of the format. Where two inputs have one name, the later gets a number: photo.png, \
      photo-2.png. Files of an earlier run are replaced; an input never is. The names that were written are printed.

      Examples:
        coders thumbnail --size 256 photo.jpg -o small.png
        coders thumbnail --size 256 *.jpg -o thumbnails/
        coders thumbnail --size 320x200 --fill --format webp *.png -o cards/
      """)

  enum Mode: EnumerableFlag {
    case fit, fill, stretch

    var mode: ThumbnailMode {
      switch self {
      case .fit: .fit
      case .fill: .fill
      case .stretch: .stretch
      }
    }

    static func help(for value: Mode) -> ArgumentHelp? {
      switch value {
      case .fit: "The whole picture inside the box."
      case .fill: "The whole box; what stands out on two sides is cut off."
      case .stretch: "The whole picture with the sides of the box."
      }
    }
  }

  @Option(help: ArgumentHelp("The box, in pixels: one number for both sides, or 320x200.", valueName: "n[xm]"))
  var size: BoxArgument

  @Flag(help: "How the picture meets the box.")
  var mode = Mode.fit

  @Option(help: ArgumentHelp("The thumbnails' format.", valueName: "f"))
  var format = "png"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file or directory to write; directories are made.", valueName: "file|dir"))
  var output: String

  @Option(name: .shortAndLong, help: ArgumentHelp("Files at a time; all processors otherwise.", valueName: "n"))
  var jobs: Int?

  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("Image files.", valueName: "file"))
  var files: [String]

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs is \(jobs), at least 1 is needed") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let format = try registry.format(named: format, output: "")
    let names = try OutputNames(files, in: output, suffix: registry.catalog.suffix(of: format) ?? self.format)
    let run = ThumbnailRun(
      registry: registry, format: format, size: size.size, mode: mode.mode, read: read, encoding: encoding,
      console: console)
    let written = run.make(zip(files, names.paths).map { $0 }, jobs: jobs ?? ThreadPool.processors)
    if !read.coders.quiet, output != "-" { for path in written { console.print(path.printable) } }
    return run.failures.status
  }
}

extension Catalog {
  /// The extension that files of a format get.
  func suffix(of format: ImageFormat) -> String? {
    writer(of: format, id: nil)?.formats.first { $0.format == format }?.extensions.first
  }

  /// What people call a format, `PNG`.
  func name(of format: ImageFormat) -> String {
    entries.lazy.compactMap(\.manifest).flatMap(\.formats).first { $0.format == format }?.name ?? format.rawValue
  }
}
