// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How a picture is put together from others (ISO/IEC 23008-12 §6.6).
public enum Derivation {
  /// One picture, as it is shown.
  case identity
  case grid(GridItem)
  case overlay(OverlayItem)

  /// - Parameters:
  ///   - count: Pictures that it is made of.
  ///   - bytes: Gives the item's bytes, which an identity has none of.
  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported`` for items of other types;
  ///   ``CoderError/Code/limitExceeded`` for a canvas.
  public init(
    of item: Item, inputs count: Int, limits: Limits, bytes: () throws(CoderError) -> ItemBytes
  ) throws(CoderError) {
    switch item.type {
    case .identity:
      guard count == 1 else { throw .malformed("an identity picture of \(count) pictures, item \(item.id)") }
      self = .identity
    case .grid:
      let grid = try bytes().grid()
      try limits.check(canvas: grid.canvas)
      guard count == grid.rows * grid.columns else { throw grid.miscounted(count) }
      self = .grid(grid)
    case .overlay:
      let overlay = try bytes().overlay(layers: count)
      try limits.check(canvas: overlay.canvas)
      self = .overlay(overlay)
    default: throw .unsupported("pictures of the type \(item.type), item \(item.id)")
    }
  }

  /// Red, green, blue and alpha of an overlay's canvas; nil where parts cover it.
  public var background: [UInt16]? {
    if case .overlay(let overlay) = self { overlay.background } else { nil }
  }

  /// The canvas, and where the left upper corner of each part lies on it.
  ///
  /// - Parameter parts: The sizes at which they are shown.
  /// - Throws: ``CoderError/Code/malformed`` for tiles that do not fill their grid.
  public func layout(of parts: [Size]) throws(CoderError) -> (canvas: Size, places: [(x: Int, y: Int)]) {
    switch self {
    case .identity: return (parts[0], [(0, 0)])
    case .grid(let grid):
      try grid.check(tiles: parts)
      return (grid.canvas, parts.indices.map { grid.place(of: $0, tile: parts[0]) })
    case .overlay(let overlay): return (overlay.canvas, overlay.places)
    }
  }

  /// Refuses parts that are far more work than what is shown of them.
  ///
  /// - Parameters:
  ///   - work: Pixels that are decoded, each part as often as it is used.
  ///   - size: Of the picture.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  public static func check(work: Int, for size: Size) throws(CoderError) {
    let allowed = 64 &* size.pixelCount &+ 1 << 24
    guard work <= allowed else {
      throw .limitExceeded(.maxPixels, found: work, allowed: allowed, what: "pixels to decode,")
    }
  }
}

/// The items that a picture is inside, from the outermost.
public struct DerivationChain: Sendable {
  private var items: [UInt32] = []

  private static let maxDepth = 8

  public init() {}

  /// The same with an item that is made of others.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for an item that is in it; ``CoderError/Code/unsupported`` for one too many.
  public func adding(_ item: UInt32) throws(CoderError) -> DerivationChain {
    guard !contains(item) else { throw .malformed("item \(item) is made of itself") }
    guard items.count < Self.maxDepth else {
      throw .unsupported("item \(item) is made of pictures in \(items.count) steps, \(Self.maxDepth) are allowed")
    }
    var longer = self
    longer.items.append(item)
    return longer
  }

  public func contains(_ item: UInt32) -> Bool { items.contains(item) }

  /// Whether the last item is a part of another one.
  public var isInside: Bool { items.count > 1 }
}

/// What a rectangle of a canvas shows of a picture that lies on it.
public struct ShownPart {
  /// The part of the picture that is shown.
  public let rect: Rect
  /// In the rectangle of the canvas.
  public let x: Int
  public let y: Int

  /// - Parameters:
  ///   - size: Of the picture, whose left upper corner is at `place`.
  ///   - region: Of the canvas.
  /// - Returns: nil where the picture lies outside.
  public init?(of size: Size, at place: (x: Int, y: Int), in region: Rect) {
    let (left, top) = (max(place.x, region.x), max(place.y, region.y))
    let shown = Size(
      width: min(place.x + size.width, region.x + region.width) - left,
      height: min(place.y + size.height, region.y + region.height) - top)
    guard !shown.isEmpty else { return nil }
    rect = Rect(x: left - place.x, y: top - place.y, width: shown.width, height: shown.height)
    (x, y) = (left - region.x, top - region.y)
  }
}
