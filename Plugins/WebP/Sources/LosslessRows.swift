// SPDX-License-Identifier: Apache-2.0

import CVP8L
import ImageCoderPlugin

/// Rows of a lossless picture without libwebp, which would keep all of its pixels.
///
/// - Lifetime: The source's bytes outlive it.
struct LosslessRows: ~Copyable {
  private let pixels: OpaquePointer
  private let height: Int
  private let format: vp8l_format
  private let isOpaque: Bool

  /// Bytes of a VP8L chunk before its bitstream: its name, its size, and the header that ``Bitstream`` has read.
  private static let headerSize = Chunk.headerSize + 5
  /// Between two groups of rows the host is asked whether to go on.
  private static let pixelsAtOnce = 1 << 20

  /// - Parameter chunk: A VP8L chunk, or as much of it as there is.
  /// - Returns: nil for what is damaged before the pixels, or needs memory that is not there.
  init?(_ picture: Picture, chunk: UnsafeRawBufferPointer, offer: DecodeOffer) {
    let size = picture.rect.size
    guard let format = Self.format(of: offer), chunk.count > Self.headerSize, let start = chunk.baseAddress,
      let pixels = vp8l_open(
        start.assumingMemoryBound(to: UInt8.self) + Self.headerSize, chunk.count - Self.headerSize,
        UInt32(size.width), UInt32(size.height))
    else { return nil }
    self.pixels = pixels
    self.format = format
    height = size.height
    // VP8L's alpha bit is a hint (RFC 9649 §3.4): where it says opaque, the samples may say something else.
    isOpaque = !picture.hasAlpha
  }

  deinit { vp8l_close(pixels) }

  /// Gives all rows on.
  ///
  /// - Returns: How many are right: at the last, or before the first that is damaged.
  func deliver(_ offer: DecodeOffer, into sink: RowSink, host: CoderHost) throws(CoderError) -> Int {
    let most = max(1, Self.pixelsAtOnce / offer.size.width)
    var y = 0
    while y < height {
      if host.isCancelled { throw .cancelled }
      let granted = try sink.rows(at: y, count: min(most, height - y))
      let wanted = min(granted.count, most)
      let base = granted.base.assumingMemoryBound(to: UInt8.self)
      let right = Int(vp8l_rows(pixels, UInt32(wanted), base, granted.stride, format, isOpaque ? 1 : 0))
      if right > 0 { try sink.done(at: y, count: right) }
      y += right
      guard right == wanted else { break }
    }
    return y
  }

  private static func format(of offer: DecodeOffer) -> vp8l_format? {
    switch (offer.pixelFormat, offer.alpha) {
    case (.rgb8, _): VP8L_RGB
    case (.rgba8, .premultiplied): VP8L_PREMULTIPLIED_RGBA
    case (.rgba8, _): VP8L_RGBA
    case (.bgra8, .premultiplied): VP8L_PREMULTIPLIED_BGRA
    case (.bgra8, _): VP8L_BGRA
    default: nil
    }
  }
}
