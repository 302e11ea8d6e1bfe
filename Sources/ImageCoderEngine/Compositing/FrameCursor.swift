// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Shows the frames of an animation in any order.
///
/// Sequential access draws each frame once. Going elsewhere starts at the nearest of: the canvas as it is, a checkpoint,
/// the frame from which the wanted one can be drawn on an empty canvas. On the way there, frames that leave nothing
/// on the canvas are not drawn.
///
/// Once somebody has gone back, canvases are kept on the way as ``CheckpointPlan`` says, so that playing backwards costs as
/// few draws as can be with so many. One that is wanted itself is shown without a draw.
///
/// Once somebody has jumped twice, canvases are kept at equal distances in place of that, and stay: with *s* of them among *n*
/// frames a jump takes as many draws, at most, as the least power of two that is not less than *n* / (*s* + 1), after the way
/// there was gone once.
///
/// - Threads: One at a time.
package final class FrameCursor {
  private var canvas: Canvas
  private let frames: FrameTable
  private let draw: (Int, Canvas) throws(CoderError) -> CoderError?

  /// The frame that the canvas shows, or nil when it is empty.
  private var shown: Int?
  /// The frame that was drawn first, on an empty canvas, to get to what is shown.
  private var first = 0
  private var problems: [Int: CoderError] = [:]
  /// Checkpoints, by the frame that each shows.
  private var checkpoints: [Int: Checkpoint] = [:]

  private struct Checkpoint {
    let first: Int
    let canvas: Canvas
  }

  /// How many canvases may be kept beside the one that is drawn on.
  package var checkpointLimit: Int {
    didSet {
      // What is needed last goes first.
      while checkpoints.count > max(checkpointLimit, 0), let lowest = checkpoints.keys.min() {
        checkpoints[lowest] = nil
      }
    }
  }

  /// Whether canvases are kept. A step back sets it; a caller that knows that steps back follow may set it before.
  package var keepsCheckpoints = false

  /// Counts jumps: of more than one frame, forwards or back, whose way is longer than one draw. A step back takes one away.
  private var jumps = 0
  /// The last frame that was asked for, of all so far.
  private var furthest = 0

  /// The distance of canvases that are kept for jumps, in frames, or nil if they are kept for playing backwards.
  ///
  /// A power of two: where there is memory for more canvases, or more frames are known, those that were kept stay in place.
  private var interval: Int? {
    guard jumps > 1, keepsCheckpoints, checkpointLimit > 0 else { return nil }
    let count = frames.count == .max ? furthest + 1 : frames.count
    var distance = 1
    while distance * (checkpointLimit + 1) < count { distance *= 2 }
    return distance
  }

  /// - Parameters:
  ///   - checkpointLimit: How many canvases may be kept beside this one.
  ///   - draw: Draws a frame's pixels on the canvas after ``Canvas/begin(_:)``; returns why pixels are missing.
  package init(
    canvas: Canvas, frames: FrameTable, checkpointLimit: Int,
    draw: @escaping (Int, Canvas) throws(CoderError) -> CoderError?
  ) {
    self.canvas = canvas
    self.frames = frames
    self.checkpointLimit = checkpointLimit
    self.draw = draw
  }

  /// The canvas if it shows a frame, or nil.
  package func pixels(of index: Int) -> PixelBuffer? { shown == index ? canvas.pixels : nil }

  /// The first byte of the canvas.
  var canvasBase: UnsafeRawPointer { UnsafeRawPointer(canvas.pixels.base) }

  /// Goes on from a frame that replaces the whole canvas, is not disposed of by restoring what was before, and was drawn
  /// elsewhere, unless the canvas shows it already.
  package func resume(behind index: Int, drawn pixels: PixelBuffer) throws(CoderError) {
    guard shown != index else { return }
    try canvas.assign(pixels, of: try frames.header(index))
    shown = index
    first = index
  }

  /// The canvas as it is while frame `index` is shown. What is drawn later leaves the returned pixels as they are, unless
  /// they were released.
  package func show(_ index: Int) throws(CoderError) -> (pixels: PixelBuffer, problem: CoderError?) {
    if shown == index { return (canvas.pixels, problems[index]) }
    let isStepBack = index + 1 == shown
    if let shown, index < shown { keepsCheckpoints = true }
    let isJump = noteJump(to: index)
    let interval = interval
    // What is above is not needed on the way down.
    checkpoints = checkpoints.filter { kept in interval.map { kept.key % $0 == 0 } ?? (kept.key <= index) }
    if let saved = checkpoints[index] {
      (canvas, shown, first) = (interval == nil ? saved.canvas : Canvas(sharing: saved.canvas), index, saved.first)
      if interval == nil { checkpoints[index] = nil }
      return (canvas.pixels, problems[index])
    }
    var next = try goBack(for: index)
    if isJump, index > next { jumps = min(jumps + 1, 4) }
    var place = interval == nil ? checkpointPlace(from: next, to: index, isStepBack: isStepBack) : nil
    while next <= index {
      let header = try frames.header(next)
      // Nothing of the frame is left for those after it.
      if next == index || header.disposal != .restorePrevious {
        // A draw that throws leaves the canvas half way: the next access starts afresh.
        shown = nil
        try canvas.begin(header)
        problems[next] = try draw(next, canvas)
        shown = next
        if let interval, next < index, next > 0, next % interval == 0, checkpoints[next] == nil {
          checkpoints[next] = Checkpoint(first: first, canvas: Canvas(sharing: canvas))
        } else if let wanted = place, next >= wanted, next < index {
          checkpoints[next] = Checkpoint(first: first, canvas: Canvas(sharing: canvas))
          place = checkpointPlace(from: next + 1, to: index, isStepBack: true)
        }
      }
      next += 1
    }
    return (canvas.pixels, problems[index])
  }

  /// Takes note of how a frame is got to.
  ///
  /// - Returns: Whether it is neither the next one nor the one before.
  private func noteJump(to index: Int) -> Bool {
    furthest = max(furthest, index)
    guard let shown else { return false }
    if index + 1 == shown { jumps = max(jumps - 1, 0) }
    return abs(index - shown) > 1
  }

  /// Goes on where a cursor is that has shown the same frames, and must not be used any more.
  package func take(over earlier: FrameCursor) {
    (canvas, shown, first, problems) = (earlier.canvas, earlier.shown, earlier.first, earlier.problems)
    (checkpoints, checkpointLimit) = (earlier.checkpoints, earlier.checkpointLimit)
    (keepsCheckpoints, jumps, furthest) = (earlier.keepsCheckpoints, earlier.jumps, earlier.furthest)
  }

  /// The next frame whose canvas is to be kept on the way to frame `index`, or nil.
  ///
  /// - Parameter next: The frame that is drawn next.
  private func checkpointPlace(from next: Int, to index: Int, isStepBack: Bool) -> Int? {
    guard keepsCheckpoints, index > next else { return nil }
    // After a jump, canvases that were kept for elsewhere may be in the way.
    if !isStepBack, checkpoints.count > checkpointLimit / 2 { checkpoints = checkpoints.filter { $0.key == next - 1 } }
    let free = checkpointLimit - checkpoints.count
    return CheckpointPlan.place(frames: index - next + 1, slots: free).map { next - 1 + $0 }
  }

  /// Makes the canvas one from which frame `index` can be reached.
  ///
  /// - Returns: The frame to draw next.
  private func goBack(for index: Int) throws(CoderError) -> Int {
    let start = try frames.start(of: index)
    var next = start
    if let shown, shown < index, try isComplete(shown) {
      // Going on to a frame that needs no other costs nothing, and keeps what later frames may need. A reader that says
      // so of a part of the canvas has it drawn on an empty one.
      let isReadersWord = try frames.header(index).dependsOn != nil
      let canFollow = try frames.replacesCanvas(index) || !isReadersWord
      if shown >= start || shown + 1 == start && canFollow { next = shown + 1 }
    }
    if let nearest = checkpoints.keys.filter({ $0 >= next && $0 < index }).max(), let saved = checkpoints[nearest] {
      (canvas, shown, first) = (Canvas(sharing: saved.canvas), nearest, saved.first)
      return nearest + 1
    }
    if let shown, next == shown + 1 { return next }
    shown = nil
    first = start
    if try frames.replacesCanvas(start), try frames.header(start).disposal != .restorePrevious {
      try canvas.resetForReplacement()
    } else {
      try canvas.reset()
    }
    return start
  }

  /// Whether the canvas is all that later frames need, also what the frame that it shows is to bring back.
  private func isComplete(_ shown: Int) throws(CoderError) -> Bool {
    guard try frames.header(shown).disposal == .restorePrevious else { return true }
    return try first <= frames.startBelow(shown)
  }
}
