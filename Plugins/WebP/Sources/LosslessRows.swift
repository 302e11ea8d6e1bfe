// SPDX-License-Identifier: Apache-2.0

import CVP8L
import ImageCoderPlugin

/// Rows of a lossless picture without libwebp, which would keep all of its pixels.
struct LosslessRows: ~Copyable {
  private let pixels: OpaquePointer
  private let input: BitstreamInput
  private let picture: Picture
  private let format: vp8l_format
  /// Bytes of the chunk that were given.
  private var given: Int

  /// Bytes of a VP8L chunk before its bitstream: its name, its size, and the header that ``Bitstream`` has read.
  private static let headerSize = Chunk.headerSize + 5
  /// Between two groups of rows the host is asked whether to go on.
  private static let pixelsAtOnce = 1 << 20

  /// Reads what stands before the pixels, of an arriving file as soon as it is there.
  ///
  /// - Returns: nil for what is damaged or cut before the pixels, or needs memory that is not there.
  init?(_ picture: Picture, input: BitstreamInput, offer: DecodeOffer) throws(CoderError) {
    let format = try StoredLayout(offer).lossless
    var bytes = try input.more(after: 0)
    while true {
      let payload = Self.payload(bytes)
      var isCut: Int32 = 0
      let size = picture.rect.size
      if let pixels = vp8l_open(payload.baseAddress, payload.count, UInt32(size.width), UInt32(size.height), &isCut) {
        self.pixels = pixels
        break
      }
      // It is read anew, so that many more bytes have to be there.
      let known = bytes.count
      guard isCut != 0 else { return nil }
      bytes = try input.more(after: known + known / 4)
      guard bytes.count > known else { return nil }
    }
    given = bytes.count
    self.format = format
    self.input = input
    self.picture = picture
  }

  deinit { vp8l_close(pixels) }

  /// Gives all rows on, of an arriving file as its bytes come.
  ///
  /// - Returns: How many are right: at the last, or before the first that is damaged or cut.
  mutating func deliver(_ offer: DecodeOffer, into sink: RowSink, host: CoderHost) throws(CoderError) -> Int {
    let height = offer.size.height
    let most = max(1, Self.pixelsAtOnce / offer.size.width)
    // VP8L's alpha bit is a hint (RFC 9649 §3.4): where it says opaque, the samples may say something else.
    let isOpaque: Int32 = picture.hasAlpha ? 0 : 1
    var y = 0
    while y < height {
      if host.isCancelled { throw .cancelled }
      let granted = try sink.rows(at: y, count: min(most, height - y, rowsThere))
      let wanted = min(granted.count, most)
      let base = granted.base.assumingMemoryBound(to: UInt8.self)
      let right = Int(vp8l_rows(pixels, UInt32(wanted), base, granted.stride, format, isOpaque))
      if right > 0 { try sink.done(at: y, count: right) }
      y += right
      guard right < wanted else { continue }
      guard vp8l_is_cut(pixels) != 0 else { break }
      let bytes = try input.more(after: given)
      guard bytes.count > given else { break }
      given = bytes.count
      let payload = Self.payload(bytes)
      vp8l_extend(pixels, payload.baseAddress, payload.count)
    }
    return y
  }

  /// Rows whose bytes are there, if all rows took as many: some fewer, since rows that are cut are decoded again.
  private var rowsThere: Int {
    guard given < picture.bytes.count else { return .max }
    let ofRow = max(1, picture.bytes.count / picture.rect.height)
    return max(1, (given - Self.headerSize - Int(vp8l_position(pixels))) / ofRow * 7 / 8)
  }

  private static func payload(_ chunk: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: chunk.bindMemory(to: UInt8.self).dropFirst(headerSize))
  }
}
