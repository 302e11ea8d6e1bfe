// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import RAWCoder

@Suite struct RAWReaderTests {
  /// A quarter of the light of white, by IEC 61966-2-1: 1.055 · 0.25^(1/2.4) − 0.055 = 0.537099, of 65,535.
  private static let quarter = 35_199

  /// LibRaw's curve ends at 65,528, and its matrix is rounded: 12 of 65,535 apart.
  private static func isQuarter(_ pixel: ArraySlice<Int>) -> Bool {
    pixel.count == 3 && pixel.allSatisfy { abs($0 - quarter) <= 20 }
  }

  @Test func developsAMosaic() throws {
    let (samples, rows, problem) = try SmallFile().decoded()
    #expect(rows == 30 && problem == nil)
    // The tenth column of the tenth row, and one of the right half.
    let start = (10 * 40 + 10) * 3
    #expect(Self.isQuarter(samples[start..<start + 3]), "\(samples[start..<start + 3])")
    #expect(samples[start + 60..<start + 63] == [65_535, 65_535, 65_535])
  }

  @Test func halvesAreDevelopedWithoutInterpolation() throws {
    let (samples, rows, problem) = try SmallFile().decoded(size: Size(width: 20, height: 15))
    #expect(rows == 15 && problem == nil && samples.count == 20 * 15 * 3)
    // The last column before white has light of its own four pixels alone.
    let start = (7 * 20 + 9) * 3
    #expect(Self.isQuarter(samples[start..<start + 3]), "\(samples[start..<start + 3])")
    #expect(samples[start + 3..<start + 6] == [65_535, 65_535, 65_535])
  }

  @Test(arguments: [(20, 15, 20), (21, 15, 40), (20, 16, 40), (1, 1, 20), (40, 30, 40)])
  func halfIsOfferedWhereItIsEnough(_ width: Int, _ height: Int, _ offered: Int) throws {
    let offer = try SmallFile().reader().offer(for: DecodeRequest(size: Size(width: width, height: height)))
    #expect(offer.size == Size(width: offered, height: offered * 3 / 4))
    #expect(offer.pixelFormat == .rgb16 && offer.alpha == .opaque)
  }

  @Test func halfOfOddSizesCoversLessThanItsLastPixels() throws {
    var file = SmallFile()
    file.size = Size(width: 39, height: 29)
    let offer = try file.reader().offer(for: DecodeRequest(size: Size(width: 10, height: 10)))
    #expect(offer.size == Size(width: 20, height: 15))
    #expect(offer.coveredWidth == 19.5 && offer.coveredHeight == 14.5)
  }

  @Test(arguments: Orientation.allCases) func orientationIsReportedAndNotApplied(_ orientation: Orientation) throws {
    var file = SmallFile()
    file.orientation = UInt16(orientation.rawValue)
    let header = try file.reader().header(page: 0)
    #expect(header.orientation == orientation && header.canvas == Size(width: 40, height: 30))
    #expect(try ExifOrientation.read(#require(try file.reader().metadata(.exif, page: 0))) == orientation)
  }

  @Test func headerSaysThatColorsAreSRGB() throws {
    let header = try SmallFile().reader().header(page: 0)
    #expect(header.format.rawValue == "com.adobe.raw-image" && header.pixelFormat == .rgb16)
    #expect(header.cicp == CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
    #expect(header.metadata == [.exif] && !header.isLossless && header.pageCount == 1)
  }

  /// LibRaw calls the camera Kiss of Canon.
  @Test func namesOfTheCameraAreThoseOfTheFile() throws {
    var file = SmallFile()
    file.fields = [271: .text("CANON INC."), 272: .text("Canon Kiss"), 33_432: .text("A. Author")]
    let reader = try file.reader()
    #expect(reader.file.maker == "Canon")
    let exif = try #require(try reader.metadata(.exif, page: 0))
    for text in ["CANON INC.", "Canon Kiss", "A. Author"] {
      #expect(exif.indices.contains { exif[$0...].starts(with: Array(text.utf8) + [0]) }, "\(text)")
    }
  }

  @Test func propertiesDescribeTheSensor() throws {
    let properties = try SmallFile().reader().properties(page: 0, frame: nil)
    #expect(properties["{Raw}", "ColorPattern"] == .text("RGGB"))
    #expect(properties["{Raw}", "SensorWidth"] == .integer(40))
    #expect(properties["{Raw}", "SensorHeight"] == .integer(30))
  }

  @Test func aPlainTIFFIsOfAnotherFormat() {
    var file = SmallFile()
    file.isDNG = false
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .wrongFormat)
  }

  @Test(arguments: [6, 9, 200]) func aFileWithoutItsDirectoryIsTruncated(_ count: Int) {
    var file = SmallFile()
    file.cut = file.bytes.count - count
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .truncated)
  }

  @Test func exifIsHeldToTheLimitOfMetadata() throws {
    var limits = Limits.standard
    limits.maxMetadata = 10
    let reader = try SmallFile().reader(limits)
    let error = #expect(throws: CoderError.self) { try reader.metadata(.exif, page: 0) }
    #expect(error?.limit == .maxMetadata)
  }

  @Test func canvasIsCheckedWhenAFileIsOpened() {
    var limits = Limits.standard
    limits.maxPixels = 1199
    let error = #expect(throws: CoderError.self) { try SmallFile().reader(limits) }
    #expect(error?.limit == .maxPixels && error?.found == 1200)
  }

  /// Four bytes of each sample in 38 rows, four samples and three of each pixel, and 32 MiB.
  @Test func memoryIsCheckedBeforeItIsAskedFor() throws {
    var limits = Limits.standard
    limits.maxMemory = 40 * 38 * 4 + 1200 * 14 + (32 << 20) - 1
    let reader = try SmallFile().reader(limits)
    let error = #expect(throws: CoderError.self) { try reader.offer(for: DecodeRequest()) }
    #expect(error?.limit == .maxMemory && error?.found == limits.maxMemory + 1)
    #expect(try reader.offer(for: DecodeRequest(size: Size(width: 20, height: 15))).size.width == 20)
  }

  @Test func truncatedSamplesAreReportedAfterTheRows() throws {
    var file = SmallFile()
    file.cut = 1200
    let (_, rows, problem) = try file.decoded()
    #expect(problem?.code == .truncated, "\(rows)")
  }

  @Test func cancellingEndsADecode() throws {
    let host = MemoryHost()
    let reader = try SmallFile().reader(host)
    let offer = try reader.offer(for: DecodeRequest())
    host.isCancelled = true
    let error = #expect(throws: CoderError.self) { try reader.decode(offer, into: MemorySink(offer).sink) }
    #expect(error?.code == .cancelled)
  }

  @Test func offersOfOthersAreRefused() throws {
    let reader = try SmallFile().reader()
    var offer = try reader.offer(for: DecodeRequest())
    offer.scaleCode = 1
    let error = #expect(throws: CoderError.self) { try reader.decode(offer, into: MemorySink(offer).sink) }
    #expect(error?.code == .invalidArgument)
  }
}

@Suite struct EmbeddedPreviewTests {
  /// The markers of a JPEG file of 16 by 9 pixels: a comment before the frame header. LibRaw finds no preview of fewer than
  /// 64 bytes.
  static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xFE, 0, 66] + [UInt8](repeating: 7, count: 64) + [0xFF, 0xC0, 0, 17, 8, 0, 9, 0, 16, 3]
    + [UInt8](repeating: 1, count: 9)
    + [0xFF, 0xD9]

  @Test func thePreviewIsAHiddenPage() throws {
    var file = SmallFile()
    file.preview = Self.jpeg
    let reader = try file.reader()
    #expect(try reader.header(page: 0).hiddenPageCount == 1)
    let header = try reader.header(page: 1)
    #expect(header.role == PageRole(.preview, name: "camera preview", showsOwner: true))
    #expect(header.canvas == Size(width: 16, height: 9))
    #expect(header.embedded == SmallFile.previewPlace..<SmallFile.previewPlace + Self.jpeg.count)
    #expect(try reader.header(page: 0).canvas == file.size)
  }

  @Test func aPreviewWithoutAFrameHeaderIsLeftOut() throws {
    var file = SmallFile()
    file.preview = Self.jpeg.map { $0 == 0xC0 ? 0xC4 : $0 }
    #expect(try file.reader().header(page: 0).hiddenPageCount == 0)
  }

  @Test func aFileWithoutPreviewHasOnePage() throws {
    let reader = try SmallFile().reader()
    #expect(try reader.header(page: 0).hiddenPageCount == 0)
    let error = #expect(throws: CoderError.self) { try reader.header(page: 1) }
    #expect(error?.code == .invalidArgument)
  }
}

@Suite struct ExifFieldsTests {
  @Test(arguments: [0, -1, .nan, .infinity] as [Float]) func numbersThatAreNotKnownAreLeftOut(_ value: Float) {
    var fields = ExifFields()
    fields.add(0x829A, positive: value)
    #expect(fields.isEmpty)
  }

  @Test func aLaterFieldOfATagCounts() {
    var fields = ExifFields()
    fields.add(0x010E, text: "a")
    fields.add(0x010E, text: "b")
    fields.add(0x010E, text: " ")
    #expect(fields.all == [TIFFField(tag: 0x010E, type: .ascii, count: 2, value: [0x62, 0])])
  }
}

@Suite struct SidecarTests {
  @Test(
    arguments: [
      ("<rdf:Description tiff:Orientation=\"6\"/>", 6), ("<a tiff:Orientation = '8' b='1'/>", 8),
      ("<tiff:Orientation>3</tiff:Orientation>", 3), ("<tiff:Orientation> 1\n</tiff:Orientation>", 1),
      ("<a tiff:Orientation=\"9\"/>", nil), ("<a tiff:Orientation=\"0\"/>", nil), ("<a tiff:Orientation=\"12\"/>", nil),
      ("<a tiff:Orientation=\"6'/>", nil), ("<a tiff:Orientation", nil), ("<a tiff:Orientation=", nil),
      ("<a tiff:Orientation=\"", nil), ("<tiff:Orientations>3<", nil), ("", nil),
    ] as [(String, Int?)]) func readsTheOrientation(_ packet: String, _ orientation: Int?)
  {
    #expect(Sidecar(packet: Array(packet.utf8)).orientation?.rawValue == orientation)
  }
}

@Suite struct CameraTagsTests {
  /// A big-endian file: its first directory leads to Exif's, which has these entries of twelve bytes.
  private static func tags(_ entries: [[UInt8]], after values: [UInt8] = []) -> CameraTags {
    let first: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
    let bytes = first + [0, UInt8(entries.count)] + entries.flatMap { $0 } + [0, 0, 0, 0] + values
    return bytes.withUnsafeBytes { CameraTags(in: $0) }
  }

  @Test func numbersGetTheirLowBytesFirst() {
    // A signed fraction of -1/3 at 26 + 2 + 12 + 4, ExposureBiasValue.
    let tags = Self.tags([[0x92, 0x04, 0, 10, 0, 0, 0, 1, 0, 0, 0, 44]], after: [255, 255, 255, 255, 0, 0, 0, 3])
    #expect(
      tags.exif.all == [
        TIFFField(tag: 0x9204, type: .signedRational, count: 1, value: [255, 255, 255, 255, 3, 0, 0, 0])
      ])
  }

  @Test(
    arguments: [
      [0x92, 0x7C, 0, 7, 0, 0, 0, 4, 1, 2, 3, 4],  // the maker's notes
      [0xA0, 0x01, 0, 3, 0, 0, 0, 1, 0, 2, 0, 0],  // the colors of the camera's own JPEG file
      [0x92, 0x04, 0, 10, 0, 0, 0, 1, 0, 0, 0, 60],  // outside of the file
      [0x92, 0x04, 0, 10, 255, 255, 255, 255, 0, 0, 0, 8],  // more than there can be
      [0x92, 0x04, 0, 99, 0, 0, 0, 1, 0, 0, 0, 8],  // of an unknown type
    ] as [[UInt8]]) func fieldsThatCannotBeKeptAreLeftOut(_ entry: [UInt8])
  {
    let kept: [UInt8] = [0x92, 0x09, 0, 3, 0, 0, 0, 1, 0, 16, 0, 0]
    #expect(
      Self.tags([entry, kept]).exif.all == [TIFFField(tag: 0x9209, type: .short, count: 1, value: [16, 0])])
  }

  /// LibRaw 0.20 wrote beyond its table, without end, where a pattern of six by six colors came without its size.
  @Test func aPatternOfColorsWithoutItsSizeIsRefused() throws {
    var file = SmallFile()
    file.fields[33_422] = .byte([UInt8](repeating: 1, count: 36))
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .wrongFormat)
  }
}
