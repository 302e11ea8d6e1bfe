// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Bytes of a source one after the other, through a window that moves on.
struct ByteStream {
  private let source: SourceView
  private var window: UnsafeRawBufferPointer
  private var position = 0
  /// Where the window begins in the source.
  private var offset: Int

  private static let windowBytes = 256 << 10

  init(_ source: SourceView, at offset: Int) throws(CoderError) {
    self.source = source
    self.offset = offset
    window = try source.view(at: offset, count: Self.windowBytes)
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
    guard window.count > 0 else { return false }
    offset &+= window.count
    position = 0
    window = try source.view(at: offset, count: Self.windowBytes)
    return window.count > 0
  }
}
