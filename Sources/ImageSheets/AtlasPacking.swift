// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
public import ImageCoderEngine
public import ImageCoderModel

extension SpriteSheet {
  /// How pictures of any sizes are packed.
  public struct AtlasOptions: Sendable, Hashable {
    /// Whether transparent edges are left out. The frames get them back when they are read.
    public var trimsEdges = true
    /// Whether pictures of the same pixels take one place.
    public var sharesEqual = true
    /// Whether pictures may be turned by 90° clockwise, where the sheet gets smaller. The frames are as they were when they are
    /// read; engines that read the sheet have to know how to turn them back.
    public var turnsParts = false
    /// Pixels between two pictures: 1 by default, so that none shows at the edge of another one when it is drawn larger.
    public var padding = 1
    /// Whether both sides of the sheet are powers of two, as old graphics processors want them.
    public var hasPowerOfTwoSides = false
    /// Pixels that the longer side of the sheet may have: by default 8192, which most graphics processors draw.
    public var maxSide = 8192
    /// The pixels of the sheet. Without alpha no edge is transparent.
    public var layout = PixelLayout(.rgba8, .straight)

    /// Makes options: trimmed, each once, one pixel apart, in 8-bit RGBA with straight alpha.
    public init() {}
  }

  /// Packs pictures of any sizes closely, as they are, and turned only if the options allow it. The sheet has them in the order in which they are given.
  ///
  /// - Parameters:
  ///   - pictures: At least one, each of at least one pixel.
  ///   - delays: As many as pictures, or nil for ``defaultDelay``.
  ///   - limits: What the sheet may need.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no pictures, another number of delays, and a padding below 0;
  ///   ``CoderError/Code/limitExceeded`` for pictures that do not fit into a sheet that the options or the limits allow;
  ///   ``CoderError/Code/outOfMemory``.
  public static func pack(
    _ pictures: [PixelBuffer], delays: [FrameDelay]? = nil, loopCount: LoopCount = .infinite,
    options: AtlasOptions = AtlasOptions(), limits: Limits = .standard
  ) throws(CoderError) -> SpriteSheet {
    guard options.padding >= 0, options.padding <= 1 << 16 else {
      throw .invalidArgument("a padding of \(options.padding); 0 to 65536 is possible")
    }
    guard !pictures.isEmpty else { throw .invalidArgument("an atlas of no pictures; at least 1 is needed") }
    try limits.check(frames: pictures.count)
    var sprites: [Sprite] = []
    var parts: [PixelBuffer] = []
    // The part of each picture, by its number.
    var places: [Int] = []
    var known: [Int: [Int]] = [:]
    for picture in pictures {
      try limits.check(canvas: picture.size)
      let pixels = try picture.converted(to: options.layout)
      let visible = options.trimsEdges ? pixels.visibleRectangle : Rect(covering: pixels.size)
      var sprite = Sprite(visible)
      if visible.size != pixels.size {
        (sprite.untrimmedSize, sprite.offsetX, sprite.offsetY) = (pixels.size, visible.x, visible.y)
      }
      sprites.append(sprite)
      let part = try pixels.region(visible)
      let hash = options.sharesEqual ? part.pixelHash : parts.count
      if options.sharesEqual, let same = known[hash]?.first(where: { parts[$0].hasSamePixels(as: part) }) {
        places.append(same)
      } else {
        known[hash, default: []].append(parts.count)
        places.append(parts.count)
        parts.append(part)
      }
    }
    let plan = try AtlasPlan(parts.map(\.size), options)
    try limits.check(canvas: plan.size)
    let (bytes, overflow) = plan.size.pixelCount.multipliedReportingOverflow(by: options.layout.format.bytesPerPixel)
    try limits.check(memory: overflow ? .max : bytes)
    let sheet = try PixelBuffer(size: plan.size, format: options.layout.format, alpha: options.layout.alpha)
    sheet.clear(rows: 0..<plan.size.height)
    for (part, place) in zip(parts, plan.places) {
      try sheet.region(place.rectangle).assign(from: place.isTurned ? part.oriented(by: .right) : part)
    }
    for index in sprites.indices {
      let place = plan.places[places[index]]
      (sprites[index].rectangle, sprites[index].isTurned) = (place.rectangle, place.isTurned)
    }
    return try SpriteSheet(
      sheet, sprites: sprites, delays: delays ?? [FrameDelay](repeating: defaultDelay, count: sprites.count),
      loopCount: loopCount)
  }
}

/// Where pictures lie in a sheet that is as small as was found.
struct AtlasPlan {
  struct Place {
    let rectangle: Rect
    let isTurned: Bool
  }

  let size: Size
  /// In the order of the pictures.
  let places: [Place]

  /// - Throws: ``CoderError/Code/limitExceeded`` if no sheet of the allowed sides has room.
  init(_ sizes: [Size], _ options: SpriteSheet.AtlasOptions) throws(CoderError) {
    let padding = options.padding
    let widest = sizes.reduce(0) { max($0, options.turnsParts ? min($1.width, $1.height) : $1.width) }
    let area = sizes.reduce(0.0) { $0 + Double($1.width + padding) * Double($1.height + padding) }
    // The high ones first: what is low finds room beside them.
    let order = sizes.indices.sorted { left, right in
      let (one, other) = (sizes[left], sizes[right])
      return (one.height, one.width, right) > (other.height, other.width, left)
    }
    var best: (size: Size, places: [Place])?
    for (width, turns) in Self.widths(widest, side: area.squareRoot(), options).flatMap({ width in
      (options.turnsParts ? [false, true] : [false]).map { (width, $0) }
    }) {
      var skyline = Skyline(width: width + padding)
      var places = [Place?](repeating: nil, count: sizes.count)
      for index in order {
        places[index] = skyline.place(sizes[index], padding: padding, turns: turns)
        if places[index] == nil { break }
      }
      let rectangles = places.compactMap { $0?.rectangle }
      guard rectangles.count == sizes.count else { continue }
      var found = Size(
        width: rectangles.reduce(0) { max($0, $1.x + $1.width) },
        height: rectangles.reduce(0) { max($0, $1.y + $1.height) })
      if options.hasPowerOfTwoSides {
        found = Size(width: found.width.nextPowerOfTwo, height: found.height.nextPowerOfTwo)
      }
      guard max(found.width, found.height) <= options.maxSide else { continue }
      let isSmaller = best.map { (found.pixelCount, found.height) < ($0.size.pixelCount, $0.size.height) } ?? true
      if isSmaller { best = (found, places.compactMap { $0 }) }
    }
    guard let best else {
      let pictures = sizes.count == 1 ? "1 picture" : "\(sizes.count) pictures"
      throw CoderError(
        code: .limitExceeded,
        message: "\(pictures) of \(Int(area)) pixels do not fit into a sheet with sides up to \(options.maxSide)",
        limit: .maxSide, found: max(widest, Int(area.squareRoot().rounded(.up))), allowed: options.maxSide)
    }
    (size, places) = best
  }

  /// Widths that are tried: from a square of all pixels to twice as wide, and never less than the widest picture.
  private static func widths(_ widest: Int, side: Double, _ options: SpriteSheet.AtlasOptions) -> [Int] {
    guard !options.hasPowerOfTwoSides else {
      let powers = (0..<Int.bitWidth - 2).lazy.map { 1 << $0 }
      return Array(powers.drop { $0 < widest }.prefix { $0 <= options.maxSide })
    }
    let tried = (0...20).map { Int((side * (1 + Double($0) / 20)).rounded(.up)) } + [widest, options.maxSide]
    return Set(tried.map { max($0, widest) }.filter { $0 <= options.maxSide }).sorted()
  }
}

/// The lower edge of what was placed so far. Each rectangle goes where it reaches down least, and there as far left as it can.
private struct Skyline {
  private var steps: [(x: Int, y: Int, width: Int)]
  private let width: Int

  init(width: Int) {
    self.width = width
    steps = [(0, 0, width)]
  }

  /// Places a picture, turned if it may be and then reaches down less.
  ///
  /// - Returns: Nil for one that is too wide.
  mutating func place(_ size: Size, padding: Int, turns: Bool) -> AtlasPlan.Place? {
    let found = (turns && size.width != size.height ? [size, size.transposed] : [size]).compactMap { shape in
      place(width: shape.width + padding).map { (shape: shape, x: $0.x, y: $0.y) }
    }
    guard let best = found.min(by: { $0.y + $0.shape.height < $1.y + $1.shape.height }) else { return nil }
    take(best.x, best.y, width: best.shape.width + padding, height: best.shape.height + padding)
    let rectangle = Rect(x: best.x, y: best.y, width: best.shape.width, height: best.shape.height)
    return AtlasPlan.Place(rectangle: rectangle, isTurned: best.shape != size)
  }

  /// - Returns: The place of the upper left corner, or nil for what is too wide.
  private func place(width: Int) -> (x: Int, y: Int)? {
    var best: (x: Int, y: Int)?
    for start in steps.indices {
      let x = steps[start].x
      guard x + width <= self.width else { break }
      let covered = steps[start...].prefix { $0.x < x + width }
      let y = covered.reduce(0) { max($0, $1.y) }
      if best.map({ y < $0.y }) ?? true { best = (x, y) }
    }
    return best
  }

  private mutating func take(_ x: Int, _ y: Int, width: Int, height: Int) {
    let end = x + width
    var next = steps.filter { $0.x < x }
    next.append((x, y + height, width))
    for step in steps where step.x + step.width > end {
      let x = max(step.x, end)
      next.append((x, step.y, step.x + step.width - x))
    }
    steps = next
  }
}

extension Int {
  /// The least power of two that is not less.
  fileprivate var nextPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

extension PixelBuffer {
  /// The least rectangle with all pixels that are not fully transparent; one pixel if there are none.
  fileprivate var visibleRectangle: Rect {
    guard format.hasAlpha, alpha != .opaque else { return Rect(covering: size) }
    let (bytes, depth) = (format.bytesPerPixel, format.bytesPerChannel)
    var (left, right, top, bottom) = (size.width, -1, size.height, -1)
    for y in 0..<size.height {
      withRow(y) { row in
        func isVisible(_ x: Int) -> Bool { row[((x + 1) * bytes - depth)..<((x + 1) * bytes)].contains { $0 != 0 } }
        guard let first = (0..<size.width).first(where: isVisible),
          let last = (0..<size.width).last(where: isVisible)
        else { return }
        (left, right) = (min(left, first), max(right, last))
        (top, bottom) = (min(top, y), y)
      }
    }
    guard right >= 0 else { return Rect(x: 0, y: 0, width: 1, height: 1) }
    return Rect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  fileprivate var pixelHash: Int {
    var hasher = Hasher()
    hasher.combine(size)
    for y in 0..<size.height { withRow(y) { hasher.combine(bytes: $0) } }
    return hasher.finalize()
  }

  fileprivate func hasSamePixels(as other: PixelBuffer) -> Bool {
    size == other.size
      && (0..<size.height).allSatisfy { y in withRow(y) { row in other.withRow(y) { row.elementsEqual($0) } } }
  }
}
