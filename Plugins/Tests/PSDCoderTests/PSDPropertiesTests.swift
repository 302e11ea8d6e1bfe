// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PSDCoder

@Suite struct PSDPropertiesTests {
  /// A record without channels, with a name in the system's encoding and blocks after it.
  private static func record(_ name: String, blocks: [UInt8] = []) -> [UInt8] {
    var extra = ByteWriter()
    extra.put(UInt32(0))
    extra.put(UInt32(0))
    extra.put(UInt8(name.utf8.count))
    extra.put(Array(name.utf8))
    extra.putZeros(3 - name.utf8.count % 4)
    extra.put(blocks)
    var writer = ByteWriter()
    writer.putZeros(18)
    writer.put("8BIMnorm")
    writer.putZeros(4)
    writer.put(UInt32(extra.count))
    writer.put(extra.bytes)
    return writer.bytes
  }

  private static func unicode(_ name: String) -> [UInt8] {
    var writer = ByteWriter()
    writer.put("8BIMluni")
    writer.put(UInt32(6 + 2 * name.utf16.count))
    writer.put(UInt32(name.utf16.count + 1))
    for unit in name.utf16 { writer.put(unit) }
    writer.put(UInt16(0))
    return writer.bytes
  }

  @Test func namesLayersFromTheLowestUp() throws {
    let records = Self.record("plain") + Self.record("?", blocks: Self.unicode("Köln 城"))
    let file = SmallFile(layers: [0, 2] + records, data: [0, 0, 0, 0, 0, 0])
    let properties = try file.reader().properties(page: 0, frame: nil)
    #expect(properties["{8BIM}", "LayerNames"] == .list([.text("plain"), .text("Köln 城")]))
    #expect(properties["{8BIM}", "Version"] == .integer(1))
    #expect(properties["ColorModel"] == .text("RGB"))
  }

  @Test func findsLayersOfDeepFiles() throws {
    // A length of four bytes in a PSD, eight in a PSB.
    for (version, length) in [(1, [0, 0, 0, 44] as [UInt8]), (2, [0, 0, 0, 0, 0, 0, 0, 44])] {
      let records = Self.record("a")
      #expect(records.count + 2 == 48)
      let block = Array("8BIMLr16".utf8) + length.dropLast() + [48, 0, 1] + records
      let file = SmallFile(
        version: UInt16(version), channels: 1, width: 1, depth: 16, mode: .gray, blocks: block, data: [0, 0])
      let properties = try file.reader().properties(page: 0, frame: nil)
      #expect(properties["{8BIM}", "LayerNames"] == .list([.text("a")]))
    }
  }

  @Test func damagedLayersCostTheirNamesAlone() throws {
    let file = SmallFile(layers: [0, 9] + Self.record("one"), data: [1, 4, 2, 5, 3, 6])
    #expect(try file.reader().properties(page: 0, frame: nil)["{8BIM}", "LayerNames"] == nil)
    #expect(try file.pixels() == [1, 2, 3, 4, 5, 6])
  }

  @Test func readsTheResolution() throws {
    let resolution: [UInt8] = [0, 72, 0x80, 0, 0, 2, 0, 1] + [0, 150, 0, 0, 0, 1, 0, 1]
    let properties = try SmallFile(resources: [(1005, resolution)]).reader().properties(page: 0, frame: nil)
    #expect(properties["DPIWidth"] == .number(72.5) && properties["DPIHeight"] == .number(150))
  }

  @Test func hasMetadata() throws {
    let reader = try SmallFile(
      resources: [
        (1039, [1, 2, 3]), (1058, ExifPayload.prefix + Array("II*\0".utf8)), (1060, Array("<x/>".utf8)), (1039, [9]),
      ]
    ).reader()
    #expect(try reader.header(page: 0).metadata == [.icc, .exif, .xmp])
    #expect(try reader.metadata(.icc, page: 0) == [1, 2, 3])
    #expect(try reader.metadata(.exif, page: 0) == Array("II*\0".utf8))
    #expect(try reader.metadata(.xmp, page: 0) == Array("<x/>".utf8))
  }

  @Test func aProfileOfLabIsNotThatOfThePixels() throws {
    let reader = try SmallFile(mode: .lab, resources: [(1039, [1, 2, 3])]).reader()
    #expect(try reader.header(page: 0).metadata == [])
    #expect(try reader.metadata(.icc, page: 0) == nil)
  }

  @Test func theThumbnailIsAHiddenPage() throws {
    var thumbnail = ByteWriter()
    for field in [1, 40, 30, 120, 3600, 5] as [UInt32] { thumbnail.put(field) }
    thumbnail.put(UInt32(24 << 16 | 1))
    thumbnail.put([0xFF, 0xD8, 0xFF, 0xFF, 0xD9])
    let reader = try SmallFile(resources: [(1036, thumbnail.bytes)]).reader()
    #expect(try reader.header(page: 0).hiddenPageCount == 1)
    let header = try reader.header(page: 1)
    #expect(header.role == PageRole(.preview, name: "Photoshop thumbnail"))
    #expect(header.canvas == Size(width: 40, height: 30))
    // After the header of 26 bytes, two lengths, the resource's own 12 bytes, and the 28 of the thumbnail.
    #expect(header.embedded == 74..<79)
    #expect(try SmallFile().reader().header(page: 0).hiddenPageCount == 0)
  }
}
