// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Where the sections of a frame lie (ISO/IEC 18181-1 §F.3).
struct FrameSections {
  let layout: FrameLayout
  /// By their numbers, counted from where the first frame begins.
  private(set) var ranges: [Range<Int>] = []
  /// Where the next frame begins.
  private(set) var end = 0

  /// The longest header, and the codes of a permutation. Each entry has at most four bytes, and its place as many.
  private static let longestHeader = 1 << 14
  private static let bytesPerEntry = 8

  /// - Parameter start: Of the frame, counted from the first one's.
  /// - Returns: nil for a frame that is not understood, and for one that is cut.
  init?(_ parts: CodestreamParts, at start: Int, info: JxlBasicInfo) throws(CoderError) {
    guard start < parts.count else { return nil }
    let size = Size(width: Int(info.xsize), height: Int(info.ysize))
    let header = parts.slices(start..<min(start + Self.longestHeader, parts.count))
    guard let (layout, position) = Self.layout(header, info: info, size: size), let count = layout.sectionCount
    else { return nil }
    self.layout = layout
    let longest = Self.longestHeader + count * Self.bytesPerEntry
    var bits = try CodeBits(parts.slices(start..<min(start + longest, parts.count)), position: position)
    var order: [Int] = []
    if layout.isPermuted { order = try Self.permutation(&bits, count: count) }
    bits.alignToByte()
    var sizes: [Int] = []
    for _ in 0..<count { sizes.append(bits.u32([(10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)])) }
    bits.alignToByte()
    guard !bits.isOverrun else { return nil }
    var places: [Range<Int>] = []
    var place = start + bits.position / 8
    for size in sizes {
      places.append(place..<place + size)
      place += size
    }
    guard place <= parts.count else { return nil }
    end = place
    ranges = order.isEmpty ? places : order.map { places[$0] }
  }

  /// The frame's header, and the bit after it.
  private static func layout(
    _ slices: [UnsafeRawBufferPointer], info: JxlBasicInfo, size: Size
  ) -> (layout: FrameLayout, position: Int)? {
    let bytes = slices.lazy.flatMap { $0 }.prefix(1 << 12)
    let header = [UInt8](bytes)
    var bits = BitReader(header.span.bytes, order: .leastSignificantFirst, of: "the frame header")
    return try? FrameLayout.header(parsing: &bits, info: info, size: size)
  }

  /// In which order sections lie (§F.3.2).
  private static func permutation(_ bits: inout CodeBits, count: Int) throws(CoderError) -> [Int] {
    func context(_ value: Int) -> Int { min(Int.bitWidth - value.leadingZeroBitCount, 7) }
    let code = try EntropyCode(parsing: &bits, contextCount: 8)
    var reader = try SymbolReader(code, &bits)
    let used = reader.number(context: context(count), &bits)
    guard used <= count else { throw .malformed("a permutation of \(used) sections out of \(count)") }
    var steps = [Int](repeating: 0, count: count)
    var last = 0
    for index in 0..<used {
      last = reader.number(context: context(last), &bits)
      guard last < count - index else { throw .malformed("section \(last) of \(count - index) in a permutation") }
      steps[index] = last
    }
    try reader.checkEnd()
    try bits.check("a permutation")
    return pick(steps)
  }

  /// Picks from the numbers that are left, each time the one at a step's place.
  private static func pick(_ steps: [Int]) -> [Int] {
    // Each node of a tree in an array has how many numbers are left below it.
    var size = 1
    while size < steps.count { size *= 2 }
    var left = [Int](repeating: 0, count: 2 * size)
    for index in steps.indices { left[size + index] = 1 }
    for node in (1..<size).reversed() { left[node] = left[2 * node] + left[2 * node + 1] }
    return steps.map { step in
      var (node, place) = (1, step)
      while node < size {
        left[node] -= 1
        node *= 2
        if place >= left[node] {
          place -= left[node]
          node += 1
        }
      }
      left[node] = 0
      return node - size
    }
  }
}
