// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JXLCoder

@Suite struct BoxIndexTests {
  private static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private func index(_ bytes: [UInt8], isIncremental: Bool = false) throws(CoderError) -> BoxIndex {
    let source = MemorySource(bytes, isIncremental ? .incremental : .complete)
    defer { withExtendedLifetime(source) {} }
    return try BoxIndex(parsing: source.view, isIncremental: isIncremental)
  }

  @Test func aCodestreamAloneHasNoBoxes() throws {
    let index = try index([0xFF, 0x0A, 0, 0])
    #expect(!index.isContainer)
    #expect(index.firstPart == BoxIndex.Part(range: 0..<Int.max, mayContinue: false))
  }

  @Test func findsEachBox() throws {
    let exif: [UInt8] = [0, 0, 0, 2, 9, 9, 0x4D, 0x4D]
    let index = try index(
      Self.signature + Self.box("jxll", [10]) + Self.box("Exif", exif) + Self.box("jbrd", [1])
        + Self.box("jxlc", [0xFF, 0x0A, 7]) + Self.box("xml ", [0x3C]))
    #expect(index.isContainer)
    #expect(index.level == 10)
    #expect(index.metadata[.exif] == Box(type: .exif, start: 21, content: 29, end: 37, isCut: false))
    #expect(index.hasReconstruction)
    #expect(index.firstPart == BoxIndex.Part(range: 54..<57, mayContinue: false))
    #expect(index.codestream == nil)
    #expect(index.metadata[.xmp]?.payload == 65..<66)
    #expect(!index.isTruncated)
  }

  @Test func aPartOfTheCodestreamComesAfterItsNumber() throws {
    let index = try index(Self.signature + Self.box("jxlp", [0, 0, 0, 0, 0xFF, 0x0A]))
    #expect(index.firstPart == BoxIndex.Part(range: 24..<26, mayContinue: true))
  }

  @Test func keepsTheRangeOfALargeBoxWithinTheFile() throws {
    let header: [UInt8] = [0, 0, 0, 1, 0x6A, 0x78, 0x6C, 0x63, 0, 0, 0, 0, 0, 0, 0, 99]
    let index = try index(Self.signature + header + [0xFF, 0x0A])
    #expect(index.codestream == 28..<30)
    #expect(index.isTruncated)
  }

  @Test func aCompressedBoxCountsAsWhatItHolds() throws {
    let index = try index(Self.signature + Self.box("brob", Array("Exif".utf8) + [1, 2]) + Self.box("brob", [1]))
    #expect(index.metadata[.exif]?.type == .compressed)
    #expect(index.metadata.count == 1)
  }

  @Test func exifWhoseHeaderLiesOutsideCountsAsAbsent() throws {
    for content: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 1, 0x4D], [0, 0, 0]] {
      #expect(try index(Self.signature + Self.box("Exif", content)).metadata.isEmpty)
    }
  }

  @Test func stopsAtTheCodestreamOfAnIncompleteFile() throws {
    let bytes = Self.signature + Self.box("jxlc", [0xFF, 0x0A]) + Self.box("xml ", [1])
    let index = try index(bytes, isIncremental: true)
    #expect(index.firstPart?.range == 20..<22)
    #expect(index.metadata.isEmpty)
  }

  @Test func everyCutOfTheSignatureIsTruncated() {
    for count in 1..<12 {
      #expect(
        throws: CoderError.truncated("a file of \(count) bytes, the signature needs 12", at: count)
      ) { _ = try index(Array(Self.signature.prefix(count))) }
    }
    #expect(throws: CoderError.truncated("a file of 1 bytes, the signature needs 12", at: 1)) { _ = try index([0xFF]) }
  }

  @Test func rejectsOtherFiles() {
    #expect(throws: CoderError.wrongFormat("a file of 3 bytes that does not begin as JPEG XL")) {
      _ = try index([1, 2, 3])
    }
    #expect(throws: CoderError.wrongFormat("neither a codestream of JPEG XL nor its container", at: 0)) {
      _ = try index([UInt8](repeating: 1, count: 20))
    }
  }

  @Test func survivesEveryCut() throws {
    let bytes =
      Self.signature + Self.box("jxll", [10]) + Self.box("brob", Array("xml ".utf8)) + Self.box("jxlc", [0xFF, 0x0A])
    for count in 12..<bytes.count {
      let index = try index(Array(bytes.prefix(count)))
      #expect(index.isTruncated == ![12, 21, 33].contains(count), "after \(count) bytes")
    }
  }
}

@Suite struct ExifBoxTests {
  @Test func saysWhatComesBeforeTheHeader() throws {
    let bytes: [UInt8] = [0, 0, 0, 3]
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "the Exif box")
    #expect(try ExifBox(parsing: &reader, contentBytes: 8).prefix == 7)
  }

  @Test func rejectsAHeaderOutside() {
    let bytes: [UInt8] = [0, 0, 0, 4]
    #expect(
      throws: CoderError.malformed("a TIFF header at 4 of an Exif box that has 4 bytes for it", at: 100)
    ) {
      var reader = ByteReader(bytes.span.bytes, at: 100, of: "the Exif box")
      _ = try ExifBox(parsing: &reader, contentBytes: 8)
    }
  }
}
