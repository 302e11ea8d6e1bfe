// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The headers of an animation's frames, read once, and from where each can be drawn.
///
/// - Threads: One at a time.
package final class FrameTable {
  package let count: Int
  private let canvas: Size
  private let limits: Limits
  private let read: (Int) throws(CoderError) -> FrameHeader
  private var headers: [FrameHeader] = []
  private var starts: [Int] = []
  private var startsBelow: [Int] = []
  /// Once they were counted, of a file that does not count them.
  private var counted: Int?

  /// Bytes that the table has for each frame.
  static let frameBytes = MemoryLayout<FrameHeader>.stride + 2 * MemoryLayout<Int>.stride

  /// - Parameters:
  ///   - count: Of frames; the largest integer of a file that may gain some, or does not count them.
  ///   - limits: `maxFrames` bounds how many headers are kept.
  package init(count: Int, canvas: Size, limits: Limits, read: @escaping (Int) throws(CoderError) -> FrameHeader) {
    self.count = count
    self.canvas = canvas
    self.limits = limits
    self.read = read
  }

  /// The number of frames of a file that does not count them, by asking for one after the other.
  ///
  /// One that cannot be described ends them and is counted: who asks for it gets the reason.
  func countAll() -> Int {
    if let counted { return counted }
    var known = headers.count
    while known < count {
      do throws(CoderError) { try load(through: known) } catch {
        if error.code != .invalidArgument { known += 1 }
        break
      }
      known += 1
    }
    counted = known
    return known
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

  /// Whether every pixel of the canvas is opaque while each of the first `count` frames is shown.
  ///
  /// Before the first frame the canvas is transparent, and so is what was disposed of to the background: the frame that is
  /// drawn next has to cover that.
  package func keepCanvasOpaque(_ count: Int) throws(CoderError) -> Bool {
    var hole: Rect? = Rect(covering: canvas)
    for index in 0..<count {
      let frame = try header(index)
      // What a reader says of a part of the canvas may be drawn on an empty one.
      if frame.dependsOn != nil { hole = Rect(covering: canvas) }
      guard !frame.hasAlpha, hole.map({ frame.rect.union($0) == frame.rect }) ?? true else { return false }
      switch frame.disposal {
      case .keep: hole = nil
      case .restoreBackground: hole = frame.rect
      case .restorePrevious: break
      }
    }
    return true
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
    // Of a file with an open end, the frame after the last that is allowed may be none.
    let hasOpenEnd = count == .max
    if index >= headers.count, !hasOpenEnd { try limits.check(frames: index + 1) }
    while headers.count <= index {
      let number = headers.count
      let header = try read(number)
      if hasOpenEnd { try limits.check(frames: number + 1) }
      let below = below(number)
      try ArrayMemory.grow(&startsBelow, by: 1, for: "the table of frames")
      try ArrayMemory.grow(&starts, by: 1, for: "the table of frames")
      try ArrayMemory.grow(&headers, by: 1, for: "the table of frames")
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
