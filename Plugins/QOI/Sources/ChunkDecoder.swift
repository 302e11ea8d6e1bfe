// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns chunks into pixels, through a window of the file that moves on.
///
/// - Lifetime: The source outlives it; the seen pixels are given back with it.
struct ChunkDecoder: ~Copyable {
  private let source: SourceView
  /// Where the window begins in the source, and its bytes that are chunks: between `next` and `end`.
  private var offset: Int
  private var start: UnsafePointer<UInt8>
  private var next: UnsafePointer<UInt8>
  private var end: UnsafePointer<UInt8>
  /// "A running array[64] (zero-initialized) of previously seen pixel values."
  private let seen: UnsafeMutablePointer<Pixel>
  private var previous = Pixel.start
  /// How often the previous pixel is still to be repeated.
  private var run = 0

  private static let leastBytes = 4 << 10
  private static let windowBytes = 256 << 10

  /// - Parameter offset: Where chunks begin.
  init(_ source: SourceView, at offset: Int) {
    self.source = source
    self.offset = offset
    seen = .allocate(capacity: 64)
    seen.initialize(repeating: Pixel(bits: 0), count: 64)
    start = UnsafePointer(UnsafeRawPointer(seen).assumingMemoryBound(to: UInt8.self))
    (next, end) = (start, start)
  }

  deinit { seen.deallocate() }

  /// Decodes pixels.
  ///
  /// - Parameter target: Room for `count` pixels.
  /// - Returns: Whether all of them were there.
  mutating func decode<Stored: StoredPixel>(
    _ count: Int, as stored: Stored.Type, to target: UnsafeMutableRawPointer
  ) throws(CoderError) -> Bool {
    var done = decodeWindow(count, as: stored, to: target)
    while done < count {
      guard try moveOn() else { return false }
      done &+= decodeWindow(count &- done, as: stored, to: target + done &* Stored.size)
    }
    return true
  }

  /// Moves the window to the first chunk that is not decoded.
  ///
  /// - Returns: False at the end of the chunks, where the end marker is or the file is cut.
  private mutating func moveOn() throws(CoderError) -> Bool {
    let (old, held) = (end - next, QOIHeader.endMarker.count)
    offset &+= next - start
    let bytes = try source.view(at: offset, least: Self.leastBytes, most: Self.windowBytes)
    // The end marker is no chunk. As long as it may be at the window's end, its bytes wait for the next window.
    let isLast = bytes.count < Self.leastBytes || source.size &- bytes.count <= offset
    let isMarked = !isLast || bytes.suffix(held).elementsEqual(QOIHeader.endMarker)
    let chunks = bytes.dropLast(isMarked ? held : 0).bindMemory(to: UInt8.self)
    guard let base = chunks.baseAddress, chunks.count > old else { return false }
    (start, next, end) = (base, base, base + chunks.count)
    return true
  }

  /// Decodes pixels whose chunks are in the window.
  ///
  /// - Returns: How many.
  private mutating func decodeWindow<Stored: StoredPixel>(
    _ count: Int, as stored: Stored.Type, to first: UnsafeMutableRawPointer
  ) -> Int {
    var (target, next, previous) = (first, self.next, self.previous)
    defer { (self.next, self.previous) = (next, previous) }
    let rowEnd = target + count &* Stored.size
    while target < rowEnd {
      if run > 0 {
        // A run may go on in the next row.
        let length = min(run, (rowEnd - target) / Stored.size)
        for _ in 0..<length {
          Stored.store(previous, to: target)
          target += Stored.size
        }
        run &-= length
        continue
      }
      // The longest chunk has five bytes.
      guard end - next >= 5 || end - next >= Self.length(next, until: end) else {
        return (target - first) / Stored.size
      }
      let tag = next.pointee
      switch tag {
      case Tag.diff..<Tag.luma:
        let differences = UInt32(tag)
        previous = previous.adding(
          red: (differences >> 4 & 3) &- 2, green: (differences >> 2 & 3) &- 2, blue: (differences & 3) &- 2)
        next += 1
      case Tag.luma..<Tag.run:
        let green = UInt32(tag & 0x3F) &- 32
        let others = UInt32(next[1])
        previous = previous.adding(
          red: green &- 8 &+ others >> 4, green: green, blue: green &- 8 &+ others & 0x0F)
        next += 2
      case Tag.index..<Tag.diff:
        previous = seen[Int(tag)]
        Stored.store(previous, to: target)
        target += Stored.size
        next += 1
        continue
      case Tag.rgb, Tag.rgba:
        let color = UInt32(next[1]) | UInt32(next[2]) << 8 | UInt32(next[3]) << 16
        previous.bits = color | (tag == Tag.rgb ? previous.bits & 0xFF00_0000 : UInt32(next[4]) << 24)
        next += tag == Tag.rgb ? 4 : 5
      default:
        run = Int(tag & 0x3F) &+ 1
        seen[previous.place] = previous
        next += 1
        continue
      }
      seen[previous.place] = previous
      Stored.store(previous, to: target)
      target += Stored.size
    }
    return count
  }

  /// Bytes of a chunk; more than are left when none is.
  private static func length(_ chunk: UnsafePointer<UInt8>, until end: UnsafePointer<UInt8>) -> Int {
    guard chunk < end else { return .max }
    return switch chunk.pointee {
    case Tag.rgba: 5
    case Tag.rgb: 4
    case Tag.luma..<Tag.run: 2
    default: 1
    }
  }
}
