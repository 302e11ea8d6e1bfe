// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEG2000Coder

@Suite struct FileHeaderTests {
  private static let codestream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private func header(_ bytes: [UInt8], isIncremental: Bool = false) throws(CoderError) -> FileHeader {
    let source = MemorySource(bytes, isIncremental ? .incremental : .complete)
    defer { withExtendedLifetime(source) {} }
    return try FileHeader(parsing: source.view, isIncremental: isIncremental)
  }

  /// A header box of those inside it, then a codestream.
  private func header(inside boxes: [UInt8]) throws(CoderError) -> FileHeader {
    try header(JP2Header.signature + Self.box("jp2h", boxes) + Self.box("jp2c", Self.codestream))
  }

  @Test func aCodestreamAloneIsAFile() throws {
    let header = try header(Self.codestream + [0])
    #expect(!header.isBoxed)
    #expect(header.codestream == 0..<5)
  }

  @Test func readsWhatTheWriterWrites() throws {
    let written = JP2Header(
      size: Size(width: 300, height: 2), layout: PixelLayout(.rgba8, .premultiplied), bits: 8, profile: nil,
      exif: [0x4D, 0x4D], xmp: [0x3C])
    var writer = ByteWriter()
    written.write(to: &writer)
    let start = writer.count
    writer.box(.codestream) { $0.put(Self.codestream) }
    let header = try header(writer.bytes)
    #expect(header.isBoxed)
    #expect(header.codestream == start + 8..<start + 12)
    #expect(header.codestreamCount == 1)
    #expect(header.color?.enumerated == 16)
    #expect(header.definitions.map(\.type) == [0, 0, 0, 2])
    #expect(header.definitions.map(\.association) == [1, 2, 3, 0])
    #expect(header.metadata[.exif]?.count == 2)
    #expect(header.metadata[.xmp] == start - 1..<start)
  }

  @Test func readsEachBoxOfTheHeader() throws {
    let resolution: [UInt8] = [0, 2, 0, 1, 0, 3, 0, 2, 1, 0xFF]
    let header = try header(
      inside: Self.box("colr", [2, 0, 0] + [UInt8](repeating: 0, count: 16) + Array("GRAY".utf8))
        + Self.box("pclr", [0, 2, 1, 7, 5, 9]) + Self.box("cmap", [0, 1, 1, 0, 0, 2, 0, 7])
        + Self.box("cdef", [0, 1, 0, 4, 0, 1, 0, 2]) + Self.box("res ", Self.box("resd", resolution)))
    #expect(header.color?.model == .gray)
    #expect(header.color?.profile == 31..<51)
    #expect(header.metadata[.icc] == 31..<51)
    #expect(header.palette?.columns == [Palette.Column(bits: 8, isSigned: false, entries: [5, 9])])
    #expect(header.mapping.map(\.component) == [1, 2])
    #expect(header.mapping.map(\.column) == [0, nil])
    #expect(header.definitions.map(\.channel) == [4])
    #expect(header.definitions.map(\.association) == [2])
    #expect(header.displayResolution?.y == 20)
    #expect(header.displayResolution?.x == 0.15)
    #expect(header.captureResolution == nil)
  }

  @Test func theFirstColorWithAModelCounts() throws {
    let header = try header(
      inside: Self.box("colr", [1, 0, 0, 0, 0, 0, 99]) + Self.box("colr", [9, 0, 0])
        + Self.box("colr", [1, 0, 0, 0, 0, 0, 17]))
    #expect(header.color?.enumerated == 17)
    #expect(header.color?.model == .gray)
  }

  @Test func readsRangesOfLab() throws {
    let parameters: [UInt8] = (1...6).flatMap { [0, 0, 0, UInt8($0)] }
    let header = try header(inside: Self.box("colr", [1, 0, 0, 0, 0, 0, 14] + parameters))
    #expect(header.color?.model == .lab(ColorModel.LabRange(ranges: [1, 3, 5], offsets: [2, 4, 6])))
    let short = try self.header(inside: Self.box("colr", [1, 0, 0, 0, 0, 0, 14]))
    #expect(short.color?.model == .lab(ColorModel.LabRange(ranges: [100, 170, 200], offsets: nil)))
  }

  @Test func aBrokenResolutionCostsNothing() throws {
    #expect(try header(inside: Self.box("res ", [0, 0, 0, 9, 0, 0, 0, 0])).displayResolution == nil)
    #expect(
      try header(inside: Self.box("res ", Self.box("resc", [0, 1, 0, 0, 0, 1, 0, 1, 0, 0]))).captureResolution == nil)
  }

  @Test func aResolutionWhoseSizeIsTooLargeIsRead() throws {
    let box: [UInt8] = [0, 0, 0, 99] + Array("resc".utf8) + [0, 2, 0, 1, 0, 3, 0, 1, 0, 0]
    #expect(try header(inside: Self.box("res ", box)).captureResolution?.y == 2)
  }

  @Test func passesOverJPEGsPrefixOfExif() throws {
    let payload = BoxIdentifier.exif + [0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D]
    let file = JP2Header.signature + Self.box("uuid", payload) + Self.box("jp2c", Self.codestream)
    #expect(try header(file).metadata[.exif] == 42..<43)
  }

  @Test func whatFollowsTheCodestreamCannotTakeItAway() throws {
    let file = JP2Header.signature + Self.box("jp2c", Self.codestream) + [0, 0, 0, 2, 0, 0, 0, 0]
    #expect(try header(file).codestream == 20..<24)
  }

  @Test func anIncompleteFileIsReadUpToItsCodestream() throws {
    let file = JP2Header.signature + Self.box("jp2c", Self.codestream) + Self.box("jp2c", Self.codestream)
    #expect(try header(file, isIncremental: true).codestreamCount == 1)
    #expect(try header(file).codestreamCount == 2)
  }

  @Test func rejectsBoxesOfNoSize() {
    #expect(throws: CoderError.malformed("a box ???? of 2 bytes, its header takes 8", at: 12)) {
      _ = try header(JP2Header.signature + [0, 0, 0, 2, 0, 0, 0, 0])
    }
    #expect(throws: CoderError.malformed("a box colr of 9 bytes in the header box, which has 8 left", at: 20)) {
      _ = try header(inside: [0, 0, 0, 9] + Array("colr".utf8))
    }
  }

  @Test func everyCutBeforeTheCodestreamIsTruncated() {
    let file =
      JP2Header.signature + Self.box("jp2h", Self.box("colr", [1, 0, 0, 0, 0, 0, 17]))
      + Self.box("uuid", BoxIdentifier.xmp + [1])
    for count in 4..<file.count {
      #expect("after \(count) bytes") { _ = try header(Array(file.prefix(count))) } throws: { error in
        (error as? CoderError)?.code == .truncated
      }
    }
  }

  @Test func rejectsOtherFiles() {
    #expect(
      throws: CoderError.wrongFormat("the file starts neither with a JP2 signature box nor with SOC and SIZ", at: 0)
    ) { _ = try header([1, 2, 3, 4, 5]) }
  }
}
