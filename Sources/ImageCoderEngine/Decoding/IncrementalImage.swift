// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What an incremental decode has so far.
///
/// The reading thread writes it; it is looked at while that thread sleeps or after it has ended.
final class IncrementalImage: @unchecked Sendable {
  /// Makes a picture of the rows of a frame, but for the missing ones.
  typealias Draw = (_ rows: PixelBuffer, _ missing: [Range<Int>]) throws(CoderError) -> PixelBuffer
  /// The rows, from the top, that follow from the first `rows` rows of what they are made of.
  typealias FinalRows = (_ rows: Int) -> Int

  // Unchecked: IncrementalBytes lets one thread at a time go.
  private(set) var header: ImageHeader?
  private(set) var coderID: String?
  private(set) var loopCount = LoopCount.infinite
  /// Frames whose every row is there.
  private(set) var frames: [Frame] = []

  /// The frame in progress: makes a picture of what is there.
  private var show: (() throws(CoderError) -> PixelBuffer)?
  private var finish: (PixelBuffer) throws(CoderError) -> PixelBuffer = { pixels in pixels }
  private var rows: (any IncrementalRows)?
  /// From its first rows as the reader sends them: rows of the picture that will not change any more.
  private var finalRows: FinalRows = { rows in rows }
  /// Draws what is there of the frame in progress on the canvas that it belongs on, if there is one, and says which rows
  /// of that will not change any more.
  private var canvas: (draw: Draw, finalRows: FinalRows)?

  /// What was there of the frame in progress when the reader left.
  private var kept: (pixels: PixelBuffer?, progress: IncrementalProgress)?

  /// The header of a file whose coder has to wait for all of its bytes.
  func preview(_ header: ImageHeader, coder: String) {
    self.header = header
    coderID = coder
  }

  /// How each picture gets from the frame's own pixels to what the caller wants, once it is there.
  func open(_ decoder: ImageDecoder, finish: @escaping (PixelBuffer) throws(CoderError) -> PixelBuffer) {
    header = decoder.header
    coderID = decoder.coderID
    loopCount = decoder.loopCount
    self.finish = finish
    frames = []
    close()
  }

  /// Keeps what is there, since the reader is about to leave.
  func keep() {
    let progress = progress
    // Without memory for a copy, only complete frames stay.
    let pixels = Result { () throws(CoderError) in try partialFrame() }
    kept = ((try? pixels.get()) ?? nil, progress)
  }

  /// The decoder is gone: what it showed cannot be shown any more.
  func close() { forgetFrame() }

  /// The header as it is known now.
  func update(_ header: ImageHeader, loopCount: LoopCount) {
    self.header = header
    self.loopCount = loopCount
  }

  /// A frame begins; its rows are counted by `rows`.
  func begin(
    _ rows: any IncrementalRows, finalRows: @escaping FinalRows, show: @escaping () throws(CoderError) -> PixelBuffer
  ) {
    self.rows = rows
    self.finalRows = finalRows
    self.show = show
  }

  /// The frame that begins next is drawn on a canvas.
  func compose(finalRows: @escaping FinalRows, _ draw: @escaping Draw) { canvas = (draw, finalRows) }

  /// A frame is complete.
  func add(_ frame: Frame) {
    frames.append(frame)
    forgetFrame()
  }

  private func forgetFrame() {
    show = nil
    rows = nil
    canvas = nil
  }

  /// How much is there.
  var progress: IncrementalProgress {
    if let kept { return kept.progress }
    var state = IncrementalProgress(framesComplete: frames.count, finalRows: 0, pass: 0, quality: 0)
    if let header, !header.mayGainFrames, frames.count >= header.frameCount { state.quality = 1 }
    guard let rows, let header else { return state }
    state.pass = rows.pass
    if header.isProgressive {
      var missing = 1.0
      for _ in 0..<min(rows.pass, 32) { missing /= 2 }
      state.quality = 1 - missing * (1 - rows.shareOfPass / 2)
    } else {
      let (rows, shareOfRows) = (finalRows(rows.rowsFromTheTop), rows.shareOfRows)
      state.finalRows = canvas?.finalRows(rows) ?? rows
      state.quality = shareOfRows
    }
    return state
  }

  /// The frame in progress as it can be shown now, with rows that are missing transparent; nil without a row.
  func partialFrame() throws(CoderError) -> PixelBuffer? {
    if let kept { return kept.pixels }
    guard let show, let rows, rows.shareOfRows > 0 else { return nil }
    let shown = try show()
    return try finish(try canvas?.draw(shown, rows.missingRows) ?? shown)
  }
}
