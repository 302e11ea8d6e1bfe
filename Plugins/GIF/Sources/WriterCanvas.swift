// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Follows what a player's canvas holds while an animation is written, and turns frames into ones that GIF can hold.
///
/// GIF draws over what is there and cannot make an opaque pixel transparent. Where a frame that replaces pixels needs
/// that, the frame before is written whole with a disposal that clears the canvas, and the frame is written whole.
/// For that, each frame waits until the next one is known.
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class WriterCanvas {
  /// A frame as it will be written.
  final class Frame {
    fileprivate(set) var pixels: HostPixels
    fileprivate(set) var rect: Rect
    fileprivate(set) var disposal: Disposal
    let delay: UInt16

    fileprivate init(_ pixels: HostPixels, rect: Rect, disposal: Disposal, delay: UInt16) {
      self.pixels = pixels
      self.rect = rect
      self.disposal = disposal
      self.delay = delay
    }
  }

  private let host: CoderHost
  private let size: Size
  /// What the canvas should hold before the next frame.
  private let canvas: HostPixels
  /// What it should hold while the waiting frame is shown, when that is something else.
  private var shown: HostPixels?
  private var waiting: Frame?
  /// Whether the player's canvas is cleared behind the waiting frame although ``canvas`` may hold pixels.
  private var playerIsCleared = false

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(size: Size, host: CoderHost) throws(CoderError) {
    self.host = host
    self.size = size
    canvas = try HostPixels(size, host: host)
    canvas.pixels.initialize(repeating: 0, count: size.pixelCount)
  }

  /// Takes a frame, and hands out the one before.
  func add(_ rows: FrameRows, header: FrameHeader, delay: UInt16) throws(CoderError) -> Frame? {
    let rect = header.rect
    var pixels = try HostPixels(rect.size, host: host)
    for y in 0..<rect.height { rows.load(y, into: pixels.pixels + y * rect.width) }

    var isWhole = playerIsCleared && hasOpaquePixels
    if !playerIsCleared, header.blend == .source, erases(pixels, rect) {
      try clearBehindWaiting()
      isWhole = true
    }
    let before = header.disposal == .restorePrevious ? try copy(canvas) : nil
    draw(pixels, rect, replaces: header.blend == .source)
    let whole = Rect(covering: size)
    let clears = isWhole && header.disposal != .keep
    if isWhole { pixels = try copy(canvas) }
    let previous = waiting
    waiting = Frame(
      pixels, rect: isWhole ? whole : rect, disposal: clears ? .restoreBackground : header.disposal, delay: delay)

    shown = header.disposal == .keep ? nil : try copy(canvas)
    switch header.disposal {
    case .keep: break
    case .restoreBackground: clear(rect)
    case .restorePrevious:
      if let before { canvas.pixels.update(from: before.pixels, count: size.pixelCount) }
    }
    playerIsCleared = clears
    return previous
  }

  /// Hands out the last frame.
  func finish() -> Frame? {
    defer { waiting = nil }
    return waiting
  }

  private func clearBehindWaiting() throws(CoderError) {
    guard let waiting else { return }
    if let shown { waiting.pixels = shown } else { waiting.pixels = try copy(canvas) }
    waiting.rect = Rect(covering: size)
    waiting.disposal = .restoreBackground
    shown = nil
  }

  private var hasOpaquePixels: Bool {
    for index in 0..<size.pixelCount where canvas.pixels[index] != 0 { return true }
    return false
  }

  /// Whether a frame is transparent somewhere where the canvas is not.
  private func erases(_ frame: HostPixels, _ rect: Rect) -> Bool {
    for y in 0..<rect.height {
      let (source, target) = (frame.pixels + y * rect.width, row(y, of: rect))
      for x in 0..<rect.width where source[x] == 0 && target[x] != 0 { return true }
    }
    return false
  }

  private func draw(_ frame: HostPixels, _ rect: Rect, replaces: Bool) {
    for y in 0..<rect.height {
      let (source, target) = (frame.pixels + y * rect.width, row(y, of: rect))
      for x in 0..<rect.width where replaces || source[x] != 0 { target[x] = source[x] }
    }
  }

  private func clear(_ rect: Rect) {
    for y in 0..<rect.height { row(y, of: rect).update(repeating: 0, count: rect.width) }
  }

  private func row(_ y: Int, of rect: Rect) -> UnsafeMutablePointer<UInt32> {
    canvas.pixels + (rect.y + y) * size.width + rect.x
  }

  private func copy(_ source: HostPixels) throws(CoderError) -> HostPixels {
    let copy = try HostPixels(source.size, host: host)
    copy.pixels.update(from: source.pixels, count: source.size.pixelCount)
    return copy
  }
}

/// Pixels in memory of the host.
final class HostPixels {
  let size: Size
  let pixels: UnsafeMutablePointer<UInt32>
  private let host: CoderHost

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ size: Size, host: CoderHost) throws(CoderError) {
    self.size = size
    self.host = host
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: 4)
    guard !overflow else { throw .outOfMemory(bytes: size.pixelCount, for: "a frame") }
    pixels = try host.allocate(bytes: bytes, for: "a frame").bindMemory(to: UInt32.self, capacity: size.pixelCount)
  }

  deinit { host.free(pixels) }
}
