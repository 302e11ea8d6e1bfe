// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel

extension ImageOperation {
  /// How a picture is resampled to a size: by Lanczos with three lobes, stretched by the reduction.
  public struct Resize: Sendable, Hashable {
    /// How the picture meets the box.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
      /// The whole picture with its aspect ratio, as large as fits into the box.
      case fit
      /// The picture fills the box and keeps its aspect ratio; what is too much is cut off.
      case fill
      /// The whole picture, each side by itself.
      case stretch
    }

    /// The sides of the result at most, in pixels; a side of 0 follows from the other one, and then the mode is `fit`.
    public var box: Size
    /// How the picture meets the box.
    public var mode: Mode
    /// The part that stays in `fill`.
    public var anchor: Anchor
    /// Whether a picture smaller than the box is enlarged. If not, a side never gets longer.
    public var enlarges: Bool

    /// Says what is made of a picture.
    public init(_ box: Size, _ mode: Mode = .fit, anchor: Anchor = .center, enlarges: Bool = false) {
      self.box = box
      self.mode = mode
      self.anchor = anchor
      self.enlarges = enlarges
    }

    func check() throws(CoderError) {
      guard box.width >= 0, box.height >= 0, box.width > 0 || box.height > 0 else {
        throw .invalidArgument("a size of \(box); sides are at least 0, and one of them at least 1")
      }
    }

    /// The size of the result and the part of the picture that it shows.
    func plan(for picture: Size) -> Fit {
      guard enlarges, box.width > picture.width || box.height > picture.height else {
        let plan = Fit.plan(displayed: picture, box: box, mode: thumbnailMode)
        return Fit(size: plan.size, crop: anchored(plan.crop, in: picture))
      }
      var size = box
      let isFree = box.width == 0 || box.height == 0
      switch isFree ? .fit : mode {
      case .stretch: return Fit(size: box, crop: .whole(picture))
      case .fit:
        // The side that meets the box is exact; the other one is rounded half up, and at least 1.
        let isWide =
          box.height == 0
          || box.width != 0 && Int128(box.width) * Int128(picture.height) <= Int128(box.height) * Int128(picture.width)
        if isWide {
          size.height = Self.scaled(picture.height, box.width, picture.width)
        } else {
          size.width = Self.scaled(picture.width, box.height, picture.height)
        }
        return Fit(size: size, crop: .whole(picture))
      case .fill:
        var crop = ResamplingRegion.whole(picture)
        let isWide = Int128(box.width) * Int128(picture.height) >= Int128(box.height) * Int128(picture.width)
        if isWide {
          crop.height = Double(box.height) * Double(picture.width) / Double(box.width)
        } else {
          crop.width = Double(box.width) * Double(picture.height) / Double(box.height)
        }
        return Fit(size: box, crop: anchored(crop, in: picture))
      }
    }

    private var thumbnailMode: ThumbnailMode {
      switch mode {
      case .fit: .fit
      case .fill: .fill
      case .stretch: .stretch
      }
    }

    private func anchored(_ crop: ResamplingRegion, in picture: Size) -> ResamplingRegion {
      var crop = crop
      // Pixels that keep their size are copied when the part starts on one; `Fit` saw to that for the center.
      guard anchor.horizontal != 0.5 || anchor.vertical != 0.5 || enlarges else { return crop }
      crop.x = (Double(picture.width) - crop.width) * anchor.horizontal
      crop.y = (Double(picture.height) - crop.height) * anchor.vertical
      if crop.width == crop.width.rounded(), crop.height == crop.height.rounded() {
        crop.x = crop.x.rounded(.down)
        crop.y = crop.y.rounded(.down)
      }
      return crop
    }

    /// `side × numerator ÷ denominator`, rounded half up, at least 1.
    private static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
      let exact = (2 * Int128(side) * Int128(numerator) + Int128(denominator)) / (2 * Int128(denominator))
      return max(1, Int(clamping: exact))
    }
  }
}
