// SPDX-License-Identifier: Apache-2.0

/// Error diffusion by the weights of Floyd and Steinberg, every row from left to right.
public struct ErrorDiffusion {
  /// Sixteenths of levels, three channels of a pixel in four lanes; a pixel more on either side.
  private var current: UnsafeMutablePointer<SIMD4<Int32>>
  private var next: UnsafeMutablePointer<SIMD4<Int32>>
  private let width: Int

  /// The bytes that rows of a width need.
  public static func byteCount(width: Int) -> Int { 2 * (width + 2) * MemoryLayout<SIMD4<Int32>>.stride }

  /// - Parameters:
  ///   - width: Pixels of a row.
  ///   - memory: ``byteCount(width:)`` bytes, aligned to 16, which outlive the diffusion.
  public init(width: Int, memory: UnsafeMutableRawPointer) {
    self.width = width + 2
    current = memory.bindMemory(to: SIMD4<Int32>.self, capacity: 2 * (width + 2))
    current.initialize(repeating: .zero, count: 2 * (width + 2))
    next = current + (width + 2)
  }

  /// Maps a row to the numbers of colors. Rows have to come from the top.
  ///
  /// - Parameter transparentIndex: What pixels of 0 become.
  public mutating func diffuse(
    _ row: UnsafePointer<UInt32>, count: Int, search: PaletteSearch, transparentIndex: UInt8,
    to indexes: UnsafeMutablePointer<UInt8>
  ) {
    let (current, next) = (self.current, self.next)
    let (zero, top) = (SIMD4<Int32>.zero, SIMD4<Int32>(repeating: 255))
    search.colors.withUnsafeBufferPointer { colors in
      for x in 0..<count {
        let pixel = row[x]
        guard pixel != 0 else {
          // The error ends at the edge of what is visible.
          indexes[x] = transparentIndex
          continue
        }
        let wanted = (Self.channels(pixel) &+ ((current[x &+ 1] &+ 8) &>> 4)).clamped(lowerBound: zero, upperBound: top)
        let index = search.index(
          near: UInt32(truncatingIfNeeded: wanted.x | wanted.y &<< 8 | wanted.z &<< 16) | 0xFF00_0000)
        indexes[x] = index
        let error = wanted &- Self.channels(colors[Int(index)])
        current[x &+ 2] &+= error &* 7
        next[x] &+= error &* 3
        next[x &+ 1] &+= error &* 5
        next[x &+ 2] &+= error
      }
    }
    swap(&self.current, &self.next)
    self.next.update(repeating: .zero, count: width)
  }

  private static func channels(_ pixel: UInt32) -> SIMD4<Int32> {
    SIMD4(
      Int32(truncatingIfNeeded: pixel & 0xFF), Int32(truncatingIfNeeded: pixel >> 8 & 0xFF),
      Int32(truncatingIfNeeded: pixel >> 16 & 0xFF), 0)
  }
}
