// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// The bytes of a file on their way to one of libjxl's decoders.
///
/// libjxl consumes bytes, or wants to see them again together with those that follow; this counts which ones. Bytes are
/// lent for one call, so that the host may move them while more are received.
final class InputFeed {
  private let source: SourceView
  private let range: Range<Int>
  /// The first byte that libjxl has not taken.
  private(set) var position: Int
  /// Bytes from there on that libjxl has seen and not taken.
  private var seen = 0
  /// Whether libjxl wants more than those.
  private var wantsMore = true
  /// Whether it wanted more, and the source has none.
  private(set) var isOver = false

  /// Nanoseconds that libjxl worked, and that were spent waiting for bytes.
  private(set) var worked = 0
  private(set) var waited = 0
  private let order: SectionOrder?

  /// - Parameters:
  ///   - range: What is handed over; it may end after the source does. nil for all.
  ///   - order: Tells whether a frame must not be handed over in parts; nil when none must not.
  init(_ source: SourceView, range: Range<Int>?, order: SectionOrder? = nil) {
    self.source = source
    self.order = order
    self.range = range ?? 0..<Int.max
    position = self.range.lowerBound
  }

  /// Bytes that were there, once ``isOver`` is true; until then those that libjxl has seen.
  var count: Int { position + seen - range.lowerBound }

  /// Shows all bytes that are there and lets libjxl work on until something is to be told.
  ///
  /// - Parameter step: After ``JXL_DEC_NEED_MORE_INPUT``, bytes that are waited for, or fewer at the end of the source.
  ///   libjxl begins anew with what it wants to see again, and does so for each call.
  /// - Returns: What libjxl tells; ``JXL_DEC_NEED_MORE_INPUT`` with ``isOver`` at the end of the source.
  func next(_ decoder: LibJXL.Decoder, step: Int) throws(CoderError) -> JxlDecoderStatus {
    let left = range.upperBound - position
    let wanted = wantsMore ? min(step, left - min(seen, left)) : 0
    let waiting = LibJXL.now
    var bytes = try source.view(at: position, least: seen + wanted, most: left)
    guard !wantsMore || bytes.count > seen else {
      isOver = true
      return JXL_DEC_NEED_MORE_INPUT
    }
    if let order {
      let count = try order.isKept(before: position + bytes.count) ? bytes.count : left
      bytes = try source.view(at: position, least: count, most: count)
    }
    let working = LibJXL.now
    waited += working - waiting
    try decoder.show(bytes)
    let status = decoder.next()
    worked += LibJXL.now - working
    seen = min(JxlDecoderReleaseInput(decoder.raw), bytes.count)
    position += bytes.count - seen
    wantsMore = status == JXL_DEC_NEED_MORE_INPUT
    return status
  }

  /// The first byte that libjxl has not taken, or nil at the end of the source.
  func peek() throws(CoderError) -> UInt8? {
    guard position < range.upperBound else { return nil }
    let next = try source.bytes(at: position, least: 1, most: 1)
    return try next.isEmpty ? nil : ByteReader(next).uint8(at: 0)
  }
}
