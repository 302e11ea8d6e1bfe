// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin
import SharedPlanes
import Testing

@Suite struct LabConverterTests {
  /// One color through a converter of 16-bit samples: L* in 65,535 steps, a* and b* in steps of 1/256 from -128 on.
  static func color(_ lab: (Double, Double, Double), top: Int) -> [Int] {
    let converter = LabConverter(
      lightness: .init(start: 0, scale: 100.0 / 65_535), a: .init(start: -128, scale: 1.0 / 256),
      b: .init(start: -128, scale: 1.0 / 256), top: top)
    var samples = [lab.0 * 655.35, (lab.1 + 128) * 256, (lab.2 + 128) * 256].map { Int32($0.rounded()) }
    samples.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      converter.convert(
        (UnsafePointer(base), UnsafePointer(base + 1), UnsafePointer(base + 2)), to: (base, base + 1, base + 2),
        count: 1)
    }
    return samples.map(Int.init)
  }

  /// Worked out by hand: f = (L* + 16) / 116, f + a* / 500, f - b* / 200; their cubes times 0.9642, 1 and 0.8249;
  /// Bradford's matrix to the white 0.3127, 0.3290; the inverse of sRGB's primaries; the curve of IEC 61966-2-1.
  @Test(arguments: [
    ((100.0, 0.0, 0.0), [255, 255, 255]),
    ((0.0, 0.0, 0.0), [0, 0, 0]),
    // 0.184187 of light, 0.466327 encoded.
    ((50.0, 0.0, 0.0), [119, 119, 119]),
    ((50.0, 40.0, 20.0), [185, 88, 87]),
    ((70.0, -20.0, 30.0), [149, 181, 115]),
    // In the straight part of the curve: L* of 2 is 2 / 903.3 of light.
    ((2.0, 0.0, 0.0), [7, 7, 7]),
    // Beyond sRGB: clamped.
    ((50.0, 127.0, 0.0), [255, 0, 126]),
  ])
  func handWorkedVectors(lab: (Double, Double, Double), color: [Int]) {
    let found = Self.color(lab, top: 255)
    #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 1 }, "\(found)")
    if lab.1 == 0 { #expect(found == color) }
  }

  @Test func whiteIsWhiteAtEveryDepth() {
    #expect(Self.color((100, 0, 0), top: 65_535) == [65_535, 65_535, 65_535])
    #expect(Self.color((100, 0, 0), top: 255) == [255, 255, 255])
  }

  /// From the chromaticities alone, in numbers of 64 bits.
  private static func exact(_ lab: (Double, Double, Double)) -> [Double] {
    func inverse(_ t: Double) -> Double { t > 6.0 / 29 ? t * t * t : 3 * 36.0 / 841 * (t - 4.0 / 29) }
    let f = (lab.0 + 16) / 116
    let xyz = [0.9642 * inverse(f + lab.1 / 500), inverse(f), 0.8249 * inverse(f - lab.2 / 200)]
    let bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    func times(_ m: [[Double]], _ v: [Double]) -> [Double] {
      m.map { row in zip(row, v).reduce(0) { $0 + $1.0 * $1.1 } }
    }
    /// Cramer's rule.
    func solve(_ m: [[Double]], _ v: [Double]) -> [Double] {
      func determinant(_ m: [[Double]]) -> Double {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
          + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
      }
      return (0..<3).map { column in
        var replaced = m
        for row in 0..<3 { replaced[row][column] = v[row] }
        return determinant(replaced) / determinant(m)
      }
    }
    func tristimulus(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
    let white = tristimulus(0.3127, 0.3290)
    let (from, to) = (times(bradford, [0.9642, 1, 0.8249]), times(bradford, white))
    let cones = times(bradford, xyz)
    let adapted = solve(bradford, (0..<3).map { cones[$0] * to[$0] / from[$0] })
    let primaries = [tristimulus(0.64, 0.33), tristimulus(0.30, 0.60), tristimulus(0.15, 0.06)]
    let columns = (0..<3).map { row in primaries.map { $0[row] } }
    let amounts = solve(columns, white)
    let light = solve(columns.map { row in zip(row, amounts).map { $0.0 * $0.1 } }, adapted)
    return light.map { value in
      let clamped = min(max(value, 0), 1)
      return clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * pow(clamped, 1 / 2.4) - 0.055
    }
  }

  @Test func sixteenBitsAreNearTheEquations() {
    var largest = 0.0
    for l in stride(from: 0.0, through: 100, by: 4) {
      for a in stride(from: -112.0, through: 112, by: 16) {
        for b in stride(from: -112.0, through: 112, by: 16) {
          // As the samples have it.
          let lightness = (l * 655.35).rounded() / 655.35
          let found = Self.color((l, a, b), top: 65_535)
          for (sample, exact) in zip(found, Self.exact((lightness, a, b))) {
            largest = max(largest, abs(Double(sample) - exact * 65_535))
          }
        }
      }
    }
    #expect(largest <= 0.6)
  }

  /// Ranges of JPEG 2000 have 32 bits: light may be anything.
  @Test func endlessRangesAreClamped() {
    let wild = LabConverter.Encoding(start: -1e30, scale: 1e30)
    let converter = LabConverter(lightness: wild, a: wild, b: wild, top: 255)
    var samples = [Int32](repeating: 0, count: 3 * 300)
    for index in samples.indices { samples[index] = Int32(index % 7 * 40) }
    samples.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      converter.convert(
        (UnsafePointer(base), UnsafePointer(base + 300), UnsafePointer(base + 600)),
        to: (base, base + 300, base + 600), count: 300)
    }
    #expect(samples.allSatisfy { (0...255).contains($0) })
  }
}

@Suite struct IntegerRowConverterTests {
  @Test(arguments: [(8, 8), (10, 16), (12, 16), (16, 16)], [true, false]) func rowsAreNearTheEquations(
    depths: (bits: Int, depth: Int), isFullRange: Bool
  ) throws {
    let (bits, depth) = depths
    let top = 1 << depth - 1
    let largest = 1 << bits - 1
    let converter = try #require(
      IntegerRowConverter(
        .bt709, isFullRange: isFullRange, lumaBits: bits, chromaBits: bits, depth: depth))
    let count = 999
    // Brought to the depth, as samples are: a fraction of a step is lost there.
    func spread(_ value: Int) -> Int32 { Int32((value * top * 2 + largest) / (2 * largest)) }
    func centred(_ value: Int) -> Int32 {
      Int32(1 << (depth - 1)) + Int32((Double(value - 1 << (bits - 1)) * Double(top) / Double(largest)).rounded())
    }
    let luma = (0..<count).map { $0 * largest / (count - 1) }
    let cb = (0..<count).map { ($0 * 7919) & largest }
    let cr = (0..<count).map { ($0 * 104_729) & largest }
    var rows = luma.map(spread) + cb.map(centred) + cr.map(centred)
    rows.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      converter.convert(
        (UnsafePointer(base), UnsafePointer(base + count), UnsafePointer(base + 2 * count)),
        to: (base, base + count, base + 2 * count), count: count)
    }
    let equations = Equations(matrix: .bt709, isFullRange: isFullRange, bits: bits)
    for x in 0..<count {
      let exact = equations.color(luma: Double(luma[x]), cb: Double(cb[x]), cr: Double(cr[x]))
      for channel in 0..<3 {
        let sample = Double(min(max(rows[channel * count + x], 0), Int32(top)))
        // Samples that had to be brought to the depth are half a step off already, times up to 2.4.
        #expect(abs(sample - exact[channel] * Double(top)) <= (bits == depth ? 0.53 : 2.7))
      }
    }
  }

  @Test func matricesWithoutWeightsHaveNone() {
    #expect(
      IntegerRowConverter(.identity, isFullRange: true, lumaBits: 8, chromaBits: 8, depth: 8) == nil)
  }
}
