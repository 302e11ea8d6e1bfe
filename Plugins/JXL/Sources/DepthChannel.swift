// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// A channel of depth beside those of color: a picture as large as the file's own, which is a hidden page.
///
/// - Format: ISO/IEC 18181-1 §D.3.6.
struct DepthChannel {
  /// Among the channels beside those of color.
  let index: Int
  private let channel: ExtraChannel

  /// Those of a still that are whole numbers of at most 16 bits.
  static func all(in codestream: Codestream) -> [DepthChannel] {
    guard codestream.info.have_animation == 0 else { return [] }
    return codestream.extraChannels.enumerated().compactMap { index, channel in
      let isRead = channel.kind == JXL_CHANNEL_DEPTH && channel.exponentBits == 0 && channel.bits <= 16
      return isRead ? DepthChannel(index: index, channel: channel) : nil
    }
  }

  var pixelFormat: PixelFormat { channel.bits <= 8 ? .gray8 : .gray16 }

  func header(in codestream: Codestream) -> ImageHeader {
    var header = ImageHeader(
      format: .jpegXL, canvas: codestream.canvas, pixelFormat: pixelFormat, bitsPerChannel: max(channel.bits, 1),
      alpha: .opaque)
    header.orientation = Orientation(rawValue: Int(codestream.info.orientation.rawValue)) ?? .up
    header.role = PageRole(.depth, name: channel.name ?? "Depth")
    return header
  }
}

extension FrameDecoder {
  /// Decodes a channel of a still into rows of gray.
  func decode(_ depth: DepthChannel, _ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let target = try FrameTarget(offer, from: sink)
    target.clear()
    let decoder = try LibJXL.Decoder(host: host)
    try decoder.begin(bytes, events: JXL_DEC_FULL_IMAGE)
    while true {
      switch decoder.next() {
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try target.attach(to: decoder, asChannel: depth.index)
      case JXL_DEC_FULL_IMAGE: return try sink.done(at: 0, count: target.rows.count)
      case JXL_DEC_NEED_MORE_INPUT: throw .truncated("the channel of depth is cut", at: bytes.count)
      case JXL_DEC_SUCCESS: throw .malformed("the codestream ends before its picture")
      case JXL_DEC_ERROR:
        if host.isCancelled { throw .cancelled }
        throw .malformed("libjxl finds an error in the picture")
      case let status: throw .libraryFailure("libjxl reports event \(status.rawValue), which it was not asked for")
      }
    }
  }
}

extension FrameTarget {
  /// Hands the rows to libjxl for a channel beside those of color, which go nowhere.
  fileprivate func attach(to decoder: LibJXL.Decoder, asChannel index: Int) throws(CoderError) {
    var colors = JxlPixelFormat(.rgba8, stride: 0)
    // libjxl counts the bytes after the last row as well, which may not be the host's to give, and does not touch them.
    var samples = JxlPixelFormat(format, stride: rows.stride)
    let (size, overflow) = rows.count.multipliedReportingOverflow(by: rows.stride)
    guard !overflow else { throw .libraryFailure("\(rows.count) rows of \(rows.stride) bytes") }
    guard JxlDecoderSetImageOutCallback(decoder.raw, &colors, { _, _, _, _, _ in }, nil) == JXL_DEC_SUCCESS,
      JxlDecoderSetExtraChannelBuffer(decoder.raw, &samples, rows.base, size, UInt32(truncatingIfNeeded: index))
        == JXL_DEC_SUCCESS
    else { throw .libraryFailure("libjxl delivers no channel of depth") }
  }
}
