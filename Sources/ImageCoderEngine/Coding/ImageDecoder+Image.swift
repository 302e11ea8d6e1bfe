// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// All frames of a file at once, also of one whose bytes arrive.
extension ImageDecoder {
  /// All frames, or the first, with metadata.
  ///
  /// - Throws: ``CoderError``, when not one row of the first frame can be had. Damage behind it ends the animation
  ///   there; ``Image/problem`` says why.
  public func image() throws(CoderError) -> Image {
    if header.isGrowing { return try growingImage() }
    // Whoever asks for frames one by one keeps as many as they like; here all are kept.
    try attributing { () throws(CoderError) in try session.limits.check(memory: plan.bytes(frames: frameCount)) }
    var decoded: [Frame] = [try frame(at: 0)]
    options.arriving?.add(decoded[0])
    var problem = decoded[0].problem
    var index = 1
    while index < frameCount {
      do throws(CoderError) {
        let next = try frame(at: index)
        problem = problem ?? next.problem
        decoded.append(next)
        options.arriving?.add(next)
      } catch {
        guard error.code.group == .file || error.code == .library else { throw error }
        problem = problem ?? error
        break
      }
      index += 1
    }
    return try image(of: decoded, header: header, loopCount: loopCount, problem: problem)
  }

  /// All frames of a file whose bytes arrive, each as soon as it is there.
  private func growingImage() throws(CoderError) -> Image {
    try attributing { () throws(CoderError) in
      var decoded: [Frame] = []
      var problem: CoderError?
      while !(options.firstFrameOnly && decoded.count == 1) {
        guard try hasFrame(decoded.count) else { break }
        try session.limits.check(frames: decoded.count + 1)
        try session.limits.check(memory: plan.bytes(frames: decoded.count + 1))
        do throws(CoderError) {
          let next = try frame(at: decoded.count)
          problem = problem ?? next.problem
          decoded.append(next)
          options.arriving?.add(next)
        } catch {
          guard error.code.group == .file || error.code == .library else { throw error }
          problem = problem ?? error
          break
        }
      }
      // What turns a picture, metadata, and which of several sizes is shown may depend on what stands behind.
      try file.waitForAll()
      // What is kept of a damaged file depends on all of its frames.
      if problem != nil { return try ImageDecoder(file, options: options).image() }
      // Now the header says what it says of the whole file.
      let (chosen, whole) = try file.page(for: options)
      guard chosen == page else { return try ImageDecoder(file, options: options).image() }
      let loopCount = try Self.loopCount(whole, reader: reader, page: page, names: names)
      options.arriving?.update(whole, loopCount: loopCount)
      // What began as a still may turn out to have more frames.
      if !header.isAnimated, whole.frameCount > decoded.count || whole.isAnimated, !options.firstFrameOnly {
        return try ImageDecoder(file, options: options).image()
      }
      // What turns a picture may stand behind its pixels; then sizes and boxes are other ones.
      if whole.orientation != header.orientation { return try ImageDecoder(file, options: options).image() }
      // A frame that began may turn out to be none.
      if whole.isAnimated, decoded.count > whole.frameCount {
        decoded.removeLast(decoded.count - whole.frameCount)
        problem = decoded.lazy.compactMap(\.problem).first
      }
      if !whole.isAnimated, options.stillParts == .composed {
        // What began as an animation is another picture where its frames turn out to be none.
        let first = try Self.frameHeader(0, of: whole, reader: reader, page: page, names: names)
        guard try first == frames.header(0), decoded.count == whole.frameCount else {
          return try ImageDecoder(file, options: options).image()
        }
        decoded = [decoded[decoded.count - 1]]
      }
      let layout = try OutputPlan(
        whole, frameCount: decoded.count, native: Self.nativeLayout(of: whole), options: options
      ).layout
      for index in decoded.indices {
        decoded[index].pixels = try decoded[index].pixels.converted(to: layout, pool: options.pool)
      }
      return try image(of: decoded, header: whole, loopCount: loopCount, problem: problem)
    }
  }

  /// Whether a file whose bytes arrive has a frame; waits until that is known.
  private func hasFrame(_ index: Int) throws(CoderError) -> Bool {
    guard header.mayGainFrames else { return index < frameCount }
    do throws(CoderError) {
      _ = try frames.header(index)
      return true
    } catch {
      guard error.code == .invalidArgument, index > 0 else { throw error }
      return false
    }
  }

  /// Frames of this file as an image, with what the file says beside them.
  func image(of decoded: [Frame]) throws(CoderError) -> Image {
    try image(of: decoded, header: header, loopCount: loopCount, problem: decoded.lazy.compactMap(\.problem).first)
  }

  private func image(
    of decoded: [Frame], header: ImageHeader, loopCount: LoopCount, problem: CoderError?
  ) throws(CoderError) -> Image {
    var problem = problem
    if problem == nil, !options.firstFrameOnly { problem = missingFrames(header) }
    var image = Image(frames: decoded, loopCount: loopCount)
    image.orientation = options.appliesOrientation ? .up : header.orientation
    image.cicp = header.cicp
    image.scale = max(1, options.scale)
    image.header = header
    image.coder = coder
    image.problem = problem
    for kind in options.metadata {
      // Metadata that is damaged or too large never costs the pixels.
      do throws(CoderError) {
        if let payload = try metadata(kind) { image.metadata[kind] = payload }
      } catch {
        options.log?(.warning, "\(kind) is left out: \(error)")
      }
    }
    return image
  }

  /// What the header says of frames that are not there.
  private func missingFrames(_ header: ImageHeader) -> CoderError? {
    let there = header.frameCount == 1 ? "1 frame" : "\(header.frameCount) frames"
    if header.isDamaged {
      return CoderError.malformed("the file is damaged after \(there)").attributed(to: coder, file: file.path)
    }
    if header.isTruncated {
      return CoderError.truncated("the file ends after \(there)").attributed(to: coder, file: file.path)
    }
    return nil
  }
}
