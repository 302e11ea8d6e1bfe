// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct ExifPropertiesTests {
  /// A directory's entry: tag, type, count, and its values' bytes.
  private typealias Entry = (tag: UInt16, type: UInt16, count: UInt32, bytes: [UInt8])

  /// A payload of three directories, whose pointers are added.
  private static func payload(
    _ order: ByteOrder, tiff: [Entry] = [], exif: [Entry] = [], gps: [Entry] = []
  ) -> [UInt8] {
    func number(_ value: UInt64, _ bytes: Int) -> [UInt8] {
      var writer = ByteWriter(order: order)
      writer.put(value, bytes: bytes)
      return writer.bytes
    }
    var payload: [UInt8] = (order == .bigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]) + number(8, 4)
    let first = tiff.count + 2
    var data: [UInt8] = []
    let size = { (count: Int) in 2 + count * 12 + 4 }
    let exifPlace = 8 + size(first)
    let gpsPlace = exifPlace + size(exif.count)
    let dataPlace = gpsPlace + size(gps.count)
    func directory(_ entries: [Entry]) {
      payload += number(UInt64(entries.count), 2)
      for entry in entries {
        payload += number(UInt64(entry.tag), 2) + number(UInt64(entry.type), 2) + number(UInt64(entry.count), 4)
        if entry.bytes.count <= 4 {
          payload += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
        } else {
          payload += number(UInt64(dataPlace + data.count), 4)
          data += entry.bytes
        }
      }
      payload += [0, 0, 0, 0]
    }
    directory(
      tiff + [(0x8769, 4, 1, number(UInt64(exifPlace), 4)), (0x8825, 4, 1, number(UInt64(gpsPlace), 4))])
    directory(exif)
    directory(gps)
    return payload + data
  }

  private static func numbers(_ order: ByteOrder, _ values: [UInt64], _ bytes: Int) -> [UInt8] {
    var writer = ByteWriter(order: order)
    for value in values { writer.put(value, bytes: bytes) }
    return writer.bytes
  }

  private static func read(_ payload: [UInt8]) -> Properties { ExifProperties.read(payload.span.bytes) }

  /// BYTE, SHORT, LONG, their signed kinds, and that of Technical Note 1.
  @Test(arguments: [ByteOrder.bigEndian, .littleEndian], [1, 3, 4, 6, 8, 9, 13] as [UInt16])
  func pointersAreFollowedWhateverIntegersTheyAre(_ order: ByteOrder, _ type: UInt16) throws {
    var payload = Self.payload(
      order, exif: [(0xA003, 3, 1, Self.numbers(order, [17], 2))], gps: [(1, 2, 2, Array("N\0".utf8))])
    for entry in [10, 22] {
      let place = try ByteReader(payload.span.bytes, order: order).uint32(at: entry + 8)
      let size = [1: 1, 6: 1, 3: 2, 8: 2][type] ?? 4
      let value = Self.numbers(order, [UInt64(place)], size)
      payload.replaceSubrange(entry + 2..<entry + 4, with: Self.numbers(order, [UInt64(type)], 2))
      payload.replaceSubrange(entry + 8..<entry + 12, with: value + [UInt8](repeating: 0, count: 4 - size))
    }
    let properties = Self.read(payload)
    #expect(properties["{Exif}", "PixelYDimension"] == .integer(17))
    #expect(properties["{GPS}", "LatitudeRef"] == .text("N"))
  }

  @Test func lettersThatAreNotUTF8AreLatin1() {
    let text = { (bytes: [UInt8]) in
      Self.read(Self.payload(.bigEndian, tiff: [(0x8298, 2, UInt32(bytes.count), bytes)]))["{TIFF}", "Copyright"]
    }
    #expect(text([0x57, 0xF6, 0x72, 0x6E, 0x65, 0x72, 0]) == .text("W\u{F6}rner"))
    #expect(text([0x57, 0xC3, 0xB6, 0x72, 0]) == .text("W\u{F6}r"))
  }

  @Test(arguments: [ByteOrder.bigEndian, .littleEndian]) func namesAndTypesAreImageIOs(_ order: ByteOrder) {
    let number = { (values: [UInt64], bytes: Int) in Self.numbers(order, values, bytes) }
    let payload = Self.payload(
      order,
      tiff: [
        (0x010F, 2, 6, Array("Maker\0".utf8)), (0x0112, 3, 1, number([6], 2)), (0x011A, 5, 1, number([72, 1], 4)),
      ],
      exif: [
        (0x829A, 5, 1, number([1, 250], 4)), (0x8827, 3, 1, number([400], 2)), (0x9000, 7, 4, Array("0232".utf8)),
        (0x9204, 10, 1, number([UInt64(UInt32(bitPattern: -1)), 3], 4)), (0xA000, 7, 4, Array("0100".utf8)),
        (0x9286, 7, 13, Array("ASCII\0\0\0hello".utf8)), (0xA432, 5, 4, number([24, 1, 70, 1, 28, 10, 28, 10], 4)),
        (0x9101, 7, 4, [1, 2, 3, 0]),
      ],
      gps: [
        (1, 2, 2, [0x4E, 0]), (2, 5, 3, number([48, 1, 51, 1, 30, 1], 4)), (5, 1, 1, [1]),
        (7, 5, 3, number([9, 1, 5, 1, 150, 100], 4)),
      ])
    let properties = Self.read(payload)
    #expect(properties["{TIFF}", "Make"] == .text("Maker"))
    #expect(properties["{TIFF}", "Orientation"] == .integer(6))
    #expect(properties["{TIFF}", "XResolution"] == .number(72))
    #expect(properties["{Exif}", "ExposureTime"] == .number(0.004))
    #expect(properties["{Exif}", "ISOSpeedRatings"] == .list([.integer(400)]))
    #expect(properties["{Exif}", "ExifVersion"] == .list([.integer(2), .integer(3), .integer(2)]))
    #expect(properties["{Exif}", "FlashPixVersion"] == .list([.integer(1), .integer(0)]))
    #expect(properties["{Exif}", "ExposureBiasValue"] == .number(-1.0 / 3))
    #expect(properties["{Exif}", "UserComment"] == .text("hello"))
    #expect(properties["{Exif}", "LensSpecification"] == .list([.number(24), .number(70), .number(2.8), .number(2.8)]))
    #expect(
      properties["{Exif}", "ComponentsConfiguration"] == .list([.integer(1), .integer(2), .integer(3), .integer(0)]))
    #expect(properties["{GPS}", "LatitudeRef"] == .text("N"))
    #expect(properties["{GPS}", "Latitude"] == .number(48 + 51.0 / 60 + 30.0 / 3600))
    #expect(properties["{GPS}", "AltitudeRef"] == .integer(1))
    #expect(properties["{GPS}", "TimeStamp"] == .text("09:05:01.50"))
  }

  @Test func textIsCutAtItsEndAndPaddingIsLeftOut() {
    let exif: [Entry] = [
      (0xA434, 2, 8, Array("50 mm \0x".utf8)), (0x9286, 7, 14, Array("UNICODE\0".utf8) + [0, 0x48, 0, 0x69, 0, 0]),
      (0xA433, 2, 4, Array("    ".utf8)),
    ]
    let properties = Self.read(Self.payload(.bigEndian, exif: exif))
    #expect(properties["{Exif}", "LensModel"] == .text("50 mm"))
    #expect(properties["{Exif}", "UserComment"] == .text("Hi"))
    #expect(properties["{Exif}", "LensMake"] == .text(""))
  }

  /// Values that say nothing, or that a tag does not have, are left out; their neighbors stay.
  @Test func oneBadValueIsLeftOut() {
    let nan = Self.numbers(.bigEndian, [Double.nan.bitPattern], 8)
    let huge = Self.numbers(.bigEndian, [1e300.bitPattern], 8)
    let exif: [Entry] = [
      (0x829A, 5, 1, [0, 0, 0, 1, 0, 0, 0, 0]), (0x9000, 7, 3, Array("023".utf8)), (0x9101, 12, 1, nan),
      (0xA301, 12, 1, huge), (0x920A, 5, 0xFFFF_FFFF, [0, 0, 0, 1]), (0x9209, 99, 1, [0, 1]),
      (0x829D, 5, 1, Self.numbers(.bigEndian, [28, 10], 4)),
    ]
    let gps: [Entry] = [
      (2, 12, 3, nan + nan + nan), (7, 12, 3, huge + huge + huge), (4, 5, 2, [UInt8](repeating: 1, count: 16)),
      (3, 2, 2, Array("E\0".utf8)),
    ]
    let properties = Self.read(Self.payload(.bigEndian, exif: exif, gps: gps))
    #expect(properties["{Exif}"] == .dictionary(Self.dictionary(["FNumber": .number(2.8)])))
    #expect(properties["{GPS}"] == .dictionary(Self.dictionary(["LongitudeRef": .text("E")])))
  }

  @Test func noPayloadTrapsWhereverItIsCut() {
    let payload = Self.payload(
      .littleEndian, tiff: [(0x010F, 2, 6, Array("Maker\0".utf8))], exif: [(0x9000, 7, 4, Array("0232".utf8))],
      gps: [(2, 5, 3, Self.numbers(.littleEndian, [48, 1, 51, 1, 30, 1], 4))])
    #expect(Self.read(payload)["{GPS}", "Latitude"] != nil)
    for count in 0..<payload.count { _ = Self.read(Array(payload.prefix(count))) }
    for index in payload.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = payload
        changed[index] = value
        _ = Self.read(changed)
      }
    }
    #expect(Self.read([]) == Properties())
  }

  private static func dictionary(_ values: [String: PropertyValue]) -> Properties {
    var properties = Properties()
    for (name, value) in values { properties[name] = value }
    return properties
  }
}

@Suite struct ICCProfileNameTests {
  private static func profile(_ tag: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 128) + [0, 0, 0, 1] + Array("desc".utf8) + [0, 0, 0, 144, 0, 0, 0, UInt8(tag.count)]
      + tag
  }

  @Test func bothVersionsHaveAName() {
    let old = Array("desc".utf8) + [0, 0, 0, 0, 0, 0, 0, 5] + Array("sRGB\0".utf8)
    let new =
      Array("mluc".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12] + Array("enUS".utf8) + [0, 0, 0, 4, 0, 0, 0, 28]
      + [0, 0x50, 0, 0x33]
    #expect(ICCProfile.name(of: Self.profile(old).span.bytes) == "sRGB")
    #expect(ICCProfile.name(of: Self.profile(new).span.bytes) == "P3")
    for profile in [Self.profile(old), Self.profile(new)] {
      for count in 0..<profile.count { _ = ICCProfile.name(of: Array(profile.prefix(count)).span.bytes) }
    }
    #expect(ICCProfile.name(of: Self.profile(Array("text".utf8) + [0, 0, 0, 0, 1, 1, 1, 1]).span.bytes) == nil)
  }
}
