// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How a stored picture is turned, and then mirrored, to be shown (ISO/IEC 23000-22 §7.3.6.7: irot before imir).
public struct ImageTransform {
  /// By 90° counter-clockwise, 0 to 3 (ISO/IEC 23008-12 §6.5.10).
  public let turns: Int
  /// 0 exchanges top and bottom, 1 exchanges left and right (§6.5.12); nil: neither.
  public let mirror: Int?

  public init(turns: Int, mirror: Int?) {
    self.turns = turns & 3
    self.mirror = mirror.map { $0 & 1 }
  }

  /// The shortest transform for an orientation.
  public init(_ orientation: Orientation) {
    (turns, mirror) =
      switch orientation {
      case .up: (0, nil)
      case .upMirrored: (0, 1)
      case .down: (2, nil)
      case .downMirrored: (0, 0)
      case .leftMirrored: (1, 0)
      case .right: (3, nil)
      case .rightMirrored: (1, 1)
      case .left: (1, nil)
      }
  }

  public var orientation: Orientation {
    let table: [[Orientation]] = [
      [.up, .left, .down, .right], [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored],
      [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored],
    ]
    return table[mirror.map { $0 + 1 } ?? 0][turns]
  }
}
