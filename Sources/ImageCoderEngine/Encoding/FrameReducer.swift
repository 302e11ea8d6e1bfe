// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Cuts the frames of an animation to what changed, for a writer that takes such frames.
///
/// A frame waits until the next one is known, because that decides what becomes of its rectangle: it stays, it is
/// cleared, or what was there before comes back, whichever leaves the fewest pixels to draw. Pixels of a rectangle that
/// are on the canvas already become transparent where that can be drawn over it. Frames that show the same are one.
///
/// What a player shows is the same as without, pixel for pixel.
package final class FrameReducer {
  /// A frame as it is written.
  package typealias Emit = (_ pixels: PixelBuffer, _ frame: FrameHeader) throws(CoderError) -> Void

  /// A frame that waits for the next one.
  private struct Waiting {
    /// The whole canvas as it is shown.
    var shown: PixelBuffer
    var rect: Rect
    var delay: FrameDelay
    /// Whether it is drawn over the canvas rather than replacing a part of it.
    var isDrawnOver: Bool
  }

  /// A way to go on from the waiting frame.
  private struct Step {
    var disposal: FrameHeader.Disposal
    /// What the canvas holds before the next frame.
    var canvas: PixelBuffer
    var rect: Rect
    var isDrawnOver: Bool
    /// Pixels to draw.
    var cost: Int
    /// The rectangle of the waiting frame, when it has to grow so that its disposal clears enough.
    var waitingRect: Rect
  }

  /// Longest a frame is made by merging, seconds: containers count in 16 bits.
  private static let longestDelay = 600.0
  /// Of a rectangle's pixels, the share that has to be unchanged for them to become transparent: scattered holes cost more
  /// than the pixels that were there.
  private static let sparseShare = 8

  private let features: WriterFeatures
  private let isMerging: Bool
  private let isCutting: Bool
  private let emit: Emit
  /// What the canvas holds before the waiting frame; nil: nothing.
  private var canvas: PixelBuffer?
  private var waiting: Waiting?

  /// - Parameters:
  ///   - isReducing: Whether frames are cut and merged; else each is written as the whole canvas.
  ///   - emit: Writes a frame; its pixels are as large as its rectangle.
  package init(_ features: WriterFeatures, isReducing: Bool, emit: @escaping Emit) {
    self.features = features
    isMerging = isReducing
    isCutting = isReducing && features.contains(.parts)
    self.emit = emit
  }

  /// Takes the next frame: the whole canvas as it is to be shown, of the same size and layout as the others.
  ///
  /// - Parameter area: Where it may differ from the frame before, or nil when that is not known.
  package func add(_ shown: PixelBuffer, delay: FrameDelay, changedIn area: Rect? = nil) throws(CoderError) {
    let whole = Rect(covering: shown.size)
    guard var previous = waiting else {
      waiting = Waiting(shown: shown, rect: whole, delay: delay, isDrawnOver: isOnlyDrawnOver)
      return
    }
    let changed = isMerging ? FrameComparison.changed(shown, previous.shown, in: area ?? whole) : whole
    guard let changed else {
      if let sum = previous.delay.adding(delay), sum.seconds <= Self.longestDelay {
        waiting?.delay = sum
      } else {
        // Too long for one frame: the same again, as small as a frame can be.
        try write(previous, disposal: .keep)
        canvas = previous.shown
        let rect = isCutting ? Rect(x: 0, y: 0, width: 1, height: 1) : whole
        waiting = Waiting(shown: shown, rect: rect, delay: delay, isDrawnOver: isOnlyDrawnOver)
      }
      return
    }
    guard isCutting else {
      let clears =
        isOnlyDrawnOver && shown.hasFourChannels
        && PixelCensus(shown, over: previous.shown, in: whole).erased != nil
      try write(previous, disposal: clears ? .restoreBackground : .keep)
      waiting = Waiting(shown: shown, rect: whole, delay: delay, isDrawnOver: isOnlyDrawnOver)
      return
    }
    let step = try bestStep(to: shown, changed: changed, from: previous)
    previous.rect = step.waitingRect
    try write(previous, disposal: step.disposal)
    canvas = step.canvas
    waiting = Waiting(shown: shown, rect: step.rect, delay: delay, isDrawnOver: step.isDrawnOver)
  }

  /// Writes the last frame.
  package func finish() throws(CoderError) {
    guard let last = waiting else { return }
    waiting = nil
    try write(last, disposal: .keep)
  }

  private var isOnlyDrawnOver: Bool { features.contains(.blends) && !features.contains(.replaces) }

  private func write(_ frame: Waiting, disposal: FrameHeader.Disposal) throws(CoderError) {
    var pixels = try frame.shown.region(frame.rect)
    var blend = FrameHeader.Blend.source
    if frame.isDrawnOver {
      blend = .over
      if let canvas, pixels.hasFourChannels { pixels = try frame.shown.transparentWhereEqual(canvas, in: frame.rect) }
    }
    try emit(
      pixels,
      FrameHeader(
        rect: frame.rect, delay: frame.delay, disposal: disposal, blend: blend, hasAlpha: pixels.alpha != .opaque))
  }

  // MARK: What becomes of the waiting frame

  private func bestStep(
    to shown: PixelBuffer, changed: Rect, from previous: Waiting
  ) throws(CoderError) -> Step {
    guard shown.hasFourChannels, features.contains(.blends) else {
      return Step(
        disposal: .keep, canvas: previous.shown, rect: placed(changed), isDrawnOver: isOnlyDrawnOver, cost: 0,
        waitingRect: previous.rect)
    }
    let keeping = step(.keep, canvas: previous.shown, to: shown, changed: changed, from: previous)
    var best = keeping.step
    if features.contains(.restores), let canvas {
      // Outside its rectangle the waiting frame left the canvas as it was.
      let area = FrameComparison.changed(shown, canvas, in: changed.union(previous.rect))
      let candidate = step(
        .restorePrevious, canvas: canvas, to: shown, changed: area, from: previous, limit: best?.cost ?? .max
      ).step
      if let candidate, candidate.cost < best?.cost ?? .max { best = candidate }
    }
    if features.contains(.clears), let erased = keeping.census.erased {
      // Cleared as far as something has to become transparent, and at least as far as the frame was drawn.
      let rect = placed(isOnlyDrawnOver ? previous.rect.union(erased) : previous.rect)
      let cleared = try previous.shown.copy()
      cleared.clear(rect)
      let area = FrameComparison.changed(shown, cleared, in: changed.union(rect))
      let candidate = step(
        .restoreBackground, canvas: cleared, to: shown, changed: area, from: previous, waitingRect: rect,
        limit: best?.cost ?? .max
      ).step
      if let candidate, candidate.cost < best?.cost ?? .max { best = candidate }
    }
    guard let best else { throw .unsupported("a pixel that becomes transparent, in a format that cannot clear one") }
    return best
  }

  /// - Parameters:
  ///   - changed: Where the frame differs from the canvas, or nil for nowhere.
  ///   - limit: A step that costs so much is not wanted.
  /// - Returns: The step, or nil as one when the frame cannot be drawn so or costs too much.
  private func step(
    _ disposal: FrameHeader.Disposal, canvas: PixelBuffer, to shown: PixelBuffer, changed: Rect?,
    from previous: Waiting,
    waitingRect: Rect? = nil, limit: Int = .max
  ) -> (step: Step?, census: PixelCensus) {
    let rect = placed(changed ?? Rect(x: 0, y: 0, width: 1, height: 1))
    // No step costs less than the pixels that it changes.
    let census = PixelCensus(shown, over: canvas, in: rect, limit: limit)
    guard census.changed < limit else { return (nil, census) }
    let canDrawOver = census.isOpaqueWhereChanged
    guard canDrawOver || features.contains(.replaces) else { return (nil, census) }
    let area = rect.size.pixelCount
    let isSparse = (area - census.changed) * Self.sparseShare >= area
    let isDrawnOver = canDrawOver && (isSparse || isOnlyDrawnOver)
    return (
      Step(
        disposal: disposal, canvas: canvas, rect: rect, isDrawnOver: isDrawnOver,
        cost: isDrawnOver ? census.changed : area, waitingRect: waitingRect ?? previous.rect), census
    )
  }

  private func placed(_ rect: Rect) -> Rect { features.contains(.evenParts) ? rect.evenOffset : rect }
}

extension PixelBuffer {
  /// Whether pixels are compared as red, green, blue and alpha.
  fileprivate var hasFourChannels: Bool { format.channelCount == 4 }

  /// Makes a rectangle transparent black.
  fileprivate func clear(_ rect: Rect) {
    let step = format.bytesPerPixel
    for y in rect.y..<(rect.y + rect.height) {
      (row(y) + rect.x * step).initializeMemory(as: UInt8.self, repeating: 0, count: rect.width * step)
    }
  }
}
