// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One image of a file and the Graphic Control Extension before it, as stored.
///
/// Kept small: a file of one-pixel frames has one of these for every twelve bytes.
///
/// - Format: GIF89a §20, Image Descriptor; §23, Graphic Control Extension.
struct GIFImageBlock {
  var descriptor: ImageDescriptor
  var control: GraphicControl
  /// Bits of the smallest codes as stored, or 0 for an image without data.
  var minimumCodeSize: UInt8 = 0
  /// Where the minimum code size stands, after the local palette.
  var dataOffset: Int

  /// Where the local palette starts.
  var paletteOffset: Int { dataOffset - 3 * descriptor.localColorCount }

  /// Stored pixels, those outside the canvas included.
  var size: Size { Size(width: Int(descriptor.width), height: Int(descriptor.height)) }

  /// Whether some pixel may be transparent: an index that no code stands for does not count.
  var hasTransparency: Bool {
    control.transparentIndex.map { Int($0) < 1 << min(Int(minimumCodeSize), 8) } ?? false
  }

  /// The part of the image that lies on the canvas, or nil when nothing does.
  func visibleRect(on canvas: Size) -> Rect? {
    let (x, y) = (Int(descriptor.x), Int(descriptor.y))
    let rect = Rect(
      x: x, y: y, width: min(size.width, canvas.width - x), height: min(size.height, canvas.height - y))
    return rect.isEmpty ? nil : rect
  }

  /// What the interface calls the disposal method.
  var disposal: FrameHeader.Disposal {
    switch control.disposalMethod {
    case 2: .restoreBackground
    case 3: .restorePrevious
    default: .keep
    }
  }

  /// An image without pixels, for a file that has a canvas and no image.
  static let empty = GIFImageBlock(
    descriptor: ImageDescriptor(
      Rect(x: 0, y: 0, width: 0, height: 0), isInterlaced: false, localColorCount: 0),
    control: GraphicControl(), dataOffset: 0)
}
