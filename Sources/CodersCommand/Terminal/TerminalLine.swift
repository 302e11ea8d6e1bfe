// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoderEngine
import ImageCoders
import TerminalGraphics

/// The terminal of this process while pictures are drawn in it: questions and answers, and how far it has read.
///
/// There is one at a time. Signals give the terminal back, and take it again; ``turn`` tells.
final class TerminalLine {
  /// What it has answered.
  private(set) var abilities = TerminalAbilities()

  /// What is done about answers before the terminal is given back.
  private var drain = Int32(CHOSTSYSTEM_TERMINAL_SILENT.rawValue)
  private let environment: (String) -> String?
  private var replies = TerminalReplies()
  /// Whether anything came from it.
  private var hasAnswered = false
  /// Keys that were pressed, which nobody has asked for.
  private var keys: [TerminalReplies.Key] = []
  /// Frames after which the terminal was asked whether it is ready, and has not answered.
  private var inFlight = 0
  private var inFlightTurn: UInt32 = 0
  private var hasBeenReady = false
  private var firstFence: ContinuousClock.Instant?
  /// The pixel of a question, which the terminal removes if it can read it.
  private var question: SharedPixels?

  private static let clock = ContinuousClock()
  private static let patience = Duration.seconds(1)
  /// A terminal of this machine that does not say a word by then is not going to.
  private static let patienceWithSilence = Duration.milliseconds(300)
  /// More frames than these would be seen long after an interrupt.
  private static let mostInFlight = 2

  /// Takes the terminal, if standard output is the one that controls this process, which is in its foreground.
  init?(_ console: Console) {
    let type = console.environment("TERM") ?? ""
    guard let output = console.terminalDescriptor, !type.isEmpty, type != "dumb", type != "linux",
      chostsystem_terminal_is_ours(output) != 0, chostsystem_terminal_take() != 0
    else { return nil }
    environment = console.environment
  }

  /// Gives the terminal back, after what its ending says.
  func giveBack() { chostsystem_terminal_give_back() }

  /// Another number than before if the terminal was away meanwhile: what was drawn is gone. 0: it is away now.
  var turn: UInt32 { chostsystem_terminal_turn() }

  /// The terminal's size in characters, and in pixels or 0.
  var window: (cells: Size, pixels: Size) {
    var (columns, rows, width, height): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    // If it is not known, all are 0.
    _ = chostsystem_terminal_size(&columns, &rows, &width, &height)
    return (Size(width: Int(columns), height: Int(rows)), Size(width: Int(width), height: Int(height)))
  }

  /// Sets what is written if the terminal has to be given back.
  func setEnding(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { chostsystem_terminal_set_ending($0.baseAddress, $0.count, drain) }
  }

  /// Writes bytes.
  ///
  /// - Returns: Whether all were written; a signal may have taken the terminal away.
  func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { chostsystem_terminal_write($0.baseAddress, $0.count) } != 0
  }

  // MARK: Questions

  /// Sends the first questions, whose answers ``finishAsking(aboutFrames:)`` waits for.
  func beginAsking() {
    drain = Int32(CHOSTSYSTEM_TERMINAL_LATE.rawValue)
    setEnding([])
    // XTVERSION and DA1.
    _ = write(Array("\u{1B}[>q\u{1B}[c".utf8))
  }

  /// Waits for the answers, a second at most, or less if nothing at all comes, and asks the rest.
  ///
  /// - Parameter aboutFrames: Whether to ask about animations.
  func finishAsking(aboutFrames: Bool) {
    // Answers that come late are not left to the shell either.
    guard waitForAttributes() else { return }
    defer { if abilities.answers { drain = Int32(CHOSTSYSTEM_TERMINAL_ANSWERS.rawValue) } }
    let type = environment("TERM") ?? ""
    if abilities.name.isEmpty, type.hasPrefix("screen") || type.hasPrefix("tmux") { abilities.name = "screen" }
    // They take questions that they do not know for text or titles, and do not pass them on.
    guard !abilities.isMultiplexer else { return }
    abilities.answers = false
    _ = write(Array(questions(aboutFrames: aboutFrames).utf8))
    abilities.answers = waitForAttributes()
    question = nil
  }

  private func questions(aboutFrames: Bool) -> String {
    let pixel = "s=1,v=1,f=24"
    func graphics(_ keys: String, _ payload: String) -> String { "\u{1B}_G\(keys);\(payload)\u{1B}\\" }
    var text = graphics("i=\(TerminalAbilities.Question.direct),\(pixel),a=q,t=d", "AAAA")
    let one = Size(width: 1, height: 1)
    question = (try? PixelBuffer(size: one, format: .rgb8, alpha: .opaque)).flatMap(SharedPixels.init)
    if let question {
      let name = String(decoding: Base64.text(Array(question.name.utf8)), as: UTF8.self)
      text += graphics("i=\(TerminalAbilities.Question.sharedMemory),\(pixel),a=q,t=s,S=3", name)
    }
    if aboutFrames {
      // A picture that is not shown, whose second frame is answered; then it goes away.
      let id = TerminalAbilities.Question.frame
      text += graphics("i=\(id),\(pixel),a=t,t=d,q=1", "AAAA") + graphics("i=\(id),\(pixel),a=f,t=d,z=40", "AAAA")
      text += "\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\"
    }
    // The sizes of a character and of the text area, synchronized output, registers and size of sixels, and DA1.
    return text + "\u{1B}[16t\u{1B}[14t\u{1B}[?2026$p\u{1B}[?1;1;0S\u{1B}[?2;1;0S\u{1B}[c"
  }

  private func waitForAttributes() -> Bool {
    let start = Self.clock.now
    let isRemote = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains { environment($0) != nil }
    var end = start + (isRemote ? Self.patience : Self.patienceWithSilence)
    while true {
      let found = read(until: end)
      if hasAnswered { end = start + Self.patience }
      if found.contains(where: { if case .attributes = $0 { true } else { false } }) { return true }
      guard Self.clock.now < end, turn != 0 else { return false }
    }
  }

  /// Reads what comes in this time, and returns at the first of it.
  private func read(until end: ContinuousClock.Instant) -> [TerminalReplies.Reply] {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let rest = max(end - Self.clock.now, .zero).components
    // Rounded up: a rest of less than a millisecond would be spent in a loop.
    let milliseconds = rest.seconds * 1000 + (rest.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    let count = bytes.withUnsafeMutableBytes {
      chostsystem_terminal_read($0.baseAddress, $0.count, Int32(clamping: milliseconds))
    }
    if count > 0 { hasAnswered = true }
    let found = replies.add(bytes.prefix(count))
    for reply in found {
      abilities.take(reply)
      switch reply {
      case .key(let key): keys.append(key)
      case .ready:
        inFlight = max(inFlight - 1, 0)
        hasBeenReady = true
      default: break
      }
    }
    return found
  }

  // MARK: Keys

  /// Waits for a time, half a second at most, or until something comes from the terminal, or a signal.
  ///
  /// - Returns: The keys that were pressed since this was last asked.
  func keys(within patience: Duration) -> [TerminalReplies.Key] {
    let start = Self.clock.now
    let end = start + min(patience, .milliseconds(500))
    // From a terminal that is away nothing comes at once; it is not asked again without a pause.
    if keys.isEmpty, read(until: end).isEmpty, Self.clock.now - start < .milliseconds(1) {
      Pause.sleep(for: min(end - start, .milliseconds(20)))
    }
    defer { keys = [] }
    return keys
  }

  // MARK: Frames in flight

  /// Asks to be told when everything so far was read. DSR: ECMA-48 §8.3.35.
  func addFence() {
    guard abilities.answers else { return }
    forgetFencesOfEarlierTurns()
    if firstFence == nil { firstFence = Self.clock.now }
    inFlight += 1
    _ = write(Array("\u{1B}[5n".utf8))
  }

  /// Whether the terminal has read all but `count` frames.
  ///
  /// - Parameter patience: How long to wait for that.
  func hasRead(allBut count: Int = mostInFlight - 1, within patience: Duration = .zero) -> Bool {
    let end = Self.clock.now + patience
    while true {
      forgetFencesOfEarlierTurns()
      if inFlight <= count || inFlightTurn == 0 { return true }
      _ = read(until: end)
      if !hasBeenReady, let firstFence, firstFence + Self.patience * 2 < Self.clock.now { inFlight = 0 }
      if inFlight <= count { return true }
      if Self.clock.now >= end { return false }
    }
  }

  /// Their answers were read when the terminal was given back.
  private func forgetFencesOfEarlierTurns() {
    let turn = turn
    if turn != inFlightTurn { (inFlightTurn, inFlight) = (turn, 0) }
  }
}
