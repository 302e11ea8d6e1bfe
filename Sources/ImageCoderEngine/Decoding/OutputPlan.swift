// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What comes out of a decode: its size, the part of the picture that it shows, and its layout.
struct OutputPlan {
  /// The size of the result before it is turned upright, pixels.
  let size: Size
  /// The part of the stored picture that is shown.
  let region: ResamplingRegion
  var layout: PixelLayout
  /// What is applied at the end.
  let orientation: Orientation
  /// Whether the picture is made smaller or cropped.
  let isReduced: Bool
  /// How a drawing is drawn, as it is stored; nil for a picture of pixels.
  let drawing: DrawnSize?
  private let oversampling: Double

  /// Plans for a page.
  ///
  /// - Parameters:
  ///   - frameCount: Frames that come out, for the memory budget.
  ///   - native: The layout when the caller asks for none.
  /// - Throws: ``CoderError/Code/limitExceeded`` when one frame of the result is larger than the limits allow;
  ///   ``CoderError/Code/invalidArgument`` for a size or part that the picture cannot have.
  init(_ header: ImageHeader, frameCount: Int, native: PixelLayout, options: DecodeOptions) throws(CoderError) {
    let format = options.pixelFormat ?? native.format
    layout = PixelLayout(format, native.alpha == .opaque ? .opaque : options.alpha)
    orientation = options.appliesOrientation ? header.orientation : .up
    oversampling = options.thumbnailQuality == .fast ? 1 : Self.oversampling
    let displayed = orientation.displayed(header.canvas)
    if let part = options.part, part.isEmpty || !part.isInside(displayed) {
      throw .invalidArgument("a part of \(part.size) at \(part.x),\(part.y) of a picture of \(displayed)")
    }
    let bytesPerPixel = layout.format.bytesPerPixel
    func smaller(than size: Size) -> Size? {
      options.memoryBudget.flatMap {
        Fit.box(for: size, bytes: $0, frames: frameCount, bytesPerPixel: bytesPerPixel)
      }
    }
    if let natural = header.drawnSize {
      var drawn = try DrawnSize(
        natural: orientation.swapsSides ? (natural.height, natural.width) : natural, resolution: header.resolution,
        size: options.size, shown: options.part)
      if let size = smaller(than: drawn.part.size) { drawn.limit(to: size) }
      try header.check(drawn.part.size, options)
      if orientation.swapsSides { drawn.whole = drawn.whole.transposed }
      drawn.part = orientation.stored(drawn.part, in: drawn.whole)
      drawing = drawn
      size = drawn.part.size
      region = Self.share(of: drawn, in: header.canvas)
      isReduced = false
    } else {
      let shown = options.part ?? Rect(covering: displayed)
      let square = options.squaresPixels ? header.squared(shown.size, by: orientation) : shown.size
      if square != shown.size { try options.limits.check(canvas: square) }
      let fit = try Self.fit(square, of: header, options, smaller: smaller(than: square))
      let across = Double(shown.width) / Double(square.width)
      let down = Double(shown.height) / Double(square.height)
      // What is cut on both sides is in the middle of the part.
      let crop = ResamplingRegion(
        x: Double(shown.x) + fit.crop.x * across, y: Double(shown.y) + fit.crop.y * down,
        width: fit.crop.width * across, height: fit.crop.height * down)
      drawing = nil
      size = orientation.swapsSides ? fit.size.transposed : fit.size
      region = crop.stored(by: orientation, displayed: displayed)
      isReduced = size != header.canvas
    }
    try options.limits.check(memory: bytes(frames: 1))
  }

  /// The size of a part of a picture of pixels.
  ///
  /// - Parameter smaller: What a memory budget allows, if that is less.
  private static func fit(
    _ shown: Size, of header: ImageHeader, _ options: DecodeOptions, smaller: Size?
  ) throws(CoderError) -> Fit {
    var box: Size?
    var mode = options.size.mode
    switch options.size {
    case .own: break
    case .fitting(let asked, _):
      guard asked.width >= 0, asked.height >= 0 else { throw .invalidArgument(PictureSize.text(of: asked)) }
      box = asked
    case .scaled(let factor):
      guard try PictureSize.checked(factor, "a scale") <= 1 else {
        throw .invalidArgument(
          "a scale of \(factor); \(header.format) holds pixels, which are not enlarged, and at most 1 is allowed")
      }
      box = Size(
        width: max(1, Int((Double(shown.width) * factor - 1e-6).rounded(.up))),
        height: max(1, Int((Double(shown.height) * factor - 1e-6).rounded(.up))))
      mode = .stretch
    case .resolution(let wanted):
      throw .invalidArgument(
        "a resolution of \(wanted) pixels per inch; \(header.format) holds \(header.canvas) pixels, and only drawings are "
          + "drawn at a resolution")
    }
    if let smaller, Fit.plan(displayed: shown, box: box, mode: mode).size.pixelCount > smaller.pixelCount {
      return Fit.plan(displayed: shown, box: smaller, mode: .fit)
    }
    return Fit.plan(displayed: shown, box: box, mode: mode)
  }

  /// The part of a drawing that comes out, in pixels of its own size.
  private static func share(of drawn: DrawnSize, in canvas: Size) -> ResamplingRegion {
    let across = Double(canvas.width) / Double(drawn.whole.width)
    let down = Double(canvas.height) / Double(drawn.whole.height)
    return ResamplingRegion(
      x: Double(drawn.part.x) * across, y: Double(drawn.part.y) * down, width: Double(drawn.part.width) * across,
      height: Double(drawn.part.height) * down)
  }

  /// What is done to a stored picture.
  func changes(of canvas: Size) -> PictureChanges {
    var changes: PictureChanges = []
    if orientation != .up { changes.insert(.turned) }
    if region != .whole(canvas) { changes.insert(.cropped) }
    let part = Size(width: Int(region.width.rounded()), height: Int(region.height.rounded()))
    if size != part { changes.insert(.scaled) }
    return changes
  }

  /// The part of the upright picture that is shown, in whole pixels.
  func part(of canvas: Size) -> Rect {
    let upright = orientation.displayed(canvas)
    let turned = region.turned(by: orientation, stored: canvas)
    let x = min(max(0, Int(turned.x.rounded())), upright.width - 1)
    let y = min(max(0, Int(turned.y.rounded())), upright.height - 1)
    return Rect(
      x: x, y: y, width: max(1, min(upright.width - x, Int(turned.width.rounded()))),
      height: max(1, min(upright.height - y, Int(turned.height.rounded()))))
  }

  /// Bytes of so many frames of the result, saturated at the largest integer.
  func bytes(frames: Int) -> Int {
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: layout.format.bytesPerPixel * frames)
    return overflow ? .max : bytes
  }

  /// What is asked of a reader: a size of the whole stored picture from which the result can be resampled without visible
  /// loss, or in fast mode at all, and the part of it that is needed; nil for all of it, and for its own size.
  ///
  /// Nearly twice the result keeps a reader's own scaler, whose filter is simpler than ours, out of sight.
  func wanted(of canvas: Size) -> (size: Size?, part: Rect?) {
    if let drawing {
      let isWhole = drawing.part.size == drawing.whole
      return (isWhole && drawing.whole == canvas ? nil : drawing.whole, isWhole ? nil : drawing.part)
    }
    guard isReduced else { return (nil, nil) }
    let horizontal = Double(size.width) / region.width * oversampling
    let vertical = Double(size.height) / region.height * oversampling
    guard horizontal < 1, vertical < 1 else { return (nil, part(of: canvas, at: canvas)) }
    let wanted = Size(
      width: min(canvas.width, Int((Double(canvas.width) * horizontal).rounded(.up))),
      height: min(canvas.height, Int((Double(canvas.height) * vertical).rounded(.up))))
    return (wanted, part(of: canvas, at: wanted))
  }

  private static let oversampling = 1.9

  /// The part of a picture of this size that the result is made of, or nil for all of it.
  private func part(of canvas: Size, at scaled: Size) -> Rect? {
    guard region != .whole(canvas) else { return nil }
    let across = Double(scaled.width) / Double(canvas.width)
    let down = Double(scaled.height) / Double(canvas.height)
    func needed(from place: Double, length: Double, scale: Double, result: Int, of side: Int) -> Range<Int> {
      let (first, last) = (place * scale, (place + length) * scale)
      let reach = last - first == Double(result) && first == first.rounded() ? 0 : ResamplingRegion.reach
      let margin = reach * max((last - first) / Double(result), 1)
      return max(0, Int((first - margin).rounded(.down)))..<min(side, Int((last + margin).rounded(.up)))
    }
    let columns = needed(
      from: region.x, length: region.width, scale: across, result: size.width, of: scaled.width)
    let rows = needed(
      from: region.y, length: region.height, scale: down, result: size.height, of: scaled.height)
    guard columns.count < scaled.width || rows.count < scaled.height else { return nil }
    return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  /// ``region`` in the picture that a reader offers of the stored one.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` if the reader offers a part that does not contain it.
  func region(in offer: DecodeOffer, of canvas: Size) throws(CoderError) -> ResamplingRegion {
    var result: ResamplingRegion
    if let drawing {
      result = ResamplingRegion(
        x: Double(drawing.part.x), y: Double(drawing.part.y), width: Double(drawing.part.width),
        height: Double(drawing.part.height))
    } else {
      let horizontal = offer.coveredWidth / Double(canvas.width)
      let vertical = offer.coveredHeight / Double(canvas.height)
      result = ResamplingRegion(
        x: region.x * horizontal, y: region.y * vertical, width: region.width * horizontal,
        height: region.height * vertical)
    }
    result.x -= Double(offer.part.x)
    result.y -= Double(offer.part.y)
    // What is left of a division is no part of the picture.
    let rest = 1e-6
    guard result.x > -rest, result.y > -rest, result.x + result.width < Double(offer.size.width) + rest,
      result.y + result.height < Double(offer.size.height) + rest
    else {
      throw .libraryFailure(
        "the reader offers \(offer.size) at \(offer.part.x),\(offer.part.y) of \(offer.whole), which is not all that was "
          + "asked for")
    }
    return result
  }
}

extension ImageHeader {
  /// The size of a still drawing, in pixels at its resolution; nil for a picture of pixels.
  var drawnSize: (width: Double, height: Double)? {
    guard let anySize, !isAnimated else { return nil }
    return (anySize.width ?? Double(canvas.width), anySize.height ?? Double(canvas.height))
  }

  /// The size of a displayed part once its pixels are square: no side is smaller than it was.
  fileprivate func squared(_ size: Size, by orientation: Orientation) -> Size {
    guard let stored = pixelAspect else { return size }
    let aspect = orientation.swapsSides ? 1 / stored : stored
    return aspect > 1
      ? Size(width: Int((Double(size.width) * aspect).rounded()), height: size.height)
      : Size(width: size.width, height: Int((Double(size.height) / aspect).rounded()))
  }

  /// Checks the size at which a drawing is drawn.
  fileprivate func check(_ size: Size, _ options: DecodeOptions) throws(CoderError) {
    try options.limits.check(canvas: size)
    guard let largest = anySize?.largestSide, max(size.width, size.height) > largest else { return }
    throw .unsupported("a drawing of \(size), the coder of \(format) draws sides of at most \(largest) pixels")
  }
}

extension ResamplingRegion {
  /// Where a part of the stored picture is displayed.
  fileprivate func turned(by orientation: Orientation, stored: Size) -> ResamplingRegion {
    let displayed = orientation.displayed(stored)
    let (left, top) = orientation.swapsSides ? (y, x) : (x, y)
    let (across, down) = orientation.swapsSides ? (height, width) : (width, height)
    return ResamplingRegion(
      x: orientation.mirrorsColumns ? Double(displayed.width) - left - across : left,
      y: orientation.mirrorsRows ? Double(displayed.height) - top - down : top, width: across, height: down)
  }

  /// Where a part of the displayed picture is stored.
  fileprivate func stored(by orientation: Orientation, displayed: Size) -> ResamplingRegion {
    let left = orientation.mirrorsColumns ? Double(displayed.width) - x - width : x
    let top = orientation.mirrorsRows ? Double(displayed.height) - y - height : y
    return orientation.swapsSides
      ? ResamplingRegion(x: top, y: left, width: height, height: width)
      : ResamplingRegion(x: left, y: top, width: width, height: height)
  }
}
