// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How many bits the samples of a file have.
enum StoredDepth {
  /// The bits of a sample in the file.
  ///
  /// - Parameter stated: What samples of 16 bits are said to hold.
  static func bits(of pixels: PixelView, stated: Int, isLossless: Bool, isAnimated: Bool) -> Int {
    let format = pixels.layout.format
    guard format.bytesPerChannel == 2, !format.isFloat, (9...15).contains(stated) else {
      return format.bytesPerChannel * 8
    }
    guard isLossless else { return stated }
    // Frames that are still to come may need all of them.
    return !isAnimated && comesBack(pixels, bits: stated) ? stated : 16
  }

  /// Whether libjxl gives samples of 16 bits back as they were when fewer bits of them are stored. It scales them in 32-bit
  /// floating point, where a few values of some depths are rounded to the other side.
  private static func comesBack(_ pixels: PixelView, bits: Int) -> Bool {
    let top = 1 << bits - 1
    let step = 1 / Float(top)
    let count = pixels.size.width * pixels.layout.format.channelCount
    for y in 0..<pixels.size.height {
      let row = (pixels.base + y * pixels.stride).assumingMemoryBound(to: UInt16.self)
      for index in 0..<count {
        let sample = Int(row[index])
        let stored = (sample &* top &+ 32_767) / 65_535
        guard (Float(stored) * step * 65_535).rounded(.toNearestOrEven) == Float(sample) else { return false }
      }
    }
    return true
  }
}
