// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import Glibc
import ImageCoderModel

/// Takes rows from a reader on the host's side.
protocol SinkTarget: AnyObject {
  /// Memory for up to `count` rows from `y` on.
  func rows(at y: Int, count: Int) -> imgcoder_rows
  /// Rows are written.
  func done(at y: Int, count: Int, pass: Int)
  /// Why no more rows are taken, or nil.
  var failure: CoderError? { get }
}

extension SinkTarget {
  var failure: CoderError? { nil }
}

/// Checks what a reader does with its sink, counts rows, and hands the rest to a target.
///
/// A plugin that asks for rows outside the picture, or out of order, gets `invalidArgument`; memory never comes from
/// it.
final class HostSink: IncrementalRows {
  /// Rows of the picture.
  let height: Int
  private let target: any SinkTarget
  private let order: RowOrder
  private unowned let session: HostSession
  /// What became of each row, for orders other than top-down, which needs two counts alone.
  private var states: [RowState]
  private(set) var rowsDone = 0
  private(set) var pass = 0
  private var rowsToTheGap = 0
  /// After the rows that were done last.
  private var lastRow = 0
  /// Rows granted after the last one that is done, in top-down order.
  private var rowsGranted = 0
  /// Rows from the top that are wanted, of those that come top down; the reader is stopped after them.
  private let rowsNeeded: Int
  /// Whether the reader was stopped because all rows that are wanted are there.
  private(set) var isSated = false

  private enum RowState: UInt8 {
    case untouched, granted, done
  }

  /// Bytes of a row to clear before the reader gets it, or nil.
  private let clearedBytes: Int?

  /// - Parameters:
  ///   - rowBytes: Of one row, without padding.
  ///   - rowsNeeded: Rows from the top that are wanted, at least 1, or nil for all.
  init(
    target: any SinkTarget, height: Int, rowBytes: Int, order: RowOrder, session: HostSession, rowsNeeded: Int? = nil
  ) {
    self.target = target
    self.rowsNeeded = order == .topDown ? min(rowsNeeded ?? height, height) : height
    clearedBytes = session.clearsRows ? rowBytes : nil
    self.height = height
    self.order = order
    self.session = session
    self.states = order == .any ? [RowState](repeating: .untouched, count: height) : []
  }

  /// Whether all rows that are wanted are done.
  var isDone: Bool { rowsDone >= rowsNeeded }

  var shareOfRows: Double { Double(rowsDone) / Double(height) }
  var shareOfPass: Double { Double(lastRow) / Double(height) }

  var rowsFromTheTop: Int {
    guard order == .any else { return rowsDone }
    while rowsToTheGap < height, states[rowsToTheGap] == .done { rowsToTheGap += 1 }
    return rowsToTheGap
  }

  /// Rows that were never reported done, as ranges from the top.
  var missingRows: [Range<Int>] {
    guard order == .any else { return rowsDone < height ? [rowsDone..<height] : [] }
    var missing: [Range<Int>] = []
    var start: Int?
    for y in 0..<height {
      if states[y] == .done {
        if let first = start { missing.append(first..<y) }
        start = nil
      } else if start == nil {
        start = y
      }
    }
    if let first = start { missing.append(first..<height) }
    return missing
  }

  /// Calls `body` with the sink as the reader sees it.
  func withSink<Result>(_ body: (RowSink) throws(CoderError) -> Result) throws(CoderError) -> Result {
    var raw = imgcoder_sink_sized()
    raw.context = Unmanaged.passUnretained(self).toOpaque()
    raw.rows = { sink, y, count, granted in
      guard let context = sink?.pointee.context, let granted else { return InterfaceStatus.invalidArgument }
      return Unmanaged<HostSink>.fromOpaque(context).takeUnretainedValue().grant(at: Int(y), count: Int(count), granted)
    }
    raw.done = { sink, y, count, pass in
      guard let context = sink?.pointee.context else { return InterfaceStatus.invalidArgument }
      return Unmanaged<HostSink>.fromOpaque(context).takeUnretainedValue().take(
        at: Int(y), count: Int(count), pass: Int(pass))
    }
    // What a reader leaves there would be called when it is gone.
    defer { _ = session.source?.whenLookedAt(nil) }
    let result: Swift.Result<Result, CoderError> = withExtendedLifetime(self) {
      withUnsafePointer(to: raw) { pointer in
        do throws(CoderError) { return .success(try body(RowSink(pointer))) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }

  private func grant(at y: Int, count: Int, _ granted: UnsafeMutablePointer<imgcoder_rows>) -> imgcoder_status {
    if session.isCancelled { return refuse(.cancelled) }
    guard count > 0, y < height, order == .any ? count <= height - y : y == rowsDone else {
      return refuse(.libraryFailure("the reader asks for \(count) rows at \(y) of \(height), \(rowsDone) are done"))
    }
    granted.pointee = target.rows(at: y, count: min(count, height - y))
    if order == .any {
      for row in y..<(y + count) where states[row] == .untouched {
        states[row] = .granted
        clear(granted.pointee, row - y)
      }
    } else {
      for row in 0..<Int(granted.pointee.count) { clear(granted.pointee, row) }
      rowsGranted = Int(granted.pointee.count)
    }
    return InterfaceStatus.ok
  }

  private func clear(_ rows: imgcoder_rows, _ row: Int) {
    if let clearedBytes, let base = rows.pixels { memset(base + row * Int(rows.stride), 0, clearedBytes) }
  }

  private func take(at y: Int, count: Int, pass: Int) -> imgcoder_status {
    if session.isCancelled { return refuse(.cancelled) }
    guard count > 0, y < height, count <= height - y, order == .any || y == rowsDone else {
      return refuse(.libraryFailure("the reader reports \(count) rows at \(y) of \(height), \(rowsDone) are done"))
    }
    // A row that was never granted was never written either: it still holds what the memory held before.
    let wasGranted =
      order == .any ? states[y..<(y + count)].allSatisfy { $0 != .untouched } : count <= rowsGranted
    guard wasGranted else {
      return refuse(.libraryFailure("the reader reports \(count) rows at \(y) of \(height), which it did not ask for"))
    }
    if order == .any {
      for row in y..<(y + count) where states[row] == .granted {
        states[row] = .done
        rowsDone += 1
      }
    } else {
      rowsDone += count
      rowsGranted -= count
    }
    // Rows may be shown in the colors of a pass that is over.
    if pass >= self.pass {
      self.pass = pass
      lastRow = y + count
    }
    target.done(at: y, count: count, pass: pass)
    if let failure = target.failure { return refuse(failure) }
    session.progress?(Double(min(rowsDone, rowsNeeded)) / Double(rowsNeeded))
    guard rowsNeeded == height || rowsDone < rowsNeeded else {
      isSated = true
      return refuse(.cancelled)
    }
    return InterfaceStatus.ok
  }

  private func refuse(_ error: CoderError) -> imgcoder_status {
    session.record(error)
    return error.code.rawValue
  }
}
