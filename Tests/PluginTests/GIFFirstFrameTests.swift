// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Of a large animation, the first frame costs no more than the first frame.
@Suite struct GIFFirstFrameTests {
  private static let frameCount = 30

  /// Frames of noise, of some 60 KB each.
  private static func animation() throws -> [UInt8] {
    var random = SplitMix(seed: 5)
    let frames = try (0..<frameCount).map { _ in
      let pixels = try PixelBuffer(size: Size(width: 240, height: 200), format: .rgb8, alpha: .opaque)
      for y in 0..<200 {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<pixels.rowBytes { row[x] = UInt8(random.below(6) * 51) }
      }
      return Frame(pixels: pixels, delay: FrameDelay(numerator: 1, denominator: 10))
    }
    return try EncodingPictures.registry.encode(Image(frames: frames), as: .gif)
  }

  @Test func nothingAfterTheFirstFrameIsRead() throws {
    let file = try Self.animation()
    let share = file.count / Self.frameCount
    let end = Mutex(0)
    let source = ByteSource.reading(size: file.count) { range in
      end.withLock { $0 = max($0, range.upperBound) }
      return Array(file[range])
    }
    let options = DecodeOptions(size: .fitting(Size(width: 64, height: 64)), firstFrameOnly: true)
    let small = try EncodingPictures.registry.decode(source, options: options)
    #expect(small.problem == nil)
    // At most twice what was needed: the part that is held doubles.
    #expect(end.withLock { $0 } <= 3 * share)
    #expect(share > 30_000)
    let whole = try EncodingPictures.registry.decode(
      .bytes(file), options: DecodeOptions(size: .fitting(Size(width: 64, height: 64))))
    #expect(small.pixels.copyBytes() == whole.frames[0].pixels.copyBytes())
  }
}
