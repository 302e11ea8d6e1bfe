// SPDX-License-Identifier: Apache-2.0

public import ImageAnimation
public import ImageCoderEngine
public import ImageCoderModel

/// Packs frames of one size into a picture, one after the other.
///
///     let packer = try SheetPacker(size: animation.size, count: animation.frameCount)
///     for index in 0..<animation.frameCount {
///       try packer.add(try animation.frame(at: index).pixels, delay: animation.delay(at: index))
///     }
///     let sheet = try packer.finish(loopCount: animation.loopCount)
///
/// Frames are as they were, neither turned nor trimmed, row by row in a grid that is about as wide as high, one
/// transparent pixel apart. Only the sheet is kept in memory.
///
/// - Threads: One at a time.
public final class SheetPacker {
  /// How frames are packed.
  public struct Options: Sendable, Hashable {
    /// Frames in a row, or nil for a sheet that is about as wide as high.
    public var columns: Int?
    /// Pixels that the longer side of the sheet may have: by default 8192, which most graphics processors draw.
    public var maxSide = 8192
    /// The pixels of the sheet. A layout with alpha leaves the space between frames transparent; another leaves it black.
    public var layout = PixelLayout(.rgba8, .straight)

    /// Makes options: 8-bit RGBA with straight alpha, as wide as high.
    public init() {}
  }

  /// Frames in a row.
  public let columns: Int
  /// Rows of frames.
  public let rows: Int
  /// The size of the sheet, in pixels.
  public let size: Size

  private let grid: SheetGrid
  private let picture: PixelBuffer
  private var delays: [FrameDelay] = []

  /// Takes the memory of a sheet.
  ///
  /// - Parameters:
  ///   - frameSize: The size of every frame, in pixels.
  ///   - count: The number of frames, at least 1.
  ///   - limits: What the sheet may need.
  /// - Throws: ``CoderError/Code/invalidArgument`` for an empty size, no frames, or less than 1 column;
  ///   ``CoderError/Code/limitExceeded`` for a sheet that is larger than the options or the limits allow, with the size
  ///   that is needed; ``CoderError/Code/outOfMemory``.
  public init(
    size frameSize: Size, count: Int, options: Options = Options(), limits: Limits = .standard
  ) throws(CoderError) {
    guard !frameSize.isEmpty, count > 0 else {
      throw .invalidArgument("a sheet of \(count) frames of \(frameSize); at least 1 of 1×1 is needed")
    }
    let columns = options.columns ?? 1
    guard columns >= 1 else { throw .invalidArgument("a sheet of \(columns) columns; at least 1 is needed") }
    try limits.check(frames: count)
    // Products of numbers up to here are exact.
    try limits.check(canvas: frameSize)
    let most = Int(Int32.max)
    guard count <= most, columns <= most, frameSize.width <= most, frameSize.height <= most else {
      throw .invalidArgument("a sheet of \(count) frames of \(frameSize) in \(columns) columns; \(most) are possible")
    }
    // Columns that no frame is in would only be wider.
    grid =
      options.columns.map { SheetGrid(frameSize, count: count, columns: min($0, count)) }
      ?? SheetGrid(frameSize, count: count)
    size = grid.size
    guard max(size.width, size.height) <= options.maxSide else {
      let frames = count == 1 ? "1 frame" : "\(count) frames"
      let inColumns = options.columns.map { " in \($0) columns" } ?? ""
      throw CoderError(
        code: .limitExceeded,
        message:
          "\(frames) of \(frameSize)\(inColumns) need a sheet of \(size); sides up to \(options.maxSide) are allowed",
        limit: .maxSide, found: max(size.width, size.height), allowed: options.maxSide)
    }
    try limits.check(canvas: size)
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: options.layout.format.bytesPerPixel)
    try limits.check(memory: overflow ? .max : bytes)
    picture = try PixelBuffer(size: size, format: options.layout.format, alpha: options.layout.alpha)
    picture.clear(rows: 0..<size.height)
    self.columns = grid.columns
    rows = grid.rows
  }

  /// The number of frames that were added.
  public var frameCount: Int { delays.count }

  /// Adds the next frame, which is copied.
  ///
  /// - Parameters:
  ///   - pixels: Of the size of all frames, and any layout.
  ///   - delay: How long it is shown.
  /// - Throws: ``CoderError/Code/invalidArgument`` for another size, and for more frames than there is room for;
  ///   ``CoderError/Code/outOfMemory``.
  public func add(_ pixels: PixelBuffer, delay: FrameDelay) throws(CoderError) {
    guard delays.count < grid.count else {
      throw .invalidArgument("a frame more than the \(grid.count) that the sheet has room for")
    }
    guard pixels.size == grid.cell else {
      throw .invalidArgument("frame index \(delays.count) is of \(pixels.size); all have to be of \(grid.cell)")
    }
    let cell = try picture.region(grid.rectangle(delays.count))
    cell.assign(from: try pixels.converted(to: PixelLayout(picture.format, picture.alpha)))
    delays.append(delay)
  }

  /// The sheet of the frames that were added. It shares the packer's memory: add no frames afterwards.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if there are none.
  public func finish(loopCount: LoopCount = .infinite) throws(CoderError) -> SpriteSheet {
    let rectangles = delays.indices.map { grid.rectangle($0) }
    return try SpriteSheet(picture, rectangles: rectangles, delays: delays, loopCount: loopCount)
  }
}

extension SpriteSheet {
  /// Packs an animation into a sheet: see ``SheetPacker``.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a source that is not complete, and for frames of several sizes;
  ///   ``CoderError/Code/limitExceeded`` for a sheet that is larger than the options or the limits allow; what a frame
  ///   cannot be made for.
  public static func pack(
    _ source: some FrameSource, options: SheetPacker.Options = SheetPacker.Options(), limits: Limits = .standard
  ) throws(CoderError) -> SpriteSheet {
    guard source.isComplete else { throw .invalidArgument("the animation is still growing; a sheet needs all frames") }
    let count = source.frameCount
    let packer = try SheetPacker(size: source.size, count: count, options: options, limits: limits)
    for index in 0..<count {
      let frame = try source.frame(at: index)
      try packer.add(frame.pixels, delay: source.delay(at: index))
    }
    return try packer.finish(loopCount: source.loopCount)
  }

  /// The JSON beside the sheet.
  ///
  /// - Parameters:
  ///   - image: The name of the picture's file.
  ///   - name: What names of frames begin with: `party` gives `party-0001`.
  public func description(
    image: String, name: String, form: SheetDescription.Form = .texturePackerHash
  ) -> SheetDescription {
    let digits = max(4, "\(frameCount)".count)
    let names = (1...frameCount).map { index in
      let number = "\(index)"
      return "\(name)-\(String(repeating: "0", count: digits - number.count))\(number)"
    }
    return description(image: image, names: names, form: form)
  }

  /// The JSON beside the sheet, with names of one's own.
  ///
  /// - Parameters:
  ///   - image: The name of the picture's file.
  ///   - names: What the frames are called, in their order. Frames beyond these have no name.
  public func description(
    image: String, names: [String], form: SheetDescription.Form = .texturePackerHash
  ) -> SheetDescription {
    let frames = sprites.enumerated().map { index, sprite in
      let place = Rect(
        x: sprite.rectangle.x, y: sprite.rectangle.y, width: sprite.partSize.width, height: sprite.partSize.height)
      var frame = SheetFrame(index < names.count ? names[index] : "", place, delay: delay(at: index))
      frame.isTurned = sprite.isTurned
      guard let untrimmed = sprite.untrimmedSize else { return frame }
      frame.isTrimmed = true
      frame.untrimmedSize = untrimmed
      frame.trimmedRectangle.x = sprite.offsetX
      frame.trimmedRectangle.y = sprite.offsetY
      return frame
    }
    return SheetDescription(frames, image: image, size: picture.size, loopCount: loopCount, form: form)
  }
}
