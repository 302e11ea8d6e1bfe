// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Where the rows of an image go, in the order in which they are stored.
///
/// - Format: GIF89a, Appendix E, Interlaced Images: every 8th row from 0, every 8th from 4, every 4th from 2, every
///   2nd from 1.
struct RowPlacement {
  /// The image as stored, and its part that is on the canvas.
  let stored: Size
  let visible: Size
  /// Rows decoded, the invisible ones included.
  private(set) var decodedCount = 0
  /// Where the row goes that is being decoded, or nil when it is not visible.
  private(set) var current: UnsafeMutableRawPointer?

  private let sink: RowSink
  private let isInterlaced: Bool
  private let rowBytes: Int
  private let showsCoarseRows: Bool
  /// The row that is copied next to rows of later passes, and its pass.
  private var coarseY = 0
  private var coarsePass = 0
  private var hasCoarseRows = false
  private var y = 0
  private var pass = 0
  private var doneCount = 0
  /// Rows from `grantedStart` on that the host gave and that are not all done; those before `reportedEnd` are.
  private var granted: RowSink.Rows?
  private var grantedStart = 0
  private var reportedEnd = 0

  private static let firstRows = [0, 4, 2, 1]
  private static let steps = [8, 8, 4, 2]
  /// Rows, its own included, that a row of each pass stands for until the later passes have come.
  private static let heights = [8, 4, 2, 1]
  /// Rows that are reported together, so that a host that keeps few of them is told in time.
  private static let rowsAtATime = 64

  /// - Parameters:
  ///   - rowBytes: Of a visible row.
  ///   - showsCoarseRows: Whether ``show()`` copies rows of early passes to those that are still to come.
  init(
    sink: RowSink, stored: Size, visible: Size, isInterlaced: Bool, rowBytes: Int, showsCoarseRows: Bool
  ) {
    self.sink = sink
    self.stored = stored
    self.visible = visible
    self.isInterlaced = isInterlaced
    self.rowBytes = rowBytes
    self.showsCoarseRows = showsCoarseRows && isInterlaced
  }

  /// Whether every visible row is done.
  var isComplete: Bool { doneCount == visible.height }

  /// Asks for the first rows.
  mutating func begin() throws(CoderError) {
    if isInterlaced { granted = try sink.rows(at: 0, count: visible.height) }
    try place()
  }

  /// Finishes the current row and goes to the next one.
  mutating func advance() throws(CoderError) {
    decodedCount += 1
    if current != nil { doneCount += 1 }
    if isInterlaced {
      if current != nil { try sink.done(at: y, pass: pass) }
      y += Self.steps[pass]
      while y >= stored.height, pass < 3 {
        pass += 1
        y = Self.firstRows[pass]
      }
    } else {
      y += 1
      try report()
    }
    try place()
  }

  /// Reports rows of the top-down order once the granted ones are full.
  private mutating func report() throws(CoderError) {
    guard let granted, y == grantedStart + granted.count else { return }
    try reportPart()
    self.granted = nil
  }

  /// Reports the granted rows of the top-down order that are written; the others stay granted.
  private mutating func reportPart() throws(CoderError) {
    guard granted != nil, y > reportedEnd else { return }
    try sink.done(at: reportedEnd, count: y - reportedEnd)
    reportedEnd = y
  }

  /// Reports what is there, before more bytes are waited for.
  mutating func show() throws(CoderError) {
    guard isInterlaced else { return try reportPart() }
    if showsCoarseRows { try showCoarseRows() }
  }

  /// Reports what is there of the rows that are granted, and takes coarse rows back, before an error ends the image.
  mutating func end() throws(CoderError) {
    guard isInterlaced else { return try reportPart() }
    guard hasCoarseRows, let granted else { return }
    for y in 0..<visible.height where !hasOwnPixels(y) {
      (granted.base + y * granted.stride).initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes)
    }
  }

  /// Copies rows of early passes to those below that have no pixels of their own.
  private mutating func showCoarseRows() throws(CoderError) {
    guard let granted else { return }
    while coarsePass < 3, (coarsePass, coarseY) < (pass, y) {
      guard coarseY < visible.height else {
        coarsePass += 1
        coarseY = Self.firstRows[coarsePass]
        continue
      }
      let end = min(coarseY + Self.heights[coarsePass], visible.height)
      var next = coarseY + 1
      var start = next
      while next < end, !hasOwnPixels(next) {
        if next == y {
          // The row that is being decoded is not touched: its beginning is there.
          if start < next { try sink.done(at: start, count: next - start, pass: coarsePass) }
          start = next + 1
        } else {
          (granted.base + next * granted.stride).copyMemory(
            from: granted.base + coarseY * granted.stride, byteCount: rowBytes)
          hasCoarseRows = true
        }
        next += 1
      }
      if start < next { try sink.done(at: start, count: next - start, pass: coarsePass) }
      coarseY += Self.steps[coarsePass]
    }
  }

  private func hasOwnPixels(_ row: Int) -> Bool {
    let ownPass = row & 1 == 1 ? 3 : row & 2 == 2 ? 2 : row & 4 == 4 ? 1 : 0
    return (ownPass, row) < (pass, y)
  }

  private mutating func place() throws(CoderError) {
    guard !isComplete, y < visible.height else {
      current = nil
      return
    }
    if granted == nil {
      granted = try sink.rows(at: y, count: min(Self.rowsAtATime, visible.height - y))
      grantedStart = y
      reportedEnd = y
    }
    guard let granted else { return }
    current = granted.base + (y - grantedStart) * granted.stride
  }
}
