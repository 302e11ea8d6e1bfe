// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// Finds the smallest of the ways to encode a picture that the settings allow.
struct PictureSearch {
  /// A picture to encode, how it is drawn, and how it is encoded.
  private struct Candidate {
    let pixels: PixelView
    let blend: FrameHeader.Blend
    let config: WebPConfig
  }

  let settings: EncodingSettings
  let host: CoderHost

  /// Encodes a frame, which may come out drawn in another way that shows the same.
  ///
  /// - Parameter canvas: Takes the frame.
  func encode(
    _ pixels: PixelView, _ frame: FrameHeader, on canvas: ShownCanvas?
  ) throws(CoderError) -> (picture: EncodedPicture, frame: FrameHeader) {
    let given = settings.attempts.map { Candidate(pixels: pixels, blend: frame.blend, config: $0) }
    var frame = frame
    guard let canvas, let drawn = try canvas.drawn(pixels, frame) else {
      let best = try smallest(of: given)
      return (best.picture, frame)
    }
    let format = pixels.layout.format
    var kept: [FramePixels] = [drawn]
    var candidates: [Candidate] = []
    for candidate in given {
      let (config, isOver) = (candidate.config, frame.blend == .over)
      let isLossy = config.lossless == 0
      candidates.append(candidate)
      if isLossy, isOver {
        let holed = try canvas.blockHoled(drawn, in: frame.rect)
        if let holed { kept.append(holed) }
        candidates.append(
          Candidate(pixels: (holed ?? drawn).view(format), blend: holed == nil ? .source : .over, config: config))
      }
      guard settings.isSmallest, !isLossy else { continue }
      if isOver {
        candidates.append(Candidate(pixels: drawn.view(format), blend: .source, config: config))
      } else if let holed = try canvas.holed(drawn, in: frame.rect) {
        kept.append(holed)
        candidates.append(Candidate(pixels: holed.view(format), blend: .over, config: config))
      }
    }
    let best = try withExtendedLifetime(kept) { () throws(CoderError) in try smallest(of: candidates) }
    canvas.add(drawn, frame)
    frame.blend = best.blend
    return (best.picture, frame)
  }

  private func smallest(of candidates: [Candidate]) throws(CoderError) -> (
    picture: EncodedPicture, blend: FrameHeader.Blend
  ) {
    let count = candidates.count + (settings.isSmallest ? 1 : 0)
    var best: (picture: EncodedPicture, candidate: Candidate)?
    for (index, candidate) in candidates.enumerated() {
      let picture = try EncodedPicture(candidate.pixels, config: candidate.config, part: (index, count), host: host)
      if picture.byteCount < best?.picture.byteCount ?? .max { best = (picture, candidate) }
    }
    guard let best else { throw .libraryFailure("there is no way to encode a picture") }
    guard settings.isSmallest else { return (best.picture, best.candidate.blend) }
    let last = try EncodedPicture(
      best.candidate.pixels, config: EncodingSettings.smallest(best.candidate.config), part: (count - 1, count),
      host: host)
    return (last.byteCount < best.picture.byteCount ? last : best.picture, best.candidate.blend)
  }
}
