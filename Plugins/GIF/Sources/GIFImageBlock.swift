// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One image of a file with the Graphic Control Extension in front of it, as stored.
///
/// Kept small: a file of one-pixel frames has one of these for every twelve bytes.
///
/// - Format: GIF89a §20, Image Descriptor; §23, Graphic Control Extension.
struct GIFImageBlock {
  var x: UInt16
  var y: UInt16
  var width: UInt16
  var height: UInt16
  /// In 1/100 s.
  var delay: UInt16
  /// 0 to 7 as stored; 4 to 7 are not defined.
  var disposalMethod: UInt8
  /// What pixels of this index show is what was there before, or -1.
  var transparentIndex: Int16
  var isInterlaced: Bool
  /// Entries of the local palette, which ends where the image data starts; 0 without one.
  var localColorCount: UInt16
  /// Bits of the smallest codes as stored, or 0 for an image without data.
  var minimumCodeSize: UInt8
  /// Where the minimum code size stands.
  var dataOffset: Int

  /// Where the local palette starts.
  var paletteOffset: Int { dataOffset - 3 * Int(localColorCount) }

  /// Stored pixels, those outside the canvas included.
  var size: Size { Size(width: Int(width), height: Int(height)) }

  /// Whether some pixel may be transparent: an index that no code stands for does not count.
  var hasTransparency: Bool { transparentIndex >= 0 && Int(transparentIndex) < 1 << min(Int(minimumCodeSize), 8) }

  /// The part of the image that lies on the canvas, or nil when nothing does.
  func visibleRect(on canvas: Size) -> Rect? {
    let rect = Rect(
      x: Int(x), y: Int(y), width: min(Int(width), canvas.width - Int(x)),
      height: min(Int(height), canvas.height - Int(y)))
    return rect.isEmpty ? nil : rect
  }

  /// What the interface calls the disposal method.
  var disposal: Disposal {
    switch disposalMethod {
    case 2: .restoreBackground
    case 3: .restorePrevious
    default: .keep
    }
  }

  /// An image without pixels, for a file that has a canvas and no image.
  static let empty = GIFImageBlock(
    x: 0, y: 0, width: 0, height: 0, delay: 0, disposalMethod: 0, transparentIndex: -1, isInterlaced: false,
    localColorCount: 0, minimumCodeSize: 0, dataOffset: 0)
}
