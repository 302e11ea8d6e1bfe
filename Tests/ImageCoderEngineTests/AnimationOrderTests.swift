// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Every combination of disposal, blend, covering the canvas or not, and alpha, asked for in every order: what is shown
/// is what a model shows that keeps a whole canvas for each frame.
@Suite struct AnimationOrderTests {
  /// The first picture that is wrong.
  private struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  // MARK: The cursor

  /// A cursor over a model, and its count of draws.
  private final class Run {
    let model: AnimationModel
    private(set) var draws = 0
    private var cursor: FrameCursor?

    init(_ model: AnimationModel, checkpoints: Int = 0) throws {
      self.model = model
      let headers = model.headers
      let layout = PixelLayout(.rgba8, .straight)
      let frames = FrameTable(count: headers.count, canvas: AnimationModel.size, limits: .standard) {
        (index) throws(CoderError) in
        headers[index]
      }
      cursor = FrameCursor(
        canvas: try Canvas(size: AnimationModel.size, layout: layout), frames: frames,
        checkpointLimit: checkpoints
      ) { [unowned self] (index, canvas) throws(CoderError) in
        draws += 1
        let header = headers[index]
        let replaces = header.blend == .source || !header.hasAlpha
        let target =
          try replaces
          ? canvas.region(header.rect) : PixelBuffer(size: header.rect.size, format: .rgba8, alpha: .straight)
        for y in 0..<header.rect.height {
          let row = model.steps[index].pixels[(y * header.rect.width)..<((y + 1) * header.rect.width)]
          target.setRow(y, row)
        }
        if !replaces { canvas.blendOver(target, at: header.rect) }
        return nil
      }
    }

    func check(_ order: some Sequence<Int>) throws {
      for index in order where try cursor?.show(index).pixels.picture != model.shown[index] {
        throw Fault("frame \(index) in the order \(Array(order)) of \(model.summary)")
      }
    }
  }

  private static func checkCursor(_ model: AnimationModel, checkpoints: Int = 0) throws {
    let count = model.steps.count
    let forward = try Run(model, checkpoints: checkpoints)
    try forward.check(0..<count)
    guard forward.draws == count else { throw Fault("\(forward.draws) draws of \(model.summary)") }
    try forward.check((0..<count).reversed())
    for first in 0..<count {
      let run = try Run(model, checkpoints: checkpoints)
      try run.check(first..<count)
      guard run.draws <= count else { throw Fault("\(run.draws) draws from frame \(first) on of \(model.summary)") }
      try run.check(jumps(count, seed: UInt64(first)))
    }
  }

  @Test(arguments: 2...3) func nothingChangesOutsideTheChangedArea(_ count: Int) throws {
    for model in AnimationModel.all(frames: count) {
      let headers = model.headers
      let frames = FrameTable(count: count, canvas: AnimationModel.size, limits: .standard) {
        (index) throws(CoderError) in
        headers[index]
      }
      #expect(try frames.changedArea(0) == nil)
      for index in 1..<count {
        let area = try #require(try frames.changedArea(index))
        let (old, new) = (model.shown[index - 1], model.shown[index])
        let outside = new.indices.filter { place in
          let (x, y) = (place % AnimationModel.size.width, place / AnimationModel.size.width)
          return x < area.x || x >= area.x + area.width || y < area.y || y >= area.y + area.height
        }
        guard outside.allSatisfy({ old[$0] == new[$0] }) else { throw Fault("frame \(index) of \(model.summary)") }
      }
    }
  }

  /// Frames in an order that chance chooses.
  private static func jumps(_ count: Int, seed: UInt64) -> [Int] {
    var random = SeededGenerator(seed: seed)
    return (0..<2 * count).map { _ in Int.random(in: 0..<count, using: &random) }
  }

  @Test(arguments: 1...3) func theCursorShowsEveryAnimationOfAFewFrames(_ count: Int) throws {
    for model in AnimationModel.all(frames: count) { try Self.checkCursor(model) }
  }

  @Test(arguments: 4...7) func theCursorShowsAnimationsOfSomeFrames(_ count: Int) throws {
    for seed in 0..<1_000 {
      let model = AnimationModel.random(frames: count, seed: UInt64(seed))
      try Self.checkCursor(model)
    }
  }

  @Test(arguments: [0, 1, 2, 3, 7, 40]) func theCursorShowsLongAnimations(_ checkpoints: Int) throws {
    for seed in 0..<100 {
      let model = AnimationModel.random(frames: 20 + seed % 20, seed: UInt64(seed))
      try Self.checkCursor(model, checkpoints: checkpoints)
    }
  }

  // MARK: The decoder

  private static func decoder(
    _ file: [UInt8], _ options: DecodeOptions = DecodeOptions(), _ container: ModelContainer = ModelContainer()
  ) throws -> ImageDecoder {
    try AnimatedCoder(container).makeDecoder(
      DecodeContext(try OpenSource(.bytes(file), limits: .standard), options: options))
  }

  private static func check(
    _ decoder: ImageDecoder, _ order: some Sequence<Int>, shows expected: [AnimationModel.Picture],
    _ model: AnimationModel
  ) throws {
    for index in order where try decoder.frame(at: index).pixels.picture != expected[index] {
      throw Fault("frame \(index) in the order \(Array(order)) of \(model.summary)")
    }
  }

  private static func checkDecoder(_ model: AnimationModel, _ options: DecodeOptions = DecodeOptions()) throws {
    let file = ModelContainer.file(model)
    let count = model.steps.count
    let expected = try pictures(of: model, options)
    let container = ModelContainer()
    let image = try decoder(file, options, container).image()
    guard image.frames.map(\.pixels.picture) == expected else { throw Fault("all frames of \(model.summary)") }
    guard container.framesRead.value == count else {
      throw Fault("\(container.framesRead.value) reads of \(model.summary)")
    }
    try check(try decoder(file, options), (0..<count).reversed(), shows: expected, model)
    for first in 0..<count {
      let decoder = try decoder(file, options)
      try check(decoder, first..<count, shows: expected, model)
      try check(decoder, jumps(count, seed: UInt64(first)), shows: expected, model)
    }
  }

  /// What the options make of a model's canvases, each brought there by itself.
  private static func pictures(of model: AnimationModel, _ options: DecodeOptions) throws -> [AnimationModel.Picture] {
    try model.shown.map { picture in
      let canvas = try PixelBuffer(size: AnimationModel.size, format: .rgba8, alpha: .straight)
      for y in 0..<AnimationModel.size.height {
        let row = picture[(y * AnimationModel.size.width)..<((y + 1) * AnimationModel.size.width)]
        canvas.setRow(y, row)
      }
      guard let box = options.size.box else { return picture }
      return try canvas.resampled(to: box).converted(to: PixelLayout(.rgba8, options.alpha)).picture
    }
  }

  @Test(arguments: 1...2) func theDecoderShowsEveryAnimationOfAFewFrames(_ count: Int) throws {
    for model in AnimationModel.all(frames: count) { try Self.checkDecoder(model) }
  }

  @Test(arguments: 3...10) func theDecoderShowsAnimationsOfSomeFrames(_ count: Int) throws {
    for seed in 0..<150 {
      let model = AnimationModel.random(frames: count, seed: UInt64(seed))
      try Self.checkDecoder(model)
    }
  }

  @Test func thumbnailsOfFramesAreThoseOfTheCanvas() throws {
    var options = DecodeOptions()
    options.size = .fitting(Size(width: 2, height: 2), .stretch)
    for model in AnimationModel.all(frames: 2) {
      try Self.checkDecoder(model, options)
    }
    for seed in 0..<150 {
      let model = AnimationModel.random(frames: 6, seed: UInt64(seed))
      try Self.checkDecoder(model, options)
    }
  }

  // MARK: Incremental decoding

  /// Feeds a file in chunks; rows that are final are those of the frame.
  private static func checkIncremental(_ model: AnimationModel, by size: Int) throws {
    let file = ModelContainer.file(model)
    let decoder = AnimatedCoder(ModelContainer()).makeIncrementalDecoder(options: DecodeOptions())
    for start in stride(from: 0, to: file.count, by: size) {
      try file[start..<min(start + size, file.count)].withUnsafeBytes { try decoder.append($0) }
      guard let frames = try decoder.picture()?.frames else { continue }
      for (index, frame) in frames.enumerated() {
        let isWhole = index < decoder.progress.framesComplete
        let rows = isWhole ? AnimationModel.size.height : decoder.progress.finalRows
        let final = rows * AnimationModel.size.width
        if frame.pixels.picture.prefix(final) != model.shown[index].prefix(final) {
          throw Fault("frame \(index) after \(start + size) bytes of \(model.summary)")
        }
      }
    }
    let pictures = try decoder.finish().frames.map(\.pixels.picture)
    guard pictures == model.shown else { throw Fault("all frames of \(model.summary), in chunks of \(size) bytes") }
  }

  @Test(arguments: 1...2) func incrementalDecodingShowsEveryAnimationOfAFewFrames(_ count: Int) throws {
    for model in AnimationModel.all(frames: count) {
      for size in [1, 11, 1_000] { try Self.checkIncremental(model, by: size) }
    }
  }

  @Test(arguments: 3...8) func incrementalDecodingShowsAnimationsOfSomeFrames(_ count: Int) throws {
    for seed in 0..<100 {
      let model = AnimationModel.random(frames: count, seed: UInt64(seed))
      for size in [7, 60, 1_000] { try Self.checkIncremental(model, by: size) }
    }
  }
}
