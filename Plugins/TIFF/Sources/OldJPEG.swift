// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// What libtiff makes of a directory of old-style JPEG, whose tags are often missing or wrong: what the JPEG itself says counts.
struct OldJPEG {
  /// YCbCr, or gray; RGB only where both the directory and the JPEG say so.
  let photometric: Photometric
  let samples: Int
  let subsampling: (horizontal: Int, vertical: Int)

  /// Reads the directory with libtiff, once all of the file is there; nil for one that it does not read, and for planes.
  init?(_ directory: TIFFDirectory) throws(CoderError) {
    guard try directory.number(Tag.planarConfiguration) != 2 else { return nil }
    let isRGB = try ifReadable { () throws(CoderError) in try Self.isRGB(directory) } ?? false
    guard let found = LibTIFF.oldJPEG(try directory.file.source.contents(), at: directory.offset),
      let stated = Photometric(rawValue: Int(found.photometric))
    else { return nil }
    photometric = stated == .yCbCr && isRGB ? .rgb : stated
    samples = Int(found.samples)
    subsampling = (Int(found.horizontal), Int(found.vertical))
  }

  private static func isRGB(_ directory: TIFFDirectory) throws(CoderError) -> Bool {
    guard try directory.number(Tag.photometric) == Photometric.rgb.rawValue else { return false }
    if let place = try directory.numbers(Tag.jpegInterchangeFormat, limit: 1)?.first,
      let head = try directory.jpegHead(at: place)
    {
      return head.isRGB
    }
    return try directory.firstJPEG()?.isRGB ?? false
  }
}
