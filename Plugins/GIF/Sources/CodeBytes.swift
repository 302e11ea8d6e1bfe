// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Codes of varying width, packed from the low bit of each byte on.
///
/// - Format: GIF89a Appendix F, Build the bytes.
struct CodeBytes: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Whole bytes.
  private(set) var count = 0
  private var bits: UInt64 = 0
  private var bitCount: UInt64 = 0
  /// Why codes are lost, or nil.
  private var failure: CoderError?

  /// Room that a code needs: it is stored eight bytes at a time.
  private static let slack = 16

  init() {
    capacity = 4_096
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// Appends a code of up to 12 bits.
  @inline(__always)
  mutating func append(_ code: Int, width: Int) {
    if count &+ Self.slack > capacity { grow() }
    bits |= UInt64(truncatingIfNeeded: code) &<< bitCount
    bitCount &+= UInt64(truncatingIfNeeded: width)
    UnsafeMutableRawPointer(base + count).storeBytes(of: bits.littleEndian, as: UInt64.self)
    count &+= Int(truncatingIfNeeded: bitCount &>> 3)
    bits &>>= bitCount & ~7
    bitCount &= 7
  }

  /// Fills the last byte up with zeros.
  mutating func align() {
    if bitCount > 0 { append(0, width: 8 - Int(bitCount)) }
  }

  /// Everything as sub-blocks.
  ///
  /// - Format: GIF89a §15, Data Sub-blocks; §16, Block Terminator.
  /// - Throws: ``CoderError/Code/outOfMemory``, also where there was no memory for all codes.
  func subBlocks() throws(CoderError) -> [UInt8] {
    if let failure { throw failure }
    var block: [UInt8] = []
    try ArrayMemory.grow(&block, by: count + count / 255 + 2, for: "a frame's codes")
    for start in stride(from: 0, to: count, by: 255) {
      let length = min(255, count - start)
      block.append(UInt8(truncatingIfNeeded: length))
      block.append(contentsOf: UnsafeBufferPointer(start: base + start, count: length))
    }
    block.append(0)
    return block
  }

  /// Makes room for as many bytes again. Without memory for them, those that there are make room.
  private mutating func grow() {
    do throws(CoderError) { try ArrayMemory.check(bytes: 2 * capacity, for: "a frame's codes") } catch {
      failure = error
      count = 0
      return
    }
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (larger, 2 * capacity)
  }
}
