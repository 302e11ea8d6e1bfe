// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Shows the frames of an animation in any order.
///
/// Sequential access draws each frame once. Going elsewhere starts at the nearest of: the canvas as it is, a checkpoint,
/// the frame from which the wanted one can be drawn on an empty canvas. On the way there, frames that leave nothing
/// behind are not drawn. Checkpoints are kept under a budget, so playing backwards costs a bounded number of draws per
/// frame.
///
/// - Threads: One at a time.
package final class FrameCursor {
  private let canvas: Canvas
  private let frames: FrameTable
  private let draw: (Int, Canvas) throws(CoderError) -> CoderError?
  private let pool: PixelPool?

  /// The frame that the canvas shows, or nil when it is empty.
  private var shown: Int?
  /// The frame that was drawn first, on an empty canvas, to get to what is shown.
  private var first = 0
  private var problems: [Int: CoderError] = [:]
  /// One for each `interval` of frames, by its number.
  private var checkpoints: [Int: Checkpoint] = [:]
  private let interval: Int

  private struct Checkpoint {
    let shown: Int
    let first: Int
    let canvas: Canvas
  }

  /// - Parameters:
  ///   - checkpointBytes: What checkpoints may hold in all.
  ///   - draw: Draws a frame's pixels on the canvas after ``Canvas/begin(_:)``; returns why pixels are missing.
  package init(
    canvas: Canvas, frames: FrameTable, checkpointBytes: Int, pool: PixelPool?,
    draw: @escaping (Int, Canvas) throws(CoderError) -> CoderError?
  ) {
    self.canvas = canvas
    self.frames = frames
    self.pool = pool
    self.draw = draw
    let affordable = checkpointBytes / max(canvas.pixels.byteCount, 1)
    // How many frames there will be is not known while bytes arrive; then they are shown one after the other.
    interval = affordable == 0 || frames.count == .max ? 0 : max(8, (frames.count + affordable - 1) / affordable)
  }

  /// The canvas if it shows a frame, or nil.
  package func pixels(of index: Int) -> PixelBuffer? { shown == index ? canvas.pixels : nil }

  /// Goes on from a frame that replaces the whole canvas, is not disposed of by restoring what was before, and was drawn
  /// elsewhere, unless the canvas shows it already.
  package func resume(behind index: Int, drawn pixels: PixelBuffer) throws(CoderError) {
    guard shown != index else { return }
    canvas.assign(pixels, of: try frames.header(index))
    shown = index
    first = index
  }

  /// The canvas as it is while frame `index` is shown, valid until the next call.
  package func show(_ index: Int) throws(CoderError) -> (pixels: PixelBuffer, problem: CoderError?) {
    if shown == index { return (canvas.pixels, problems[index]) }
    var next = try goBack(for: index)
    while next <= index {
      let header = try frames.header(next)
      // Nothing of the frame is left for those after it.
      if next == index || header.disposal != .restorePrevious {
        // A draw that throws leaves the canvas half way: the next access starts afresh.
        shown = nil
        try canvas.begin(header)
        problems[next] = try draw(next, canvas)
        shown = next
      }
      if interval > 0, next % interval == interval - 1 { try keepCheckpoint(next / interval) }
      next += 1
    }
    return (canvas.pixels, problems[index])
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
    if interval > 0 {
      for slot in stride(from: index / interval, through: next / interval, by: -1) {
        guard let saved = checkpoints[slot], saved.shown >= next, saved.shown <= index else { continue }
        try canvas.assign(from: saved.canvas)
        (shown, first) = (saved.shown, saved.first)
        return saved.shown + 1
      }
    }
    if let shown, next == shown + 1 { return next }
    shown = nil
    first = start
    if try frames.replacesCanvas(start), try frames.header(start).disposal != .restorePrevious {
      canvas.resetForReplacement()
    } else {
      canvas.reset()
    }
    return start
  }

  /// Whether the canvas is all that later frames need, also what the frame that it shows is to bring back.
  private func isComplete(_ shown: Int) throws(CoderError) -> Bool {
    guard try frames.header(shown).disposal == .restorePrevious else { return true }
    return try first <= frames.startBelow(shown)
  }

  private func keepCheckpoint(_ number: Int) throws(CoderError) {
    guard checkpoints[number] == nil, let shown, try isComplete(shown) else { return }
    checkpoints[number] = Checkpoint(shown: shown, first: first, canvas: try Canvas(copying: canvas, pool: pool))
  }
}

/// The headers of an animation's frames, read once, and from where each can be drawn.
///
/// - Threads: One at a time.
package final class FrameTable {
  package let count: Int
  private let canvas: Size
  private let read: (Int) throws(CoderError) -> FrameHeader
  private var headers: [FrameHeader] = []
  private var starts: [Int] = []
  private var startsBelow: [Int] = []

  package init(count: Int, canvas: Size, read: @escaping (Int) throws(CoderError) -> FrameHeader) {
    self.count = count
    self.canvas = canvas
    self.read = read
  }

  package func header(_ index: Int) throws(CoderError) -> FrameHeader {
    try load(through: index)
    return headers[index]
  }

  /// The earliest frame that has to be drawn, on an empty canvas, to show frame `index`.
  package func start(of index: Int) throws(CoderError) -> Int {
    try load(through: index)
    return starts[index]
  }

  /// The earliest frame that shapes the canvas below frame `index`; `index` itself when that canvas is empty.
  package func startBelow(_ index: Int) throws(CoderError) -> Int {
    try load(through: index)
    return startsBelow[index]
  }

  /// Where the canvas may differ from what it was while the frame before was shown, or nil when that is not known.
  package func changedArea(_ index: Int) throws(CoderError) -> Rect? {
    try load(through: index)
    guard index > 0, headers[index].dependsOn == nil else { return nil }
    let (before, frame) = (headers[index - 1], headers[index])
    return before.disposal == .keep ? frame.rect : before.rect.union(frame.rect)
  }

  /// Whether frame `index` replaces every pixel of the canvas.
  package func replacesCanvas(_ index: Int) throws(CoderError) -> Bool {
    try load(through: index)
    return replacesCanvas(headers[index])
  }

  /// Whether a later frame may be drawn on what is left of frame `index`. Only the next frame is looked at.
  package func mayBeDrawnOver(_ index: Int) throws(CoderError) -> Bool {
    try load(through: index + 1)
    // What the next frame brings back is for the one after it.
    let isBroughtBack = headers[index + 1].disposal == .restorePrevious && startsBelow[index + 1] <= index
    return starts[index + 1] <= index || isBroughtBack
  }

  private func replacesCanvas(_ header: FrameHeader) -> Bool {
    header.rect == Rect(covering: canvas) && header.replacesCanvas
  }

  private func load(through index: Int) throws(CoderError) {
    guard index >= 0, index < count else { throw .missing("frame", index: index, count: count) }
    while headers.count <= index {
      let number = headers.count
      let header = try read(number)
      let below = below(number)
      startsBelow.append(below)
      starts.append(header.dependsOn ?? (replacesCanvas(header) ? number : below))
      headers.append(header)
    }
  }

  private func below(_ number: Int) -> Int {
    guard number > 0 else { return 0 }
    let previous = number - 1
    let wasEmpty = startsBelow[previous] == previous
    switch headers[previous].disposal {
    case .keep: return starts[previous]
    case .restoreBackground:
      return wasEmpty || headers[previous].rect == Rect(covering: canvas) ? number : starts[previous]
    // What the previous frame drew is gone again, so what was below it counts.
    case .restorePrevious: return wasEmpty ? number : startsBelow[previous]
    }
  }
}
