// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension PixelView {
  /// Whether samples of 16 bits are samples of fewer bits, scaled to all of 16 to the nearest, so that they come back
  /// from fewer bits as they were.
  ///
  /// Readers give samples of 9 to 15 bits so, and ``ImageHeader/bitsPerChannel`` says how many there were; but what was
  /// done to a picture since may have left others.
  ///
  /// - Parameter bits: 8 to 16.
  public func holdsSamples(ofBits bits: Int) -> Bool {
    guard layout.format.bytesPerChannel == 2, !layout.format.isFloat, bits < 16 else { return true }
    let top = 1 << bits - 1
    let count = size.width * layout.format.channelCount
    for y in 0..<size.height {
      let row = (base + y * stride).assumingMemoryBound(to: UInt16.self)
      for index in 0..<count {
        let sample = Int(row[index])
        let stored = (sample &* top &+ 32_767) / 65_535
        guard (stored &* 131_070 &+ top) / (2 &* top) == sample else { return false }
      }
    }
    return true
  }
}
