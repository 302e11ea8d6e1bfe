// SPDX-License-Identifier: Apache-2.0

/// Writes the fields of a structure one after the other.
///
///     var writer = ByteWriter(order: .littleEndian)
///     writer.put(UInt32(clamping: size.width))
public struct ByteWriter: Sendable {
  /// All bytes that were written so far.
  public private(set) var bytes: [UInt8] = []
  /// The byte order of numbers.
  public var order: ByteOrder

  /// Makes an empty writer.
  ///
  /// - Parameter capacity: The number of bytes to reserve memory for; more can be written.
  public init(order: ByteOrder = .bigEndian, capacity: Int = 0) {
    self.order = order
    bytes.reserveCapacity(capacity)
  }

  /// Makes room for bytes whose number a file or a caller decides, before they are written.
  ///
  /// - Parameters:
  ///   - count: Bytes that are still to come, at least 0.
  ///   - purpose: What they are, in the error: `metadata`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public mutating func reserve(_ count: Int, for purpose: String) throws(CoderError) {
    try ArrayMemory.grow(&bytes, by: count, for: purpose)
  }

  /// The number of bytes written, which is the offset of the next field.
  public var count: Int { bytes.count }

  /// Writes a number, in as many bytes as its type has.
  public mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.swapped(to: order)) { bytes.append(contentsOf: $0) }
  }

  /// Writes the lowest bytes of a number.
  ///
  /// - Parameter width: 0 to 8.
  public mutating func put(_ value: UInt64, bytes width: Int) {
    for index in 0..<width {
      let step = order == .bigEndian ? width - 1 - index : index
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * step)))
    }
  }

  /// Writes bytes as they are.
  public mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  /// Writes the four bytes of a name, whatever ``order`` is.
  public mutating func put(_ name: FourCC) { bytes.append(contentsOf: name.bytes) }
  /// Writes ASCII or UTF-8 text, without a terminator.
  public mutating func put(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
  /// Writes bytes of 0.
  ///
  /// - Parameter count: At least 0.
  public mutating func putZeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  /// Replaces a number that was written before.
  ///
  /// - Parameter place: The offset of its first byte; all of its bytes must have been written.
  public mutating func replace(_ value: some FixedWidthInteger, at place: Int) {
    withUnsafeBytes(of: value.swapped(to: order)) { bytes.replaceSubrange(place..<(place + $0.count), with: $0) }
  }

  /// Writes a box around what `body` writes (ISO/IEC 14496-12 §4.2). Its content must be smaller than 4 GiB.
  public mutating func box(_ type: FourCC, _ body: (inout ByteWriter) -> Void) {
    let start = bytes.count
    put(UInt32(0))
    put(type)
    body(&self)
    replace(UInt32(clamping: bytes.count - start), at: start)
  }

  /// Writes a box with a version and flags around what `body` writes.
  public mutating func fullBox(
    _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout ByteWriter) -> Void
  ) {
    box(type) { writer in
      writer.put(UInt32(version) << 24 | flags)
      body(&writer)
    }
  }
}
