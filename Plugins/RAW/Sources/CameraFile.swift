// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import ImageCoderPlugin

/// What LibRaw says of a file.
struct CameraFile {
  let description: craw_description

  /// The visible area, before orientation.
  let canvas: Size
  /// Half of it, rounded up; ``canvas`` where the library cannot make that.
  let half: Size

  init(_ description: craw_description) {
    self.description = description
    canvas = Size(width: Int(description.whole.width), height: Int(description.whole.height))
    half = Size(width: Int(description.half.width), height: Int(description.half.height))
  }

  var orientation: Orientation { Orientation(rawValue: Int(description.orientation)) ?? .up }

  var pixelFormat: PixelFormat { description.colors == 1 ? .gray16 : .rgb16 }

  /// Bytes that decoding needs, about.
  func memory(isHalf: Bool) -> Int {
    Int(clamping: isHalf ? description.half.memory : description.whole.memory)
  }

  /// Bytes of the XMP packet; nil if there is none.
  var xmpCount: Int? { description.xmp_length > 0 ? Int(clamping: description.xmp_length) : nil }

  /// Where a JPEG file is that shows the picture, inside the source; nil if there is none.
  var preview: Range<Int>? {
    let (end, overflow) = description.preview_start.addingReportingOverflow(description.preview_length)
    guard description.preview_length > 0, !overflow, end <= Int.max else { return nil }
    return Int(description.preview_start)..<Int(end)
  }

  var isDNG: Bool { description.is_dng != 0 }

  /// The maker as the library writes it: `Nikon` where the file says `NIKON CORPORATION`.
  var maker: String { LibRaw.text(of: description.maker_name) }
}
