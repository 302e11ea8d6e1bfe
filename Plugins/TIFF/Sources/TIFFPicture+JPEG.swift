// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

extension TIFFPicture {
  /// The subsampling that the JPEG header of a strip or tile states, or nil when none is found.
  ///
  /// - Format: ITU-T T.81 §B.2.2.
  func jpegSubsampling(at offset: UInt64) throws(CoderError) -> (horizontal: Int, vertical: Int)? {
    guard let start = Int(exactly: offset), start < directory.file.size else { return nil }
    let head = [UInt8](try directory.file.source.view(at: start, count: 64 << 10))
    var place = 2
    while place + 4 <= head.count, head[place] == 0xFF {
      let marker = head[place + 1]
      if marker == 0xFF {  // fill
        place += 1
        continue
      }
      if (0xC0...0xC3).contains(marker) {
        // Length, precision, height, width, components; then of each its number and factors.
        guard place + 11 < head.count, head[place + 9] > 0 else { return nil }
        let factors = head[place + 11]
        let found = (horizontal: Int(factors >> 4), vertical: Int(factors & 15))
        return [1, 2, 4].contains(found.horizontal) && [1, 2, 4].contains(found.vertical) ? found : nil
      }
      if marker == 0xDA || marker == 0xD9 { return nil }
      place += 2 + Int(head[place + 2]) << 8 + Int(head[place + 3])
    }
    return nil
  }

  /// The subsampling as libtiff's codec for old JPEG finds it.
  func oldJPEGSubsampling() throws(CoderError) -> (horizontal: Int, vertical: Int)? {
    let contents = try directory.file.source.contents()
    let found = ctiff_old_jpeg_subsampling(
      contents.bindMemory(to: UInt8.self).baseAddress, UInt64(contents.count), UInt64(directory.offset))
    return found == 0 ? nil : (horizontal: Int(found >> 4), vertical: Int(found & 15))
  }
}
