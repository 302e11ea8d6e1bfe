// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension PictureDecoder {
  /// Decodes a picture of inks with alpha, whose rows have no place for a fifth sample: first its inks, then its alpha, with
  /// the colors that the reader makes of the inks, which nobody sees.
  func decodeInksAndAlpha(
    frame: Int, page: Int, canvas: Size, plan: OutputPlan, destination: PixelBuffer?
  ) throws(CoderError) -> Picture {
    var (inks, alpha) = (plan, plan)
    inks.layout = PixelLayout(plan.layout.format, .opaque)
    alpha.layout = PixelLayout(plan.layout.format, .straight)
    let colors = try decode(frame: frame, page: page, canvas: canvas, plan: inks, destination: nil)
    var shapes = self
    (shapes.color, shapes.linear, shapes.incremental) = (nil, nil, nil)
    let shape = try shapes.decode(frame: frame, page: page, canvas: canvas, plan: alpha, destination: nil)
    shape.pixels.takeColors(of: colors.pixels)
    var picture = Picture(
      pixels: try shape.pixels.converted(to: plan.layout, pool: pool), problem: colors.problem ?? shape.problem)
    if let destination {
      destination.assign(from: picture.pixels)
      picture.pixels = destination
    }
    return picture
  }
}

extension PixelBuffer {
  /// Replaces every sample but alpha by that of another picture of this size and format.
  fileprivate func takeColors(of other: PixelBuffer) {
    let (pixel, alpha) = (format.bytesPerPixel, format.bytesPerChannel)
    for y in 0..<size.height {
      let (from, to) = (other.row(y), row(y))
      for x in 0..<size.width {
        (to + x * pixel).copyMemory(from: from + x * pixel, byteCount: pixel - alpha)
      }
    }
  }
}
