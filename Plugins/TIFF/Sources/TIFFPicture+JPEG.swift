// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension TIFFPicture {
  /// The subsampling that the JPEG header of a strip or tile states, or nil when none is found.
  ///
  /// - Format: ITU-T T.81 §B.2.2.
  func jpegSubsampling(at offset: UInt64) throws(CoderError) -> (horizontal: Int, vertical: Int)? {
    guard let start = Int(exactly: offset), start < directory.file.size else { return nil }
    let most = 64 << 10
    var least = 256
    while true {
      let head = [UInt8](try directory.file.source.view(at: start, least: least, most: most))
      switch Self.search(head) {
      case .found(let horizontal, let vertical): return (horizontal, vertical)
      case .notThere: return nil
      case .further:
        guard head.count >= least, head.count < most else { return nil }
        least = min(most, 2 * head.count)
      }
    }
  }

  /// What the first bytes of a JPEG file say of subsampling.
  private enum Finding {
    case found(horizontal: Int, vertical: Int)
    case notThere
    /// Not in these bytes.
    case further
  }

  private static func search(_ head: [UInt8]) -> Finding {
    var place = 2
    while place + 4 <= head.count {
      guard head[place] == 0xFF else { return .notThere }
      let marker = head[place + 1]
      if marker == 0xFF {  // fill
        place += 1
        continue
      }
      if (0xC0...0xC3).contains(marker) {
        // Length, precision, height, width, components; then of each its number and factors.
        guard place + 11 < head.count else { return .further }
        let (horizontal, vertical) = (Int(head[place + 11] >> 4), Int(head[place + 11] & 15))
        guard head[place + 9] > 0, [1, 2, 4].contains(horizontal), [1, 2, 4].contains(vertical) else {
          return .notThere
        }
        return .found(horizontal: horizontal, vertical: vertical)
      }
      if marker == 0xDA || marker == 0xD9 { return .notThere }
      place += 2 + Int(head[place + 2]) << 8 + Int(head[place + 3])
    }
    return .further
  }
}
