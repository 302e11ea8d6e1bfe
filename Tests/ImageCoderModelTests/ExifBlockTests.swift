// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

/// Exif payloads that readers of TIFF-based files make.
@Suite struct ExifBlockTests {
  private static let writer = TIFFFieldWriter(order: .littleEndian)

  @Test func directoriesFollowEachOther() throws {
    var block = ExifBlock()
    block.main = [Self.writer.shorts(0x0112, [6]), Self.writer.undefined(0x010F, Array("Make\0".utf8), type: .ascii)]
    block.exif = [Self.writer.undefined(0x9000, Array("0232".utf8))]
    block.gps = [Self.writer.undefined(0, [2, 3, 0, 0], type: .byte)]
    block.interoperability = [Self.writer.undefined(1, Array("R98\0".utf8), type: .ascii)]
    let main: [UInt8] = [
      4, 0,  // by their tags: 0x010F, 0x0112, and the pointers
      0x0F, 0x01, 2, 0, 5, 0, 0, 0, 62, 0, 0, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
      0x69, 0x87, 4, 0, 1, 0, 0, 0, 68, 0, 0, 0, 0x25, 0x88, 4, 0, 1, 0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 0,
      0x4D, 0x61, 0x6B, 0x65, 0, 0,  // at 62, with a zero up to an even offset
    ]
    let exif: [UInt8] = [
      2, 0, 0x00, 0x90, 7, 0, 4, 0, 0, 0, 0x30, 0x32, 0x33, 0x32, 0x05, 0xA0, 4, 0, 1, 0, 0, 0, 98, 0, 0, 0, 0, 0, 0, 0,
    ]
    let inner: [UInt8] = [1, 0, 1, 0, 2, 0, 4, 0, 0, 0, 0x52, 0x39, 0x38, 0, 0, 0, 0, 0]
    let place: [UInt8] = [1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0]
    #expect(try block.payload(.littleEndian) == [0x49, 0x49, 42, 0, 8, 0, 0, 0] + main + exif + inner + place)
  }

  @Test func directoriesWithoutFieldsAreLeftOut() throws {
    var block = ExifBlock()
    #expect(try block.payload(.bigEndian) == [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
    block.gps = [TIFFField(tag: 5, type: .byte, count: 1, value: [1])]
    #expect(
      try block.payload(.bigEndian) == [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0,
        0, 1, 0, 5, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0,
      ])
  }

  @Test(
    arguments: [
      (1.0 / 250, [1, 250]), (1.0 / 3, [1, 3]), (2.8, [14, 5]), (0.5, [1, 2]), (30, [30, 1]), (1.3, [13, 10]),
      (8848.5, [17_697, 2]), (0, [0, 1]),
    ] as [(Float, [Int])]) func numbersBecomeTheFractionsOfCameras(_ value: Float, _ fraction: [Int]) throws
  {
    let field = try #require(TIFFFieldWriter(order: .bigEndian).rationals(0x829A, [value, value]))
    let bytes: [UInt8] = fraction.flatMap { number in
      [0, UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
    }
    #expect(field == TIFFField(tag: 0x829A, type: .rational, count: 2, value: bytes + bytes))
  }

  @Test(arguments: [-1, 1_000_000, .nan, .infinity] as [Float]) func numbersWithoutAFractionAreNone(_ value: Float) {
    #expect(Self.writer.rationals(0x829A, [1, value]) == nil)
  }

  @Test func textsLoseTheSpacesAroundThem() {
    #expect(Self.writer.text(0x010E, "  a b \n")?.value == [0x61, 0x20, 0x62, 0])
    #expect(Self.writer.text(0x010E, " \n ") == nil)
  }

  @Test func eachNumberOfAValueIsSwapped() {
    let fraction = TIFFField(tag: 1, type: .rational, count: 1, value: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(fraction.swapped.value == [4, 3, 2, 1, 8, 7, 6, 5])
    let double = TIFFField(tag: 1, type: .double, count: 1, value: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(double.swapped.value == [8, 7, 6, 5, 4, 3, 2, 1])
    let cut = TIFFField(tag: 1, type: .short, count: 2, value: [1, 2, 3])
    #expect(cut.swapped.value == [2, 1, 3])
    let text = TIFFField(tag: 1, type: .ascii, count: 2, value: [65, 0])
    #expect(text.swapped == text)
  }
}
