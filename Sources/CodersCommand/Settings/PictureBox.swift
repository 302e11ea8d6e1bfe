// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A size that pictures are made to fit: pixels, or a share of the picture.
struct PictureBox: Sendable {
  private enum Measure {
    case pixels(Size)
    case percent(Double)
  }

  private let measure: Measure

  /// - Parameter text: `640x480`, `256` for both sides, `640x` and `x480` where the other side is free, or `50%`.
  init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let percent = Double(plain: text.dropLast()), percent > 0, percent <= 100 else { return nil }
      measure = .percent(percent)
      return
    }
    let words = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }
    let sides = words.map { $0.isEmpty ? 0 : Int($0) ?? -1 }
    guard sides.allSatisfy({ $0 >= 0 }), zip(words, sides).allSatisfy({ $0.isEmpty || $1 > 0 }) else { return nil }
    switch sides.count {
    case 1 where sides[0] > 0: measure = .pixels(Size(width: sides[0], height: sides[0]))
    case 2 where sides[0] > 0 || sides[1] > 0: measure = .pixels(Size(width: sides[0], height: sides[1]))
    default: return nil
    }
  }

  /// The size in pixels, or nil for a share of a picture.
  var size: Size? {
    guard case .pixels(let size) = measure else { return nil }
    return size
  }

  /// The box for a picture, in pixels.
  func size(for picture: Size) -> Size {
    switch measure {
    case .pixels(let size): return size
    case .percent(let percent):
      func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * percent / 100).rounded())) }
      return Size(width: scaled(picture.width), height: scaled(picture.height))
    }
  }
}

extension Double {
  /// A number of digits with at most one point. `Double.init` also accepts signs, exponents and words.
  init?(plain text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    self.init(text)
  }
}
