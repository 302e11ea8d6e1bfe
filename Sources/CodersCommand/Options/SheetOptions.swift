// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageAnimation
import ImageCoderEngine
import ImageCoders
import ImageSheets

/// Options of verbs that read sheets: a picture of many frames, with the JSON beside it or as a grid.
struct SheetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The picture is a sheet without JSON, of frames in this many columns and rows: 4x2.", valueName: "CxR"),
    transform: GridArgument.parsed)
  var grid: GridArgument?

  @Option(help: ArgumentHelp("Of the JSON beside a sheet, only the frames that this tag names.", valueName: "name"))
  var tag: String?

  @Option(
    help: ArgumentHelp(
      "How long frames of a sheet are shown that have no delay: 40ms, 4cs, 0.04s or 1/25 (of a second). (default: 100ms)",
      valueName: "t"),
    transform: DelayArgument.parsed)
  var delay: DelayArgument?

  func validate() throws {
    if grid != nil, tag != nil {
      throw ValidationError("--tag is of the JSON beside a sheet; --grid is for one without")
    }
  }

  /// A sheet that was read.
  struct Source {
    let sheet: SpriteSheet
    /// The picture, with its colors and metadata.
    let image: Image
    /// The path of the picture, as messages call it.
    let picture: String
    /// What the frames are called, in their order.
    let names: [String]
  }

  /// Whether an input is a sheet: the JSON beside one, or any picture with `--grid`.
  func isSheet(_ input: String) -> Bool { grid != nil || Self.isDescription(input) }

  static func isDescription(_ input: String) -> Bool { Path.suffix(input)?.lowercased() == "json" }

  /// Reads a sheet.
  ///
  /// - Parameters:
  ///   - input: The path of the JSON, or with `--grid` of the picture.
  ///   - options: How the picture is decoded; it is never made smaller.
  ///   - currentFile: Set to the file that an error concerns: the JSON or the picture.
  func source(
    _ input: String, _ read: ReadSettings, _ registry: CoderRegistry, options: DecodeOptions, _ console: Console,
    _ currentFile: inout String
  ) throws(CoderError) -> Source {
    currentFile = input
    let delay = delay?.delay ?? SpriteSheet.defaultDelay
    guard let grid else { return try described(input, delay, read, registry, options, console, &currentFile) }
    guard !Self.isDescription(input) else {
      throw .invalidArgument("--grid is for a picture without JSON; \(input.printable) says where the frames are")
    }
    let image = try read.decode(try read.source(input, registry, console), registry, options: options.readingSheet)
    let sheet = try SpriteSheet(image.pixels, columns: grid.columns, rows: grid.rows, delay: delay)
    let names = (0..<sheet.frameCount).map { "\(Path.base(input))-\($0 + 1)" }
    return Source(sheet: sheet, image: image, picture: input, names: names)
  }

  private func described(
    _ input: String, _ delay: FrameDelay, _ read: ReadSettings, _ registry: CoderRegistry, _ options: DecodeOptions,
    _ console: Console, _ currentFile: inout String
  ) throws(CoderError) -> Source {
    let description = try SheetDescription(contentsOf: console.location(of: input))
    var chosen: SheetTag?
    if let tag { chosen = try description.tag(named: tag) }
    let picture = try description.picturePath(beside: input)
    currentFile = picture
    let image = try read.decode(.file(console.location(of: picture)), registry, options: options.readingSheet)
    currentFile = input
    let sheet = try SpriteSheet(
      image.pixels, description, tag: chosen, delay: delay, limits: options.limits)
    let names = try description.indexes(of: chosen).map { description.frames[$0].name }
    return Source(sheet: sheet, image: image, picture: picture, names: names)
  }

  /// The frames of a sheet as large as options ask for, and the order in which they are played; nil if the input is no
  /// sheet.
  ///
  /// - Parameters:
  ///   - options: How the picture is decoded.
  ///   - currentFile: As for `source`.
  func frames(
    _ input: String, _ read: ReadSettings, _ registry: CoderRegistry, options: DecodeOptions, _ console: Console,
    _ failures: Failures, _ currentFile: inout String
  ) throws(CoderError) -> (fitting: (DecodeOptions) -> any FrameSource, mode: PlaybackMode)? {
    guard isSheet(input) else {
      guard tag == nil, delay == nil else {
        throw .invalidArgument("--tag and --delay are for sheets: name the JSON beside one, or use --grid")
      }
      return nil
    }
    let source = try source(input, read, registry, options: options, console, &currentFile)
    if let problem = source.image.problem { failures.add(problem, file: source.picture) }
    return ({ FittedFrames(source.sheet, $0) }, source.sheet.mode)
  }
}

/// Columns and rows on the command line: `4x2`.
struct GridArgument: DescribedArgument {
  let columns: Int
  let rows: Int

  init?(argument: String) {
    let sides = argument.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ $0 > 0 }) else { return nil }
    (columns, rows) = (sides[0], sides[1])
  }

  static func allowed(for text: String) -> String { "a grid is of columns and rows, such as 4x2" }
}

/// The frames of a sheet, each made as small as options say when it is asked for.
private struct FittedFrames: FrameSource {
  private let sheet: SpriteSheet
  private let options: DecodeOptions
  let size: Size

  init(_ sheet: SpriteSheet, _ options: DecodeOptions) {
    self.sheet = sheet
    self.options = options
    size = options.size.box.map { sheet.size.fitted(in: $0) } ?? sheet.size
  }

  var frameCount: Int { sheet.frameCount }
  var loopCount: LoopCount { sheet.loopCount }
  func delay(at index: Int) -> FrameDelay { sheet.delay(at: index) }

  func frame(at index: Int) throws(CoderError) -> Frame {
    var frame = try sheet.frame(at: index)
    let pixels = frame.pixels
    if let box = options.size.box { frame.pixels = try pixels.resampled(to: pixels.size.fitted(in: box)) }
    let layout = PixelLayout(options.pixelFormat ?? pixels.format, options.alpha)
    frame.pixels = try frame.pixels.converted(to: layout)
    return frame
  }
}
