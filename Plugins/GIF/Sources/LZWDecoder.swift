// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns the data of one image into indexes.
///
/// Every code stands for a string of indexes. A table entry holds the last one to eight of them as one 64-bit number,
/// and the code that stands for those before; the number of those is a multiple of eight. So a string is written with
/// one store for every eight indexes, and nothing that was written before is read again.
///
/// - Format: GIF89a, Appendix F, Variable-Length-Code LZW Compression.
/// - Lifetime: Lives in memory of the host, which ``release(to:)`` gives back.
struct LZWDecoder {
  /// Why indexes stopped coming.
  enum Stop {
    /// There is room for no more; more may come.
    case full
    /// The end-of-information code.
    case endOfInformation
    /// The terminator of the sub-blocks.
    case endOfBlocks
    /// The end of the file.
    case endOfBytes
    /// The end of the bytes that are there. More may come, with other bytes to read: see ``resume(in:isComplete:)``.
    case endOfAvailable
    /// A code that stands for nothing yet.
    case invalidCode(UInt32)
  }

  /// What a code stands for.
  private struct Entry {
    /// The string's last one to eight indexes, the first of them in the low byte.
    var tail: UInt64
    /// The string's length less 1 in bits 20 to 31, the code of what comes before the tail in bits 8 to 19, the
    /// string's first index in bits 0 to 7.
    var head: UInt32
  }

  /// Codes have at most 12 bits.
  private static let tableSize = 4_096
  /// Indexes that one code can add, and what the last store writes beyond.
  static let slack = tableSize + 8
  /// One entry more than there are codes takes what is prepared when the table is full.
  static let memorySize = (tableSize + 1) * MemoryLayout<Entry>.stride

  private let table: UnsafeMutablePointer<Entry>

  /// What is read; `offset <= bytes.count` and `blockEnd <= bytes.count` always, and every load lies before one of them.
  private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether no byte follows those.
  private var isComplete = true
  private var start = 0
  /// The next byte, and the end of its sub-block as far as that is there.
  private(set) var offset = 0
  private var blockEnd = 0
  /// The end of its sub-block by the length that is stored.
  private var announcedEnd = 0
  private var hasEnded = false
  private var endsWithBytes = false
  private var bitBuffer: UInt64 = 0
  private var bitCount: UInt64 = 0

  private var clearCode: UInt32 = 0
  private var codeWidth: UInt64 = 0
  /// The code that is defined next, by the string before and the first index of the string to come.
  ///
  /// Its entry has its head already, so that a code may stand for the string that it defines. After a clear code there
  /// is no string before; then this is the end code, whose entry nobody looks at.
  private var nextCode: UInt32 = 0
  /// The tail of the next entry without its last index, and how far that has to be shifted.
  private var nextTail: UInt64 = 0
  private var nextShift: UInt64 = 0

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(host: CoderHost) throws(CoderError) {
    let memory = try host.allocate(bytes: Self.memorySize, for: "the code table")
    table = memory.bindMemory(to: Entry.self, capacity: Self.tableSize + 1)
  }

  /// Gives the memory back; nothing else may be called afterwards.
  func release(to host: CoderHost) { host.free(table) }

  /// The offset of the byte where the last code ends, however many bytes after it are in the bit buffer.
  ///
  /// - Complexity: Linear in the number of sub-blocks.
  var position: Int {
    var left = payloadCount(before: offset) - Int(bitCount >> 3)
    var block = start
    while block < offset {
      let length = Int(bytes[block])
      if left < length { return block + 1 + left }
      left -= length
      block += 1 + length
    }
    return offset
  }

  /// Bytes in sub-blocks, their lengths left out.
  private func payloadCount(before end: Int) -> Int {
    var count = 0
    var block = start
    while block < end {
      let length = Int(bytes[block])
      count += min(length, end - block - 1)
      block += 1 + length
    }
    return count
  }

  /// Bytes of the file to wait for before the next call: to the end of the sub-block and the length of the next, and of
  /// large images some more, so that bytes that come one by one are not decoded one by one.
  var neededCount: Int { max(announcedEnd + 1, offset + min(4_096, (offset - start) / 8)) }

  /// Starts at the first sub-block of an image's data.
  ///
  /// - Parameters:
  ///   - isComplete: Whether `bytes` are all that the file has.
  ///   - minimumCodeSize: 1 to 11, so that a code of at most 12 bits can be added.
  mutating func start(
    in bytes: UnsafeRawBufferPointer, isComplete: Bool, at start: Int, minimumCodeSize: Int
  ) {
    self.bytes = bytes
    self.isComplete = isComplete
    self.start = start
    offset = min(start, bytes.count)
    blockEnd = offset
    announcedEnd = start
    hasEnded = false
    endsWithBytes = false
    bitBuffer = 0
    bitCount = 0
    clearCode = 1 << UInt32(minimumCodeSize)
    for index in 0..<Int(clearCode) {
      // An index has 8 bits; what is beyond lies outside every palette.
      table[index] = Entry(tail: UInt64(min(index, 255)), head: UInt32(min(index, 255)))
    }
    codeWidth = UInt64(minimumCodeSize + 1)
    nextCode = clearCode + 1
    nextTail = 0
    nextShift = 0
  }

  /// Takes the bytes of the file again, after more of them have come.
  mutating func resume(in bytes: UnsafeRawBufferPointer, isComplete: Bool) {
    self.bytes = bytes
    self.isComplete = isComplete
    blockEnd = min(announcedEnd, bytes.count)
  }

  /// Writes indexes.
  ///
  /// - Parameters:
  ///   - output: Room for `goal` indexes and ``slack`` bytes after them.
  ///   - goal: How many are wanted; there may be up to 4,095 more.
  /// - Returns: How many there are, and why there are no more.
  mutating func decode(into output: UnsafeMutablePointer<UInt8>, until goal: Int) -> (count: Int, stop: Stop) {
    guard let base = bytes.baseAddress else { return (0, .endOfBytes) }
    let (table, clearCode) = (self.table, self.clearCode)
    var (bitBuffer, bitCount, offset, blockEnd) = (self.bitBuffer, self.bitCount, self.offset, self.blockEnd)
    var (codeWidth, nextCode, nextTail, nextShift) = (self.codeWidth, self.nextCode, self.nextTail, self.nextShift)
    var target = UnsafeMutableRawPointer(output)
    let end = target + goal
    var stop = Stop.full
    while target < end {
      if bitCount < codeWidth {
        if blockEnd &- offset >= 8 {
          // The byte that does not fit whole is read again; its bits are the same then.
          bitBuffer |= UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &<< bitCount
          let taken = (63 &- bitCount) >> 3
          offset &+= Int(truncatingIfNeeded: taken)
          bitCount &+= taken &<< 3
        } else {
          self.offset = offset
          (bitBuffer, bitCount) = refillBytewise(bitBuffer, bitCount)
          (offset, blockEnd) = (self.offset, self.blockEnd)
          guard bitCount >= codeWidth else {
            stop = endsWithBytes ? .endOfBytes : hasEnded ? .endOfBlocks : .endOfAvailable
            break
          }
        }
      }
      let code = UInt32(truncatingIfNeeded: bitBuffer & ((1 &<< codeWidth) &- 1))
      bitBuffer &>>= codeWidth
      bitCount &-= codeWidth
      if code &- clearCode <= 1 {
        guard code == clearCode else {
          stop = .endOfInformation
          break
        }
        codeWidth = UInt64(truncatingIfNeeded: clearCode.trailingZeroBitCount &+ 1)
        nextCode = clearCode &+ 1
        (nextTail, nextShift) = (0, 0)
        continue
      }
      guard code <= nextCode else {
        stop = .invalidCode(code)
        break
      }
      let entry = table + Int(truncatingIfNeeded: code)
      let head = entry.pointee.head
      if nextCode < 4_096 {
        table[Int(truncatingIfNeeded: nextCode)].tail = nextTail | UInt64(head & 0xFF) &<< nextShift
        nextCode &+= 1
        codeWidth = min(12, codeWidth &+ UInt64(truncatingIfNeeded: nextCode) &>> codeWidth)
      }
      let tail = entry.pointee.tail
      let length = (head >> 20) &+ 1
      if length <= 8 {
        target.storeBytes(of: tail.littleEndian, as: UInt64.self)
      } else {
        Self.store(entry, of: table, to: target)
      }
      target += Int(truncatingIfNeeded: length)
      let isFull = length & 7 == 0
      let link = isFull ? code &<< 8 : head & 0xF_FF00
      nextTail = isFull ? 0 : tail
      nextShift = UInt64(truncatingIfNeeded: length & 7) &<< 3
      table[Int(truncatingIfNeeded: nextCode)].head = length &<< 20 | link | head & 0xFF
    }
    (self.bitBuffer, self.bitCount, self.offset) = (bitBuffer, bitCount, offset)
    (self.codeWidth, self.nextCode, self.nextTail, self.nextShift) = (codeWidth, nextCode, nextTail, nextShift)
    return (target - UnsafeMutableRawPointer(output), stop)
  }

  /// Writes a string of more than eight indexes, from its end.
  @inline(__always)
  private static func store(
    _ last: UnsafeMutablePointer<Entry>, of table: UnsafeMutablePointer<Entry>, to target: UnsafeMutableRawPointer
  ) {
    var entry = last
    var place = Int(truncatingIfNeeded: last.pointee.head >> 20) & ~7
    while true {
      target.storeBytes(of: entry.pointee.tail.littleEndian, toByteOffset: place, as: UInt64.self)
      guard place > 0 else { return }
      place &-= 8
      entry = table + Int(truncatingIfNeeded: entry.pointee.head >> 8 & 0xFFF)
    }
  }

  /// Reads on into the bit buffer across the borders of sub-blocks: 57 bits or more, or all that are left.
  private mutating func refillBytewise(_ buffer: UInt64, _ count: UInt64) -> (UInt64, UInt64) {
    var (buffer, count) = (buffer, count)
    while count <= 56 {
      if offset < blockEnd {
        buffer |= UInt64(bytes[offset]) << count
        count += 8
        offset += 1
      } else if hasEnded {
        break
      } else if offset < bytes.count {
        let length = Int(bytes[offset])
        offset += 1
        hasEnded = length == 0
        announcedEnd = offset + length
        blockEnd = min(announcedEnd, bytes.count)
      } else if !isComplete {
        break
      } else {
        hasEnded = true
        endsWithBytes = true
      }
    }
    return (buffer, count)
  }
}
