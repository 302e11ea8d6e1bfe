// SPDX-License-Identifier: Apache-2.0

public import ImageAnimation
public import ImageCoderEngine
public import ImageCoderModel

/// An animation whose frames are parts of one picture.
///
/// A frame is a view into the picture's memory, never a copy, unless it was packed turned or trimmed.
///
/// A rectangle is cut to the picture. One that is empty, or has nothing in common with the picture, counts as the whole
/// picture.
///
/// - Threads: May be used from any thread. Nobody may write to the picture meanwhile.
public struct SpriteSheet: FrameSource {
  /// Where a frame is in the picture, and how it was packed.
  public struct Sprite: Sendable, Hashable {
    /// The part of the picture, in pixels, as it lies there.
    public var rectangle: Rect
    /// The size of the frame before transparent edges were trimmed, or nil if they were not.
    public var untrimmedSize: Size?
    /// Columns between the untrimmed frame's left edge and the part's.
    public var offsetX: Int
    /// Rows between the untrimmed frame's top edge and the part's.
    public var offsetY: Int
    /// Whether the part was turned by 90° clockwise when it was packed.
    public var isTurned: Bool

    /// Makes a part of a picture; by default as it was, neither turned nor trimmed.
    public init(
      _ rectangle: Rect, isTurned: Bool = false, untrimmedSize: Size? = nil, offsetX: Int = 0, offsetY: Int = 0
    ) {
      self.rectangle = rectangle
      self.isTurned = isTurned
      self.untrimmedSize = untrimmedSize
      self.offsetX = offsetX
      self.offsetY = offsetY
    }

    /// The size of the frame, in pixels.
    public var size: Size { untrimmedSize ?? partSize }

    /// The size of the part before it was turned, in pixels.
    var partSize: Size { isTurned ? rectangle.size.transposed : rectangle.size }

    /// Whether the frame is the part as it lies in the picture.
    var isPlain: Bool { !isTurned && untrimmedSize == nil }
  }

  /// A rectangle in parts of a picture's width and height, from 0 to 1.
  public struct UnitRect: Sendable, Hashable {
    /// From the picture's left edge, as a share of its width.
    public var x: Double
    /// From the picture's top edge, as a share of its height.
    public var y: Double
    /// As a share of the picture's width.
    public var width: Double
    /// As a share of the picture's height.
    public var height: Double

    /// Makes a rectangle. Any numbers are accepted.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// The picture that the frames are parts of.
  public let picture: PixelBuffer
  /// Where each frame is, cut to the picture.
  public let sprites: [Sprite]
  /// The largest width and the largest height of all frames, in pixels.
  public let size: Size
  /// The total number of times that the animation plays.
  public let loopCount: LoopCount
  /// The order in which the frames are meant to be played, as a tag of a description says. A player is told:
  /// `AnimationPlayer(sheet, mode: sheet.mode)`.
  public let mode: PlaybackMode

  private let delays: [FrameDelay]

  /// Makes an animation of parts of a picture.
  ///
  /// - Parameters:
  ///   - sprites: At least one.
  ///   - delays: As many as sprites.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no sprites, for another number of delays, and for a trimmed sprite
  ///   that is empty or does not fit into its untrimmed size.
  public init(
    _ picture: PixelBuffer, sprites: [Sprite], delays: [FrameDelay], loopCount: LoopCount = .infinite,
    mode: PlaybackMode = .forward
  ) throws(CoderError) {
    guard !sprites.isEmpty else { throw .invalidArgument("a sheet of no sprites; at least 1 is needed") }
    guard delays.count == sprites.count else {
      throw .invalidArgument("\(delays.count) delays for \(sprites.count) sprites; each needs its own")
    }
    self.picture = picture
    self.delays = delays
    self.loopCount = loopCount
    self.mode = mode
    var cut: [Sprite] = []
    for (index, sprite) in sprites.enumerated() {
      var sprite = sprite
      sprite.rectangle = Self.cut(sprite.rectangle, to: picture.size)
      try Self.check(sprite, index)
      cut.append(sprite)
    }
    self.sprites = cut
    size = cut.reduce(Size(width: 0, height: 0)) { size, sprite in
      Size(width: max(size.width, sprite.size.width), height: max(size.height, sprite.size.height))
    }
  }

  /// Makes an animation of rectangles of a picture, in pixels.
  ///
  /// - Parameters:
  ///   - rectangles: At least one.
  ///   - delays: As many as rectangles.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no rectangles, and for another number of delays.
  public init(
    _ picture: PixelBuffer, rectangles: [Rect], delays: [FrameDelay], loopCount: LoopCount = .infinite
  ) throws(CoderError) {
    try self.init(picture, sprites: rectangles.map { Sprite($0) }, delays: delays, loopCount: loopCount)
  }

  /// Makes an animation of rectangles of a picture, in parts of its sides. Edges are rounded to whole pixels.
  ///
  /// - Parameters:
  ///   - rectangles: At least one.
  ///   - delays: As many as rectangles.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no rectangles, and for another number of delays.
  public init(
    _ picture: PixelBuffer, unitRectangles rectangles: [UnitRect], delays: [FrameDelay],
    loopCount: LoopCount = .infinite
  ) throws(CoderError) {
    let size = picture.size
    try self.init(
      picture, sprites: rectangles.map { Sprite(Self.pixels($0, of: size)) }, delays: delays, loopCount: loopCount)
  }

  /// Makes an animation of a picture whose frames stand in a grid, row by row. All have one delay.
  ///
  /// - Parameters:
  ///   - columns: At least 1. The picture's width is divided by it; what is left over belongs to no frame.
  ///   - rows: At least 1, in the same way.
  ///   - count: The number of frames, if the last places are empty, or nil.
  /// - Throws: ``CoderError/Code/invalidArgument`` for other numbers, and for a grid with more places than the picture has
  ///   pixels.
  public init(
    _ picture: PixelBuffer, columns: Int, rows: Int, count: Int? = nil, delay: FrameDelay,
    loopCount: LoopCount = .infinite
  ) throws(CoderError) {
    guard columns >= 1, rows >= 1, columns <= picture.size.width, rows <= picture.size.height else {
      throw .invalidArgument("a grid of \(columns)×\(rows) in a picture of \(picture.size)")
    }
    let places = columns * rows
    guard (1...places).contains(count ?? places) else {
      throw .invalidArgument("\(count ?? 0) frames in a grid of \(columns)×\(rows); 1 to \(places) are possible")
    }
    let cell = Size(width: picture.size.width / columns, height: picture.size.height / rows)
    let rectangles = (0..<(count ?? places)).map { place in
      Rect(
        x: place % columns * cell.width, y: place / columns * cell.height, width: cell.width, height: cell.height)
    }
    try self.init(
      picture, rectangles: rectangles, delays: [FrameDelay](repeating: delay, count: rectangles.count),
      loopCount: loopCount)
  }

  /// The number of sprites, at least 1.
  public var frameCount: Int { sprites.count }

  /// 0 if every frame is a view; otherwise the bytes of the largest frame.
  public var frameByteCount: Int {
    sprites.allSatisfy(\.isPlain) ? 0 : size.pixelCount * picture.format.bytesPerPixel
  }

  /// The caller's delay, or none for a frame that there is not.
  public func delay(at index: Int) -> FrameDelay { delays.indices.contains(index) ? delays[index] : .zero }

  /// Where a frame is in ``picture``: the whole picture for a frame that there is not.
  public func rectangle(at index: Int) -> Rect? {
    sprites.indices.contains(index) ? sprites[index].rectangle : Rect(covering: picture.size)
  }

  /// A frame: a view of ``picture``, or a copy if it was packed turned or trimmed.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not; ``CoderError/Code/outOfMemory``.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    guard sprites.indices.contains(index) else { throw .noFrame(index, of: frameCount) }
    let sprite = sprites[index]
    var pixels = try picture.region(sprite.rectangle)
    if sprite.isTurned { pixels = try pixels.oriented(by: .left) }
    if let untrimmed = sprite.untrimmedSize {
      let whole = try PixelBuffer(size: untrimmed, format: pixels.format, alpha: pixels.alpha)
      whole.clear(rows: 0..<untrimmed.height)
      let part = Rect(x: sprite.offsetX, y: sprite.offsetY, width: pixels.size.width, height: pixels.size.height)
      try whole.region(part).assign(from: pixels)
      pixels = whole
    }
    return Frame(pixels: pixels, delay: delays[index])
  }

  // MARK: Rectangles

  private static func check(_ sprite: Sprite, _ index: Int) throws(CoderError) {
    guard let untrimmed = sprite.untrimmedSize else { return }
    let size = sprite.partSize
    let part = Rect(x: sprite.offsetX, y: sprite.offsetY, width: size.width, height: size.height)
    guard !untrimmed.isEmpty, part.isInside(untrimmed) else {
      throw .invalidArgument(
        "sprite index \(index) of \(size) at \(part.x),\(part.y) is not inside its untrimmed size of \(untrimmed)")
    }
  }

  /// The part of a rectangle that is on a picture, or the whole picture if there is none.
  private static func cut(_ rectangle: Rect, to size: Size) -> Rect {
    let columns = cut(rectangle.x, rectangle.width, to: size.width)
    let rows = cut(rectangle.y, rectangle.height, to: size.height)
    guard !columns.isEmpty, !rows.isEmpty else { return Rect(covering: size) }
    return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private static func cut(_ start: Int, _ length: Int, to limit: Int) -> Range<Int> {
    guard length > 0, start < limit else { return 0..<0 }
    let (end, overflow) = start.addingReportingOverflow(length)
    let (low, high) = (max(start, 0), overflow ? limit : min(end, limit))
    return low < high ? low..<high : 0..<0
  }

  private static func pixels(_ rectangle: UnitRect, of size: Size) -> Rect {
    let columns = pixels(rectangle.x, rectangle.width, of: size.width)
    let rows = pixels(rectangle.y, rectangle.height, of: size.height)
    return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private static func pixels(_ start: Double, _ length: Double, of side: Int) -> Range<Int> {
    let (low, high) = (max(start, 0), min(start + length, 1))
    // Also false for what is no number.
    guard low < high else { return 0..<0 }
    return Int((low * Double(side)).rounded())..<Int((high * Double(side)).rounded())
  }
}
