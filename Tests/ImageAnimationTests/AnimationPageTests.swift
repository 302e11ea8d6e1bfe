// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoders
import TestSupport
import Testing

/// docs/animation.md: its samples compile, as they stand in the functions below.
@Suite struct AnimationPageTests {
  // Never called: they name files that a reader has.

  private func show(_ pixels: PixelBuffer) {}

  private func loop(_ registry: CoderRegistry) async throws {
    let animation = try await registry.async.animatedImage("party.gif")
    var player = AnimationPlayer(animation)
    let clock = SuspendingClock()
    let start = clock.now
    player.start(at: .zero)
    while player.status == .playing {
      let step = player.advance(to: clock.now - start)
      if step.isNewFrame, let index = step.index { show(try await animation.async.frame(at: index).pixels) }
      guard let deadline = step.deadline else { break }
      try await clock.sleep(until: start.advanced(by: deadline))
    }
  }

  private func sequence(_ animation: AnimatedImage) async {
    let playback = Playback(animation)
    for await shown in playback { show(shown.frame.pixels) }
  }

  private func showSpinner() {}
  private func hideSpinner() {}
  private func showReplayButton() {}

  private func handlers(_ animation: AnimatedImage) async {
    let playback = Playback(animation)
    let events = playback.events
    Task {
      for await event in events {
        switch event {
        case .waiting: showSpinner()
        case .resumed, .frame: hideSpinner()
        case .finished: showReplayButton()
        default: break
        }
      }
    }
    for await shown in playback { show(shown.frame.pixels) }
  }

  @Test func samplesCompile() throws {
    let source = Self.lines(Command.run("cat '\(#filePath)'").output)
    let page = Command.run("cat '\(StagedTree.root)/docs/animation.md'").output
    let samples = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first }
    #expect(samples.count == 3)
    for sample in samples {
      let lines = Self.lines(String(sample)).filter { $0 != "import ImageAnimation" }
      let isFound = source.indices.contains { source[$0...].starts(with: lines) }
      #expect(isFound, "no function of this file has\n\(sample)")
    }
  }

  @Test func aLoopOfOnesOwnTakesTwelveLines() throws {
    let page = Command.run("cat '\(StagedTree.root)/docs/animation.md'").output
    let sample = try #require(page.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
    #expect(Self.lines(String(sample)).count == 12)
  }

  /// Lines that hold something, without the spaces around them.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }
}
