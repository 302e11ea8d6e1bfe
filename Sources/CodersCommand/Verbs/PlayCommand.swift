// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageAnimation
import ImageCoders

/// `coders play`: an animation in the terminal.
struct PlayCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play an animation in the terminal, as text.",
    discussion: """
      A character shows two pixels, one above the other. The animation is made smaller to fit the terminal, never larger; \
      what is transparent is shown on black. It plays as often as the file says, or until it is interrupted. Delays of \
      10 ms and less are shown for 100 ms, as in browsers; frames that come too late are left out.

      If standard output is no terminal, --force writes every frame once and does not wait.

      Examples:
        coders play party.gif
        coders play --loops 3 --rate 0.5 --size 60x party.webp
        coders play hero.json --tag walk
      """)

  @Option(
    help: ArgumentHelp("Play this often; 0 is without end. (default: as the file says)", valueName: "n"))
  var loops: UInt32?

  @Option(help: ArgumentHelp("Play this many times as fast, 0.001 to 1000.", valueName: "n"))
  var rate = 1.0

  @Argument(help: ArgumentHelp("The animation; - is standard input.", valueName: "in"))
  var input: String

  @OptionGroup var sheet: SheetOptions
  @OptionGroup var terminal: TerminalOptions
  @OptionGroup var read: ReadOptions

  func validate() throws {
    guard rate >= 0.001, rate <= 1000 else { throw ValidationError("--rate is \(rate); 0.001 to 1000 is allowed") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    try terminal.check(console)
    let failures = Failures(console)
    CurrentFiles.set(input: input)
    var currentFile = input
    do throws(CoderError) {
      let options = terminal.decodeOptions(read.decodeOptions(console, file: input), console)
      let registry = read.coders.registry(console)
      let frames = try sheet.frames(input, read, registry, options: options, console, failures, &currentFile)
      let animation: any FrameSource
      if let frames {
        animation = frames.source
      } else {
        animation = try AnimatedImage(
          try read.source(input, console), options: options, registry: registry,
          coder: try registry.coderID(named: read.coder))
      }
      let stage = TerminalStage(console, terminal.picture(console))
      defer { stage.leave() }
      if console.isTerminal {
        try play(animation, frames?.mode ?? .forward, on: stage, console, failures)
      } else {
        for index in 0..<animation.frameCount { stage.show(try animation.frame(at: index).pixels) }
      }
    } catch {
      failures.add(error, file: currentFile)
    }
    return failures.status
  }

  private func play(
    _ animation: any FrameSource, _ mode: PlaybackMode, on stage: TerminalStage, _ console: Console,
    _ failures: Failures
  ) throws(CoderError) {
    var player = AnimationPlayer(
      animation, mode: mode, rate: try PlaybackRate(rate), loopCount: loops.map { LoopCount(plays: $0) })
    let clock = SuspendingClock()
    let start = clock.now
    player.start(at: .zero)
    while !console.cancellation.isCancelled {
      let step = player.advance(to: clock.now - start)
      if step.isNewFrame, let index = step.index {
        do throws(CoderError) {
          stage.show(try animation.frame(at: index).pixels)
        } catch {
          // The one before it stays for its delay.
          if error.code != .cancelled { failures.add(error, file: input) }
        }
      }
      guard let deadline = step.deadline else { return }
      Self.sleep(for: deadline - (clock.now - start))
    }
  }

  /// Sleeps, or until a signal comes.
  private static func sleep(for duration: Duration) {
    guard duration > .zero else { return }
    // Half a second at a time: a signal that comes just before the sleep is noticed then.
    let (seconds, attoseconds) = min(duration, .milliseconds(500)).components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }
}

/// The lines of the terminal on which frames are shown, one over the other.
private final class TerminalStage {
  private let console: Console
  private let picture: TextPicture
  /// The lines of the frame that is shown, or nil before the first.
  private var lines: Int?

  init(_ console: Console, _ picture: TextPicture) {
    self.console = console
    self.picture = picture
  }

  func show(_ pixels: PixelBuffer) {
    // Without the cursor, and back to the first line: DECTCEM, and ECMA-48 §8.3.22, Cursor Up.
    var text = Array((lines.map { "\u{1B}[\($0)A" } ?? (console.isTerminal ? "\u{1B}[?25l" : "")).utf8)
    text += picture.text(pixels)
    lines = (pixels.size.height + 1) / 2
    text.withUnsafeBytes { console.write($0) }
  }

  /// Gives the cursor back, below the picture.
  func leave() {
    guard lines != nil, console.isTerminal else { return }
    Array("\u{1B}[0m\u{1B}[?25h".utf8).withUnsafeBytes { console.write($0) }
  }
}
