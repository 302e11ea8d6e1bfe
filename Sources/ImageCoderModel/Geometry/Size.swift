// SPDX-License-Identifier: Apache-2.0

/// A width and a height in pixels.
public struct Size: Sendable, Hashable {
  /// Columns, in pixels.
  public var width: Int
  /// Rows, in pixels.
  public var height: Int

  /// Makes a size from columns and rows. Any integers are accepted; see ``isEmpty``.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The size with width and height exchanged.
  public var transposed: Size { Size(width: height, height: width) }

  /// Whether either side is 0 or less.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Width × height, saturated at the largest integer.
  public var pixelCount: Int {
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : count
  }
}

extension Size: CustomStringConvertible {
  public var description: String { "\(width)×\(height)" }
}

/// A rectangle of whole pixels, origin top left.
public struct Rect: Sendable, Hashable {
  /// Columns between the canvas's left edge and the rectangle's; negative if it begins further left.
  public var x: Int
  /// Rows between the canvas's top edge and the rectangle's; negative if it begins further up.
  public var y: Int
  /// Columns, in pixels.
  public var width: Int
  /// Rows, in pixels.
  public var height: Int

  /// Makes a rectangle from its top left pixel and its size. Any integers are accepted; see ``isInside(_:)``.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle at the origin that covers a whole canvas.
  public init(covering size: Size) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

  /// Width and height, without the position.
  public var size: Size { Size(width: width, height: height) }
  /// Whether either side is 0 or less.
  public var isEmpty: Bool { size.isEmpty }

  /// Whether every pixel of the rectangle lies on a canvas.
  public func isInside(_ canvas: Size) -> Bool {
    x >= 0 && y >= 0 && width >= 0 && height >= 0 && width <= canvas.width && height <= canvas.height
      && x <= canvas.width - width && y <= canvas.height - height
  }
}
