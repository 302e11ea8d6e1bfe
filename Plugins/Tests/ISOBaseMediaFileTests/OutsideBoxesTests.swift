// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

/// Content credentials and the video of a motion photo, beside the items of a file.
@Suite struct OutsideBoxesTests {
  private static let identifier: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]

  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private static func credentials(_ store: [UInt8], purpose: String = "manifest") -> [UInt8] {
    box("uuid", MemoryFile.bytes(identifier, 0, 0, 0, 0, purpose, 0, 0, 0, 0, 0, 0, 0, 0, 0, store))
  }

  private func metadata(_ kind: MetadataKind, of file: [UInt8], _ limits: Limits = .standard) throws -> [UInt8]? {
    let source = MemorySource(file).view
    return try OutsideBoxes(source).metadata(kind, in: source, limits: limits)
  }

  @Test func findsCredentialsAndVideo() throws {
    let store = MemoryFile.store(30)
    let video = MemoryFile.bytes([0, 0, 0, 12], "ftypmp42")
    let file =
      Self.box("ftyp", Array("heic".utf8)) + Self.box("uuid", [UInt8](repeating: 1, count: 60))
      + Self.credentials(store, purpose: "merkle") + Self.credentials(store) + Self.box("mpvd", video)
    #expect(try metadata(.c2pa, of: file) == store)
    #expect(try metadata(.trailer, of: file) == video)
    #expect(try metadata(.exif, of: file) == nil)
    #expect(throws: CoderError.self) { try metadata(.c2pa, of: file, Limits(maxMetadata: 20)) }
  }

  @Test func whatIsNoStoreIsNone() throws {
    var store = MemoryFile.store(30)
    store[16] = 0x78
    #expect(try metadata(.c2pa, of: Self.credentials(store)) == nil)
    #expect(try metadata(.c2pa, of: Self.box("uuid", Self.identifier)) == nil)
    for count in 0..<60 {
      #expect(try metadata(.c2pa, of: Array(Self.credentials(MemoryFile.store(30)).prefix(count))) == nil)
    }
  }
}
