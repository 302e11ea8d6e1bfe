// SPDX-License-Identifier: Apache-2.0

import CSVGShim
import ImageCoderPlugin

/// How large a drawing is by itself.
///
/// - Format: SVG 2, 8.2 "The initial viewport" and 7.2 "Sizing of SVG content in CSS contexts"; CSS Images 3, 4.3 for sizes
///   that are not stated.
struct DrawingSize: Equatable {
  /// In pixels of 1/96 inch; the place that the drawing is put in.
  let width, height: Double
  /// Whether the file says so, and not only which ratio the sides have.
  let isStated: Bool
  /// Width and height of the view box, if there is one.
  let viewBox: SIMD2<Double>?

  /// Sides that a document may have, in pixels: far from where the numbers of cairo end.
  static let sides = 0.001...1e9
  /// What CSS takes where a document says nothing.
  static let usual = (width: 300.0, height: 150.0)

  /// - Throws: ``CoderError/Code/malformed`` for a side that is none; ``CoderError/Code/unsupported`` for one beyond
  ///   ``sides``.
  init(_ found: csvg_dimensions) throws(CoderError) {
    let box = (width: found.box_width, height: found.box_height)
    let hasRatio = found.has_view_box != 0 && box.width > 0 && box.height > 0
    viewBox = found.has_view_box != 0 ? SIMD2(box.width, box.height) : nil
    let states = (width: found.states_width != 0, height: found.states_height != 0)
    switch (states.width, states.height) {
    case (true, true):
      (width, height) = (found.width, found.height)
      isStated = true
    case (true, false):
      width = found.width
      height = hasRatio ? found.width * (box.height / box.width) : Self.usual.height
      isStated = true
    case (false, true):
      width = hasRatio ? found.height * (box.width / box.height) : Self.usual.width
      height = found.height
      isStated = true
    case (false, false):
      (width, height) = hasRatio ? box : Self.usual
      // A ratio of numbers that are not whole would be lost where only pixels are reported.
      isStated = hasRatio && (box.width != box.width.rounded() || box.height != box.height.rounded())
    }
    guard width > 0, height > 0 else {
      throw .malformed("a drawing of \(width)×\(height) pixels, sides of more than 0 are needed")
    }
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      throw .unsupported(
        "a drawing of \(width)×\(height) pixels, sides from \(Self.sides.lowerBound) to \(Self.sides.upperBound) are allowed"
      )
    }
  }

  /// The size in whole pixels that holds the drawing.
  var canvas: Size { Size(width: Self.pixels(width), height: Self.pixels(height)) }

  /// How much larger the drawing becomes in a picture. One of its own size has its pixels where the file places them; any
  /// other size is filled from side to side.
  func scale(to whole: Size) -> (across: Double, down: Double) {
    whole == canvas ? (1, 1) : (Double(whole.width) / width, Double(whole.height) / height)
  }

  /// Columns and rows of a picture that the drawing covers.
  func covered(in whole: Size) -> (width: Double, height: Double)? { whole == canvas ? (width, height) : nil }

  /// Rounded up, but for what is left of a calculation with inches.
  private static func pixels(_ side: Double) -> Int { max(1, Int((side - 1e-6).rounded(.up))) }
}
