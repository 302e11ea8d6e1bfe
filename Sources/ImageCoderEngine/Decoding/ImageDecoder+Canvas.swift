// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What a decoder of an animation holds between two frames.
extension ImageDecoder {
  /// Takes memory of frames that are gone for the next ones, unless the options name a pool. For callers that ask for
  /// one frame after the other and keeps few of them.
  package func reuseFrameMemory() {
    if options.pool == nil { takeMemory(from: PixelPool(byteLimit: plan.bytes(frames: 2))) }
  }

  /// Takes memory for the next frames from a pool.
  package func takeMemory(from pool: PixelPool) {
    context.options.pool = pool
    pictures.pool = pool
  }

  /// Where frame `index` may differ from the frame before as both are handed out, or nil when that is not known.
  package func changedArea(at index: Int) throws(CoderError) -> Rect? {
    guard !plan.isReduced, plan.orientation == .up, !isComposedStill else { return nil }
    return try attributing { () throws(CoderError) in try frames.changedArea(index) }
  }

  /// Whether frame `index` can be decoded without those before it.
  package func isKeyFrame(_ index: Int) throws(CoderError) -> Bool {
    try attributing { () throws(CoderError) in try frames.start(of: index) == index }
  }

  /// Releases the canvas and of checkpoints; the next frame that needs them begins anew.
  ///
  /// - Parameter memory: What is kept beside the canvas from now on, or nil for no change.
  package func forgetCanvas(keeping memory: DecodeOptions.CanvasMemory? = nil) {
    cursor = nil
    last = nil
    if let memory { context.options.canvasMemory = memory }
  }

  /// Waits until all bytes of a file that arrives are there.
  package func waitForAllBytes() throws(CoderError) {
    try attributing { () throws(CoderError) in try file.waitForAll() }
  }

  /// Goes on with the canvas of a decoder that was opened when fewer bytes of the same file were there, and has none afterwards.
  package func takeCanvas(from earlier: ImageDecoder) {
    guard let old = earlier.cursor, earlier.canvasLayout == canvasLayout, earlier.header.canvas == header.canvas,
      earlier.page == page,
      case .success(let cursor) = Result(catching: { () throws(CoderError) in try canvasCursor() })
    else { return }
    cursor.take(over: old)
    earlier.cursor = nil
  }

  /// Keeps canvases for playing backwards and for jumps from now on.
  ///
  /// - Parameter limit: How many beside the one that is drawn on.
  package func keepCheckpoints(_ limit: Int) {
    context.options.canvasMemory.checkpointLimit = limit
    cursor?.checkpointLimit = limit
    cursor?.keepsCheckpoints = limit > 0
  }

  /// Whether ``lentFrame(at:)`` gives the canvas itself.
  package var lendsCanvas: Bool {
    !plan.isReduced && plan.orientation == .up && colors.transform == nil
      && RowConverter(from: canvasLayout, to: plan.layout).isIdentity
  }

  /// The memory of the canvas if ``lentFrame(at:)`` gives it, or nil.
  package var lentCanvas: UnsafeRawPointer? { lendsCanvas ? cursor?.canvasBase : nil }

  /// Whether some of the first `count` frames are drawn on the canvas, and others without it.
  package func mixesFrames(_ count: Int) throws(CoderError) -> Bool {
    try attributing { () throws(CoderError) in
      var (alone, drawn) = (false, false)
      for index in 0..<count {
        if try standsAlone(index) { alone = true } else { drawn = true }
      }
      return alone && drawn
    }
  }
}

// MARK: Layouts

extension ImageDecoder {
  var canvasLayout: PixelLayout {
    PixelLayout(header.pixelFormat.composed, isCanvasOpaque ? .opaque : .straight)
  }

  /// The layout of a result whose format is not asked for: 8 bits are too few for HDR.
  ///
  /// - Parameter count: How many frames are going to be shown. If all of their canvases are opaque, so are the results.
  static func nativeLayout(
    of header: ImageHeader, showing count: Int, of frames: FrameTable, in colors: ColorPlan
  ) -> PixelLayout {
    var layout = nativeLayout(of: header)
    // Rows of a damaged frame that are missing are transparent, and of frames that may follow nothing is known.
    let mayBeOpaque = header.alpha == .opaque && !header.isDamaged && !header.isTruncated && !header.hasOpenEnd
    if header.isAnimated, mayBeOpaque, (try? frames.keepCanvasOpaque(count)) == true { layout.alpha = .opaque }
    guard colors.isHDR, layout.format.bytesPerChannel == 1 else { return layout }
    return PixelLayout(.rgba16, layout.alpha)
  }

  /// Animations are composed at the depth of the file, with alpha as it may be needed; stills keep the file's own format.
  static func nativeLayout(of header: ImageHeader) -> PixelLayout {
    guard header.isAnimated else { return PixelLayout(header.pixelFormat, header.alpha) }
    return PixelLayout(header.pixelFormat.composed, .straight)
  }
}
