// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Glibc
import ImageCoderPlugin
import Testing

@testable import RAWCoder

@Suite struct RAWOptionTests {
  /// The tenth pixel of the tenth row, in the half with a quarter of the light, and one of the half that is white.
  private static func pixels(
    _ file: SmallFile, _ values: [String: OptionValue]
  ) throws -> (quarter: [Int], white: [Int]) {
    let samples = try file.decoded(size: nil, values).samples
    let start = (10 * 40 + 10) * 3
    return (Array(samples[start..<start + 3]), Array(samples[start + 60..<start + 63]))
  }

  /// Light as IEC 61966-2-1 writes it, of 65,535: 1.055 · light^(1/2.4) − 0.055. LibRaw's curve has steps.
  @Test(arguments: [
    (0.0, 35_199, 65_535), (1.0, 48_192, 65_535), (2.0, 65_535, 65_535), (-1.0, 25_465, 48_192), (-2.0, 18_177, 35_199),
  ]) func exposureCountsInStopsOfLight(_ stops: Double, _ quarter: Int, _ white: Int) throws {
    let (dark, bright) = try Self.pixels(SmallFile(), ["exposure": .number(stops)])
    #expect(dark.allSatisfy { abs($0 - quarter) <= 40 }, "\(dark)")
    #expect(bright.allSatisfy { abs($0 - white) <= 40 }, "\(bright)")
  }

  @Test func defaultsChangeNothing() throws {
    let plain = try SmallFile().decoded().samples
    #expect(try SmallFile().decoded(size: nil, ["exposure": 0, "white-balance": 0]).samples == plain)
  }

  /// A gray scene, in which the camera took for white what has twice as much red.
  @Test func whiteIsThatOfTheCameraOrDaylight() throws {
    var file = SmallFile()
    file.neutral = [2, 1, 1]
    let camera = try Self.pixels(file, [:]).quarter
    #expect(camera[0] < camera[1] - 5000 && camera[0] < camera[2] - 5000, "\(camera)")
    let daylight = try Self.pixels(file, ["white-balance": 2]).quarter
    #expect(daylight.allSatisfy { abs($0 - daylight[0]) <= 40 }, "\(daylight)")
  }

  /// A scene with half of the red, of which camera and daylight agree that it is none of white.
  @Test func whiteIsTheAverageOfThePicture() throws {
    var file = SmallFile()
    file.redLight = 0.5
    let camera = try Self.pixels(file, [:]).quarter
    #expect(camera[0] < camera[1] - 5000, "\(camera)")
    // LibRaw's multipliers of daylight come from a matrix, and are rounded otherwise.
    let daylight = try Self.pixels(file, ["white-balance": 2]).quarter
    #expect(zip(daylight, camera).allSatisfy { abs($0 - $1) <= 40 }, "\(daylight), \(camera)")
    let average = try Self.pixels(file, ["white-balance": 1]).quarter
    #expect(average.allSatisfy { abs($0 - average[0]) <= 400 }, "\(average)")
  }

  /// A quarter of white is a quarter, and two stops more make it white; nothing is stretched where no pixel is white.
  @Test(arguments: [(0.0, 16_384), (1.0, 32_768), (2.0, 65_535), (-2.0, 4096)])
  func linearOutputIsLight(_ stops: Double, _ quarter: Int) throws {
    let (dark, _) = try Self.pixels(SmallFile(), ["output": 1, "exposure": .number(stops)])
    #expect(dark.allSatisfy { abs($0 - quarter) <= 8 }, "\(dark)")
    // Half of that light everywhere: the picture's white is gray.
    var dim = SmallFile()
    dim.isTiled = false
    dim.striles = [dim.numbers.flatMap { $0.flatMap { SmallFile.bytes($0 / 2) } }]
    dim.fields = [278: .long(30)]
    let (eighth, half) = try Self.pixels(dim, ["output": 1, "exposure": .number(stops)])
    #expect(eighth.allSatisfy { abs($0 - min(65_535, Int(8192 * exp2(stops)))) <= 8 }, "\(eighth)")
    #expect(half.allSatisfy { abs($0 - min(65_535, Int(32_768 * exp2(stops)))) <= 8 }, "\(half)")
  }

  @Test func linearOutputSaysSo() throws {
    let reader = try SmallFile().reader(MemoryHost(), ["output": 1])
    let signal = CodingIndependentCodePoints(primaries: 1, transfer: 8, matrix: 0, isFullRange: true)
    #expect(try reader.header(page: 0).cicp == signal)
    // ColorSpace, as an entry of a directory: one number of 16 bits, which is no known space.
    let exif = try #require(try reader.metadata(.exif, page: 0))
    let entry: [UInt8] = [0x01, 0xA0, 3, 0, 1, 0, 0, 0, 0xFF, 0xFF]
    #expect(exif.indices.contains { exif[$0...].starts(with: entry) })
  }
}
