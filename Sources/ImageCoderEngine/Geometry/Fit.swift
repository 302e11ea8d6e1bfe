// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How a picture is fitted to the box of a thumbnail.
public enum ThumbnailMode: Sendable {
  /// The whole picture with its aspect ratio, at most as large as the box.
  case fit
  /// The picture fills the box and keeps its aspect ratio; the overflow is cropped evenly on both sides.
  case fill
  /// The whole picture is stretched to the box; the aspect ratio is not kept.
  case stretch
}

/// A part of a picture, in pixels with fractions, origin top left.
package struct ResamplingRegion: Sendable, Equatable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The region that covers a whole picture.
  package static func whole(_ size: Size) -> ResamplingRegion {
    ResamplingRegion(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }
}

/// The size of a thumbnail and the part of the picture that it shows.
package struct Fit: Sendable, Equatable {
  /// The size of the result, as it is displayed: orientation applied.
  package let size: Size
  /// The part of the displayed source picture that is shown: all of it unless the mode is `fill`.
  package let crop: ResamplingRegion

  package init(size: Size, crop: ResamplingRegion) {
    self.size = size
    self.crop = crop
  }

  /// Plans a thumbnail; a picture is never enlarged.
  ///
  /// - Parameters:
  ///   - displayed: The size of the picture, orientation applied; neither side empty.
  ///   - box: The sides of the result at most; a side of 0 is free. Nil or 0×0 for no reduction.
  ///   - mode: `fit`: the side that the box constrains is met exactly, the other one is rounded to the nearest pixel
  ///     (half up), at least 1. `fill`: a direction in which the picture is smaller than the box keeps the picture's
  ///     pixels, and the crop has the aspect of the result. `stretch`: each side by itself.
  /// - Returns: Sizes that follow from integers alone, the same on every machine.
  package static func plan(displayed: Size, box: Size?, mode: ThumbnailMode) -> Fit {
    let whole = ResamplingRegion.whole(displayed)
    guard var box, !displayed.isEmpty, box.width > 0 || box.height > 0 else { return Fit(size: displayed, crop: whole) }
    var mode = mode
    if box.width <= 0 || box.height <= 0 {
      // A side that is free follows from the other one: there is nothing to fill or to stretch to.
      box = Size(width: box.width > 0 ? box.width : .max, height: box.height > 0 ? box.height : .max)
      mode = .fit
    }
    switch mode {
    case .fit: return Fit(size: fitted(displayed, in: box), crop: whole)
    case .fill: return filled(displayed, box: box)
    case .stretch: return Fit(size: smaller(displayed, box), crop: whole)
    }
  }

  /// The largest size at which frames stay within a number of bytes, aspect kept.
  ///
  /// - Parameters:
  ///   - displayed: The size of one frame.
  ///   - bytes: The budget for all frames together.
  /// - Returns: A box that `plan` in mode `fit` meets exactly, each side at least 1 even where that is over the
  ///   budget; nil if the frames stay within the budget as they are.
  package static func box(for displayed: Size, bytes: Int, frames: Int, bytesPerPixel: Int) -> Size? {
    guard !displayed.isEmpty else { return nil }
    let perPixel = Int128(max(frames, 1)) * Int128(max(bytesPerPixel, 1))
    let allowed = Int128(max(bytes, 0)) / perPixel
    func isWithin(_ size: Size) -> Bool { Int128(size.width) * Int128(size.height) <= allowed }
    guard !isWithin(displayed) else { return nil }
    // Both sides grow with the side of a square box, so the largest box can be searched by halves.
    var low = 1
    var high = max(displayed.width, displayed.height)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if isWithin(fitted(displayed, in: Size(width: middle, height: middle))) {
        low = middle
      } else {
        high = middle - 1
      }
    }
    var size = fitted(displayed, in: Size(width: low, height: low))
    // The side that was rounded down may now be the one that constrains; each step only makes the box smaller.
    while true {
      let next = fitted(displayed, in: size)
      guard next != size else { return size }
      size = next
    }
  }

  private static func smaller(_ a: Size, _ b: Size) -> Size {
    Size(width: min(a.width, b.width), height: min(a.height, b.height))
  }

  private static func fitted(_ size: Size, in box: Size) -> Size {
    guard size.width > box.width || size.height > box.height else { return size }
    if product(box.width, size.height) <= product(box.height, size.width) {
      return Size(width: box.width, height: scaled(size.height, by: box.width, over: size.width))
    }
    return Size(width: scaled(size.width, by: box.height, over: size.height), height: box.height)
  }

  private static func filled(_ displayed: Size, box: Size) -> Fit {
    let size = smaller(displayed, box)
    let width = Double(displayed.width)
    let height = Double(displayed.height)
    var crop = ResamplingRegion.whole(displayed)
    if product(size.width, displayed.height) >= product(size.height, displayed.width) {
      crop.height =
        size.width == displayed.width ? Double(size.height) : Double(size.height) * width / Double(size.width)
      crop.y = (height - crop.height) / 2
    } else {
      crop.width =
        size.height == displayed.height ? Double(size.width) : Double(size.width) * height / Double(size.height)
      crop.x = (width - crop.width) / 2
    }
    // Pixels that keep their size are copied when the crop starts on one, and would be blurred by half a pixel else.
    if size.width == displayed.width || size.height == displayed.height {
      crop.x = crop.x.rounded(.down)
      crop.y = crop.y.rounded(.down)
    }
    return Fit(size: size, crop: crop)
  }

  private static func product(_ a: Int, _ b: Int) -> Int128 { Int128(a) * Int128(b) }

  /// `side × numerator ÷ denominator`, rounded half up, at least 1.
  private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
    let exact = (2 * product(side, numerator) + Int128(denominator)) / (2 * Int128(denominator))
    return max(1, Int(clamping: exact))
  }
}

extension Size {
  /// The size of a picture of this size in a box, aspect kept, never enlarged.
  ///
  /// - Parameter box: The sides at most, in pixels; a side of 0 is free.
  /// - Returns: The side that the box bounds is met exactly; the other is rounded to the nearest pixel, at least 1.
  public func fitted(in box: Size) -> Size { Fit.plan(displayed: self, box: box, mode: .fit).size }
}
