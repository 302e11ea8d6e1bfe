// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// Decodes one bitstream into the host's rows.
///
/// Lossless pixels are decoded by ``LosslessRows``, alpha by ``AlphaRows`` where all bytes are there; all else, and what is
/// damaged, by libwebp. Its incremental decoder gets the bytes in a few steps, which takes no longer than its one-shot decoder:
/// rows of cut files are kept, and the host can stop between steps. It writes to memory for the whole picture: that of a host
/// that grants all rows, or else memory of which the rows that were given on are not kept.
struct FrameDecoder {
  /// Memory for the rows of a picture.
  struct Place {
    let base: UnsafeMutableRawPointer
    let stride: Int
    /// Rows before it were given on already.
    var first = 0
  }

  let picture: Picture
  let input: BitstreamInput
  let host: CoderHost
  var isLibwebpAlone = false

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    var complete = 0
    if offer.size == picture.rect.size, !isLibwebpAlone {
      switch picture.kind {
      case .lossless:
        if var rows = try LosslessRows(picture, input: input, offer: offer) {
          complete = try rows.deliver(offer, into: sink, host: host)
        }
      case .lossy:
        if let contents = input.contents, let alpha = AlphaRows(picture, in: contents) {
          complete = try FrameDecoder(picture: picture, input: input.withoutAlpha, host: host).decode(
            offer, into: sink, after: 0, alpha: alpha)
        }
      }
    }
    // libwebp tells what is wrong, and shows what there is.
    guard complete < offer.size.height else { return }
    _ = try decode(offer, into: sink, after: complete, alpha: nil)
  }

  /// Decodes by libwebp.
  ///
  /// - Parameters:
  ///   - first: Rows before it were given on.
  ///   - alpha: What writes the alpha, if the input has none.
  /// - Returns: How many rows were given on: fewer than all if alpha is damaged.
  private func decode(
    _ offer: DecodeOffer, into sink: RowSink, after first: Int, alpha: consuming AlphaRows?
  ) throws(CoderError) -> Int {
    if first == 0 {
      let granted = try sink.rows(at: 0, count: offer.size.height)
      if granted.count >= offer.size.height {
        let place = Place(base: granted.base, stride: granted.stride)
        return try decode(offer, to: place, isPassing: false, alpha: alpha) { (rows) throws(CoderError) in
          try sink.done(at: rows.lowerBound, count: rows.count)
        }
      }
    }
    var passing = try PassingRows(offer)
    var place = passing.place
    place.first = first
    return try decode(offer, to: place, isPassing: true, alpha: alpha) { (rows) throws(CoderError) in
      try passing.deliver(rows, after: first, into: sink)
    }
  }

  private func decode(
    _ offer: DecodeOffer, to rows: Place, isPassing: Bool, alpha: consuming AlphaRows?,
    done: (Range<Int>) throws(CoderError) -> Void
  ) throws(CoderError) -> Int {
    let size = offer.size
    let rowBytes = size.width * offer.pixelFormat.bytesPerPixel
    guard let stride = Int32(exactly: rows.stride), Int(stride) >= rowBytes else {
      throw .libraryFailure("the host grants a stride of \(rows.stride) bytes for rows of \(rowBytes)")
    }
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .libraryFailure("libwebp has another interface than its header")
    }
    config.output.colorspace = try StoredLayout(offer).libwebp
    config.output.is_external_memory = 1
    config.output.u.RGBA.rgba = rows.base.assumingMemoryBound(to: UInt8.self)
    config.output.u.RGBA.stride = stride
    // The last row ends at its last pixel: what follows in the stride may belong to someone else.
    config.output.u.RGBA.size = rows.stride * (size.height - 1) + rowBytes
    if size != picture.rect.size {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(size.width)
      config.options.scaled_height = Int32(size.height)
    }
    var failure: CoderError?
    var complete = 0
    withUnsafeMutablePointer(to: &config) { config in
      // The decoder refers to the configuration until it is deleted.
      guard let decoder = WebPIDecode(nil, 0, config) else {
        failure = .outOfMemory(bytes: picture.decodingMemory, for: "libwebp's decoder")
        return
      }
      defer { WebPIDelete(decoder) }
      do throws(CoderError) {
        complete = try run(decoder, offer: offer, rows: rows, isPassing: isPassing, alpha: alpha, done: done)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return complete
  }

  /// Feeds the bytes step by step and reports the rows that each step completes.
  ///
  /// - Returns: How many rows were reported: fewer than all if alpha is damaged.
  private func run(
    _ decoder: OpaquePointer, offer: DecodeOffer, rows: Place, isPassing: Bool, alpha: borrowing AlphaRows?,
    done: (Range<Int>) throws(CoderError) -> Void
  ) throws(CoderError) -> Int {
    // VP8L's alpha bit is a hint (RFC 9649 §3.4): where it says opaque, the samples may say something else.
    let forcesOpaque = picture.kind == .lossless && !picture.hasAlpha && offer.pixelFormat.hasAlpha
    let height = offer.size.height
    var given = 0
    var complete = 0
    var status = VP8_STATUS_SUSPENDED
    while status == VP8_STATUS_SUSPENDED {
      if host.isCancelled { throw .cancelled }
      let bytes = try input.bytes(after: given, isPassing: isPassing)
      guard bytes.count > given, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { break }
      given = bytes.count
      status = WebPIUpdate(decoder, start, given)
      var last: Int32 = 0
      guard WebPIDecGetRGB(decoder, &last, nil, nil, nil) != nil || status == VP8_STATUS_OK else { continue }
      let reached = status == VP8_STATUS_OK ? height : min(Int(last), height)
      guard reached > complete else { continue }
      if forcesOpaque { setOpaque(rows, from: complete, to: reached, width: offer.size.width) }
      if let right = alpha?.write(
        reached - complete, to: rows.base + complete * rows.stride, stride: rows.stride,
        premultiplies: offer.alpha == .premultiplied), right < reached - complete
      {
        return complete
      }
      try done(complete..<reached)
      complete = reached
    }
    guard status == VP8_STATUS_OK else {
      throw CoderError(
        decoding: status, rows: max(complete, rows.first), of: height, isWhole: input.isWhole,
        at: picture.bytes.lowerBound)
    }
    return complete
  }

  /// Writes the largest alpha sample into every pixel of some rows of 32-bit pixels.
  private func setOpaque(_ rows: Place, from first: Int, to end: Int, width: Int) {
    for y in first..<end {
      let row = rows.base.advanced(by: y * rows.stride).assumingMemoryBound(to: UInt8.self)
      // Each row holds width × 4 bytes, which the host has granted.
      for x in 0..<width { row[x &* 4 &+ 3] = 0xff }
    }
  }
}
