// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

/// Files of cameras, whose pages are previews.
@Suite struct CameraRawTests {
  private func header(_ bytes: [UInt8]) throws -> ImageHeader {
    let source = MemorySource(bytes)
    return try TIFFReader(source.view, host: MemoryHost().host, options: []).header(page: 0)
  }

  private static func file(_ tag: UInt16? = nil, _ values: [UInt32] = [], type: UInt16 = 4) -> SmallFile {
    var file = SmallFile(width: 2, height: 2)
    if let tag { file.set(tag, values, type: type) }
    return file
  }

  /// A directory of one number after the file, which SubIFDs leads to.
  private static func nested(photometric: UInt16, order: ByteOrder) -> [UInt8] {
    var file = Self.file(330, [0])
    let place = file.bytes(order).count
    file.set(330, [UInt32(place)])
    var writer = ByteWriter(order: order)
    writer.put(UInt16(1))
    writer.put(UInt16(262))
    writer.put(UInt16(3))
    writer.put(UInt32(1))
    writer.put(photometric)
    writer.putZeros(6)
    return file.bytes(order) + writer.bytes
  }

  @Test func aPlainPictureStandsForItself() throws {
    let header = try header(Self.file().bytes())
    #expect(!header.standsIn && header.isLossless)
  }

  @Test func aVersionOfDNGMakesPagesPreviews() throws {
    let header = try header(Self.file(50_706, [1, 4, 0, 0], type: 7).bytes())
    #expect(header.standsIn && !header.isLossless)
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian]) func sensorsInSubIFDsMakePagesPreviews(_ order: ByteOrder)
    throws
  {
    for (photometric, isRaw) in [(32_803, true), (34_892, true), (2, false)] as [(UInt16, Bool)] {
      #expect(try header(Self.nested(photometric: photometric, order: order)).standsIn == isRaw, "\(photometric)")
    }
  }

  @Test func aDirectoryThatLeadsToItselfOrNowhereIsPlain() throws {
    #expect(try !header(Self.file(330, [8]).bytes()).standsIn)
    #expect(try !header(Self.file(330, [4_000_000, 1]).bytes()).standsIn)
  }

  /// The directory moves to make room for the mark.
  @Test(arguments: [("CR\u{2}\u{0}", true), ("IIII", true), ("none", false)])
  func aMarkAfterTheHeaderMakesPagesPreviews(_ mark: String, _ isRaw: Bool) throws {
    var bytes = Self.file().bytes()
    bytes[4] = UInt8(bytes.count)
    bytes += bytes[8...]
    bytes.replaceSubrange(8..<12, with: Array(mark.utf8))
    #expect(try header(bytes).standsIn == isRaw)
  }
}
