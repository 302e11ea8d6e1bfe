// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Compares files with the picture that they are made of.
final class LookJudge {
  /// A picture that is compared.
  private struct Original {
    let page: Int
    let frame: Int
    /// Frames of its page.
    let frameCount: Int
    let pixels: PixelBuffer
  }

  /// The first page, one in the middle and the last, and likewise of the frames of an animation. The worst counts.
  private let originals: [Original]
  private let background: PixelColor
  /// By the place of an original.
  private var references: [Int: LookReference] = [:]
  /// A smaller picture with parts of a large one, and what judges it.
  let mosaic: (image: Image, judge: LookJudge)?
  /// Whether the picture has few colors for its size, as screens and charts have.
  let isGraphic: Bool

  /// - Throws: ``CoderError/Code/unsupported`` for what SSIMULACRA2 cannot judge.
  init(_ plan: EncodePlan, _ pages: [Image]) throws(CoderError) {
    var originals: [Original] = []
    for number in Self.chosen(of: pages.count) {
      let page = pages[number]
      for index in Self.chosen(of: page.frames.count) {
        let (pixels, image) = try plan.prepared(page, frame: index)
        if let reason = image.colorsBeyondLook { throw .unsupported(reason) }
        originals.append(Original(page: number, frame: index, frameCount: page.frames.count, pixels: pixels))
      }
    }
    self.originals = originals
    background = plan.options.background
    isGraphic = try LookMosaic.isGraphic(originals[0].pixels)
    if originals.count == 1, let mosaic = try LookMosaic.made(of: originals[0].pixels) {
      self.mosaic = (Image(mosaic), LookJudge(mosaic, background))
    } else {
      mosaic = nil
    }
  }

  private init(_ pixels: PixelBuffer, _ background: PixelColor) {
    originals = [Original(page: 0, frame: 0, frameCount: 1, pixels: pixels)]
    self.background = background
    mosaic = nil
    isGraphic = false
  }

  /// The first, one in the middle and the last of so many.
  private static func chosen(of count: Int) -> [Int] { Set([0, (count - 1) / 2, count - 1]).sorted() }

  /// The score of a file in memory.
  func score(
    _ file: EncodedFile, open: ImageEncoder.Opener, cancellation: Cancellation?
  ) throws(CoderError) -> Double {
    let first = try open(.bytes(file.bytes))
    var lowest = Double.infinity
    for (place, original) in originals.enumerated() {
      let decoder = original.page == 0 ? first : try first.page(original.page)
      // Frames that show the same become one: then only the first is known to be the same one.
      guard original.frame == 0 || decoder.frameCount == original.frameCount else { continue }
      let frame = try decoder.frame(at: original.frame)
      if let problem = frame.problem { throw problem }
      lowest = min(lowest, try score(frame.pixels, beside: original.pixels, at: place, cancellation))
    }
    return lowest
  }

  private func score(
    _ found: PixelBuffer, beside original: PixelBuffer, at place: Int, _ cancellation: Cancellation?
  ) throws(CoderError) -> Double {
    let reference: LookReference
    if let known = references[place] {
      reference = known
    } else {
      // A format without alpha shows the picture on its background.
      let isFlat = found.alpha == .opaque && original.alpha != .opaque
      let pixels = isFlat ? try original.flattened(on: background) : original
      reference = try LookReference(pixels, isOpaque: found.alpha == .opaque)
      references[place] = reference
    }
    return try reference.score(found, cancellation: cancellation)
  }
}
