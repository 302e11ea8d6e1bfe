// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Decodes frames into the host's rows.
///
/// libjxl's decoder stays where the last decoded frame ends, so that playing forward decodes each frame once. For any other
/// frame a new one begins at the start and decodes only what that frame refers to.
final class FrameDecoder {
  private let codestream: Codestream
  /// The whole file, alive as long as the session.
  let bytes: UnsafeRawBufferPointer
  let host: CoderHost
  private var decoder: LibJXL.Decoder?
  /// The frame that the decoder comes to next.
  private var next = 0

  init(_ codestream: Codestream, bytes: UnsafeRawBufferPointer, host: CoderHost) {
    self.codestream = codestream
    self.bytes = bytes
    self.host = host
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let target = try FrameTarget(offer, from: sink)
    do throws(CoderError) {
      let decoder = try decoder(at: offer.frame)
      try run(decoder, frame: offer.frame, target: target, sink: sink)
    } catch {
      // After an error, the decoder cannot go on, and it holds memory.
      decoder = nil
      throw error
    }
    next = offer.frame + 1
    if codestream.frames.count == 1 { decoder = nil }
  }

  private func run(
    _ decoder: LibJXL.Decoder, frame: Int, target: FrameTarget, sink: RowSink
  ) throws(CoderError) {
    let black = codestream.black.map { BlackPlane($0.index, size: codestream.canvas, host: host) }
    while true {
      switch decoder.next() {
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        // Rows of a cut file may not all be reached.
        if codestream.isTruncated { target.clear() }
        try target.attach(to: decoder)
        try black?.attach(to: decoder, format: target.format)
      case JXL_DEC_FULL_IMAGE:
        black?.multiply(into: target)
        return try sink.done(at: 0, count: target.rows.count)
      case JXL_DEC_NEED_MORE_INPUT:
        // Each group is shown as far as its bytes go, from coarse to fine.
        guard JxlDecoderFlushImage(decoder.raw) == JXL_DEC_SUCCESS else {
          throw .truncated("frame \(frame) is cut before anything can be shown of it", at: bytes.count)
        }
        black?.multiply(into: target)
        try sink.done(at: 0, count: target.rows.count)
        throw .truncated("frame \(frame) is cut", at: bytes.count)
      case JXL_DEC_SUCCESS: throw .malformed("the codestream ends before frame \(frame)")
      case JXL_DEC_ERROR:
        if host.isCancelled { throw .cancelled }
        throw .malformed("libjxl finds an error in frame \(frame)")
      case let status: throw .libraryFailure("libjxl reports event \(status.rawValue), which it was not asked for")
      }
    }
  }

  /// A decoder that comes to a frame next.
  private func decoder(at frame: Int) throws(CoderError) -> LibJXL.Decoder {
    if let decoder, frame == next { return decoder }
    // libjxl 0.7 forgets on the way which hidden frames of averages a frame needs: a decoder that has decoded others finds
    // an error there.
    decoder = nil
    let decoder = try LibJXL.Decoder(host: host)
    if frame > 0 {
      // Which frames refer to which is known after all headers of frames.
      try begin(decoder, learning: true)
      var status = decoder.next()
      while status == JXL_DEC_FRAME { status = decoder.next() }
      JxlDecoderRewind(decoder.raw)
    }
    try begin(decoder, learning: false)
    if frame > 0 { JxlDecoderSkipFrames(decoder.raw, frame) }
    self.decoder = decoder
    next = frame
    return decoder
  }

  /// - Parameter learning: Whether headers of frames are looked at, and no pixels.
  private func begin(_ decoder: LibJXL.Decoder, learning: Bool) throws(CoderError) {
    if learning { return try decoder.begin(bytes, events: JXL_DEC_FRAME) }
    guard codestream.color?.isConverted == true else {
      return try decoder.begin(bytes, events: JXL_DEC_FULL_IMAGE)
    }
    try decoder.begin(bytes, events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE)
    guard decoder.next() == JXL_DEC_COLOR_ENCODING else { throw .malformed("libjxl finds no color encoding") }
    try ColorSignal.preferSRGB(decoder, info: codestream.info)
  }
}
