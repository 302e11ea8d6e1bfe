// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import BMPCoder

/// End points of LCS_CALIBRATED_RGB (BITMAPV4HEADER).
@Suite struct CalibratedColorTests {
  /// One pixel.
  private static func file(_ points: [Double]) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    writer.put("BM")
    writer.put(UInt32(14 + 108 + 4))
    writer.put(UInt32(0))
    writer.put(UInt32(14 + 108))
    for number in [108, 1, 1, 1 | 24 << 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0] as [UInt32] { writer.put(number) }
    for point in points { writer.put(UInt32(bitPattern: Int32((point * Double(1 << 30)).rounded()))) }
    for _ in 0..<3 { writer.put(UInt32(2.2 * 65_536)) }
    writer.put([1, 2, 3, 0])
    return writer.bytes
  }

  private static func primaries(_ points: [Double]) throws -> StoredColor.Primaries? {
    let source = MemorySource(file(points))
    defer { withExtendedLifetime(source) {} }
    let reader = try BMPReader(source.view, host: MemoryHost().host, options: OpenOptions([]))
    return try reader.storedColor(page: 0).primaries
  }

  private static let red = SIMD2(0.64, 0.33)
  private static let green = SIMD2(0.30, 0.60)
  private static let blue = SIMD2(0.15, 0.06)

  private static func isNear(_ found: SIMD2<Double>?, _ expected: SIMD2<Double>) -> Bool {
    found.map { abs($0.x - expected.x) < 1e-4 && abs($0.y - expected.y) < 1e-4 } ?? false
  }

  /// x, y and z; x and y alone; X, Y and Z of sRGB (IEC 61966-2-1).
  @Test(arguments: [
    [0.64, 0.33, 0.03, 0.30, 0.60, 0.10, 0.15, 0.06, 0.79], [0.64, 0.33, 0, 0.30, 0.60, 0, 0.15, 0.06, 0],
    [0.412391, 0.212639, 0.019331, 0.357584, 0.715169, 0.119195, 0.180481, 0.072192, 0.950532],
  ])
  func threeWaysOfWritingSRGB(_ points: [Double]) throws {
    let found = try Self.primaries(points)
    #expect(Self.isNear(found?.red, Self.red) && Self.isNear(found?.green, Self.green))
    #expect(Self.isNear(found?.blue, Self.blue) && Self.isNear(found?.white, SIMD2(0.3127, 0.3290)))
  }

  /// All alike, negative, none, and a triangle that white is outside of.
  @Test(arguments: [
    [0.3127, 0.3290, 0.3583, 0.3127, 0.3290, 0.3583, 0.3127, 0.3290, 0.3583],
    [-0.64, 0.33, 1.31, 0.30, 0.60, 0.10, 0.15, 0.06, 0.79], [0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0.64, 0.33, 0.03, 0.60, 0.38, 0.02, 0.50, 0.30, 0.20],
  ])
  func nonsenseIsIgnored(_ points: [Double]) throws {
    #expect(try Self.primaries(points) == nil)
  }
}
