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
  private let oversampling: Double

  /// Plans for a page.
  ///
  /// - Parameters:
  ///   - frameCount: Frames that come out, for the memory budget.
  ///   - native: The layout when the caller asks for none.
  /// - Throws: ``CoderError/Code/limitExceeded`` when one frame of the result is larger than the limits allow.
  init(_ header: ImageHeader, frameCount: Int, native: PixelLayout, options: DecodeOptions) throws(CoderError) {
    let format = options.pixelFormat ?? native.format
    layout = PixelLayout(format, native.alpha == .opaque ? .opaque : options.alpha)
    orientation = options.appliesOrientation ? header.orientation : .up
    let displayed = orientation.displayed(header.canvas)
    var box = options.thumbnailSize
    if let box, box.width < 0 || box.height < 0 {
      throw .invalidArgument("a thumbnail of \(box); a side is at least 1, or 0 where it is free")
    }
    var mode = options.thumbnailMode
    if let budget = options.memoryBudget,
      let smaller = Fit.box(
        for: displayed, bytes: budget, frames: frameCount, bytesPerPixel: layout.format.bytesPerPixel)
    {
      let wanted = Fit.plan(displayed: displayed, box: box, mode: mode).size
      if wanted.pixelCount > smaller.pixelCount {
        box = smaller
        mode = .fit
      }
    }
    let fit = Fit.plan(displayed: displayed, box: box, mode: mode)
    let crop = fit.crop
    if orientation.swapsSides {
      size = fit.size.transposed
      // The crop is in the middle, so mirroring and turning do not move it.
      region = ResamplingRegion(x: crop.y, y: crop.x, width: crop.height, height: crop.width)
    } else {
      size = fit.size
      region = crop
    }
    isReduced = size != header.canvas
    oversampling = options.thumbnailQuality == .fast ? 1 : Self.oversampling
    try options.limits.check(memory: bytes(frames: 1))
  }

  /// Bytes of so many frames of the result, saturated at the largest integer.
  func bytes(frames: Int) -> Int {
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: layout.format.bytesPerPixel * frames)
    return overflow ? .max : bytes
  }

  /// The size of the whole stored picture from which the result can be resampled without visible loss, or in fast mode at
  /// all; nil for its own size.
  ///
  /// Nearly twice the result keeps a reader's own scaler, whose filter is simpler than ours, out of sight.
  func wanted(of canvas: Size) -> Size? {
    guard isReduced else { return nil }
    let horizontal = Double(size.width) / region.width * oversampling
    let vertical = Double(size.height) / region.height * oversampling
    guard horizontal < 1, vertical < 1 else { return nil }
    return Size(
      width: min(canvas.width, Int((Double(canvas.width) * horizontal).rounded(.up))),
      height: min(canvas.height, Int((Double(canvas.height) * vertical).rounded(.up))))
  }

  private static let oversampling = 1.9

  /// ``region`` in the picture that a reader offers of the stored one.
  func region(in offer: DecodeOffer, of canvas: Size) -> ResamplingRegion {
    let horizontal = offer.coveredWidth / Double(canvas.width)
    let vertical = offer.coveredHeight / Double(canvas.height)
    return ResamplingRegion(
      x: region.x * horizontal, y: region.y * vertical, width: region.width * horizontal,
      height: region.height * vertical)
  }
}
