// SPDX-License-Identifier: Apache-2.0

/// A writer that also takes a frame whose rows come a few at a time, so that no one holds the whole picture.
///
///     beginRows, { add rows }, endRows
///
/// stand for one call of `add(_:frame:)`, and write a file that shows the same. See
/// `imgcoder/frame_rows.h`.
public protocol FrameRowsWriter: WriterSession {
  /// Begins a frame.
  ///
  /// - Parameters:
  ///   - size: Of the whole frame.
  ///   - layout: Of all its rows: what `layout(for:)` returned.
  /// - Returns: False if this frame is needed whole; then nothing has been written, and `add(_:frame:)` takes it.
  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool

  /// Takes the next rows, top to bottom.
  func add(rows: PixelView) throws(CoderError)

  /// Ends the frame, after its last row.
  func endRows() throws(CoderError)
}
