// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What programs leave in a file is named when the file is written anew, and stays where it is not.
@Suite(.needs("JPEG", "PNG", "WebP", "TIFF", "HEIF", "AVIF", "JXL", "JPEG2000", "GIF", "BMP", "PSD"))
struct ApplicationDataTests {
  private static let registry = EncodingPictures.registry
  private static let sources = ApplicationDataFile.all
  private static let formats = sources.map(\.format) + [.bmp]

  private static func plain(_ format: ImageFormat) throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    var edit = MetadataEdit()
    // Without metadata, a JPEG XL file has no boxes.
    try edit.set("Copyright", to: "A. Author")
    image.metadata[.exif] = try edit.blocks(orientation: .up) { (_) throws(CoderError) in nil }.payloads[.exif]
    return try registry.encode(image, as: format)
  }

  private static func changes(
    _ file: [UInt8], to target: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> [FactChange] {
    var options = EncodeOptions()
    options.allowsCopy = false
    change(&options)
    return try registry.convert(.bytes(file), to: target, at: .memory, options: options).changes
  }

  @Test(arguments: sources.indices) func reportsNameTheData(_ index: Int) throws {
    let source = Self.sources[index]
    let plain = try Self.plain(source.format)
    let file = source.adding(plain)
    for target in Self.formats {
      let what: Comment = "\(source.format) to \(target)"
      #expect(try !Self.changes(plain, to: target).contains { $0.fact == .applicationData }, what)
      let found = try Self.changes(file, to: target).filter { $0.fact == .applicationData }
      let reason = "\(source.names.joined(separator: ", ")); nobody else knows what it says"
      #expect(found.map(\.reason) == [reason], what)
      #expect(found.map(\.outcome) == [.dropped], what)
      #expect(
        try !Self.changes(file, to: target) { $0.metadata = [.icc] }.contains { $0.fact == .applicationData }, what)
    }
  }

  /// Nobody misses it, so that it is no error of a strict conversion.
  @Test(arguments: sources.indices) func strictConversionsAllowIt(_ index: Int) throws {
    let source = Self.sources[index]
    let file = source.adding(try Self.plain(source.format))
    #expect(try !Self.changes(file, to: .png) { $0.isStrict = true }.isEmpty)
  }

  @Test func losslessTurnsKeepSegments() throws {
    let source = try #require(Self.sources.first)
    let file = source.adding(try Self.plain(.jpeg))
    var options = EncodeOptions()
    options.edit.turns = [.right]
    let made = try Self.registry.convert(.bytes(file), to: .jpeg, at: .memory, options: options)
    #expect(!made.changes.contains { $0.fact == .applicationData })
    #expect(made.bytes.contains(Array("Ducky".utf8)))
  }

  /// A JPEG XL file has what the JPEG has that it stores.
  @Test func dataOfAStoredJPEGAreNamed() throws {
    let source = try #require(Self.sources.first)
    let jpeg = source.adding(try Self.plain(.jpeg))
    let stored = try #require(try Self.registry.transcode(.bytes(jpeg), to: .jpegXL))
    let change = try Self.changes(stored, to: .png).first { $0.fact == .applicationData }
    #expect(try #require(change).reason.hasPrefix(source.names.joined(separator: ", ")))
  }

  // MARK: Rights

  private static let address = "https://example.com/rights"
  /// The flag, and the address.
  private static let rights =
    ApplicationDataFile.resource(0x040A, [1]) + ApplicationDataFile.resource(0x040B, Array(address.utf8))

  private static func protected(_ resources: [UInt8] = rights) throws -> [UInt8] {
    let file = try plain(.jpeg)
    return file[..<2] + ApplicationDataFile.photoshopSegment(resources) + file[2...]
  }

  @Test(arguments: formats) func copyrightMarkGoesIntoXMP(_ target: ImageFormat) throws {
    for file in [try Self.protected(), ApplicationDataFile.photoshopFile(Self.rights)] {
      var options = EncodeOptions()
      options.allowsCopy = false
      let made = try Self.registry.convert(.bytes(file), to: target, at: .memory, options: options)
      let outcomes = made.changes.filter { $0.fact == .rights }.map(\.outcome)
      let values = try Self.registry.open(.bytes(made.bytes)).properties()
      let isKept = target != .bmp
      #expect(outcomes == [isKept ? .moved : .dropped])
      #expect(values["{XMP}", "xmpRights:Marked"] == (isKept ? .text("True") : nil))
      #expect(values["{XMP}", "xmpRights:WebStatement"] == (isKept ? .text(Self.address) : nil))
      #expect(!made.changes.contains { $0.fact == .applicationData })
    }
  }

  @Test func droppedMarkIsMissed() throws {
    let file = try Self.protected()
    #expect(throws: CoderError.self) {
      try Self.changes(file, to: .bmp) {
        $0.isStrict = true
        $0.metadata = [.icc, .xmp]
      }
    }
  }

  /// 0 is what Photoshop writes of a picture of which nobody said that it is protected.
  @Test func unsetFlagSaysNothing() throws {
    let file = try Self.protected(ApplicationDataFile.resource(0x040A, [0]))
    #expect(try !Self.changes(file, to: .png).contains { $0.fact == .rights || $0.fact == .applicationData })
  }

  /// XMP is newer than Photoshop's resources.
  @Test func statedRightsStay() throws {
    var edit = MetadataEdit()
    try edit.set("xmpRights:WebStatement", to: "https://example.com/new")
    let file = try Self.registry.editMetadata(.bytes(try Self.protected()), edit).bytes
    var options = EncodeOptions()
    options.allowsCopy = false
    let made = try Self.registry.convert(.bytes(file), to: .webP, at: .memory, options: options)
    let values = try Self.registry.open(.bytes(made.bytes)).properties()
    #expect(values["{XMP}", "xmpRights:WebStatement"] == .text("https://example.com/new"))
    #expect(values["{XMP}", "xmpRights:Marked"] == .text("True"))
  }

  // MARK: Limits

  @Test func namesAreCountedBeyondSixtyFour() throws {
    let resources = (3000..<3100).flatMap { ApplicationDataFile.resource($0, []) }
    let change = try Self.changes(try Self.protected(resources), to: .png).first { $0.fact == .applicationData }
    let names = try #require(change).reason.split(separator: ";")[0].split(separator: ", ")
    #expect(names.count == 65)
    #expect(names.first == "Photoshop resource 3000")
    #expect(names.last == "36 more")
  }
}
