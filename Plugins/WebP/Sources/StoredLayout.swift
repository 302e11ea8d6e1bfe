// SPDX-License-Identifier: Apache-2.0

import CVP8L
import CWebP
import ImageCoderPlugin

/// How pixels lie in memory, as both decoders name it.
struct StoredLayout {
  let libwebp: WEBP_CSP_MODE
  let lossless: vp8l_format

  /// - Throws: ``CoderError/Code/invalidArgument`` for an offer that the reader does not make.
  init(_ offer: DecodeOffer) throws(CoderError) {
    (libwebp, lossless) =
      switch (offer.pixelFormat, offer.alpha) {
      case (.rgb8, _): (MODE_RGB, VP8L_RGB)
      case (.rgba8, .premultiplied): (MODE_rgbA, VP8L_PREMULTIPLIED_RGBA)
      case (.rgba8, _): (MODE_RGBA, VP8L_RGBA)
      case (.bgra8, .premultiplied): (MODE_bgrA, VP8L_PREMULTIPLIED_BGRA)
      case (.bgra8, _): (MODE_BGRA, VP8L_BGRA)
      default: throw .invalidArgument("an offer of \(offer.pixelFormat), which was not made")
      }
  }
}
