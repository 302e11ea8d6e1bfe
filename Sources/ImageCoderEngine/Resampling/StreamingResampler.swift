// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Reduces a picture while its rows arrive, holding a few rows only.
///
/// The filter, Lanczos with three lobes unless another is asked for, is stretched by the reduction. From a reduction by 8 on, whole
/// pixels are averaged into cells first and the filter runs over cells, which are several times smaller than a pixel of the
/// result. That is not the same as the filter over all pixels: of 8 bits the two differ by up to 12 of 255 in white noise, and by
/// few in photographs. Color is filtered multiplied by alpha.
///
/// Where a direction keeps its size and the region starts on a pixel, samples stay as they are.
///
/// - Threads: One at a time.
package final class StreamingResampler {
  /// Rows that `push` was given, those above and below the region included.
  package private(set) var rowsPushed = 0

  /// Rows at the top of the destination that are complete.
  package private(set) var rowsWritten = 0

  /// What `finish` returned.
  private var finished: Int?
  private let source: Size
  private let destination: PixelBuffer
  private let stage: Stage

  private enum Stage {
    /// Rows of the result are parts of rows of the source, and only alpha changes if anything.
    case copy(RowConverter, columns: Range<Int>, rows: Range<Int>)
    case filter(RowPipeline)
  }

  /// Prepares for rows of colors, for Lanczos.
  package convenience init(
    source: Size, layout: PixelLayout, region: ResamplingRegion, destination: PixelBuffer
  ) throws(CoderError) {
    try self.init(source: source, layout: layout, region: region, destination: destination, isPlain: false)
  }

  /// Prepares for rows.
  ///
  /// - Parameters:
  ///   - source: The size of the whole picture.
  ///   - layout: Of the rows that will be pushed.
  ///   - region: The part of the source to show, in its pixels.
  ///   - destination: Where rows go as soon as they are complete. It has the format of `layout`; its alpha mode says
  ///     what is written.
  ///   - isPlain: Whether all channels are filtered apart: the fourth is no alpha.
  ///   - filter: How neighbors are weighed.
  /// - Throws: ``CoderError/Code/invalidArgument`` for an empty size, a region that is empty or outside the source, or
  ///   a destination of another format; ``CoderError/Code/outOfMemory``.
  init(
    source: Size, layout: PixelLayout, region: ResamplingRegion, destination: PixelBuffer, isPlain: Bool,
    filter: ResamplingFilter = .lanczos
  ) throws(CoderError) {
    guard !source.isEmpty else { throw .invalidArgument("a source of \(source) has no pixels") }
    guard max(source.width, source.height) <= Int(Int32.max) else {
      throw .invalidArgument("a source of \(source), sides of at most \(Int32.max) can be resampled")
    }
    guard destination.format == layout.format else {
      throw .invalidArgument("rows of \(layout.format) for a destination of \(destination.format)")
    }
    let region = try Self.checked(region, inside: source)
    self.source = source
    self.destination = destination
    let lanes = LaneRow.lanes(of: layout.format)
    let columns = try Self.table(
      length: source.width, offset: region.x, extent: region.width, count: destination.size.width, repeats: lanes,
      filter)
    let rows = try Self.table(
      length: source.height, offset: region.y, extent: region.height, count: destination.size.height, repeats: 1, filter
    )
    let output = PixelLayout(destination.format, destination.alpha)
    if columns.isCopy, rows.isCopy {
      self.stage = .copy(RowConverter(from: layout, to: output), columns: columns.cells, rows: rows.cells)
    } else {
      self.stage = .filter(
        try RowPipeline(
          LaneRow(source: layout, output: destination.alpha, isPlain: isPlain), source: source, columns: columns,
          rows: rows, destination: destination))
    }
  }

  /// Takes the next rows, from the top.
  ///
  /// - Parameters:
  ///   - rows: The first row, its leftmost pixel. Read before the call returns.
  ///   - stride: Bytes from one row to the next.
  ///   - count: Rows; those beyond the height of the source, or after `finish`, are ignored.
  package func push(_ rows: UnsafeRawPointer, stride: Int, count: Int) {
    guard finished == nil else { return }
    let end = rowsPushed + min(max(count, 0), source.height - rowsPushed)
    switch stage {
    case .copy(let converter, let columns, let range):
      var row = rows
      let skipped = columns.lowerBound * converter.from.format.bytesPerPixel
      for y in rowsPushed..<end {
        if range.contains(y) {
          converter.convert(row + skipped, into: destination.row(y - range.lowerBound), count: columns.count)
          rowsWritten += 1
        }
        row += stride
      }
    case .filter(let pipeline):
      pipeline.push(rows, stride: stride, rowsPushed..<end)
      rowsWritten = pipeline.rowsWritten
    }
    rowsPushed = end
  }

  /// Completes the result from the rows that were pushed.
  ///
  /// A row that lacks some of its input takes the last row that came in its place; a row that lacks all of it is
  /// cleared to 0.
  ///
  /// - Returns: Rows at the top that are wholly right: all of them after the last row of the source was pushed.
  package func finish() -> Int {
    if let finished { return finished }
    let right = rowsWritten
    var next = right
    if case .filter(let pipeline) = stage { next = pipeline.finish() }
    if next < destination.size.height { destination.clear(rows: next..<destination.size.height) }
    finished = right
    return right
  }

  private static func checked(
    _ region: ResamplingRegion, inside source: Size
  ) throws(CoderError) -> ResamplingRegion {
    let width = Double(source.width)
    let height = Double(source.height)
    // Crops come from divisions, so their far edges may lie a rounding error outside.
    let slack = 1e-6
    guard region.width > 0, region.height > 0, region.x >= -slack, region.y >= -slack,
      region.x + region.width <= width + slack, region.y + region.height <= height + slack
    else {
      throw .invalidArgument(
        "a region of \(region.width)×\(region.height) at \(region.x), \(region.y) of a picture of \(source)")
    }
    let x = min(max(region.x, 0), width)
    let y = min(max(region.y, 0), height)
    return ResamplingRegion(x: x, y: y, width: min(region.width, width - x), height: min(region.height, height - y))
  }

  private static func table(
    length: Int, offset: Double, extent: Double, count: Int, repeats: Int, _ filter: ResamplingFilter
  ) throws(CoderError) -> FilterTable {
    let reduction = extent / Double(count)
    let factor = min(max(Int(reduction / cellsPerPixel), 1), 256)
    return try FilterTable(
      length: length, offset: offset, extent: extent, count: count, factor: factor, repeats: repeats, filter: filter)
  }

  /// Cells to a pixel of the result at least, where pixels are averaged.
  private static let cellsPerPixel = 4.0
}
