// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoders
import TerminalGraphics

// Animations that the terminal plays by itself.
extension TerminalSession {
  /// Whether the terminal has an animation's frames, and room for all of them.
  func canPlayItself(_ animation: AnimatedImage) throws(CoderError) -> Bool {
    guard let line, display.style == .kitty, line.abilities.hasKittyFrames else { return false }
    // A terminal is told the number of frames before it gets the first one.
    guard animation.isComplete else { return false }
    return KittyAnimation.holds(frameCount: animation.frameCount, of: try fitted(animation.size))
  }

  /// Sends all frames, which the terminal plays meanwhile, and waits until all plays are over, or for an interrupt or a key.
  ///
  /// - Returns: Why frames could not be decoded, or not whole; the ones before them are shown. Besides, if a key was pressed,
  ///   which one, and how long it had played. But for ``TerminalReplies/Key/quit`` the animation has gone then: the terminal knows
  ///   nothing of keys, and it is to be shown frame by frame.
  func play(
    _ animation: AnimatedImage, _ rate: PlaybackRate
  ) throws(CoderError) -> (errors: [CoderError], next: (key: TerminalReplies.Key, time: Duration)?) {
    guard let line else { return ([], nil) }
    let clock = ContinuousClock()
    var errors: [CoderError] = []
    while !console.cancellation.isCancelled {
      // After a stop the terminal has none of the frames.
      let (turn, start) = (line.turn, clock.now)
      errors = []
      guard turn != 0, let duration = try send(animation, rate, line, &errors) else {
        Pause.sleep(for: .milliseconds(100))
        continue
      }
      while !console.cancellation.isCancelled, line.turn == turn {
        guard duration.map({ clock.now - start < $0 }) ?? true else { return (errors, nil) }
        guard let key = line.keys(within: duration.map { $0 - (clock.now - start) } ?? .seconds(1)).first else {
          continue
        }
        if key == .quit { return (errors, (key, clock.now - start)) }
        _ = line.write(Array("\u{1B}8".utf8) + removal)
        removal = painter.removal
        return (errors, (key, clock.now - start))
      }
    }
    return (errors, nil)
  }

  /// Sends all frames.
  ///
  /// - Returns: How long they play, nil within for ever; nil if the terminal was taken away meanwhile.
  private func send(
    _ animation: AnimatedImage, _ rate: PlaybackRate, _ line: TerminalLine, _ errors: inout [CoderError]
  ) throws(CoderError) -> Duration?? {
    var frames = KittyAnimation(
      delays: (0..<animation.frameCount).map { animation.delay(at: $0) }, rate: rate, plays: animation.loopCount,
      Self.transport(line.abilities, TerminalPNG(registry)))
    removal = frames.removal
    reserved = nil
    var pixels = try fitted(animation.poster.pixels)
    guard prepare(display.cells(of: pixels.size), line) else { return .none }
    for index in 0..<animation.frameCount {
      do throws(CoderError) {
        let frame = try animation.frame(at: index)
        errors.note(frame.problem)
        pixels = try fitted(frame.pixels)
      } catch {
        errors.append(error)
      }
      while !line.hasRead(within: .milliseconds(200)), !console.cancellation.isCancelled {}
      let bytes = try frames.frame(index, pixels)
      guard !console.cancellation.isCancelled, line.write((index == 0 ? Array("\u{1B}8".utf8) : []) + bytes) else {
        return .none
      }
      line.addFence()
    }
    guard line.write(frames.start) else { return .none }
    // Shared memory that the terminal has not read goes away with the frames.
    return withExtendedLifetime(frames) {
      while !line.hasRead(allBut: 0, within: .milliseconds(200)), !console.cancellation.isCancelled {}
      return .some(frames.duration)
    }
  }
}
