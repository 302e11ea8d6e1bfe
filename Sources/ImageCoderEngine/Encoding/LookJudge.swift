// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Compares files with the picture that they are made of.
final class LookJudge {
  /// Frames of an animation that are compared: the first, one in the middle, the last. The worst one counts.
  private let originals: [(index: Int, pixels: PixelBuffer)]
  private let frameCount: Int
  private let background: PixelColor
  private var references: [Int: LookReference] = [:]
  /// A smaller picture with parts of a large one, and what judges it.
  let mosaic: (image: Image, judge: LookJudge)?
  /// Whether the picture has few colors for its size, as screens and charts have.
  let isGraphic: Bool

  /// - Throws: ``CoderError/Code/unsupported`` for what SSIMULACRA2 cannot judge.
  init(_ plan: EncodePlan, _ page: Image) throws(CoderError) {
    let last = page.frames.count - 1
    var originals: [(index: Int, pixels: PixelBuffer)] = []
    for index in Set([0, last / 2, last]).sorted() {
      let (pixels, image) = try plan.prepared(page, frame: index)
      if let reason = image.colorsBeyondLook { throw .unsupported("\(reason); a look needs them converted") }
      originals.append((index, pixels))
    }
    self.originals = originals
    frameCount = page.frames.count
    background = plan.options.background
    isGraphic = try LookMosaic.isGraphic(originals[0].pixels)
    if last == 0, let mosaic = try LookMosaic.made(of: originals[0].pixels) {
      self.mosaic = (Image(mosaic), LookJudge(mosaic, background))
    } else {
      mosaic = nil
    }
  }

  private init(_ pixels: PixelBuffer, _ background: PixelColor) {
    (originals, frameCount, self.background) = ([(0, pixels)], 1, background)
    mosaic = nil
    isGraphic = false
  }

  /// The score of a file in memory.
  func score(
    _ file: EncodedFile, open: ImageEncoder.Opener, cancellation: Cancellation?
  ) throws(CoderError) -> Double {
    let decoder = try open(.bytes(file.bytes))
    // Frames that show the same become one: then only the first is known to be the same one.
    let isWhole = frameCount == 1 || decoder.frameCount == frameCount
    var lowest = Double.infinity
    for original in isWhole ? originals : [originals[0]] {
      let frame = try decoder.frame(at: original.index)
      if let problem = frame.problem { throw problem }
      lowest = min(lowest, try score(frame.pixels, beside: original, cancellation))
    }
    return lowest
  }

  private func score(
    _ found: PixelBuffer, beside original: (index: Int, pixels: PixelBuffer), _ cancellation: Cancellation?
  ) throws(CoderError) -> Double {
    let reference: LookReference
    if let known = references[original.index] {
      reference = known
    } else {
      // A format without alpha shows the picture on its background.
      let isFlat = found.alpha == .opaque && original.pixels.alpha != .opaque
      let pixels = isFlat ? try original.pixels.flattened(on: background) : original.pixels
      reference = try LookReference(pixels, isOpaque: found.alpha == .opaque)
      references[original.index] = reference
    }
    return try reference.score(found, cancellation: cancellation)
  }
}
