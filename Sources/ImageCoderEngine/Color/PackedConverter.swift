// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Converts colors of 8 bits by looking up and adding.
///
/// A table for each channel of the source says what it adds to all three channels of light of the target, in three
/// fields of one integer. The sum of three entries is the light of a pixel, and a byte table for each channel encodes
/// it: at most 0.65 of a code from the exact result.
final class PackedConverter: Sendable {
  /// Steps of light between black and white, as they are added.
  private static let unit = 262_144.0
  /// The bits of a step that are below one entry of the byte tables.
  private static let dropped = 5
  private static let fieldBits = 21
  /// The bits of a field that select the entry of a byte table.
  private static let entryMask: UInt64 = 1 << (UInt64(fieldBits) - UInt64(dropped)) - 1

  /// For red, green and blue, 256 each.
  private let sums: [UInt64]
  /// The byte tables, one after the other; one alone if all channels have the same curve, so that it stays in the
  /// processor's nearest cache.
  private let codes: [UInt8]
  /// Where the tables of green and blue begin.
  private let places: (second: Int, third: Int)

  /// - Parameters:
  ///   - matrix: From light of the source to that of the target.
  ///   - target: Curves of red, green and blue.
  /// - Returns: Nil where light goes so far beyond black and white that the fields do not hold it, and for targets whose
  ///   curves are so steep at black, as plain exponents are, that an entry of the tables is more than a code.
  init?(_ source: [ToneCurve], _ matrix: Matrix3, _ target: [ToneCurve]) {
    let entry = Double(1 << Self.dropped) / Self.unit
    guard target.allSatisfy({ $0.value(entry) * 255 < 0.9 }) else { return nil }
    let columns = [matrix.first, matrix.second, matrix.third]
    var light: [[Double]] = []
    for curve in source { light.append((0..<256).map { curve.light(Double($0) / 255) }) }
    // What the channels reach together.
    var (least, most) = (SIMD3(repeating: 0.0), SIMD3(repeating: 0.0))
    for (column, values) in zip(columns, light) {
      guard let low = values.min(), let high = values.max() else { return nil }
      least += pointwiseMin(column * low, column * high)
      most += pointwiseMax(column * low, column * high)
    }
    // A step more at each end holds what rounding adds.
    let floor = (-least.min() * Self.unit).rounded(.up) + 64
    let span = floor + (most.max() * Self.unit).rounded(.up) + 64
    guard span < Double(1 << Self.fieldBits) else { return nil }
    var sums = [UInt64](repeating: 0, count: 768)
    for channel in 0..<3 {
      for index in 0..<256 {
        var packed: Int64 = 0
        for row in 0..<3 {
          let value = (columns[channel][row] * light[channel][index] * Self.unit).rounded() + (channel == 0 ? floor : 0)
          packed &+= Int64(value) << Int64(row * Self.fieldBits)
        }
        sums[channel * 256 + index] = UInt64(bitPattern: packed)
      }
    }
    self.sums = sums
    let step = Double(1 << Self.dropped)
    let codeCount = Int(span / step) + 1
    let isShared = target.allSatisfy { $0 == target[0] }
    places = isShared ? (0, 0) : (codeCount, 2 * codeCount)
    var codes: [UInt8] = []
    codes.reserveCapacity(3 * codeCount)
    for curve in isShared ? [target[0]] : target {
      for index in 0..<codeCount {
        let light = ((Double(index) + 0.5) * step - 0.5 - floor) / Self.unit
        codes.append(light <= 0 ? 0 : light >= 1 ? 255 : UInt8(min(max(curve.value(light) * 255, 0), 255).rounded()))
      }
    }
    self.codes = codes
  }

  /// Converts pixels of 3 or 4 bytes; a fourth stays as it is.
  ///
  /// - Parameters:
  ///   - source: May be the destination.
  ///   - isSwapped: Whether blue comes first.
  func convert(
    _ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int, bytes: Int, isSwapped: Bool
  ) {
    // The arrays are not written to, and live as long as this object.
    sums.withUnsafeBufferPointer { sums in
      codes.withUnsafeBufferPointer { codes in
        guard let sums = sums.baseAddress, let codes = codes.baseAddress else { return }
        let source = source.assumingMemoryBound(to: UInt8.self)
        let destination = destination.assumingMemoryBound(to: UInt8.self)
        switch (bytes, isSwapped) {
        case (3, _): run(source, destination, count, sums, codes, stride: 3, red: 0)
        case (_, false): run(source, destination, count, sums, codes, stride: 4, red: 0)
        default: run(source, destination, count, sums, codes, stride: 4, red: 2)
        }
      }
    }
  }

  @inline(__always)
  private func run(
    _ source: UnsafePointer<UInt8>, _ destination: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ sums: UnsafePointer<UInt64>, _ codes: UnsafePointer<UInt8>, stride: Int, red: Int
  ) {
    let (second, third) = (codes + places.second, codes + places.third)
    for pixel in 0..<count {
      let from = source + pixel &* stride
      let to = destination + pixel &* stride
      let sum =
        sums[Int(from[red])] &+ sums[256 &+ Int(from[1])] &+ sums[512 &+ Int(from[2 &- red])]
      let first = sum >> UInt64(Self.dropped) & Self.entryMask
      let middle = sum >> UInt64(Self.fieldBits + Self.dropped) & Self.entryMask
      let last = sum >> UInt64(2 * Self.fieldBits + Self.dropped)
      if stride == 4 { to[3] = from[3] }
      to[red] = codes[Int(truncatingIfNeeded: first)]
      to[1] = second[Int(truncatingIfNeeded: middle)]
      to[2 &- red] = third[Int(truncatingIfNeeded: last)]
    }
  }
}
