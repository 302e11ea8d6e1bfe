// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads rows of an uncompressed item's samples into planes.
///
/// - Lifetime: That of the bytes and the planes.
struct SampleReader {
  /// The plane of a component.
  struct Target {
    let plane: UnsafeMutableRawPointer
    let stride: Int
    /// Samples of a tile.
    let tile: Size
    let component: UncompressedLayout.Component
    /// Bits of the plane's samples: up to 8 take a byte, others two.
    let bits: Int
    /// Which sample of a tile's row the first one is, and how far the next is from it.
    let spacing: (first: Int, step: Int)
    /// By a sample as it is stored, what it becomes, where that is not the same.
    private let scaled: [UInt16]

    init(
      plane: UnsafeMutableRawPointer, stride: Int, tile: Size, component: UncompressedLayout.Component, bits: Int,
      spacing: (first: Int, step: Int)
    ) {
      self.spacing = spacing
      (self.plane, self.stride, self.tile, self.component, self.bits) = (plane, stride, tile, component, bits)
      guard !component.isFloat, component.bits < bits else {
        scaled = []
        return
      }
      let (top, full) = (1 << component.bits - 1, 1 << bits - 1)
      scaled = (0...top).map { UInt16(($0 * full + top / 2) / top) }
    }

    /// - Parameter value: The bits of the component.
    @inline(__always)
    func put(_ value: UInt64, at place: UnsafeMutableRawPointer) {
      var sample = UInt16(truncatingIfNeeded: value)
      if component.isFloat {
        sample = rounded(value)
      } else if !scaled.isEmpty {
        sample = scaled[min(Int(sample), scaled.count - 1)]
      }
      if bits > 8 {
        place.storeBytes(of: sample, as: UInt16.self)
      } else {
        place.storeBytes(of: UInt8(truncatingIfNeeded: sample), as: UInt8.self)
      }
    }

    /// Floating point, of which 0 to 1 is shown.
    private func rounded(_ value: UInt64) -> UInt16 {
      let number: Double =
        switch component.bits {
        case 16: Self.half(UInt16(truncatingIfNeeded: value))
        case 32: Double(Float(bitPattern: UInt32(truncatingIfNeeded: value)))
        default: Double(bitPattern: value)
        }
      guard number > 0 else { return 0 }
      return UInt16(min(number, 1) * Double(1 << bits - 1) + 0.5)
    }

    /// IEEE 754 binary16.
    private static func half(_ code: UInt16) -> Double {
      let (exponent, fraction) = (Int(code >> 10 & 31), Double(code & 1023))
      let magnitude: Double =
        switch exponent {
        case 0: fraction / Double(1 << 24)
        case 31: fraction > 0 ? .nan : .infinity
        default: (1 + fraction / 1024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
        }
      return code >> 15 == 0 ? magnitude : -magnitude
    }
  }

  private let raw: UnsafeRawBufferPointer
  private let layout: UncompressedLayout
  private let targets: [Target?]

  /// - Parameter targets: Of each component; nil for one that is passed over.
  init(_ raw: UnsafeRawBufferPointer, layout: UncompressedLayout, targets: [Target?]) {
    (self.raw, self.layout, self.targets) = (raw, layout, targets)
  }

  /// Reads a row of a tile.
  ///
  /// - Parameters:
  ///   - start: Where it begins, with all its bytes inside.
  ///   - column: Of the tile, counted in tiles, as `row`.
  func read(_ run: UncompressedLayout.Run, at start: Int, column: Int, row: Int) {
    if layout.blockBytes > 0 { return readBlocks(run, at: start, column: column, row: row) }
    let pixel = run.components.reduce(0) { $0 + layout.components[$1].cell }
    let isPadded = layout.interleave == .pixels && layout.pixelBytes > 0
    let step = isPadded ? 8 * layout.pixelBytes : pixel
    var offset = 0
    for index in run.components {
      let component = layout.components[index]
      defer { offset += component.cell }
      guard let target = targets[index] else { continue }
      let origin = first(of: target, run.row, column: column, row: row)
      var place = origin.place
      var bit = 8 * start + offset
      let isWhole = component.cell % 8 == 0 && offset % 8 == 0 && step % 8 == 0
      for _ in 0..<run.count {
        target.put(
          isWhole
            ? wholeBytes(at: bit / 8, count: component.cell / 8, bits: component.bits)
            : bits(at: bit, component.bits),
          at: place)
        place += origin.size
        bit += step
      }
    }
  }

  /// The first sample of a row, and bytes from each to the next.
  private func first(
    of target: Target, _ y: Int, column: Int, row: Int
  ) -> (place: UnsafeMutableRawPointer, size: Int) {
    let size = target.bits > 8 ? 2 : 1
    let place = target.plane + (row * target.tile.height + y) * target.stride
    return (place + (column * target.tile.width + target.spacing.first) * size, size * target.spacing.step)
  }

  /// A number of whole bytes, of which the lower bits count.
  @inline(__always)
  private func wholeBytes(at place: Int, count: Int, bits: Int) -> UInt64 {
    if count == 1, bits == 8 { return UInt64(raw[place]) }
    var value: UInt64 = 0
    for index in 0..<count {
      value = value << 8 | UInt64(raw[layout.isLittleEndian ? place + count - 1 - index : place + index])
    }
    return bits < 64 ? value & (1 << UInt64(bits) - 1) : value
  }

  /// A number of up to 64 bits, the highest first.
  private func bits(at place: Int, _ count: Int) -> UInt64 {
    var (value, bit, left): (UInt64, Int, Int) = (0, place, count)
    while left > 0 {
      let (byte, used) = (bit / 8, bit % 8)
      let taken = min(left, 8 - used)
      let part = UInt64(raw[byte]) >> UInt64(8 - used - taken) & (1 << UInt64(taken) - 1)
      value = value << UInt64(taken) | part
      bit += taken
      left -= taken
    }
    return value
  }

  /// Blocks of whole components: §5.2.1.4.
  private func readBlocks(_ run: UncompressedLayout.Run, at start: Int, column: Int, row: Int) {
    let size = layout.blockBytes
    let isAlone = run.components.count == 1
    var places = run.components.map { index in targets[index].map { first(of: $0, run.row, column: column, row: row) } }
    var start = start
    var left = run.count
    while left > 0 {
      var next = start
      // Of one component, a block has as many samples as it has room for; of several, blocks have those of a pixel.
      var pending: [Int] = []
      if isAlone {
        let perBlock = 8 * size / layout.components[run.components[0]].bits
        pending = Array(repeating: 0, count: min(left, perBlock))
        left -= pending.count
      } else {
        pending = Array(run.components.indices)
        left -= 1
      }
      var position = 0
      while position < pending.count {
        // A last block of one component is as full as the others, with padding in place of samples.
        var (end, used) = (position, 0)
        while end < pending.count, used + width(of: run.components[pending[end]]) <= 8 * size {
          used += width(of: run.components[pending[end]])
          end += 1
        }
        if isAlone { used = 8 * size / width(of: run.components[0]) * width(of: run.components[0]) }
        let block = block(at: next)
        var top = layout.padsLowBits ? 8 * size : used
        if layout.isBlockReversed { top = layout.padsLowBits ? 8 * size - used : 0 }
        for index in pending[position..<end] {
          let bits = width(of: run.components[index])
          top -= layout.isBlockReversed ? 0 : bits
          let value = block >> UInt64(top) & (bits < 64 ? 1 << UInt64(bits) - 1 : .max)
          top += layout.isBlockReversed ? bits : 0
          guard let target = targets[run.components[index]], let (place, step) = places[index] else { continue }
          target.put(value, at: place)
          places[index] = (place + step, step)
        }
        position = end
        next += size
      }
      start = !isAlone && layout.pixelBytes > 0 ? start + layout.pixelBytes : next
    }
  }

  private func width(of component: Int) -> Int { layout.components[component].bits }

  private func block(at place: Int) -> UInt64 {
    let count = layout.blockBytes
    var value: UInt64 = 0
    for index in 0..<count {
      value = value << 8 | UInt64(raw[layout.isBlockLittleEndian ? place + count - 1 - index : place + index])
    }
    return value
  }
}
