// SPDX-License-Identifier: Apache-2.0

/// Turns pixels into chunks, always into the first kind that fits: run, index, difference, luma, whole pixel.
struct ChunkEncoder: ~Copyable {
  /// "The run-lengths 63 and 64 are illegal as they are occupied by the QOI_OP_RGB and QOI_OP_RGBA tags."
  private static let longestRun = 62

  /// "A running array[64] (zero-initialized) of previously seen pixel values."
  private let seen: UnsafeMutablePointer<Pixel>
  private var previous = Pixel.start
  private var run = 0

  init() {
    seen = .allocate(capacity: 64)
    seen.initialize(repeating: Pixel(bits: 0), count: 64)
  }

  deinit { seen.deallocate() }

  /// Bytes that the chunks of a row need at most: five for each pixel, and a run from the row before.
  static func memory(for width: Int) -> Int { 5 * width + 1 }

  /// Encodes pixels; a run may go on in the next row.
  ///
  /// - Returns: What follows the chunks.
  mutating func encode<Stored: StoredPixel>(
    _ row: UnsafeRawPointer, _ count: Int, as stored: Stored.Type, to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var (target, previous, run) = (target, self.previous, self.run)
    for column in 0..<count {
      let pixel = Stored.load(row + column &* Stored.size)
      if pixel == previous {
        run &+= 1
        if run == Self.longestRun { target = Self.put(run: &run, to: target) }
        continue
      }
      if run > 0 { target = Self.put(run: &run, to: target) }
      let place = pixel.place
      if seen[place] == pixel {
        target.pointee = Tag.index | UInt8(truncatingIfNeeded: place)
        target += 1
      } else {
        seen[place] = pixel
        target = Self.put(pixel, after: previous, to: target)
      }
      previous = pixel
    }
    (self.previous, self.run) = (previous, run)
    return target
  }

  /// Ends the last run.
  mutating func finish(to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    run > 0 ? Self.put(run: &run, to: target) : target
  }

  private static func put(run: inout Int, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    target.pointee = Tag.run | UInt8(truncatingIfNeeded: run &- 1)
    run = 0
    return target + 1
  }

  @inline(__always)
  private static func put(
    _ pixel: Pixel, after previous: Pixel, to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    guard pixel[3] == previous[3] else {
      target[0] = Tag.rgba
      for channel in 0..<4 { target[1 + channel] = pixel[UInt32(channel)] }
      return target + 5
    }
    // Differences wrap around; a bias makes each range start at 0.
    let (red, green, blue) = (pixel[0] &- previous[0], pixel[1] &- previous[1], pixel[2] &- previous[2])
    if (red &+ 2) | (green &+ 2) | (blue &+ 2) < 4 {
      target[0] = Tag.diff | (red &+ 2) << 4 | (green &+ 2) << 2 | (blue &+ 2)
      return target + 1
    }
    let (redToGreen, blueToGreen) = (red &- green &+ 8, blue &- green &+ 8)
    if green &+ 32 < 64, redToGreen | blueToGreen < 16 {
      target[0] = Tag.luma | (green &+ 32)
      target[1] = redToGreen << 4 | blueToGreen
      return target + 2
    }
    target[0] = Tag.rgb
    for channel in 0..<3 { target[1 + channel] = pixel[UInt32(channel)] }
    return target + 4
  }
}
