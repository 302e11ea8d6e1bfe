// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoders

extension FileDigest {
  /// Plays an animation to its end: which frames are shown, when, and until when.
  func played(_ source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> [(key: String, value: JSONText)] {
    let image = try AnimatedImage(source, options: options, delays: .exact, registry: registry)
    let plays = image.loopCount.plays == 0 ? 1 : min(image.loopCount.plays, 3)
    var player = AnimationPlayer(image, loopCount: LoopCount(plays: plays))
    var (now, shown) = (Duration.zero, [JSONText]())
    player.start(at: now)
    while true {
      let step = player.advance(to: now)
      if step.isNewFrame, let index = step.index {
        let hash = Self.hash(try image.frame(at: index).pixels)
        shown.append(
          .list([.integer(index), .integer(Self.nanoseconds(now)), .text(String(hash, radix: 16))]))
      }
      guard let deadline = step.deadline else { break }
      now = deadline
    }
    return Self.describe(image.header, image.loopCount, coder: image.coderID) + [
      ("plays", .integer(Int(plays))), ("shown", .list(shown)), ("end", .integer(Self.nanoseconds(now))),
    ]
  }

  private static func nanoseconds(_ duration: Duration) -> Int { Int(duration.attoseconds / 1_000_000_000) }
}
