// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageSheets

/// Decodes the inputs of `coders sheet` one after the other, and packs their frames.
struct SheetPacking {
  private let command: SheetCommand
  private let registry: CoderRegistry
  private let console: Console
  private let failures: Failures

  /// An input file with the facts of its header.
  private struct Input {
    let file: String
    let source: ByteSource
    let isAnimated: Bool
    let loopCount: LoopCount
    let layout: PixelLayout
    let frameCount: Int
    let size: Size
  }

  init(_ command: SheetCommand, _ registry: CoderRegistry, _ console: Console, _ failures: Failures) {
    self.command = command
    self.registry = registry
    self.console = console
    self.failures = failures
  }

  /// A sheet, its picture with the metadata of the first input, what all inputs say, and what frames are called if they
  /// keep their names.
  typealias Packed = (sheet: SpriteSheet, picture: Image, metadata: JoinedMetadata, names: [String]?)

  /// Packs all frames of one size. The layout of the pixels is that of the inputs, with alpha.
  ///
  /// - Parameter currentFile: Set to the file that an error concerns.
  func sheet(_ currentFile: inout String) throws(CoderError) -> Packed {
    let inputs = try inputs(&currentFile)
    guard let first = inputs.first else { throw .invalidArgument("no input") }
    var options = SheetPacker.Options()
    options.columns = command.columns
    if let side = command.maxSheetSide { options.maxSide = side }
    for input in inputs { options.layout = options.layout.union(input.layout) }
    currentFile = command.output
    let count = inputs.reduce(0) { $0 + $1.frameCount }
    let packer = try SheetPacker(
      size: first.size, count: count, options: options, limits: command.read.limits)
    let (picture, metadata) = try decode(inputs, &currentFile) { (frame, input, _) throws(CoderError) in
      let pixels = command.cell == nil ? frame.pixels : try Self.centered(frame.pixels, in: first.size, options.layout)
      try packer.add(pixels, delay: delay(of: frame, in: input))
    }
    let sheet = try packer.finish(loopCount: loopCount(first))
    // Pictures of a contact sheet keep their names, if each has its own.
    let names = inputs.map { Path.base($0.file) }
    let keepsNames = command.cell != nil && Set(names).count == names.count
    return (sheet, self.picture(of: sheet, as: picture), metadata, keepsNames ? names : nil)
  }

  /// A picture in the middle of a cell, with nothing around it.
  private static func centered(
    _ pixels: PixelBuffer, in cell: Size, _ layout: PixelLayout
  ) throws(CoderError) -> PixelBuffer {
    let result = try PixelBuffer(size: cell, format: layout.format, alpha: layout.alpha)
    result.clear(rows: 0..<cell.height)
    let (x, y) = ((cell.width - pixels.size.width) / 2, (cell.height - pixels.size.height) / 2)
    try result.region(Rect(x: x, y: y, width: pixels.size.width, height: pixels.size.height))
      .assign(from: pixels.converted(to: layout))
    return result
  }

  /// Packs pictures of any sizes, which are in memory together.
  ///
  /// - Parameter currentFile: Set to the file that an error concerns.
  func atlas(_ currentFile: inout String) throws(CoderError) -> Packed {
    let inputs = try inputs(&currentFile)
    guard let first = inputs.first else { throw .invalidArgument("no input") }
    var options = SpriteSheet.AtlasOptions()
    if let padding = command.padding { options.padding = padding }
    if let side = command.maxSheetSide { options.maxSide = side }
    options.hasPowerOfTwoSides = command.powerOfTwo
    options.turnsParts = command.turn
    for input in inputs { options.layout = options.layout.union(input.layout) }
    var (pictures, delays, names): ([PixelBuffer], [FrameDelay], [String]) = ([], [], [])
    var bytes = 0
    let (picture, metadata) = try decode(inputs, &currentFile) { (frame, input, index) throws(CoderError) in
      bytes += frame.pixels.byteCount
      try command.read.limits.check(memory: bytes)
      let name = Path.base(input.file) + (input.frameCount > 1 ? "-\(index + 1)" : "")
      guard !names.contains(name) else { throw .invalidArgument("two pictures of the atlas are called \(name.quoted)") }
      names.append(name)
      delays.append(delay(of: frame, in: input))
      pictures.append(frame.pixels)
    }
    currentFile = command.output
    let sheet = try SpriteSheet.pack(
      pictures, delays: delays, loopCount: loopCount(first), options: options, limits: command.read.limits)
    return (sheet, self.picture(of: sheet, as: picture), metadata, names)
  }

  private func loopCount(_ first: Input) -> LoopCount {
    command.loop?.count ?? (first.isAnimated ? first.loopCount : .infinite)
  }

  private func delay(of frame: Frame, in input: Input) -> FrameDelay {
    input.isAnimated ? frame.delay : command.sheet.delay?.delay ?? SpriteSheet.defaultDelay
  }

  private func picture(of sheet: SpriteSheet, as first: Image?) -> Image {
    var image = first ?? Image(sheet.picture)
    image.frames = [Frame(pixels: sheet.picture)]
    // It shows more than the first picture, elsewhere and in another size.
    image.changes = [.scaled, .cropped, .turned, .drawn]
    return image
  }

  /// Decodes all inputs.
  ///
  /// - Parameter take: Gets each frame, with its number in its file.
  /// - Returns: The first picture, and what all files say of themselves.
  private func decode(
    _ inputs: [Input], _ currentFile: inout String, take: (Frame, Input, Int) throws(CoderError) -> Void
  ) throws(CoderError) -> (Image?, JoinedMetadata) {
    let count = inputs.reduce(0) { $0 + $1.frameCount }
    let progress = Progress(console, total: count, isQuiet: command.read.coders.isQuiet)
    defer { progress.finish() }
    var picture: Image?
    var metadata = JoinedMetadata()
    for (order, input) in inputs.enumerated() {
      currentFile = input.file
      CurrentFiles.set(input: input.file, output: command.output)
      let decoder = try open(input.source, input.file)
      metadata.add(decoder)
      try decode(decoder, of: input, picture: &picture, progress: progress, take: take) {
        failures.add($0, file: input.file, order: order)
      }
    }
    currentFile = command.output
    return (picture, metadata)
  }

  private func decode(
    _ decoder: ImageDecoder, of input: Input, picture: inout Image?, progress: Progress,
    take: (Frame, Input, Int) throws(CoderError) -> Void, problem: (CoderError) -> Void
  ) throws(CoderError) {
    if input.frameCount > 1, !command.atlas { decoder.reuseFrameMemory() }
    for index in 0..<input.frameCount {
      if console.cancellation.isCancelled { throw .cancelled }
      let frame: Frame
      do throws(CoderError) { frame = try decoder.frame(at: index) } catch {
        guard index > 0, error.keepsEarlierFrames, !command.encoding.strict else { throw error }
        return problem(error)
      }
      var found = frame.problem
      if index == 0 {
        let image = try decoder.image(of: [frame])
        found = image.problem
        picture = picture ?? image
      }
      if let found { problem(found) }
      try take(frame, input, index)
      progress.advance()
    }
  }

  /// Reads the headers of all inputs before anything is decoded.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture whose size differs from the first, unless for an atlas.
  private func inputs(_ currentFile: inout String) throws(CoderError) -> [Input] {
    var inputs: [Input] = []
    for file in command.files {
      if console.cancellation.isCancelled { throw .cancelled }
      currentFile = file
      CurrentFiles.set(input: file)
      let source = try registry.rereadable(
        try command.read.source(file, registry, console), try command.read.decodeOptions(registry, console, file: file))
      let decoder = try open(source, file)
      let header = decoder.header
      if !command.atlas, command.cell == nil, let first = inputs.first, first.size != decoder.outputSize {
        throw .invalidArgument(
          "the picture is \(decoder.outputSize), \(first.file.printable) is \(first.size); in a sheet all are equal, unless with --atlas or --cell"
        )
      }
      inputs.append(
        Input(
          file: file, source: source, isAnimated: header.isAnimated && command.cell == nil,
          loopCount: decoder.loopCount,
          layout: PixelLayout(header.pixelFormat, header.alpha == .opaque ? .opaque : .straight),
          frameCount: command.cell == nil ? decoder.frameCount : 1, size: command.cell?.size ?? decoder.outputSize))
    }
    return inputs
  }

  private func open(_ source: ByteSource, _ file: String) throws(CoderError) -> ImageDecoder {
    var options = try command.read.decodeOptions(registry, console, file: file)
    options.isStrict = command.encoding.strict
    if let cell = command.cell?.size { (options.size, options.firstFrameOnly) = (.fitting(cell), true) }
    return try command.read.open(source, registry, options: options)
  }
}
