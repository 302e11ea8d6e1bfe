// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageAnimation
import ImageCoders
import TerminalGraphics

/// `coders play`: animations in the terminal.
struct PlayCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play animations in the terminal.",
    usage: "coders play [<options>] <in> ...",
    discussion: """
      The terminal is asked what it can show, as by `coders show`. An animation is made smaller to fit the terminal, and larger \
      with --enlarge; what is transparent is shown on black, except by kitty and iTerm2. It plays as often as the file says, or \
      until it is interrupted; of several files, each plays once. Delays of 10 ms and less are shown for 100 ms, as in browsers; \
      frames that come too late are left out.

      Keys: space pauses and goes on; the arrows to the right and to the left show the next frame and the one before; + and - \
      double and halve the rate; n and p go to the next file and to the one before; q ends.

      Standard input is played while its bytes arrive. If standard output is no terminal, --force writes every frame once \
      and does not wait.

      Examples:
        coders play party.gif
        coders play --loops 3 --rate 0.5 --size 60x party.webp
        coders play --enlarge --caption *.gif
        coders play hero.json --tag walk
      """)

  @Option(
    help: ArgumentHelp(
      "Play this often; 0 is without end. (default: as the file says; of several files, each once)", valueName: "n"))
  var loops: UInt32?

  @Option(help: ArgumentHelp("Play this many times as fast, 0.001 to 1000.", valueName: "n"))
  var rate = 1.0

  @Argument(help: ArgumentHelp("The animations; - is standard input.", valueName: "in"))
  var inputs: [String]

  @OptionGroup var sheet: SheetOptions
  @OptionGroup var terminal: TerminalOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    guard rate >= 0.001, rate <= 1000 else { throw ValidationError("--rate is \(rate); 0.001 to 1000 is allowed") }
  }

  /// How a file came to its end.
  private struct Ending {
    /// Why frames could not be decoded, or not whole.
    var errors: [CoderError] = []
    /// The key that ended it, or nil.
    var key: TerminalReplies.Key?
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    try terminal.check(console)
    let failures = Failures(console)
    let session = terminal.session(console, .play) { read.registry(console) }
    // Errors are printed when the terminal is as it was.
    var errors: [(file: String, error: CoderError)] = []
    var index = 0
    while inputs.indices.contains(index), !console.cancellation.isCancelled {
      let input = inputs[index]
      CurrentFiles.set(input: input)
      var currentFile = input
      var ending = Ending()
      do throws(CoderError) {
        ending = try play(input, on: session, console, failures: failures, file: &currentFile)
      } catch {
        ending.errors.append(error)
      }
      session.goOn()
      for error in ending.errors where !errors.contains(where: { $0 == (currentFile, error) }) {
        errors.append((currentFile, error))
      }
      if ending.key == .quit { break }
      index = ending.key == .previous ? max(index - 1, 0) : index + 1
    }
    session.leave()
    for (file, error) in errors where error.code != .cancelled || errors.count == 1 { failures.add(error, file: file) }
    return failures.status
  }

  /// Plays a file: a sheet, standard input while it arrives, or an animation.
  private func play(
    _ input: String, on session: TerminalSession, _ console: Console, failures: Failures,
    file currentFile: inout String
  ) throws(CoderError) -> Ending {
    let options = try read.decodeOptions(session.registry, console, file: input)
    let isOneOfMany = inputs.count > 1
    let plays = loops.map { LoopCount(plays: $0) } ?? (isOneOfMany ? .plays(1) : nil)
    func sized() -> DecodeOptions { session.decodeOptions(options, cells: terminal.size?.size) }
    func caption(_ header: ImageHeader?) {
      guard console.isTerminal else { return }
      terminal.printCaption(of: input, header, isOneOfMany: isOneOfMany && !read.coders.isQuiet, console)
    }
    if let sheet = try sheet.frames(input, read, session.registry, options: options, console, failures, &currentFile) {
      caption(nil)
      return try play(on: session, console, mode: sheet.mode, plays: plays) { sheet.fitting(sized()) }
    }
    if input == "-", console.isTerminal, read.coder == nil {
      try read.checkStandardInput(for: "no picture")
      let arriving = StreamingAnimation(options: sized(), loopCount: plays, registry: session.registry)
      try feed(arriving, console.cancellation)
      caption(nil)
      var ending = try play(on: session, console, mode: .forward, plays: plays) { arriving }
      ending.errors.note(arriving.problem)
      return ending
    }
    let coder = try session.registry.coderID(named: read.coder)
    let source = try read.source(input, session.registry, console)
    func open() throws(CoderError) -> AnimatedImage {
      try AnimatedImage(source, options: sized(), loopCount: plays, registry: session.registry, coder: coder)
    }
    var first: AnimatedImage? = try open()
    caption(first?.header)
    var ending = Ending()
    var next: (key: TerminalReplies.Key, time: Duration)?
    if let first, console.isTerminal, try session.canPlayItself(first) {
      (ending.errors, next) = try session.play(first, try PlaybackRate(rate))
      ending.key = next.flatMap { endsFile($0.key) ? $0.key : nil }
      guard next != nil, ending.key == nil else { return ending }
    }
    let shown = try play(on: session, console, mode: .forward, plays: plays, after: next) { () throws(CoderError) in
      defer { first = nil }
      if let first { return first }
      return try open()
    }
    for error in shown.errors { ending.errors.note(error) }
    ending.key = shown.key
    return ending
  }

  /// Whether a key ends a file.
  private func endsFile(_ key: TerminalReplies.Key) -> Bool {
    key == .quit || (key == .next || key == .previous) && inputs.count > 1
  }

  /// Gives standard input to an animation as it comes, on a thread of its own. What goes wrong is the animation's problem.
  private func feed(_ animation: StreamingAnimation, _ cancellation: Cancellation) throws(CoderError) {
    try ThreadPool.shared.start(for: "a thread that reads standard input") {
      do throws(CoderError) {
        while case let bytes = try StandardInput.next(1 << 16, cancellation), !bytes.isEmpty {
          try animation.append(bytes)
        }
        try animation.finish()
      } catch {
        // Frames that have come are all.
        try? animation.finish()
      }
    }
  }

  /// Shows each frame at its time.
  ///
  /// - Parameters:
  ///   - next: A key that ended how the terminal played by itself, and how long it had, or nil.
  ///   - open: Gives the frames as large as the terminal shows them now; asked again when its size has changed.
  private func play(
    on session: TerminalSession, _ console: Console, mode: PlaybackMode, plays: LoopCount?,
    after next: (key: TerminalReplies.Key, time: Duration)? = nil, open: () throws(CoderError) -> any FrameSource
  ) throws(CoderError) -> Ending {
    var animation = try open()
    var ending = Ending()
    guard console.isTerminal else {
      // The count of a file that does not count its frames grows meanwhile.
      var index = 0
      while index < animation.frameCount {
        let frame = try animation.frame(at: index)
        ending.errors.note(frame.problem)
        _ = try session.showFrame(frame.pixels)
        index += 1
      }
      return ending
    }
    var player = AnimationPlayer(animation, mode: mode, rate: try PlaybackRate(rate), loopCount: plays)
    let clock = SuspendingClock()
    let start = clock.now - (next?.time ?? .zero)
    // The frame that the terminal was not ready for, or nil.
    var missing: Int?
    var (shown, rate) = (0, self.rate)
    var keys = next.map { [$0.key] } ?? []
    player.start(at: .zero)
    while !console.cancellation.isCancelled {
      let step = player.advance(to: clock.now - start)
      shown = step.index ?? shown
      // The last frame, unless others are going to arrive.
      let isLast = step.deadline == nil && animation.isComplete && player.status != .paused
      if isLast { session.waitForTerminal() }
      if let index = step.isNewFrame ? step.index : isLast || player.status == .paused ? missing : nil {
        do throws(CoderError) {
          if session.followWindow() { animation = try open() }
          let frame = try animation.frame(at: index)
          ending.errors.note(frame.problem)
          missing = try session.showFrame(frame.pixels) ? nil : index
        } catch {
          // The one before it stays for its delay.
          if error.code != .cancelled { ending.errors.append(error) }
        }
      }
      if isLast { break }
      let pause = Duration.milliseconds(player.status == .paused ? 500 : 20)
      if keys.isEmpty { keys = session.keys(within: step.deadline.map { $0 - (clock.now - start) } ?? pause) }
      for key in keys {
        let now = clock.now - start
        if endsFile(key) {
          ending.key = key
          return ending
        }
        switch key {
        case .quit, .next, .previous: break
        case .pause: if player.status == .paused { player.start(at: now) } else { player.pause(at: now) }
        case .forward, .backward:
          player.pause(at: now)
          let count = animation.frameCount
          if count > 0 { shown = (shown + (key == .forward ? 1 : count - 1)) % count }
          player.seek(to: shown, at: now)
        case .faster, .slower:
          rate = min(max(rate * (key == .faster ? 2 : 0.5), 0.001), 1000)
          player.setRate(try PlaybackRate(rate), at: now)
        }
      }
      keys = []
    }
    return ending
  }
}

extension [CoderError] {
  /// Adds a reason, once: a frame is shown again with each play.
  mutating func note(_ problem: CoderError?) {
    if let problem, !contains(problem) { append(problem) }
  }
}
