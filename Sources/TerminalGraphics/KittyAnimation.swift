// SPDX-License-Identifier: Apache-2.0

package import ImageAnimation
import ImageCoders

/// An animation that kitty plays by itself, once it has all frames.
///
/// - Format: kitty, docs/graphics-protocol.rst, Animation.
package struct KittyAnimation {
  /// The delay of each frame in milliseconds; -1 for a frame that is only there for the next one.
  package let gaps: [Int]

  private let id: UInt32
  private let plays: LoopCount
  private var picture: KittyPicture

  /// The most bytes of all frames: a terminal has 320 MB for pictures, and removes old ones.
  private static let maxBytes = 256 << 20

  /// Whether a terminal has room for all frames of an animation.
  package static func holds(frameCount: Int, of size: Size) -> Bool {
    frameCount > 1 && size.pixelCount <= maxBytes / 4 / frameCount
  }

  /// - Parameters:
  ///   - delays: One for each frame.
  ///   - rate: More than 0.
  ///   - id: The picture's number, or nil for a random one.
  package init(
    delays: [FrameDelay], rate: PlaybackRate, plays: LoopCount, _ transport: KittyPicture.Transport, id: UInt32? = nil
  ) {
    self.plays = plays
    self.id = id ?? KittyPicture.randomID
    picture = KittyPicture(transport, isPlaying: true, id: self.id)
    gaps = Self.gaps(delays.map(\.duration), rate)
  }

  /// Delays as whole milliseconds. The sums are rounded, not each of them: the animation is as long as it should be.
  package static func gaps(_ delays: [Duration], _ rate: PlaybackRate) -> [Int] {
    var (sum, last): (Int128, Int128) = (0, 0)
    let unit: Int128 = 1_000_000_000_000_000
    return delays.map { delay in
      sum += delay.attoseconds
      let divisor = unit * Int128(rate.numerator)
      let rounded = (sum * Int128(rate.denominator) + divisor / 2) / divisor
      defer { last = rounded }
      // The terminal shows a delay of 0 for 40 ms. Its own type has 32 bits.
      return rounded == last ? -1 : Int(clamping: min(rounded - last, Int128(Int32.max)))
    }
  }

  /// How long all plays take, or nil for ever.
  package var duration: Duration? {
    guard case .plays(let count) = plays else { return nil }
    return .milliseconds(gaps.reduce(0) { $0 + max($1, 0) } * Int(max(count, 1)))
  }

  /// The bytes of the first frame, at the cursor, or of a later one; with the first one it begins to play, and waits for
  /// frames that are not there yet.
  package mutating func frame(_ index: Int, _ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    guard index > 0 else {
      return try picture.command("a=T,q=2,C=1,i=\(id)", "q=2", pixels)
        + KittyPicture.command("a=a,i=\(id),r=1,z=\(gaps[0]),q=2") + KittyPicture.command("a=a,i=\(id),s=2,q=2")
    }
    // X: replaces pixels.
    return try picture.command("a=f,q=2,i=\(id),X=1,z=\(gaps[index])", "a=f,q=2", pixels)
  }

  /// The bytes that say that all frames are there. v: 1 is without end, others are one more than the plays.
  package var start: [UInt8] {
    let loops: UInt64
    switch plays {
    case .infinite: loops = 1
    case .plays(let count): loops = min(UInt64(max(count, 1)) + 1, UInt64(UInt32.max))
    }
    return KittyPicture.command("a=a,i=\(id),s=3,v=\(loops),q=2")
  }

  /// The bytes that take it away.
  package var removal: [UInt8] { KittyPicture.delete(id) }
}

extension Duration {
  fileprivate var attoseconds: Int128 {
    let (seconds, attoseconds) = components
    return Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
  }
}
