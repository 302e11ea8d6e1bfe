// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Values of measured data become black to white, and pixels without one transparent.
@Suite(.needs("TIFF", "PNG")) struct MeasuredDataTests {
  private static let registry = EncodingPictures.registry

  /// TIFF 6.0 §2: little-endian, one row of gray samples in one strip, and GDAL_NODATA.
  private static func tiff(_ samples: [UInt8], bits: Int, format: Int, noData: String) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let text = Array(noData.utf8) + [0]
    let width = samples.count * 8 / bits
    let start = 8 + 2 + 11 * 12 + 4
    let fields: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, 3, 1, width), (257, 3, 1, 1), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, start),
      (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, samples.count), (339, 3, 1, format),
      (42113, 2, text.count, start + samples.count),
    ]
    let directory = fields.flatMap {
      number($0.tag, 2) + number($0.type, 2) + number($0.count, 4) + number($0.value, 4)
    }
    return [0x49, 0x49, 42, 0] + number(8, 4) + number(fields.count, 2) + directory + number(0, 4) + samples + text
  }

  private static func floats(_ values: [Float], noData: String = "-9999") -> [UInt8] {
    let samples = values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    return tiff(samples, bits: 32, format: 3, noData: noData)
  }

  private static func wholes(_ values: [Int], noData: String = "-32768") -> [UInt8] {
    let samples = values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    return tiff(samples, bits: 16, format: 2, noData: noData)
  }

  /// Whether codes are those, but for the rounding of a step.
  private static func near(_ found: [[UInt16]], _ expected: [[UInt16]]) -> Bool {
    let (found, codes) = (found.flatMap(\.self).map { Int($0) }, expected.flatMap(\.self).map { Int($0) })
    return found.count == codes.count && zip(found, codes).allSatisfy { abs($0 - $1) <= 1 }
  }

  /// Gray and alpha of each pixel, 0 to 65,535.
  private static func pixels(_ file: [UInt8], _ range: SampleRange) throws -> [[UInt16]] {
    var options = EncodeOptions()
    options.range = range
    let made = try registry.convert(.bytes(file), to: .png, at: .memory, options: options)
    let decoder = try registry.open(.bytes(made.bytes))
    #expect(decoder.header.pixelFormat.isGray && decoder.header.bitsPerChannel == 16)
    #expect(made.changes.contains { $0.fact == .colors })
    let picture = try decoder.image().pixels
    let channels = picture.format.bytesPerPixel / 2
    return picture.withRow(0) { row in
      (0..<picture.size.width).map { x in
        (0..<channels).map { row.load(fromByteOffset: (x * channels + $0) * 2, as: UInt16.self) }
      }
    }
  }

  @Test func valuesReachFromBlackToWhite() throws {
    let codes: [[UInt16]] = [[0, 0], [0, 65_535], [32_768, 65_535], [65_535, 65_535]]
    #expect(Self.near(try Self.pixels(Self.floats([-9999, 100, 150, 200]), .extremes), codes))
    #expect(Self.near(try Self.pixels(Self.wholes([-32_768, -100, 0, 100]), .extremes), codes))
  }

  /// In the numbers of the file; what is beyond is black or white.
  @Test func rangesAreInTheNumbersOfTheFile() throws {
    let codes: [[UInt16]] = [[0], [16_384], [32_768], [65_535]]
    #expect(Self.near(try Self.pixels(Self.floats([-300, -100, 0, 300]), .values(-200, 200)), codes))
    #expect(Self.near(try Self.pixels(Self.wholes([-300, -100, 0, 300]), .values(-200, 200)), codes))
  }

  /// Of 100 values, 2 percent at either end are 2: the least that counts is the third.
  @Test func percentilesLeaveOutWhatIsFarAway() throws {
    var values = (0..<100).map { Float($0) }
    (values[0], values[99]) = (-5000, 5000)
    let codes = try Self.pixels(Self.floats(values), .percentile(2)).map { Int($0[0]) }
    // Steps of 10,000 / 65,535.
    #expect(codes[0] == 0 && codes[1] == 0 && codes[2] <= 110 && codes[99] == 65_535 && codes[98] == 65_535)
    #expect(abs(codes[50] - (50 - 2) * 65_535 / 95) < 200)
  }

  @Test func valuesThatAreNoNumbersAreTransparent() throws {
    let codes = try Self.pixels(Self.floats([.nan, 1, .infinity, 3], noData: "nan"), .extremes)
    #expect(codes == [[0, 0], [0, 65_535], [0, 0], [65_535, 65_535]])
    // A picture of one value is black.
    #expect(try Self.pixels(Self.floats([7, 7, 7, 7]), .extremes) == [[0], [0], [0], [0]])
  }

  /// What is transparent does not shine through where a picture is made smaller.
  @Test func missingValuesAreNotMixedIn() throws {
    var options = EncodeOptions()
    options.range = .values(0, 100)
    options.maxSize = Size(width: 2, height: 1)
    let file = Self.floats([-9999, 100, 100, 100])
    let made = try Self.registry.convert(.bytes(file), to: .png, at: .memory, options: options)
    let picture = try Self.registry.decode(.bytes(made.bytes)).pixels
    picture.withRow(0) { row in
      #expect(row.load(fromByteOffset: 0, as: UInt16.self) > 65_000)
    }
  }

  /// GDAL_NODATA says nothing of the new values.
  @Test func noDataIsNotStatedOfNewValues() throws {
    var options = EncodeOptions()
    options.range = .extremes
    let file = Self.floats([-9999, 100, 150, 200])
    let made = try Self.registry.convert(.bytes(file), to: .tiff, at: .memory, options: options)
    #expect(!made.bytes.indices.dropLast(4).contains { made.bytes[$0..<$0 + 5].elementsEqual("-9999".utf8) })
    #expect(throws: CoderError.self) {
      options.range = .values(3, 3)
      _ = try Self.registry.convert(.bytes(file), to: .tiff, at: .memory, options: options)
    }
  }
}
