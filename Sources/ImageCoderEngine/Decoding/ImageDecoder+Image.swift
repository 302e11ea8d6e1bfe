// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// All frames of a file at once, also of one that is decoded incrementally.
extension ImageDecoder {
  /// All frames, or the first, with metadata.
  ///
  /// - Throws: ``CoderError``, if not a single row of the first frame can be decoded. Damage further on ends the
  ///   animation there; ``Image/problem`` says why, or with ``DecodeOptions/Output/isStrict`` is thrown.
  public func image() throws(CoderError) -> Image {
    try attributing { () throws(CoderError) in
      let isIncomplete = header.isIncomplete
      // Callers that ask for frames one by one keep as many as they like; here all are kept.
      if end < .max { try session.limits.check(memory: plan.bytes(frames: end)) }
      let collected = try collectFrames(isIncomplete: isIncomplete)
      guard isIncomplete else {
        return try image(of: collected.frames, header: header, loopCount: loopCount, problem: collected.problem)
      }
      // What turns a picture, metadata, and which of several sizes is shown may depend on the last bytes.
      try file.waitForAll()
      if let image = try completed(collected) { return image }
      return try ImageDecoder(file, context).image()
    }
  }

  /// Frames that were decoded, and why others are missing.
  private struct CollectedFrames {
    var frames: [Frame] = []
    var problem: CoderError?
  }

  /// Bytes that so many frames of a file take of which nobody knows how many it has. While an animation arrives, its bytes are
  /// kept, one more frame is shown while it is made, and frames are decoded beside a canvas.
  private func memory(ofArriving frames: Int) -> Int {
    guard header.isAnimated, context.source.isIncremental else { return plan.bytes(frames: frames) }
    let (beside, overflow) = header.canvas.pixelCount.multipliedReportingOverflow(
      by: 2 * canvasLayout.format.bytesPerPixel)
    return [plan.bytes(frames: frames + 1), overflow ? .max : beside, context.source.arrivedBytes].reduce(0) {
      let (sum, overflow) = $0.addingReportingOverflow($1)
      return overflow ? .max : sum
    }
  }

  /// Decodes one frame after the other, each as soon as it is there.
  private func collectFrames(isIncomplete: Bool) throws(CoderError) -> CollectedFrames {
    var collected = CollectedFrames()
    while try hasFrame(collected.frames.count), !(options.firstFrameOnly && collected.frames.count == 1) {
      if end == .max {
        try session.limits.check(frames: collected.frames.count + 1)
        try session.limits.check(memory: memory(ofArriving: collected.frames.count + 1))
      }
      do throws(CoderError) {
        let next = try frame(at: collected.frames.count)
        collected.problem = collected.problem ?? next.problem
        collected.frames.append(next)
        context.incremental?.add(next)
      } catch {
        // A file that is incomplete is decoded anew when all of it is there.
        guard error.keepsEarlierFrames, isIncomplete || !collected.frames.isEmpty else { throw error }
        collected.problem = collected.problem ?? error
        break
      }
    }
    return collected
  }

  /// The image of frames that were decoded while the file was incomplete, with what the whole file says of them.
  ///
  /// - Returns: Nil when the whole file asks for other pictures than these: it has to be decoded anew.
  private func completed(_ collected: CollectedFrames) throws(CoderError) -> Image? {
    // What is kept of a damaged file depends on all of its frames.
    guard collected.problem == nil else { return nil }
    let (chosen, whole) = try file.page(for: options)
    guard chosen == page else { return nil }
    let loopCount = try Self.loopCount(whole, reader: reader, page: page, names: names)
    context.incremental?.update(whole, loopCount: loopCount)
    var decoded = collected.frames
    // What began as a still may turn out to have more frames.
    if !header.isAnimated, whole.frameCount > decoded.count || whole.isAnimated, !options.firstFrameOnly { return nil }
    // What turns a picture may stand after its pixels; then sizes and boxes are other ones.
    guard whole.orientation == header.orientation else { return nil }
    if options.color != .asStored, whole.cicp != header.cicp || whole.metadata != header.metadata { return nil }
    // A frame that began may turn out to be none.
    if whole.isAnimated, decoded.count > whole.frameCount { decoded.removeLast(decoded.count - whole.frameCount) }
    if !whole.isAnimated, options.zeroDelayFrames == .merge {
      // What began as an animation is another picture where its frames turn out to be parts of a still.
      let first = try Self.frameHeader(0, of: whole, reader: reader, page: page, names: names)
      guard try first == frames.header(0), decoded.count == whole.frameCount else { return nil }
      decoded = [decoded[decoded.count - 1]]
    }
    let layout = try OutputPlan(
      whole, frameCount: decoded.count,
      native: Self.nativeLayout(of: whole, showing: decoded.count, of: frames, in: colors), options: options
    ).layout
    for index in decoded.indices {
      decoded[index].pixels = try decoded[index].pixels.converted(to: layout, pool: options.pool)
    }
    return try image(
      of: decoded, header: whole, loopCount: loopCount, problem: decoded.lazy.compactMap(\.problem).first)
  }

  /// Whether the file has a frame; of an animation that is incomplete, waits until that is known. One that cannot be
  /// described counts: decoding it tells why.
  private func hasFrame(_ index: Int) throws(CoderError) -> Bool {
    guard header.hasOpenEnd else { return index < end }
    do throws(CoderError) {
      _ = try frames.header(index)
      return true
    } catch {
      if error.code == .invalidArgument, index > 0 { return false }
      guard header.mayGainFrames else { return true }
      throw error
    }
  }

  /// Frames of this file as an image, with what the file says beside them.
  package func image(of decoded: [Frame]) throws(CoderError) -> Image {
    try image(of: decoded, header: header, loopCount: loopCount, problem: decoded.lazy.compactMap(\.problem).first)
  }

  private func image(
    of decoded: [Frame], header: ImageHeader, loopCount: LoopCount, problem: CoderError?
  ) throws(CoderError) -> Image {
    var problem = problem
    if problem == nil, !options.firstFrameOnly { problem = missingFrames(header) }
    if options.isStrict, let problem { throw problem }
    var image = Image(frames: decoded, loopCount: loopCount)
    image.orientation = options.appliesOrientation ? .up : header.orientation
    image.cicp = header.cicp
    image.scale = max(1, options.scale)
    image.header = header
    image.coderID = coderID
    image.problem = problem
    image.density = Density(header)
    if header.hiddenPageCount > 0 {
      let known = Result { () throws(CoderError) in try auxiliaryPictures() }
      image.companions = ((try? known.get()) ?? []).map(\.kind)
    }
    // Most files have neither, and a worker is not asked for nothing.
    if header.gamma != nil, header.cicp == nil, !header.metadata.contains(.icc) { image.stored = storedColor }
    image.changes = plan.changes(of: header.canvas)
    if image.changes.contains(.cropped) { image.part = plan.part(of: header.canvas) }
    if colors.transform != nil { image.changes.insert(.recolored) }
    if page != header.primaryPage { image.changes.insert(.picked) }
    for kind in options.metadata where kind.rawValue <= MetadataKind.xmp.rawValue || header.metadata.contains(kind) {
      // Metadata that is damaged or too large never costs the pixels.
      do throws(CoderError) {
        if let payload = try metadata(kind) { image.metadata[kind] = payload }
      } catch {
        options.log?(.warning, "\(kind) is left out: \(error)")
      }
    }
    if header.cicp?.transfer == 16 || header.cicp?.transfer == 18 { image.light = storedColor.light }
    colors.describe(&image, metadata: options.metadata)
    image.siblings = session.siblings?.stamps ?? []
    return image
  }

  /// What the header says of frames that are not there, or nil.
  package var missingFrames: CoderError? { missingFrames(header) }

  private func missingFrames(_ header: ImageHeader) -> CoderError? {
    let there = header.frameCount == 1 ? "1 frame" : "\(header.frameCount) frames"
    if header.isDamaged {
      return CoderError.malformed("the file is damaged after \(there)").annotated(coder: coderID, file: file.path)
    }
    if header.isTruncated {
      return CoderError.truncated("the file ends after \(there)").annotated(coder: coderID, file: file.path)
    }
    return nil
  }
}

extension CoderError {
  /// Whether frames or rows before this error are right and worth keeping.
  package var keepsEarlierFrames: Bool { code.group == .file || code == .libraryFailure }
}
