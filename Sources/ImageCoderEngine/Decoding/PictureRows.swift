// SPDX-License-Identifier: Apache-2.0

import CImageCoder
package import ImageCoderModel

/// A still whose rows come one band after the other, from the top, so that no one holds the whole picture.
package struct PictureRows {
  /// Takes rows from the top, in the layout and the width of the picture; the view lives during the call.
  package typealias Taker = (_ rows: PixelView) throws(CoderError) -> Void

  /// The size of the whole picture, pixels.
  package let size: Size
  package let layout: PixelLayout
  let request: DecodeRequest
  let offer: DecodeOffer
}

extension ImageDecoder {
  /// The rows of a still that is upright, as large as it is stored, and comes from the top; nil for any other picture.
  package func pictureRows() throws(CoderError) -> PictureRows? {
    guard end == 1, header.frameCount == 1, !header.isIncomplete, applied == nil, plan.orientation == .up,
      !plan.isReduced, plan.drawing == nil, options.destination == nil
    else { return nil }
    return try attributing { () throws(CoderError) in
      guard try standsAlone(0) else { return nil }
      return try pictures.rows(page: page, canvas: header.canvas, plan: plan)
    }
  }

  /// Decodes the rows of ``pictureRows()``. Rows that are missing are given as zeros.
  ///
  /// After damage, a reader that can also deliver rows in any order decodes the picture once more in that one, which may
  /// bring rows below the damage. Then the whole picture is in memory.
  ///
  /// - Returns: Why rows are missing, or nil.
  /// - Throws: What `take` throws; ``CoderError`` if not a single row can be decoded; of a strict decode, why rows are
  ///   missing.
  package func decodeRows(_ rows: PictureRows, _ take: PictureRows.Taker) throws(CoderError) -> CoderError? {
    let problem = try attributing { () throws(CoderError) in
      try pictures.decodeRows(rows, isStrict: options.isStrict, take)
    }
    return problem?.annotated(coder: coderID, file: file.path)
  }

  /// Decodes the still, and keeps nothing of it.
  ///
  /// - Returns: Why rows are missing, or nil.
  package func problemOfStill() throws(CoderError) -> CoderError? {
    guard let rows = try pictureRows() else { return try frame(at: 0).problem }
    return try decodeRows(rows) { _ in }
  }
}

extension PictureDecoder {
  /// What the reader offers for a picture that can go on row by row, or nil if it has to be looked at whole.
  fileprivate func rows(page: Int, canvas: Size, plan: OutputPlan) throws(CoderError) -> PictureRows? {
    guard incremental == nil, linear == nil, color?.inks == nil, !(color?.measuresPeak ?? false) else { return nil }
    let asked = layoutToConvert(to: plan.layout)
    let request = DecodeRequest(
      page: page, frame: 0, pixelFormat: asked.format, alpha: asked.alpha, rowOrder: .topDown)
    let offer = try offer(for: request, size: canvas)
    guard offer.rowOrder == .topDown, offer.size == canvas else { return nil }
    return PictureRows(size: plan.size, layout: plan.layout, request: request, offer: offer)
  }

  fileprivate func decodeRows(
    _ rows: PictureRows, isStrict: Bool, _ take: PictureRows.Taker
  ) throws(CoderError) -> CoderError? {
    let (offer, layout) = (rows.offer, rows.layout)
    try check(offer, keepsWhole: false, results: 0, in: layout.format)
    let recoder = RowRecoder(from: PixelLayout(offer.pixelFormat, offer.alpha), to: layout, color: color)
    return try withoutActuallyEscaping(take) { (take) throws(CoderError) in
      let target = try TakenRows(
        size: offer.size, recoder, from: PixelLayout(offer.pixelFormat, offer.alpha), to: layout, take)
      let outcome: (missing: [Range<Int>], problem: CoderError?)
      do throws(CoderError) {
        outcome = try run(offer, into: target, showing: { (_) throws(CoderError) in try target.nothing() })
      } catch {
        guard error.keepsEarlierFrames, target.failure == nil else { throw error }
        // Not a row from the top; in another order there may be some.
        outcome = ([0..<offer.size.height], error)
      }
      if isStrict, let problem = outcome.problem { throw problem }
      guard let missing = outcome.missing.first else { return outcome.problem }
      if let rest = try rest(of: rows) {
        try target.give(rest.pixels, from: missing.lowerBound, without: rest.missing)
        return rest.problem ?? outcome.problem
      }
      if missing.count == offer.size.height, let problem = outcome.problem { throw problem }
      try target.giveZeros(missing.count)
      return outcome.problem
    }
  }

  /// The picture as a reader delivers it in any order, or nil if it does not, or there is no memory for it.
  private func rest(of rows: PictureRows) throws(CoderError) -> Picture? {
    var request = rows.request
    request.rowOrder = .any
    let offer = try offer(for: request, size: rows.size)
    guard offer.rowOrder == .any, offer.part == rows.offer.part, offer.pixelFormat == rows.offer.pixelFormat,
      offer.alpha == rows.offer.alpha
    else { return nil }
    do throws(CoderError) {
      try check(offer, keepsWhole: true, results: 0, in: rows.layout.format)
      return try whole(offer) { (pixels) throws(CoderError) in pixels }
    } catch {
      guard error.code != .cancelled else { throw error }
      return nil
    }
  }
}

/// Rows that are given on as they come.
private final class TakenRows: SinkTarget {
  /// What the taker threw; nothing is given to it afterwards.
  private(set) var failure: CoderError?

  private let recoder: RowRecoder
  private let source: PixelBuffer
  /// Rows of the result; the same as `source` if their bytes are the reader's.
  private let result: PixelBuffer
  /// The layout of the result. Where opaque pixels are passed on as straight ones, no byte changes, and ``result`` has
  /// the reader's.
  private let layout: PixelLayout
  private let take: PictureRows.Taker
  /// The picture's row that the band begins with.
  private var firstRow = 0

  init(
    size: Size, _ recoder: RowRecoder, from: PixelLayout, to: PixelLayout, _ take: @escaping PictureRows.Taker
  ) throws(CoderError) {
    let band = Size(width: size.width, height: min(size.height, PassingTarget.bandHeight))
    self.recoder = recoder
    self.take = take
    layout = to
    source = try PixelBuffer(size: band, format: from.format, alpha: from.alpha)
    result = recoder.isIdentity ? source : try PixelBuffer(size: band, format: to.format, alpha: to.alpha)
  }

  func rows(at y: Int, count: Int) -> imgcoder_rows {
    firstRow = y
    return imgcoder_rows(
      pixels: source.base.assumingMemoryBound(to: UInt8.self), stride: UInt64(source.stride),
      count: UInt32(min(count, source.size.height)), reserved: 0)
  }

  func done(at y: Int, count: Int, pass: Int) {
    guard failure == nil else { return }
    let first = y - firstRow
    if result !== source {
      for row in first..<(first + count) {
        recoder.convert(source.row(row), into: result.row(row), count: source.size.width)
      }
    }
    do throws(CoderError) { try give(first..<(first + count)) } catch { failure = error }
  }

  /// Gives rows of zeros in place of those that never came.
  func giveZeros(_ count: Int) throws(CoderError) {
    result.clear(rows: 0..<result.size.height)
    var left = count
    while left > 0 {
      let part = min(left, result.size.height)
      try give(0..<part)
      left -= part
    }
  }

  /// Gives rows of a picture in the reader's layout, from one on.
  ///
  /// - Parameter missing: Rows that never came, which are given as zeros.
  func give(_ picture: PixelBuffer, from first: Int, without missing: [Range<Int>]) throws(CoderError) {
    for y in first..<picture.size.height {
      guard !missing.contains(where: { $0.contains(y) }) else {
        try giveZeros(1)
        continue
      }
      recoder.convert(picture.row(y), into: result.base, count: picture.size.width)
      try give(0..<1)
    }
  }

  /// Nobody looks at rows that have gone.
  func nothing() throws(CoderError) -> PixelBuffer { result }

  private func give(_ rows: Range<Int>) throws(CoderError) {
    try take(
      PixelView(
        layout: layout, size: Size(width: result.size.width, height: rows.count),
        base: UnsafeRawPointer(result.row(rows.lowerBound)), stride: result.stride))
  }
}
