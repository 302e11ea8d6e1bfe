// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCodersBuiltIn

/// `loop FILE`: plays an animation in a loop of its own, and prints when each frame is shown, in milliseconds.
@main struct Loop {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: loop FILE")
      exit(64)
    }
    let registry = CoderRegistry(builtIn: .all)
    let animation = try await registry.async.animatedImage(.file(CommandLine.arguments[1]))
    var player = AnimationPlayer(animation, loopCount: .plays(2))
    let clock = SuspendingClock()
    let start = clock.now
    player.start(at: .zero)
    while player.status == .playing {
      let step = player.advance(to: clock.now - start)
      if step.isNewFrame, let index = step.index {
        // Here a program shows the pixels.
        let pixels = try await animation.async.frame(at: index).pixels
        print(index, pixels.size, (clock.now - start) / .milliseconds(1))
      }
      guard let deadline = step.deadline else { break }
      try await clock.sleep(until: start.advanced(by: deadline))
    }
  }
}
