// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A made-up animation: how each frame is placed, blended and disposed of, its pixels, and what is shown.
///
/// The canvases are worked out the slow way: each frame is drawn on a whole canvas of its own, which is kept.
struct AnimationModel {
  static let size = Size(width: 4, height: 3)

  struct Step {
    var header: FrameHeader
    /// Row by row, as many as the rectangle has.
    var pixels: [Pixel]
  }

  /// Red, green, blue, alpha.
  typealias Pixel = SIMD4<UInt8>
  /// Row by row.
  typealias Picture = [Pixel]

  let steps: [Step]
  /// What is shown while each frame is.
  let shown: [Picture]

  init(_ headers: [FrameHeader], seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    steps = headers.map { header in
      Step(header: header, pixels: Self.pixels(of: header, &random))
    }
    shown = Self.canvases(of: steps)
  }

  var headers: [FrameHeader] { steps.map(\.header) }

  /// Colors that differ from frame to frame; with alpha, every third pixel is nothing, half transparent, or opaque.
  private static func pixels(of header: FrameHeader, _ random: inout SeededGenerator) -> [Pixel] {
    let alphas: [UInt8] = header.hasAlpha ? [0, 128, 255] : [255]
    return (0..<header.rect.width * header.rect.height).map { index in
      let alpha = alphas[index % alphas.count]
      return alpha == 0 ? .zero : Pixel(random.byte(), random.byte(), random.byte(), alpha)
    }
  }

  private static func canvases(of steps: [Step]) -> [Picture] {
    var canvas = Picture(repeating: .zero, count: size.width * size.height)
    return steps.map { step in
      let before = canvas
      let rect = step.header.rect
      for index in step.pixels.indices {
        let place = (rect.y + index / rect.width) * size.width + rect.x + index % rect.width
        let above = step.pixels[index]
        canvas[place] = step.header.blend == .source ? above : composite(above, over: canvas[place])
      }
      let picture = canvas
      switch step.header.disposal {
      case .keep: break
      case .restorePrevious: canvas = before
      case .restoreBackground:
        for y in rect.y..<(rect.y + rect.height) {
          for x in rect.x..<(rect.x + rect.width) { canvas[y * size.width + x] = .zero }
        }
      }
      return picture
    }
  }

  /// PNG Third Edition, section 13.16, to the nearest whole number.
  private static func composite(_ above: Pixel, over below: Pixel) -> Pixel {
    if above[3] == 0 { return below }
    let (weightAbove, weightBelow) = (Int(above[3]) * 255, Int(below[3]) * (255 - Int(above[3])))
    let total = weightAbove + weightBelow
    var result = Pixel.zero
    for channel in 0..<3 {
      let sum = Int(above[channel]) * weightAbove + Int(below[channel]) * weightBelow
      result[channel] = UInt8((2 * sum + total) / (2 * total))
    }
    result[3] = UInt8((2 * total + 255) / 510)
    return result
  }

  // MARK: Which animations there are

  /// Of a frame: the whole canvas, or a part of it that stands elsewhere at each position.
  private static func rect(covers: Bool, position: Int) -> Rect {
    covers
      ? Rect(covering: size)
      : [
        Rect(x: 0, y: 0, width: 3, height: 2), Rect(x: 1, y: 1, width: 3, height: 2),
        Rect(x: 2, y: 0, width: 1, height: 3), Rect(x: 0, y: 1, width: 4, height: 1),
      ][position % 4]
  }

  /// Every kind of frame: disposal, blend, covering the canvas or not, with alpha or opaque.
  static let kindCount = 24

  static func header(kind: Int, position: Int) -> FrameHeader {
    FrameHeader(
      rect: rect(covers: kind / 6 % 2 == 0, position: position), delay: .milliseconds(40),
      disposal: FrameHeader.Disposal.allCases[kind % 3], blend: FrameHeader.Blend.allCases[kind / 3 % 2],
      hasAlpha: kind / 12 == 0)
  }

  /// Every animation of so many frames. The last frame's disposal shows nowhere, so it is left out of the count.
  static func all(frames count: Int) -> some Sequence<AnimationModel> {
    let kinds = Array(repeating: kindCount, count: count - 1) + [kindCount / 3]
    return (0..<kinds.reduce(1, *)).lazy.map { number in
      var rest = number
      let headers = kinds.enumerated().map { position, choices in
        defer { rest /= choices }
        return header(kind: choices == kindCount ? rest % choices : 3 * (rest % choices), position: position)
      }
      return AnimationModel(headers, seed: UInt64(number))
    }
  }

  /// An animation of frames that chance chooses.
  static func random(frames count: Int, seed: UInt64) -> AnimationModel {
    var random = SeededGenerator(seed: seed)
    let headers = (0..<count).map { _ in
      header(kind: Int.random(in: 0..<kindCount, using: &random), position: Int.random(in: 0..<4, using: &random))
    }
    return AnimationModel(headers, seed: seed)
  }

  /// What stands where for a message: disposal, blend, size and alpha of each frame.
  var summary: String {
    headers.map { frame in
      "\(frame.disposal) \(frame.blend) \(frame.rect.size)\(frame.hasAlpha ? " alpha" : "")"
    }.joined(separator: ", ")
  }
}

extension PixelBuffer {
  /// Every pixel of a buffer of 8 bits a channel.
  var picture: AnimationModel.Picture {
    (0..<size.height).flatMap { y in
      withRow(y) { row in Array(row.bindMemory(to: AnimationModel.Pixel.self)) }
    }
  }

  /// Writes the pixels of a row of 8 bits a channel.
  func setRow(_ y: Int, _ pixels: some Sequence<AnimationModel.Pixel>) {
    let row = row(y).bindMemory(to: AnimationModel.Pixel.self, capacity: size.width)
    for (x, pixel) in pixels.enumerated() { row[x] = pixel }
  }
}
