// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The NAL units of a sample, each behind its length (ISO/IEC 14496-15 §4.3.3).
enum NALUnits {
  /// Calls `body` with each unit.
  ///
  /// - Returns: Whether the lengths fill the sample exactly.
  static func forEach(
    in sample: UnsafeRawBufferPointer, lengthBytes: Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    var place = 0
    while sample.count - place > lengthBytes {
      var length = 0
      for index in 0..<lengthBytes { length = length << 8 | Int(sample[place + index]) }
      place += lengthBytes
      guard length <= sample.count - place else { return false }
      body(UnsafeRawBufferPointer(rebasing: sample[place..<(place + length)]))
      place += length
    }
    return place == sample.count
  }
}
