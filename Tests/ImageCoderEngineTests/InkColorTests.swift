// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Inks that no profile describes, as the model of docs/color.md has them.
@Suite struct InkColorTests {
  /// Codes of sRGB of inks, 0 to 255.
  private static func codes(
    _ inks: [UInt8], to target: ColorSpace = .sRGB, _ intent: RenderingIntent = .relativeColorimetric,
    _ black: BlackPoint = .compensated
  ) throws -> [UInt8] {
    let color = try #require(
      try ColorTransform(from: .press, to: target, toneMapping: .clip, intent: intent, blackPoint: black))
    let source = try PixelBuffer(size: Size(width: inks.count / 4, height: 1), format: .rgba8, alpha: .straight)
    source.withMutableRow(0) { row in inks.withUnsafeBytes { row.copyMemory(from: $0) } }
    let result = try source.converted(to: PixelLayout(.rgb8, .opaque), color: color)
    return result.withRow(0) { Array($0.bindMemory(to: UInt8.self)) }
  }

  @Test func solidsAreTheStandards() throws {
    // Worked out in numpy from CIELab of ISO 12647-2: Tests/Conformance/suite_inks.py.
    #expect(try Self.codes([0, 0, 0, 0]) == [255, 255, 255])
    #expect(try Self.codes([255, 0, 0, 0]) == [0, 160, 228])
    #expect(try Self.codes([0, 255, 0, 0]) == [230, 0, 127])
    #expect(try Self.codes([0, 0, 255, 0]) == [255, 238, 0])
    #expect(try Self.codes([0, 255, 255, 0]) == [227, 22, 30])
    #expect(try Self.codes([255, 255, 255, 255]) == [0, 0, 0])
    #expect(try Self.codes([0, 0, 0, 255, 0, 0, 0, 128]) == [37, 37, 36, 155, 155, 155])
  }

  @Test func moreInkIsNeverBrighter() throws {
    for channel in 0..<4 {
      var last = 255 * 3
      for amount in stride(from: 0, through: 255, by: 15) {
        var inks: [UInt8] = [40, 40, 40, 0]
        inks[channel] = UInt8(amount)
        let sum = try Self.codes(inks).reduce(0) { $0 + Int($1) }
        #expect(sum <= last + 1, "ink \(channel) at \(amount)")
        last = sum
      }
    }
  }

  @Test func absoluteColorimetryKeepsPaperAndBlack() throws {
    let paper = try Self.codes([0, 0, 0, 0], to: .sRGB, .absoluteColorimetric)
    // L* of 95 and a little blue.
    #expect(paper.allSatisfy { (235...250).contains($0) } && paper[2] > paper[0])
    #expect(try Self.codes([255, 255, 255, 255], to: .sRGB, .relativeColorimetric, .kept).allSatisfy { $0 > 5 })
  }

  @Test func inksAreNoTarget() {
    #expect(throws: CoderError.self) { try ColorTransform(from: .sRGB, to: .press, toneMapping: .clip) }
  }

  @Test func blackThatHasLightIsTakenAway() throws {
    // A curve from 2 % of light on, whose darkest black is none when it is compensated.
    let entries = (0..<256).map { UInt16((0.02 + 0.98 * pow(Double($0) / 255, 2.2)) * 65_535) }
    guard case .rgb(let toXYZ, _) = ColorSpace.sRGB.model else { return #expect(Bool(false)) }
    let lifted = ColorSpace("lifted", .rgb(toXYZ: toXYZ, curves: [.table(entries), .table(entries), .table(entries)]))
    func darkest(_ black: BlackPoint) throws -> UInt8 {
      let color = try #require(try ColorTransform(from: lifted, to: .sRGB, toneMapping: .clip, blackPoint: black))
      let source = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgb8, alpha: .opaque)
      source.withMutableRow(0) { row in _ = row.initializeMemory(as: UInt8.self, repeating: 0) }
      return try source.converted(to: PixelLayout(.rgb8, .opaque), color: color).withRow(0) { $0[0] }
    }
    #expect(try darkest(.compensated) == 0)
    // 0.02 of light is 0.1513 in sRGB.
    #expect(try darkest(.kept) == 39)
  }

  @Test func whiteOfSRGBIsAt203Nits() throws {
    func code(_ target: ColorSpace) throws -> UInt16 {
      let color = try #require(try ColorTransform(from: .sRGB, to: target, toneMapping: .clip))
      let source = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgb8, alpha: .opaque)
      source.withMutableRow(0) { row in _ = row.initializeMemory(as: UInt8.self, repeating: 255) }
      return try source.converted(to: PixelLayout(.rgba16, .opaque), color: color).withRow(0) {
        $0.bindMemory(to: UInt16.self)[1]
      }
    }
    // BT.2408: 58 % of PQ; colour vectors: 203 nit are 0.5806889. HLG: 75 % are 203 nit of a display of 1000.
    #expect(abs(Double(try code(.named(9, 16))) / 65_535 - 0.5806889) < 1e-4)
    #expect(abs(Double(try code(.named(9, 18))) / 65_535 - 0.75) < 1e-3)
  }
}
