// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

extension ReaderCalls.Session {
  /// What a page says of its colors, with curves that live as long as the session.
  func color(page: Int) throws(CoderError) -> imgcoder_color {
    _ = try header(page: page)
    let color = try reader.storedColor(page: page)
    var raw = color.rawWithoutCurves
    show(color.curves, page: page, in: &raw)
    return raw
  }

  private func show(_ found: [[UInt16]], page: Int, in raw: inout imgcoder_color) {
    guard found.count == 3, let count = found.first?.count, found.allSatisfy({ $0.count == count }),
      (2...Int(IMGCODER_MAX_CURVE)).contains(count)
    else { return }
    let kept =
      curves[page]
      ?? found.map { curve in
        let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: count)
        _ = memory.initialize(from: curve)
        return memory
      }
    curves[page] = kept
    raw.flags |= UInt32(IMGCODER_COLOR_CURVES)
    raw.curve_length = UInt32(kept[0].count)
    let starts = kept.map { UnsafePointer($0.baseAddress) }
    raw.curves = (starts[0], starts[1], starts[2])
  }
}
