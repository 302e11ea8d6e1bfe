// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension ImageOperation {
  /// Rounded corners, with or without a border along the new edge.
  ///
  /// What is outside the arcs becomes transparent; a pixel on an arc keeps the share of it that is inside, counted on 8×8
  /// points. Radii that do not fit beside each other are made smaller by one factor, as CSS Backgrounds 3 §5.5 does.
  public struct Corners: Sendable, Hashable {
    /// Radius of the corner at the top left, in pixels.
    public var topLeft: Double
    /// Radius of the corner at the top right, in pixels.
    public var topRight: Double
    /// Radius of the corner at the bottom right, in pixels.
    public var bottomRight: Double
    /// Radius of the corner at the bottom left, in pixels.
    public var bottomLeft: Double
    /// Width of the border in whole pixels, inside the edge; 0 for none.
    public var border: Int
    /// The color of the border.
    public var borderColor: PixelColor

    /// Each corner by itself, clockwise from the top left.
    public init(
      topLeft: Double, topRight: Double, bottomRight: Double, bottomLeft: Double, border: Int = 0,
      borderColor: PixelColor = .black
    ) {
      self.topLeft = topLeft
      self.topRight = topRight
      self.bottomRight = bottomRight
      self.bottomLeft = bottomLeft
      self.border = border
      self.borderColor = borderColor
    }

    /// All corners alike.
    public init(_ radius: Double, border: Int = 0, borderColor: PixelColor = .black) {
      self.init(
        topLeft: radius, topRight: radius, bottomRight: radius, bottomLeft: radius, border: border,
        borderColor: borderColor)
    }

    func check(_ size: Size) throws(CoderError) {
      for radius in [topLeft, topRight, bottomRight, bottomLeft] {
        try ImageOperation.check(radius, in: 0...1_000_000, "the radius of a corner")
      }
      let most = (min(size.width, size.height) + 1) / 2
      guard (0...most).contains(border) else {
        throw .invalidArgument("a border of \(border) pixels for a picture of \(size); 0 to \(most) are allowed")
      }
    }

    func applied(to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
      let outer = RoundedRect(
        Rect(covering: pixels.size),
        radii: RoundedRect.fitted([topLeft, topRight, bottomRight, bottomLeft], in: pixels.size))
      var layout = outer.radii.contains { $0 > 0 } ? pixels.layout.withAlpha : pixels.layout
      if border > 0, !borderColor.isGray { layout = layout.withColor }
      guard border > 0 || layout != pixels.layout || outer.radii.contains(where: { $0 > 0 }) else { return pixels }
      let inner = border > 0 ? outer.inset(by: border) : nil
      let (width, color) = (pixels.size.width, borderColor.premultiplied)
      return try pixels.mappingRows(to: layout) { row, y in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * width) { buffer in
          guard let outside = buffer.baseAddress else { return }
          outer.fillCoverage(outside, y: y, width: width)
          guard let inner else {
            for x in 0..<width where outside[x] < 1 { row[x] *= outside[x] }
            return
          }
          let inside = outside + width
          inner.fillCoverage(inside, y: y, width: width)
          for x in 0..<width where inside[x] < 1 {
            let bordered = color + row[x] * (1 - color.w)
            row[x] = row[x] * inside[x] + bordered * max(outside[x] - inside[x], 0)
          }
        }
      }
    }
  }
}

/// A rectangle of whole pixels with round corners.
struct RoundedRect: Sendable {
  let rect: Rect
  /// Clockwise from the top left.
  let radii: [Double]

  init(_ rect: Rect, radii: [Double]) {
    self.rect = rect
    self.radii = radii
  }

  /// Radii made smaller by one factor, so that two on a side are no longer than it.
  static func fitted(_ radii: [Double], in size: Size) -> [Double] {
    let (width, height) = (Double(size.width), Double(size.height))
    let sides = [(width, 0, 1), (height, 1, 2), (width, 2, 3), (height, 3, 0)]
    let factor = sides.reduce(1.0) { factor, side in
      let sum = radii[side.1] + radii[side.2]
      return sum > side.0 ? min(factor, side.0 / sum) : factor
    }
    return radii.map { $0 * factor }
  }

  func inset(by width: Int) -> RoundedRect {
    RoundedRect(
      Rect(x: rect.x + width, y: rect.y + width, width: rect.width - 2 * width, height: rect.height - 2 * width),
      radii: radii.map { max(0, $0 - Double(width)) })
  }

  /// The share of each pixel of a row that is inside.
  func fillCoverage(_ shares: UnsafeMutablePointer<Float>, y: Int, width: Int) {
    guard !rect.isEmpty, y >= rect.y, y < rect.y + rect.height else {
      for x in 0..<width { shares[x] = 0 }
      return
    }
    for x in 0..<width { shares[x] = x >= rect.x && x < rect.x + rect.width ? 1 : 0 }
    let (top, bottom) = (y - rect.y, rect.y + rect.height - 1 - y)
    for (radius, isRight, down) in [
      (radii[0], false, top), (radii[1], true, top), (radii[2], true, bottom), (radii[3], false, bottom),
    ] where Double(down) < radius {
      for across in 0..<min(rect.width, Int(radius.rounded(.up))) {
        let x = isRight ? rect.x + rect.width - 1 - across : rect.x + across
        // Two arcs may meet in one pixel: what each leaves of it.
        shares[x] = max(0, shares[x] + Self.share(across, down, radius) - 1)
      }
    }
  }

  /// The share of a pixel that is inside the arc of a corner at the origin.
  static func share(_ x: Int, _ y: Int, _ radius: Double) -> Float {
    let square = radius * radius
    func isInside(_ x: Double, _ y: Double) -> Bool {
      let (dx, dy) = (radius - x, radius - y)
      return dx <= 0 || dy <= 0 || dx * dx + dy * dy <= square
    }
    let (left, top) = (Double(x), Double(y))
    if isInside(left, top) { return 1 }
    if !isInside(left + 1, top + 1) { return 0 }
    var count = 0
    for j in 0..<8 {
      for i in 0..<8 where isInside(left + (Double(i) + 0.5) / 8, top + (Double(j) + 0.5) / 8) { count += 1 }
    }
    return Float(count) / 64
  }
}
