// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The size at which a drawing without pixels of its own is drawn, and the part of it that is shown, as it is displayed.
struct DrawnSize: Equatable {
  /// The whole drawing, in pixels.
  var whole: Size
  /// The part of it that comes out.
  var part: Rect

  /// - Parameters:
  ///   - natural: The size of the drawing as displayed, in pixels at its resolution: more than 0.
  ///   - resolution: Pixels per inch, if the file states them.
  ///   - shown: The part that is wanted, in pixels of `natural` rounded up, or nil for all of it.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a size that makes no sense.
  init(
    natural: (width: Double, height: Double), resolution: Double?, size: PictureSize, shown: Rect?
  ) throws(CoderError) {
    var crop = ResamplingRegion(x: 0, y: 0, width: natural.width, height: natural.height)
    if let shown {
      crop = ResamplingRegion(
        x: Double(shown.x), y: Double(shown.y), width: Double(shown.width), height: Double(shown.height))
    }
    var isWhole = shown == nil
    let drawn: Size
    switch size {
    case .own: drawn = Self.enlarged(crop, by: 1)
    case .scaled(let factor): drawn = Self.enlarged(crop, by: try PictureSize.checked(factor, "a scale"))
    case .resolution(let wanted):
      guard let resolution else {
        throw .invalidArgument("a resolution of \(wanted) pixels per inch for a drawing that states no inches")
      }
      drawn = Self.enlarged(crop, by: try PictureSize.checked(wanted, "a resolution") / resolution)
    case .fitting(let box, let mode):
      guard box.width >= 0, box.height >= 0 else { throw .invalidArgument(PictureSize.text(of: box)) }
      if box.width == 0 || box.height == 0 || mode == .fit {
        drawn = Self.fitted(crop, in: box)
      } else {
        drawn = box
        if mode == .fill {
          let scale = max(Double(box.width) / crop.width, Double(box.height) / crop.height)
          let (width, height) = (Double(box.width) / scale, Double(box.height) / scale)
          crop.x += (crop.width - width) / 2
          crop.y += (crop.height - height) / 2
          (crop.width, crop.height) = (width, height)
          isWhole = false
        }
      }
    }
    guard !isWhole else {
      whole = drawn
      part = Rect(covering: drawn)
      return
    }
    let (across, down) = (Double(drawn.width) / crop.width, Double(drawn.height) / crop.height)
    whole = Size(
      width: max(drawn.width, Self.pixels(natural.width * across)),
      height: max(drawn.height, Self.pixels(natural.height * down)))
    part = Rect(
      x: min(Self.place(crop.x * across), whole.width - drawn.width),
      y: min(Self.place(crop.y * down), whole.height - drawn.height), width: drawn.width, height: drawn.height)
  }

  /// Makes the result fit a smaller size than it has.
  mutating func limit(to smaller: Size) {
    let (across, down) = (
      Double(smaller.width) / Double(part.width), Double(smaller.height) / Double(part.height)
    )
    whole = Size(
      width: max(smaller.width, Self.pixels(Double(whole.width) * across)),
      height: max(smaller.height, Self.pixels(Double(whole.height) * down)))
    part = Rect(
      x: min(Self.place(Double(part.x) * across), whole.width - smaller.width),
      y: min(Self.place(Double(part.y) * down), whole.height - smaller.height), width: smaller.width,
      height: smaller.height)
  }

  /// The largest size with the drawing's ratio in a box, also larger than natural: the side that the box bounds is met
  /// exactly, the other one is rounded to the nearest pixel, at least 1.
  private static func fitted(_ crop: ResamplingRegion, in box: Size) -> Size {
    guard box.width > 0 || box.height > 0 else { return enlarged(crop, by: 1) }
    let isBoundByWidth =
      box.height == 0
      || (box.width > 0 && Double(box.width) * crop.height <= Double(box.height) * crop.width)
    if isBoundByWidth {
      let height = (crop.height * Double(box.width) / crop.width).rounded()
      return Size(width: box.width, height: max(1, Int(clamping: height)))
    }
    let width = (crop.width * Double(box.height) / crop.height).rounded()
    return Size(width: max(1, Int(clamping: width)), height: box.height)
  }

  private static func enlarged(_ crop: ResamplingRegion, by factor: Double) -> Size {
    Size(width: pixels(crop.width * factor), height: pixels(crop.height * factor))
  }

  /// Rounded up, but for what is left of a division: A4 at 300 pixels per inch is 2481×3508.
  private static func pixels(_ side: Double) -> Int { max(1, Int(clamping: (side - 1e-6).rounded(.up))) }

  private static func place(_ side: Double) -> Int { max(0, Int(clamping: side.rounded())) }
}

extension ImageHeader {
  /// The pixels that come out of a drawing; nil for a picture that has pixels of its own, and for a size that it cannot have.
  ///
  /// - Parameters:
  ///   - part: The part that is shown, or nil for all of it.
  ///   - isUpright: Whether the orientation is applied.
  package func pixels(drawnAt size: PictureSize, part: Rect?, isUpright: Bool) -> Size? {
    guard let natural = drawnSize else { return nil }
    let swaps = isUpright && orientation.swapsSides
    let drawn = Result { () throws(CoderError) in
      try DrawnSize(
        natural: swaps ? (natural.height, natural.width) : natural, resolution: resolution, size: size, shown: part)
    }
    return try? drawn.get().part.size
  }
}

extension PictureSize {
  /// - Throws: ``CoderError/Code/invalidArgument`` unless a factor is more than 0 and finite.
  static func checked(_ factor: Double, _ what: String) throws(CoderError) -> Double {
    guard factor > 0, factor.isFinite else { throw .invalidArgument("\(what) of \(factor), more than 0 is needed") }
    return factor
  }

  static func text(of box: Size) -> String { "a box of \(box); a side is at least 1, or 0 where it is free" }
}

extension Int {
  /// The nearest integer that is neither beyond what fits 32 bits nor below 0.
  fileprivate init(clamping value: Double) {
    self = value >= 0 && value < 4_294_967_295 ? Int(value) : value < 0 ? 0 : 4_294_967_295
  }
}
