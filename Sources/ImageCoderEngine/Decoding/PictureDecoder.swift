// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Brings one frame's own pixels from a reader into a result, on the cheapest route that is exact.
///
/// Rows go straight into the result when layout and size agree; otherwise they are converted or resampled as they
/// arrive, and only a reader that sends rows out of order makes the whole picture be kept in between.
struct PictureDecoder {
  let reader: any ReaderSession
  let session: HostSession
  var pool: PixelPool?
  /// What happens to colors of frames that cover the canvas, or nil.
  var color: ColorTransform?
  /// How light of frames that cover the canvas is resampled, or nil where codes are.
  var linear: LinearLight?
  /// The pixel format of the file.
  let native: PixelFormat
  /// Rows of a picture that is kept that are resampled before a look at whether it is still wanted.
  private static let rowsBetweenLooks = 256

  /// Is told of rows as they come, when somebody may look at them.
  var incremental: IncrementalImage?

  /// A picture, and why rows of it are missing.
  struct Picture {
    var pixels: PixelBuffer
    var problem: CoderError?
    /// Rows that never came, as ranges from the top; they are transparent.
    var missing: [Range<Int>] = []
  }

  /// Decodes a frame that covers the canvas, to plan.
  ///
  /// - Parameter destination: Memory for the result, of its size and layout, or nil for fresh memory.
  func decode(
    frame: Int, page: Int, canvas: Size, plan: OutputPlan, destination: PixelBuffer?
  ) throws(CoderError) -> Picture {
    if color?.inks != nil, plan.layout.alpha != .opaque, plan.layout.format.hasAlpha {
      return try decodeInksAndAlpha(frame: frame, page: page, canvas: canvas, plan: plan, destination: destination)
    }
    let wanted = plan.wanted(of: canvas)
    let asked = layoutToConvert(to: plan.layout)
    let offer = try offer(
      for: DecodeRequest(
        page: page, frame: frame, size: wanted.size, part: wanted.part, pixelFormat: asked.format, alpha: asked.alpha),
      size: plan.drawing?.whole ?? canvas)
    let region = try plan.region(in: offer, of: canvas)
    guard offer.size != plan.size || region != .whole(plan.size) else {
      return try decode(offer, layout: plan.layout, color: color, into: destination)
    }
    var picture: Picture
    if let linear {
      let small = try resampleLight(offer, linear, region: region, to: plan.size)
      picture = Picture(
        pixels: try small.pixels.converted(to: plan.layout, color: linear.encode, pool: pool), problem: small.problem)
    } else {
      picture = try resample(offer, region: region, to: plan.size, layout: plan.layout)
    }
    if let destination {
      destination.assign(from: picture.pixels)
      picture.pixels = destination
    }
    return picture
  }

  /// The layout to ask for. Colors are converted as deep as they are stored, all channels together, and apart from alpha.
  func layoutToConvert(to layout: PixelLayout) -> PixelLayout {
    guard color != nil || linear != nil else { return layout }
    let isLess = native.bytesPerChannel > layout.format.bytesPerChannel || native.isGray != layout.format.isGray
    return PixelLayout(isLess ? native : layout.format, layout.alpha == .premultiplied ? .straight : layout.alpha)
  }

  /// Decodes a frame's own rectangle into memory of its size, in that memory's layout.
  func decode(frame: Int, page: Int, rect: Rect, into destination: PixelBuffer) throws(CoderError) -> Picture {
    var stored = self
    stored.color = nil
    return try stored.decode(frame: frame, page: page, size: rect.size, into: destination)
  }

  private func decode(
    frame: Int, page: Int, size: Size, into destination: PixelBuffer
  ) throws(CoderError) -> Picture {
    let layout = destination.layout
    let offer = try offer(
      for: DecodeRequest(page: page, frame: frame, pixelFormat: layout.format, alpha: layout.alpha), size: size)
    return try decode(offer, layout: layout, color: nil, into: destination)
  }

  /// Asks the reader, and holds it to what it may answer.
  func offer(for request: DecodeRequest, size: Size) throws(CoderError) -> DecodeOffer {
    var request = request
    if color?.inks != nil { request.rowFormat = request.pixelFormat?.bytesPerChannel == 1 ? .cmyk8 : .cmyk16 }
    let offer = try reader.offer(for: request)
    guard (offer.rowFormat?.isInks ?? false) == request.wantsInks else {
      throw .libraryFailure(
        "the reader offers \(offer.formatDescription) where \(request.wantsInks ? "inks" : "colors") were asked for")
    }
    let smallest = request.size ?? size
    let whole = offer.whole
    guard whole.width >= smallest.width, whole.height >= smallest.height, whole.width <= size.width,
      whole.height <= size.height
    else {
      throw .libraryFailure("the reader offers \(whole) where \(smallest) to \(size) were asked for")
    }
    return offer
  }

  private func decode(
    _ offer: DecodeOffer, layout: PixelLayout, color: ColorTransform?, into destination: PixelBuffer?
  ) throws(CoderError) -> Picture {
    let source = PixelLayout(offer.pixelFormat, offer.alpha)
    let measures = color?.measuresPeak ?? false
    var converter = RowRecoder(from: source, to: layout, color: color)
    let keepsWhole = !converter.isIdentity && (offer.rowOrder == .any || measures)
    // A look at what has arrived is a copy.
    let results = (destination == nil ? 1 : 0) + (incremental == nil ? 0 : 1)
    try check(offer, keepsWhole: keepsWhole, results: results, in: layout.format)
    let result: PixelBuffer
    if let destination {
      result = destination
    } else {
      result = try PixelBuffer(size: offer.size, format: layout.format, alpha: layout.alpha, pool: pool)
    }
    if converter.isIdentity {
      let outcome = try run(
        offer, into: DirectTarget(result),
        showing: { (rows) throws(CoderError) in
          try result.copy(without: rows.missingRows)
        })
      outcome.missing.forEach(result.clear)
      return Picture(pixels: result, problem: outcome.problem)
    }
    let width = offer.size.width
    if keepsWhole {
      let whole = try whole(offer) { (pixels) throws(CoderError) in try pixels.converted(to: layout, color: color) }
      if measures, let color {
        converter = RowRecoder(from: source, to: layout, color: color, peak: try color.peak(of: whole.pixels))
      }
      for y in 0..<offer.size.height { converter.convert(whole.pixels.row(y), into: result.row(y), count: width) }
      // What is converted of a row that is empty would be black where the source has no alpha.
      whole.missing.forEach(result.clear)
      return Picture(pixels: result, problem: whole.problem)
    }
    let target = try PassingTarget(width: width, height: offer.size.height, layout: source) {
      [converter] y, rows, stride, count in
      for row in 0..<count { converter.convert(rows + row * stride, into: result.row(y + row), count: width) }
    }
    let outcome = try run(
      offer, into: target,
      showing: { (rows) throws(CoderError) in
        try result.copy(without: rows.missingRows)
      })
    outcome.missing.forEach(result.clear)
    return Picture(pixels: result, problem: outcome.problem)
  }

  private func resample(
    _ offer: DecodeOffer, region: ResamplingRegion, to size: Size, layout: PixelLayout
  ) throws(CoderError) -> Picture {
    try check(offer, keepsWhole: offer.rowOrder == .any, results: 0, in: layout.format)
    let source = PixelLayout(offer.pixelFormat, offer.alpha)
    let small = try PixelBuffer(
      size: size, format: source.format,
      alpha: source.alpha == .opaque ? .opaque : color == nil ? layout.alpha : .straight, pool: pool)
    let resampler = try StreamingResampler(
      source: offer.size, layout: source, region: region, destination: small, isPlain: color?.inks != nil)
    var problem: CoderError?
    if offer.rowOrder == .any {
      let finalRows: IncrementalImage.FinalRows = { rows in
        region.rows(from: rows, of: offer.size.height, resampledTo: size.height)
      }
      let whole = try whole(offer, finalRows: finalRows) { (pixels) throws(CoderError) in
        try pixels.resampled(to: size, region: region).converted(to: layout, color: color)
      }
      problem = whole.problem
      // Rows that are missing at the end are not mixed into those before, as where rows come in order.
      let missing = whole.missing.count == 1 ? whole.missing[0] : 0..<0
      let end = missing.upperBound == offer.size.height ? missing.lowerBound : offer.size.height
      for y in stride(from: 0, to: end, by: Self.rowsBetweenLooks) {
        guard !session.isCancelled else { throw .cancelled }
        resampler.push(
          whole.pixels.row(y), stride: whole.pixels.stride, count: min(Self.rowsBetweenLooks, end - y))
      }
    } else {
      let target = try PassingTarget(width: offer.size.width, height: offer.size.height, layout: source) {
        _, rows, stride, count in resampler.push(rows, stride: stride, count: count)
      }
      problem = try run(
        offer, into: target, rowsNeeded: region.rowsNeeded(for: size.height), finalRows: { _ in resampler.rowsWritten },
        showing: { (_) throws(CoderError) in
          try small.copy(without: [resampler.rowsWritten..<size.height]).converted(to: layout, color: color)
        }
      ).problem
    }
    _ = resampler.finish()
    return Picture(pixels: try small.converted(to: layout, color: color, pool: pool), problem: problem)
  }

  /// A smaller picture of light, in straight floating point.
  private func resampleLight(
    _ offer: DecodeOffer, _ linear: LinearLight, region: ResamplingRegion, to size: Size
  ) throws(CoderError) -> Picture {
    try check(offer, keepsWhole: offer.rowOrder == .any, results: 0, in: LinearLight.format)
    let source = PixelLayout(offer.pixelFormat, offer.alpha)
    let resampler = try LightResampler(linear, offer.size, source, region: region, to: size)
    var problem: CoderError?
    if offer.rowOrder == .any {
      let layout = PixelLayout(LinearLight.format, source.alpha == .opaque ? .opaque : .straight)
      let whole = try whole(offer) { (pixels) throws(CoderError) in
        try pixels.resampled(to: size, region: region).converted(to: layout, color: linear.decode)
      }
      problem = whole.problem
      for y in 0..<offer.size.height {
        guard y % Self.rowsBetweenLooks != 0 || !session.isCancelled else { throw .cancelled }
        resampler.push(whole.pixels.row(y))
      }
    } else {
      let target = try PassingTarget(width: offer.size.width, height: offer.size.height, layout: source) {
        _, rows, stride, count in for row in 0..<count { resampler.push(rows + row * stride) }
      }
      problem = try run(
        offer, into: target, rowsNeeded: region.rowsNeeded(for: size.height), finalRows: { _ in resampler.rowsWritten },
        showing: { (_) throws(CoderError) in try resampler.shown() }
      ).problem
    }
    return Picture(pixels: resampler.finish(), problem: problem)
  }

  /// Decodes into memory that holds the whole picture in the reader's own layout.
  ///
  /// - Parameter bring: Makes the result's layout and size of it, for a look at what is there.
  func whole(
    _ offer: DecodeOffer, finalRows: @escaping IncrementalImage.FinalRows = { rows in rows },
    _ bring: @escaping (PixelBuffer) throws(CoderError) -> PixelBuffer
  ) throws(CoderError) -> Picture {
    let buffer = try PixelBuffer(size: offer.size, format: offer.pixelFormat, alpha: offer.alpha, pool: pool)
    let outcome = try run(
      offer, into: DirectTarget(buffer), finalRows: finalRows,
      showing: { (rows) throws(CoderError) in
        try bring(try buffer.copy(without: rows.missingRows))
      })
    outcome.missing.forEach(buffer.clear)
    return Picture(pixels: buffer, problem: outcome.problem, missing: outcome.missing)
  }

  /// Runs the reader. An error of the file after the first row is part of the outcome; any other error is thrown.
  ///
  /// - Parameters:
  ///   - rowsNeeded: Rows from the top after which a reader that works from the top is stopped, or nil for all.
  ///   - finalRows: Of that picture, how many rows follow from so many rows of the offer.
  ///   - show: Makes a picture of the rows that are there.
  func run(
    _ offer: DecodeOffer, into target: any SinkTarget, rowsNeeded: Int? = nil,
    finalRows: @escaping IncrementalImage.FinalRows = { rows in rows },
    showing show: @escaping (HostSink) throws(CoderError) -> PixelBuffer
  ) throws(CoderError) -> (missing: [Range<Int>], problem: CoderError?) {
    let sink = HostSink(
      target: target, height: offer.size.height, rowBytes: offer.size.width * offer.pixelFormat.bytesPerPixel,
      order: offer.rowOrder, session: session, rowsNeeded: rowsNeeded)
    session.clearError()
    incremental?.begin(sink, finalRows: finalRows) { () throws(CoderError) in try show(sink) }
    do throws(CoderError) {
      try sink.withSink { (rows) throws(CoderError) in
        // Pictures may be `rgb16` themselves.
        guard offer.rowFormat != nil else { return try reader.decode(offer, into: rows) }
        try rows.widening(offer) { (rows) throws(CoderError) in try reader.decode(offer, into: rows) }
      }
    } catch {
      if sink.isSated {
        session.clearError()
        return ([], nil)
      }
      // What becomes of the rows failed, and not the file.
      if let failure = target.failure { throw failure }
      // A reader that comes to a limit with all rows done leaves out what makes them finer: scans.
      let keepsRows = error.keepsEarlierFrames || error.code == .limitExceeded && sink.isDone
      guard keepsRows, sink.rowsDone > 0 else { throw error }
      return (sink.missingRows, error)
    }
    if let failure = target.failure { throw failure }
    guard sink.isDone else {
      let problem = CoderError.libraryFailure(
        "the reader delivered \(sink.rowsDone) of \(sink.height) rows without reporting an error")
      guard sink.rowsDone > 0 else { throw problem }
      return (sink.missingRows, problem)
    }
    return ([], nil)
  }

  /// - Parameter results: Pictures of the offer's size that are made for the result, in `format`.
  func check(
    _ offer: DecodeOffer, keepsWhole: Bool, results: Int, in format: PixelFormat
  ) throws(CoderError) {
    let pixelBytes = (keepsWhole ? offer.pixelFormat.bytesPerPixel : 0) + results * format.bytesPerPixel
    let (pixels, overflow) = offer.size.pixelCount.multipliedReportingOverflow(by: pixelBytes)
    let (sum, sumOverflow) = offer.memory.addingReportingOverflow(pixels)
    try session.limits.check(memory: overflow || sumOverflow ? .max : sum)
  }
}

extension ResamplingRegion {
  /// Pixels of the source around a place that its result may be made of, times the reduction: three lobes, half a row to
  /// the middle of a row, and what averaging whole pixels first may reach beyond.
  static let reach = 5.0

  /// Rows of the source, from its top, that `height` rows of the result can be made of.
  func rowsNeeded(for height: Int) -> Int {
    let reduction = max(self.height / Double(height), 1)
    return Int((y + self.height + Self.reach * reduction).rounded(.up))
  }

  /// Counts the rows, of `height` that the region is resampled to, for which the first rows of the source are enough.
  func rows(from rows: Int, of sourceHeight: Int, resampledTo height: Int) -> Int {
    guard rows < sourceHeight else { return height }
    let reduction = max(self.height / Double(height), 1)
    return min(max(Int((Double(rows) - y) / reduction - Self.reach), 0), height)
  }
}
