// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The two passes of a separable filter over rows of lanes.
enum LaneFilter {
  /// Weighs cells into the pixels of one row.
  ///
  /// - Parameters:
  ///   - cells: The cells of the table, and numbers for `padding` cells more.
  ///   - table: With `repeats` of `lanes`.
  ///   - row: Room for the table's result pixels.
  static func acrossRow(
    _ cells: UnsafePointer<Float>, _ table: FilterTable, into row: UnsafeMutablePointer<Float>, lanes: Int
  ) {
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        switch lanes {
        case 1:
          acrossRow(
            cells, weights, starts: starts, stride: table.stride, into: row, most: table.maximumCount, lanes: 1)
        case 2:
          acrossRow(
            cells, weights, starts: starts, stride: table.stride, into: row, most: table.maximumCount, lanes: 2)
        default:
          acrossRow(
            cells, weights, starts: starts, stride: table.stride, into: row, most: table.maximumCount, lanes: 4)
        }
      }
    }
  }

  /// A vector is four cells of one lane, two of two lanes or one of four; each number meets a weight of its own.
  ///
  /// All pixels take as many cells as the one that needs `most`, the rest with weights of 0: a loop that is as long
  /// each time is foreseen by the processor.
  @inline(__always)
  private static func acrossRow(
    _ cells: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, starts: UnsafeBufferPointer<Int>, stride: Int,
    into row: UnsafeMutablePointer<Float>, most: Int, lanes: Int
  ) {
    for i in 0..<starts.count {
      var source = UnsafeRawPointer(cells + starts[i] &* lanes)
      var weight = UnsafeRawPointer(weights + i &* stride &* lanes)
      var even = SIMD4<Float>.zero
      var odd = SIMD4<Float>.zero
      var rest = most &* lanes
      while rest > 0 {
        even += source.loadUnaligned(as: SIMD4<Float>.self) * weight.load(as: SIMD4<Float>.self)
        odd +=
          source.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
          * weight.load(fromByteOffset: 16, as: SIMD4<Float>.self)
        source += 32
        weight += 32
        rest &-= 8
      }
      let sum = even + odd
      switch lanes {
      case 1: row[i] = (sum.x + sum.z) + (sum.y + sum.w)
      case 2:
        row[2 &* i] = sum.x + sum.z
        row[2 &* i &+ 1] = sum.y + sum.w
      default: UnsafeMutableRawPointer(row).storeBytes(of: sum, toByteOffset: 16 &* i, as: SIMD4<Float>.self)
      }
    }
  }

  /// Weighs rows into one row.
  ///
  /// - Parameters:
  ///   - rows: `count` rows, each `vectors` × 16 numbers long.
  ///   - weights: One for each row.
  static func acrossRows(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, count: Int,
    into row: UnsafeMutablePointer<Float>, vectors: Int
  ) {
    for vector in 0..<vectors {
      var a = SIMD4<Float>.zero
      var b = SIMD4<Float>.zero
      var c = SIMD4<Float>.zero
      var d = SIMD4<Float>.zero
      for k in 0..<count {
        let source = UnsafeRawPointer(rows[k] + vector &* 16).assumingMemoryBound(to: SIMD4<Float>.self)
        let weight = weights[k]
        a += source[0] * weight
        b += source[1] * weight
        c += source[2] * weight
        d += source[3] * weight
      }
      let target = UnsafeMutableRawPointer(row + vector &* 16).assumingMemoryBound(to: SIMD4<Float>.self)
      target[0] = a
      target[1] = b
      target[2] = c
      target[3] = d
    }
  }
}
