// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders thumbnail`: makes thumbnails of files.
struct ThumbnailCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail",
    abstract: "Make thumbnails of images on all processors.",
    discussion: """
      A thumbnail is upright, shows the first frame, and is never larger than its picture.

      With one input, -o names the output file and its extension sets the format, unless -o is a directory or ends in a \
      slash. With several inputs, -o names a directory; each thumbnail is named after its input, with the extension of \
      the format. If two inputs have the same name, the later one gets a number: photo.png, photo-2.png. Existing \
      outputs are replaced; inputs are never replaced. Prints the names of the written files.

      Examples:
        coders thumbnail --size 256 photo.jpg -o small.webp
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
      case .fit: "Fit the whole picture inside the box."
      case .fill: "Fill the whole box; the overflow is cropped evenly on both sides."
      case .stretch: "Stretch the picture to exactly the size of the box."
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "The box, in pixels: 256 for both sides, 320x200, or 320x and x200 for one side.", valueName: "n[xm]"))
  var size: BoxArgument

  @Flag(help: "How the picture is fitted to the box.")
  var mode = Mode.fit

  @Option(
    help: ArgumentHelp(
      """
      The output's format: an extension, a name or a type identifier. (default: from the extension of an output file; \
      png for a directory or standard output)
      """, valueName: "f"))
  var format: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file or directory to write; directories are created; - is standard output.", valueName: "file|dir"))
  var output: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Files processed at the same time. (default: the number of processors)", valueName: "n"))
  var jobs: Int?

  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("Image files.", valueName: "file"))
  var files: [String]

  @OptionGroup var read: ReadOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs is \(jobs), it must be at least 1") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    try OutputFile(output).refuseTerminal(console)
    let format = try format(registry)
    let suffix = registry.writer(of: format, id: encoding.encoder)?.preferredExtension(of: format) ?? format.rawValue
    let names = try OutputNames(files, in: output, suffix: suffix)
    let run = ThumbnailRun(
      registry: registry, format: format, size: size.size, mode: mode.mode, read: read, encoding: encoding,
      console: console)
    let written = run.make(zip(files, names.paths).map { $0 }, jobs: jobs ?? ThreadPool.processors)
    if !read.coders.quiet, output != "-" { for path in written { console.print(path.printable) } }
    return run.failures.status
  }

  /// The format of the thumbnails: from `--format`, else from the extension of an output file, else PNG.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a format that no coder writes.
  private func format(_ registry: CoderRegistry) throws(CoderError) -> ImageFormat {
    let hasExtension = output != "-" && OutputNames.isFile(output, inputs: files.count)
    return try registry.format(named: format ?? (hasExtension ? nil : "png"), output: output)
  }
}
