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
  private var y = 0
  private var pass = 0
  private var doneCount = 0
  /// Rows from `grantedStart` on that the host gave and that are not all done.
  private var granted: RowSink.Rows?
  private var grantedStart = 0

  private static let firstRows = [0, 4, 2, 1]
  private static let steps = [8, 8, 4, 2]
  /// Rows that are reported together, so that a host that keeps few of them is told in time.
  private static let rowsAtATime = 64

  init(sink: RowSink, stored: Size, visible: Size, isInterlaced: Bool) {
    self.sink = sink
    self.stored = stored
    self.visible = visible
    self.isInterlaced = isInterlaced
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
    try sink.done(at: grantedStart, count: granted.count)
    self.granted = nil
  }

  /// Reports what is done of the rows that are granted, before an error ends the image.
  mutating func flush() throws(CoderError) {
    guard !isInterlaced, granted != nil, y > grantedStart else { return }
    try sink.done(at: grantedStart, count: y - grantedStart)
    granted = nil
  }

  private mutating func place() throws(CoderError) {
    guard !isComplete, y < visible.height else {
      current = nil
      return
    }
    if granted == nil {
      granted = try sink.rows(at: y, count: min(Self.rowsAtATime, visible.height - y))
      grantedStart = y
    }
    guard let granted else { return }
    current = granted.base + (y - grantedStart) * granted.stride
  }
}
