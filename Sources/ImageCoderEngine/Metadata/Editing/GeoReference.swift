// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Where a picture lies on the Earth: OGC 19-008r4 (GeoTIFF 1.1) §7.2.
enum GeoReference {
  /// ModelPixelScale: units of the model for a pixel across, down, and 0.
  private static let pixelScale: UInt16 = 33550
  /// ModelTiepoint: a place in the picture, and the same in the model; three numbers each.
  private static let tiePoints: UInt16 = 33922
  /// ModelTransformation: a matrix of 4 × 4 from the picture to the model.
  private static let transformation: UInt16 = 34264

  /// A payload for a part of the picture at another size.
  ///
  /// - Parameters:
  ///   - part: In pixels of the source.
  ///   - size: What the part has become.
  /// - Returns: Nil for a payload that cannot be read or has nothing that could be changed.
  static func moved(_ payload: [UInt8], to part: Rect, size: Size) -> [UInt8]? {
    guard var tags = ExifDirectories(payload), size.width > 0, size.height > 0 else { return nil }
    let across = Double(part.width) / Double(size.width)
    let down = Double(part.height) / Double(size.height)
    var isChanged = false
    if var scale = tags.doubles(pixelScale), scale.count >= 2 {
      scale[0] *= across
      scale[1] *= down
      tags.set(pixelScale, in: .main, to: .doubles(scale))
    }
    if var points = tags.doubles(tiePoints), points.count >= 6 {
      for start in stride(from: 0, through: points.count - 6, by: 6) {
        points[start] = (points[start] - Double(part.x)) / across
        points[start + 1] = (points[start + 1] - Double(part.y)) / down
      }
      tags.set(tiePoints, in: .main, to: .doubles(points))
      isChanged = true
    }
    if var matrix = tags.doubles(transformation), matrix.count == 16 {
      for row in stride(from: 0, to: 16, by: 4) {
        matrix[row + 3] += matrix[row] * Double(part.x) + matrix[row + 1] * Double(part.y)
        matrix[row] *= across
        matrix[row + 1] *= down
      }
      tags.set(transformation, in: .main, to: .doubles(matrix))
      isChanged = true
    }
    return isChanged ? tags.payload() : nil
  }
}
