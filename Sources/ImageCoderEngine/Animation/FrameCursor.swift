// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Shows the frames of an animation in any order.
///
/// Sequential access draws each frame once. Going elsewhere starts at the nearest of: the canvas as it is, a checkpoint,
/// the frame from which the wanted one can be drawn on an empty canvas. Checkpoints are kept under a budget, so playing
/// backwards costs a bounded number of draws per frame.
///
/// - Threads: One at a time.
package final class FrameCursor {
  private let canvas: Canvas
  private let frames: FrameTable
  private let draw: (Int, Canvas) throws(CoderError) -> CoderError?
  private let pool: PixelPool?

  /// The frame that the canvas shows, or nil when it is empty.
  private var shown: Int?
  private var problems: [Int: CoderError] = [:]
  private var checkpoints: [Int: Canvas] = [:]
  private let interval: Int

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

  /// Goes on from a frame that covers the canvas and was drawn elsewhere, unless the canvas shows it already.
  package func resume(behind index: Int, drawn pixels: PixelBuffer) throws(CoderError) {
    guard shown != index else { return }
    canvas.assign(pixels, of: try frames.header(index))
    shown = index
  }

  /// The canvas as it is while frame `index` is shown, valid until the next call.
  package func show(_ index: Int) throws(CoderError) -> (pixels: PixelBuffer, problem: CoderError?) {
    if shown == index { return (canvas.pixels, problems[index]) }
    let start = try frames.start(of: index)
    var next = start
    if let shown, shown < index, shown >= start { next = shown + 1 }
    if let nearest = checkpoints.keys.filter({ $0 >= next && $0 <= index }).max(), let saved = checkpoints[nearest] {
      try canvas.assign(from: saved)
      shown = nearest
      next = nearest + 1
    } else if next == start {
      canvas.reset()
      shown = nil
    }
    while next <= index {
      // A draw that throws leaves the canvas half way: the next access starts afresh.
      shown = nil
      try canvas.begin(try frames.header(next))
      problems[next] = try draw(next, canvas)
      shown = next
      if interval > 0, next % interval == interval - 1, checkpoints[next] == nil {
        checkpoints[next] = try Canvas(copying: canvas, pool: pool)
      }
      next += 1
    }
    return (canvas.pixels, problems[index])
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

  private func load(through index: Int) throws(CoderError) {
    guard index >= 0, index < count else { throw .invalidArgument("frame \(index) of \(count)") }
    while headers.count <= index {
      let number = headers.count
      let header = try read(number)
      let below = startBelow(number)
      let covers = header.rect == Rect(covering: canvas) && header.replacesCanvas
      startsBelow.append(below)
      starts.append(header.dependsOn ?? (covers ? number : below))
      headers.append(header)
    }
  }

  /// The earliest frame that shapes the canvas below frame `number`; `number` itself when that canvas is empty.
  private func startBelow(_ number: Int) -> Int {
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
