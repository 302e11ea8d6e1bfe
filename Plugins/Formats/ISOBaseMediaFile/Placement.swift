// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How a stored picture becomes the one that is shown: a rectangle of it, turned and mirrored.
public struct Placement: Equatable {
  /// In the stored picture.
  public private(set) var crop: Rect
  private var matrix = Matrix.identity

  /// Where the directions right and down of the stored picture are shown.
  private struct Matrix: Equatable {
    let xx: Int
    let xy: Int
    let yx: Int
    let yy: Int

    static let identity = Matrix(xx: 1, xy: 0, yx: 0, yy: 1)

    /// This one after `first`.
    func after(_ first: Matrix) -> Matrix {
      Matrix(
        xx: xx * first.xx + xy * first.yx, xy: xx * first.xy + xy * first.yy,
        yx: yx * first.xx + yy * first.yx, yy: yx * first.xy + yy * first.yy)
    }
  }

  /// All of a picture, turned.
  public init(of size: Size, turnedTo orientation: Orientation) {
    crop = Rect(covering: size)
    let transform = ImageTransform(orientation)
    turn(by: transform.turns)
    if let mirror = transform.mirror { self.mirror(leftToRight: mirror == 1) }
  }

  /// Applies transformations one after the other, each to what the ones before it show (ISO/IEC 23008-12 §6.3).
  public init(of size: Size, applying transformations: [Transformation]) throws(CoderError) {
    crop = Rect(covering: size)
    for transformation in transformations {
      switch transformation {
      case .rotation(let turns): turn(by: turns)
      case .mirror(let leftToRight): mirror(leftToRight: leftToRight)
      case .crop(let aperture): cut(to: try aperture.rect(in: shown))
      }
    }
  }

  private mutating func turn(by turns: Int) {
    for _ in 0..<turns { matrix = Matrix(xx: 0, xy: 1, yx: -1, yy: 0).after(matrix) }
  }

  private mutating func mirror(leftToRight: Bool) {
    matrix = Matrix(xx: leftToRight ? -1 : 1, xy: 0, yx: 0, yy: leftToRight ? 1 : -1).after(matrix)
  }

  /// The size at which the picture is shown.
  public var shown: Size { matrix.xx == 0 ? crop.size.transposed : crop.size }

  /// How the crop is turned to be shown.
  public var orientation: Orientation {
    switch (matrix.xx, matrix.xy, matrix.yx, matrix.yy) {
    case (-1, _, _, 1): .upMirrored
    case (-1, _, _, -1): .down
    case (1, _, _, -1): .downMirrored
    case (0, 1, 1, _): .leftMirrored
    case (0, -1, 1, _): .right
    case (0, -1, -1, _): .rightMirrored
    case (0, 1, -1, _): .left
    default: .up
    }
  }

  /// Keeps a rectangle of what is shown.
  private mutating func cut(to rect: Rect) {
    crop = stored(rect)
  }

  /// Where a rectangle of what is shown lies in the stored picture.
  public func stored(_ rect: Rect) -> Rect {
    let shown = shown
    let fromRight = shown.width - rect.x - rect.width
    let fromBottom = shown.height - rect.y - rect.height
    if matrix.xx == 0 {
      let x = matrix.yx > 0 ? rect.y : fromBottom
      let y = matrix.xy > 0 ? rect.x : fromRight
      return Rect(x: crop.x + x, y: crop.y + y, width: rect.height, height: rect.width)
    }
    let x = matrix.xx > 0 ? rect.x : fromRight
    let y = matrix.yy > 0 ? rect.y : fromBottom
    return Rect(x: crop.x + x, y: crop.y + y, width: rect.width, height: rect.height)
  }
}
