// SPDX-License-Identifier: Apache-2.0

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

  /// Moves everything into `block` as sub-blocks.
  ///
  /// - Format: GIF89a §15, Data Sub-blocks; §16, Block Terminator.
  mutating func moveSubBlocks(to block: inout [UInt8]) {
    block.reserveCapacity(block.count + count + count / 255 + 2)
    for start in stride(from: 0, to: count, by: 255) {
      let length = min(255, count - start)
      block.append(UInt8(truncatingIfNeeded: length))
      block.append(contentsOf: UnsafeBufferPointer(start: base + start, count: length))
    }
    block.append(0)
    count = 0
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (larger, 2 * capacity)
  }
}
