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

  /// Packs all frames.
  ///
  /// - Parameters:
  ///   - options: How they are packed; the layout of the pixels is that of the inputs, with alpha.
  ///   - currentFile: Set to the file that an error concerns.
  /// - Returns: The sheet, and its picture with the metadata of the first input.
  func sheet(
    _ options: SheetPacker.Options, _ currentFile: inout String
  ) throws(CoderError) -> (sheet: SpriteSheet, picture: Image) {
    let inputs = try inputs(&currentFile)
    guard let first = inputs.first else { throw .invalidArgument("no input") }
    var options = options
    for input in inputs { options.layout = options.layout.union(input.layout) }
    currentFile = command.output
    let count = inputs.reduce(0) { $0 + $1.frameCount }
    let packer = try SheetPacker(
      size: first.size, count: count, options: options, limits: command.read.limits)
    let progress = Progress(console, total: count, isQuiet: command.read.coders.isQuiet)
    defer { progress.finish() }
    var picture: Image?
    for (order, input) in inputs.enumerated() {
      currentFile = input.file
      CurrentFiles.set(input: input.file, output: command.output)
      let decoder = try open(input.source, input.file)
      try add(decoder, of: input, to: packer, &picture, progress) { failures.add($0, file: input.file, order: order) }
    }
    currentFile = command.output
    let loopCount = command.loop?.count ?? (first.isAnimated ? first.loopCount : .infinite)
    let sheet = try packer.finish(loopCount: loopCount)
    var image = picture ?? Image(sheet.picture)
    image.frames = [Frame(pixels: sheet.picture)]
    return (sheet, image)
  }

  private func add(
    _ decoder: ImageDecoder, of input: Input, to packer: SheetPacker, _ picture: inout Image?, _ progress: Progress,
    problem: (CoderError) -> Void
  ) throws(CoderError) {
    if input.frameCount > 1 { decoder.reuseFrameMemory() }
    let pictureDelay = command.sheet.delay?.delay ?? SpriteSheet.defaultDelay
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
      try packer.add(frame.pixels, delay: input.isAnimated ? frame.delay : pictureDelay)
      progress.advance()
    }
  }

  /// Reads the headers of all inputs before anything is decoded.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture whose size differs from the first.
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
      if let first = inputs.first, first.size != decoder.outputSize {
        throw .invalidArgument(
          "the picture is \(decoder.outputSize), \(first.file.printable) is \(first.size); in a sheet all are equal")
      }
      inputs.append(
        Input(
          file: file, source: source, isAnimated: header.isAnimated, loopCount: decoder.loopCount,
          layout: PixelLayout(header.pixelFormat, header.alpha == .opaque ? .opaque : .straight),
          frameCount: decoder.frameCount, size: decoder.outputSize))
    }
    return inputs
  }

  private func open(_ source: ByteSource, _ file: String) throws(CoderError) -> ImageDecoder {
    var options = try command.read.decodeOptions(registry, console, file: file)
    options.isStrict = command.encoding.strict
    return try command.read.open(source, registry, options: options)
  }
}
