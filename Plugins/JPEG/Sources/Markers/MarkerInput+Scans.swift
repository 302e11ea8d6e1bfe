// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

extension MarkerInput {
  /// Where the marker after entropy-coded data begins: the next that is no RSTn.
  static func end(ofScanAt start: Int, in source: SourceView, host: CoderHost?) throws(CoderError) -> Int {
    var position = start
    while true {
      if host?.isCancelled ?? false { throw .cancelled }
      let window = try source.view(at: position, count: 64 << 10)
      guard let base = window.baseAddress, window.count > 1 else {
        throw .truncated("the source ends in a scan", at: position + window.count)
      }
      var place = 0
      // The last byte of a window is looked at with the next one.
      while place < window.count - 1,
        let found = memchr(base + place, 0xFF, window.count - 1 - place).map(UnsafeRawPointer.init)
      {
        place = found - base
        switch window[place + 1] {
        case 0xFF: place += 1
        case 0, 1, 0xD0...0xD7: place += 2
        default: return position + place
        }
      }
      position += max(place, window.count - 1)
    }
  }
}
