// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// Content credentials and the video of a motion photo beside a still.
@Suite struct HEIFCredentialsTests {
  private static let identifier: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]

  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private static let store = MemoryFile.store(30)
  private static let video = MemoryFile.bytes([0, 0, 0, 12], "ftypmp42")
  private static let credentials = box(
    "uuid", MemoryFile.bytes(identifier, 0, 0, 0, 0, "manifest", 0, 0, 0, 0, 0, 0, 0, 0, 0, store))
  private static let still = StillFile(configuration: ParameterSets().record, data: HEIFReaderTests.slice).bytes
  private static let other = box("uuid", [UInt8](repeating: 1, count: 20))

  @Test func readerFindsBoth() throws {
    let file = Self.still + Self.credentials + Self.box("mpvd", Self.video)
    let reader = try HEIFReader(MemorySource(file).view, host: MemoryHost().host, options: [])
    #expect(try reader.header(page: 0).metadata == [.c2pa])
    #expect(try reader.metadata(.c2pa, page: 0) == Self.store)
    #expect(try reader.metadata(.trailer, page: 0) == Self.video)
    let plain = try HEIFReader(MemorySource(Self.still).view, host: MemoryHost().host, options: [])
    #expect(try plain.header(page: 0).metadata.isEmpty)
    #expect(try plain.metadata(.trailer, page: 0) == nil)
  }

  @Test(
    arguments: [
      ([MetadataBlock.c2pa], true, false), ([.other], true, true), ([.text], false, false),
    ] as [([MetadataBlock], Bool, Bool)])
  func editTakesCredentialsAlone(_ removed: [MetadataBlock], _ takesStore: Bool, _ takesOther: Bool) throws {
    func free(_ box: [UInt8]) -> [UInt8] { Self.box("free", [UInt8](repeating: 0, count: box.count - 8)) }
    let file = Self.still + Self.credentials + Self.other
    let edited = try MemoryFile.made(of: file, .heic) { context throws(CoderError) in
      try ItemMetadata.edit(context, MetadataBlockEdits(removed: Set(removed)))
    }.bytes
    let left = (takesStore ? free(Self.credentials) : Self.credentials) + (takesOther ? free(Self.other) : Self.other)
    #expect(edited == Self.still + left)
  }
}
