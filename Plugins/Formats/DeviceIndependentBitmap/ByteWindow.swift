// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Bytes of a source one after the other, through a window that moves on.
struct ByteWindow {
  private let source: SourceView
  private var window: UnsafeRawBufferPointer
  /// At most the window's count: every load is after a comparison with that.
  private var position = 0
  /// Where the window begins in the source.
  private var offset: Int

  /// Where the bytes are said to end, which may be wrong.
  private let statedEnd: Int

  private static let leastBytes = 4 << 10
  private static let windowBytes = 256 << 10

  /// - Parameter count: Bytes that there are said to be, or 0.
  init(_ source: SourceView, at offset: Int, count: Int) throws(CoderError) {
    self.source = source
    self.offset = offset
    statedEnd = offset &+ count
    window = UnsafeRawBufferPointer(start: nil, count: 0)
    _ = try refill()
  }

  /// Where the next byte is in the source.
  var place: Int { offset &+ position }

  /// The next byte, or -1 at the end of the source.
  @inline(__always) mutating func next() throws(CoderError) -> Int {
    if position >= window.count {
      guard try refill() else { return -1 }
    }
    let byte = window[position]
    position &+= 1
    return Int(byte)
  }

  /// The next bytes, up to `count` of them and at least one, or none at the end of the source. Valid until the next
  /// call.
  mutating func chunk(upTo count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if position >= window.count {
      guard try refill() else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    }
    let end = position &+ min(count, window.count &- position)
    let bytes = UnsafeRawBufferPointer(rebasing: window[position..<end])
    position = end
    return bytes
  }

  private mutating func refill() throws(CoderError) -> Bool {
    offset &+= window.count
    position = 0
    // Of an incremental file, more than the stated bytes might never come.
    let stated = statedEnd &- offset
    window = try source.view(
      at: offset, least: stated > 0 ? min(Self.leastBytes, stated) : Self.leastBytes, most: Self.windowBytes)
    return window.count > 0
  }
}
