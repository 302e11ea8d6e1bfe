// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders convert`: one file into another format.
struct ConvertCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert an image, animations included, to another format.",
    discussion: """
      The format is that of the output's extension, or of --format. The output appears whole or not at all: it is \
      written beside its name and renamed. Pictures are turned upright; ICC profile, Exif and XMP go along where the \
      format has a place for them, and a warning says what does not. A file that is cut or damaged is converted as far \
      as it goes, with the error on standard error and in the exit status.

      All pages go along where the output's format holds pages, else the primary one; --page takes one. --sizes makes an \
      icon of several sizes. A JPEG becomes a JPEG XL, and such a JPEG XL a JPEG again, without loss and without being \
      decoded, unless an option asks for other pixels.

      Examples:
        coders convert photo.png photo.jpg --quality 0.9
        coders convert animation.gif animation.webp --lossless
        coders convert animation.gif first.png --first-frame
        coders convert logo.png logo.ico --sizes 16,32,48,256
        coders convert photo.jpg small.webp --max-size 1024 --option method=6
        coders convert - - --format png <photo.webp >photo.png
      """)

  @Flag(name: .customLong("first-frame"), help: "Only the first frame of an animation.")
  var firstFrame = false

  @Option(help: ArgumentHelp("The output's format: an extension, a name or a type identifier.", valueName: "f"))
  var format: String?

  @Option(help: ArgumentHelp("The box that the picture has to fit; it is never enlarged.", valueName: "wxh"))
  var maxSize: BoxArgument?

  @Option(help: ArgumentHelp("Sizes of an icon's pages, from one picture.", valueName: "n,n"))
  var sizes: SizesArgument?

  @OptionGroup(title: "Encoding") var encoding: EncodingOptions

  @Argument(help: ArgumentHelp("The image; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @OptionGroup var read: ReadOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.coders.registry(console)
    let failures = Failures(console)
    var concerned = output
    do throws(CoderError) {
      let format = try registry.format(named: format, output: output)
      var writing = try encoding.encodeOptions(
        as: format, registry, console, file: output, isQuiet: read.coders.quiet)
      writing.pageSizes = sizes?.sides ?? []
      concerned = input
      let source = try read.source(input, console)
      if keepsPixels, let bytes = try registry.transcode(source, to: format, options: writing) {
        concerned = output
        try OutputFile(output).write(bytes, to: console)
        return failures.status
      }
      let pages = try pages(of: source, as: format, registry, console, failures)
      concerned = output
      let bytes = try registry.encode(pages, as: format, options: writing, encoder: encoding.encoder)
      try OutputFile(output).write(bytes, to: console)
    } catch {
      failures.add(error, file: concerned)
    }
    return failures.status
  }

  /// Whether nothing asks for other pixels than the file has.
  private var keepsPixels: Bool {
    maxSize == nil && !firstFrame && sizes == nil && read.page == nil && read.coder == nil && encoding.isPlain
  }

  /// What is written: all pages of the file, where the format holds pages, or one.
  private func pages(
    of source: ByteSource, as format: ImageFormat, _ registry: CoderRegistry, _ console: Console, _ failures: Failures
  ) throws(CoderError) -> [Image] {
    var reading = read.decodeOptions(console, file: input)
    reading.firstFrameOnly = firstFrame
    reading.thumbnailSize = maxSize?.size
    let decoder = try registry.open(source, options: reading, coder: read.coder)
    let header = decoder.header
    // Sizes of one picture are pages of an icon, and nothing that another kind of file would show one after the other.
    let isRow = header.pageCount > 1 && (!header.pagesAreSizes || header.format == format)
    let writer = registry.catalog.writer(of: format, id: encoding.encoder)
    guard isRow, read.page == nil, !firstFrame, sizes == nil, writer?.writesPages ?? false else {
      if isRow, read.page == nil, !read.coders.quiet {
        console.warn("page \(decoder.page + 1) of \(header.pageCount) is written; --page chooses another", file: input)
      }
      return [try image(decoder, failures, name: input)]
    }
    var pages: [Image] = []
    for index in 0..<header.pageCount {
      pages.append(try image(decoder.page(index), failures, name: "\(input): page \(index + 1)"))
    }
    return pages
  }

  private func image(_ decoder: ImageDecoder, _ failures: Failures, name: String) throws(CoderError) -> Image {
    let image = try decoder.image()
    if let problem = image.problem { failures.add(problem, file: name) }
    return image
  }
}
