// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCoders
import ImageProcessing
import TerminalGraphics

/// Pictures on a terminal, from the first one to the time when the terminal is as it was.
///
/// With ``TerminalLine``, frames that the terminal is not ready for are left out, and signals leave the cursor below the
/// picture. Without it, as for a file, bytes go to standard output and nothing is waited for.
final class TerminalSession {
  /// What it is used for.
  enum Purpose {
    /// One picture below the other.
    case show
    /// Frames, one in place of the other.
    case play
  }

  /// How large pictures are.
  private(set) var display: TerminalDisplay

  /// The coders of this run.
  let registry: CoderRegistry

  let console: Console
  let purpose: Purpose
  /// The terminal that is drawn in, or nil.
  let line: TerminalLine?
  /// The terminal that was only asked.
  private let askedLine: TerminalLine?
  /// The most characters of a picture.
  private var window: Size
  /// The characters of the terminal that ``display`` is for.
  private var followed: Size
  /// Makes small pictures as large as they are shown, or nil if they stay as they are.
  private var enlarging: ImagePipeline?
  private let enlarges: Bool
  private(set) var painter: any PicturePainter
  /// The bytes that take away the pictures that there may be.
  var removal: [UInt8]
  /// The characters that a picture covers for which lines are reserved, or nil, and since when.
  var reserved: Size?
  private var reservedTurn: UInt32 = 0
  private var reservedWindow = Size(width: 0, height: 0)

  /// - Parameters:
  ///   - style: What the user wants, or nil for the best.
  ///   - enlarges: Whether small pictures are made as large as they fit.
  ///   - makeRegistry: Called while the terminal thinks about its answers.
  init(
    _ console: Console, _ style: TerminalProtocol?, _ purpose: Purpose, enlarges: Bool,
    _ makeRegistry: () -> CoderRegistry
  ) {
    self.console = console
    self.enlarges = enlarges
    self.purpose = purpose
    let isAsked = style.map { !$0.isText } ?? (console.environment("NO_COLOR") == nil)
    let line = isAsked || purpose == .play ? TerminalLine(console) : nil
    if isAsked { line?.beginAsking() }
    registry = makeRegistry()
    if isAsked { line?.finishAsking(aboutFrames: purpose == .play) }
    let abilities = line?.abilities ?? TerminalAbilities()
    let nothing = Size(width: 0, height: 0)
    let size = line?.window ?? (cells: nothing, pixels: nothing)
    followed = size.cells
    let best =
      isAsked
      ? TerminalProtocol(abilities, environment: console.environment)
      : .text(TextProtocol(environment: console.environment))
    display = TerminalDisplay(style ?? best, abilities, window: size)
    // Text that is only shown may be longer than the terminal, and nothing is waited for.
    let isDrawn = purpose == .play || !display.style.isText
    (self.line, askedLine) = isDrawn ? (line, nil) : (nil, line)
    window = Size(width: console.columns, height: max(console.rows - 1, 1))
    painter = Self.painter(display, abilities, purpose, TerminalPNG(registry))
    removal = painter.removal
    line?.setEnding([])
  }

  private static func painter(
    _ display: TerminalDisplay, _ abilities: TerminalAbilities, _ purpose: Purpose, _ coder: TerminalPNG
  ) -> any PicturePainter {
    switch display.style {
    case .text(let style): TextPicture(style: style)
    case .sixel: SixelPicture(registers: abilities.registers)
    case .iTerm: ITermPicture(display, coder)
    case .kitty: KittyPicture(transport(abilities, coder), isPlaying: purpose == .play)
    }
  }

  /// How pixels get to a terminal of kitty's protocol.
  static func transport(_ abilities: TerminalAbilities, _ coder: TerminalPNG) -> KittyPicture.Transport {
    abilities.hasSharedMemory ? .sharedMemory : coder.isThere ? .png(coder) : .plain
  }

  /// Options that decode pictures as large as they are shown.
  ///
  /// - Parameter cells: What the user wants, or nil for the terminal's size.
  func decodeOptions(_ options: DecodeOptions, cells: Size?) -> DecodeOptions {
    var options = options
    // The last line is the shell's. Text that is only shown may be longer than the terminal, or go to a file.
    let isBounded = console.isTerminal && (purpose == .play || !display.style.isText)
    let box = display.box(cells: cells ?? window, within: isBounded || cells == nil ? window : nil)
    options.size = .fitting(box)
    if enlarges { enlarging = ImagePipeline([.resize(.init(box, enlarges: true))]) }
    options.pixelFormat = .rgba8
    options.alpha = display.style == .kitty || display.style == .iTerm ? .straight : .premultiplied
    return options
  }

  /// Looks whether the terminal's size is another one than pictures are made for.
  ///
  /// - Returns: Whether they are to be made anew, with other ``decodeOptions(_:cells:)``.
  func followWindow() -> Bool {
    guard let line, case let size = line.window, !size.cells.isEmpty, size.cells != followed else { return false }
    followed = size.cells
    window = Size(width: size.cells.width, height: max(size.cells.height - 1, 1))
    // A character is as large as before, and the area of the answers is not.
    var abilities = line.abilities
    abilities.cell = display.cell
    display = TerminalDisplay(display.style, abilities, window: size)
    return true
  }

  // MARK: Pictures

  /// A picture as large as it is shown.
  func fitted(_ pixels: PixelBuffer) throws(CoderError) -> PixelBuffer { try enlarging?.applied(to: pixels) ?? pixels }

  /// The size in which a picture is shown, in pixels.
  func fitted(_ size: Size) throws(CoderError) -> Size { try enlarging?.size(of: size) ?? size }

  /// Shows a picture below what is there.
  func show(_ pixels: PixelBuffer) throws(CoderError) {
    let pixels = try fitted(pixels)
    let bytes = try painter.draw(pixels)
    guard !display.style.isText else { return emit(bytes) }
    let cells = display.cells(of: pixels.size)
    guard let line else { return emit(opening(cells) + bytes + closing(cells)) }
    repeat {
      // Stopped amid a picture, it is drawn again.
      line.setEnding(Array("\u{1B}\\".utf8) + closing(cells))
      if line.write(opening(cells) + bytes + closing(cells)) { break }
    } while line.turn != 0 && !console.cancellation.isCancelled
    line.setEnding([])
    line.addFence()
    while !line.hasRead(within: .milliseconds(500)), !console.cancellation.isCancelled {}
  }

  /// Shows a frame in place of the one before.
  ///
  /// - Returns: False if the terminal has not read the ones before, or is not there: nothing is shown.
  func showFrame(_ pixels: PixelBuffer) throws(CoderError) -> Bool {
    let pixels = try fitted(pixels)
    let cells = display.cells(of: pixels.size)
    guard let line else {
      let isFirst = reserved == nil
      reserved = cells
      let bytes = try painter.draw(pixels)
      if console.isTerminal || !display.style.isText {
        emit((isFirst ? opening(cells) : Array("\u{1B}8".utf8)) + bytes)
      } else {
        emit((isFirst ? [] : Array("\u{1B}[\(cells.height)A".utf8)) + bytes)
      }
      return true
    }
    guard line.hasRead(), prepare(cells, line) else { return false }
    let bytes = try painter.draw(pixels)
    line.setEnding(Array("\u{1B}\\".utf8) + ending(cells))
    let isWritten = line.write(synchronized(Array("\u{1B}8".utf8) + bytes, line))
    line.addFence()
    return isWritten
  }

  /// Waits for a time, or until a key is pressed or a signal comes.
  func keys(within patience: Duration) -> [TerminalReplies.Key] {
    if let line { return line.keys(within: patience) }
    Pause.sleep(for: patience)
    return []
  }

  /// Waits until the terminal has read all frames, or a second has passed.
  func waitForTerminal() { _ = line?.hasRead(allBut: 0, within: .seconds(1)) }

  /// Leaves the animation that is there, and goes on below it.
  func goOn() {
    defer { (reserved, removal) = (nil, painter.removal) }
    guard let line else {
      if let reserved, console.isTerminal || !display.style.isText { emit(ending(reserved)) }
      return
    }
    waitForTerminal()
    if let reserved, line.turn == reservedTurn { _ = line.write(ending(reserved)) }
    line.setEnding([])
  }

  /// Puts the cursor below the picture and gives the terminal back.
  func leave() {
    askedLine?.giveBack()
    guard let line else {
      if purpose == .play, let reserved, console.isTerminal || !display.style.isText { emit(ending(reserved)) }
      return
    }
    waitForTerminal()
    line.setEnding(reserved.map { ending($0) } ?? [])
    line.giveBack()
  }

  /// Reserves lines, unless they still are.
  ///
  /// - Returns: Whether there are lines for the picture.
  func prepare(_ cells: Size, _ line: TerminalLine) -> Bool {
    let (turn, window) = (line.turn, line.window.cells)
    let fits = window.isEmpty || (cells.width <= window.width && cells.height < window.height)
    guard turn != 0, fits else { return false }
    guard turn != reservedTurn || window != reservedWindow || reserved != cells else { return true }
    // A terminal of another size has moved its lines.
    let isMoved = turn == reservedTurn && reserved != nil
    line.setEnding(Array("\u{1B}\\".utf8) + ending(cells))
    (reserved, reservedTurn, reservedWindow) = (cells, turn, window)
    return line.write((isMoved ? removal + Array("\u{1B}8\u{1B}[J".utf8) : []) + opening(cells))
  }

  // MARK: The cursor

  /// Lines for a picture, and its first place, which is remembered: ECMA-48 §8.3.22, Cursor Up, and DECSC.
  private func opening(_ cells: Size) -> [UInt8] {
    let lines = String(repeating: "\n", count: cells.height)
    // DECTCEM
    let hidden = purpose == .play && console.isTerminal ? "\u{1B}[?25l" : ""
    return Array("\(hidden)\r\(lines)\u{1B}[\(cells.height)A\u{1B}7".utf8)
  }

  /// To the line below the picture.
  private func closing(_ cells: Size) -> [UInt8] { Array("\u{1B}8\u{1B}[\(cells.height)B\r".utf8) }

  /// What makes the terminal as it was, below the picture.
  private func ending(_ cells: Size) -> [UInt8] {
    let synchronized = line?.abilities.synchronizes == true ? "\u{1B}[?2026l" : ""
    let cursor = console.isTerminal ? "\u{1B}[0m\u{1B}[?25h" : ""
    // Where no picture stays, its lines are not left empty.
    let place = removal.isEmpty ? closing(cells) : Array("\u{1B}8".utf8)
    return Array(synchronized.utf8) + removal + place + Array(cursor.utf8)
  }

  private func synchronized(_ bytes: [UInt8], _ line: TerminalLine) -> [UInt8] {
    guard line.abilities.synchronizes else { return bytes }
    return Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8)
  }

  private func emit(_ bytes: [UInt8]) { bytes.withUnsafeBytes { console.write($0) } }
}
