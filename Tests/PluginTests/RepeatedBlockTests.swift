// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Files with two blocks of Exif, or two packets of XMP, that say different things.
@Suite(.needs("JPEG", "PNG", "WebP", "JXL", "GIF", "HEIF", "AVIF"))
struct RepeatedBlockTests {
  private static let registry = EncodingPictures.registry
  private static let withExif: [ImageFormat] = [.jpeg, .png, .webP, .jpegXL, .heic, .avif]

  /// What the second block says, and the first does not.
  private static let mark = Array("The second owner".utf8)

  private static func block(_ kind: MetadataBlock, _ values: [String: String]) throws -> [UInt8] {
    var edit = MetadataEdit()
    for (name, value) in values { try edit.set(name, to: value) }
    let blocks = try edit.blocks(orientation: .up) { (_) throws(CoderError) in nil }
    return try #require(blocks.payloads[kind])
  }

  private static func first(_ format: ImageFormat, as options: EncodeOptions = EncodeOptions()) throws -> [UInt8] {
    try registry.encode(
      try ReportedLoss.photo(["Copyright": "The first owner", "dc:title": "The first title"]), as: format,
      options: options)
  }

  /// A file with a further block, which a writer of its own would not make.
  private static func file(_ format: ImageFormat, _ kind: MetadataBlock) throws -> [UInt8] {
    let isExif = kind == .exif
    let second = try block(
      kind, isExif ? ["Copyright": "The second owner", "GPS.Latitude": "48.25"] : ["dc:title": "The second owner"])
    return adding(second, isExif: isExif, to: try first(format), format)
  }

  private static func adding(_ block: [UInt8], isExif: Bool, to file: [UInt8], _ format: ImageFormat) -> [UInt8] {
    switch format {
    case .jpeg:
      let name = isExif ? "Exif\0\0" : "http://ns.adobe.com/xap/1.0/\0"
      // The tables of the quantization come after all segments of applications.
      let end = zip(file.indices, zip(file, file.dropFirst())).first { $0.1 == (0xFF, 0xDB) }.map(\.0) ?? 2
      return file[..<end] + ApplicationDataFile.segment(0xE1, Array(name.utf8) + block) + file[end...]
    case .png:
      let text = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + block
      // The end of the file has 12 bytes.
      let chunk = isExif ? ApplicationDataFile.chunk("eXIf", block) : ApplicationDataFile.chunk("iTXt", text)
      return file.dropLast(12) + chunk + file.suffix(12)
    case .webP:
      let padding = [UInt8](repeating: 0, count: block.count % 2)
      let count = (0..<4).map { UInt8(truncatingIfNeeded: block.count >> (8 * $0)) }
      return ApplicationDataFile.riff(file + Array((isExif ? "EXIF" : "XMP ").utf8) + count + block + padding)
    case .jpegXL where isExif: return file + ApplicationDataFile.box("Exif", [0, 0, 0, 0] + block)
    case .jpegXL: return file + ApplicationDataFile.box("xml ", block)
    case .heic where isExif, .avif where isExif: return BoxEdit.describing([0, 0, 0, 0] + block, as: "Exif", in: file)
    case .heic, .avif: return BoxEdit.describing(block, as: "mime", "application/rdf+xml", in: file)
    default:
      // GIF: XMP Specification Part 3 §1.1.2. 258 bytes end it.
      let end = [1] + (0...255).reversed().map { UInt8($0) } + [0]
      return file.dropLast() + [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + block + end + [0x3B]
    }
  }

  private static func holds(_ file: [UInt8], _ text: [UInt8]) -> Bool {
    file.indices.contains { file[$0...].starts(with: text) }
  }

  @Test(arguments: withExif) func theFirstExifCountsAndTheSecondIsNamed(_ format: ImageFormat) throws {
    let file = try Self.file(format, .exif)
    #expect(Self.holds(file, Self.mark))
    #expect(try Self.registry.open(.bytes(file)).properties()["{TIFF}", "Copyright"] == .text("The first owner"))
    let made = try Self.registry.convert(
      .bytes(file), to: .png, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(made.changes.contains { $0.fact == .exif && $0.outcome == .dropped })
    #expect(!Self.holds(made.bytes, Self.mark))
  }

  @Test(arguments: [.gif] + withExif) func theFirstPacketCountsAndTheSecondIsNamed(_ format: ImageFormat) throws {
    let file = try Self.file(format, .xmp)
    #expect(try Self.registry.open(.bytes(file)).properties()["{XMP}", "dc:title"] == .text("The first title"))
    let made = try Self.registry.convert(
      .bytes(file), to: .webP, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(made.changes.contains { $0.fact == .xmp && $0.outcome == .dropped })
    #expect(!Self.holds(made.bytes, Self.mark))
  }

  /// Both blocks may be read by somebody: a place in the second would be published.
  @Test(arguments: withExif, [MetadataEdit.Part.gps, .location, .exif, .thumbnail])
  func whatIsTakenOutGoesFromAllBlocks(_ format: ImageFormat, _ part: MetadataEdit.Part) throws {
    let made = try Self.registry.editMetadata(.bytes(Self.file(format, .exif)), MetadataEdit(removing: [part]))
    #expect(!Self.holds(made.bytes, Self.mark))
    let properties = try Self.registry.open(.bytes(made.bytes)).properties()
    #expect(properties["{TIFF}", "Copyright"] == (part == .exif ? nil : .text("The first owner")))
    #expect(made.changes.map(\.fact) == (part == .exif ? [] : [.exif]))
  }

  @Test(arguments: [.gif] + withExif) func editsLeaveOnePacket(_ format: ImageFormat) throws {
    var edit = MetadataEdit()
    try edit.set("dc:creator", to: "A. Author")
    let made = try Self.registry.editMetadata(.bytes(Self.file(format, .xmp)), edit)
    #expect(!Self.holds(made.bytes, Self.mark))
    #expect(made.changes.map(\.fact) == [.xmp])
  }

  /// What an edit does not touch stays byte for byte.
  @Test(arguments: withExif) func otherEditsLeaveThemThere(_ format: ImageFormat) throws {
    var edit = MetadataEdit()
    try edit.set("dc:creator", to: "A. Author")
    let made = try Self.registry.editMetadata(.bytes(Self.file(format, .exif)), edit)
    #expect(Self.holds(made.bytes, Self.mark))
    #expect(made.changes.isEmpty)
  }

  @Test func turnsWithoutLossLeaveTheSecondOut() throws {
    var options = EncodeOptions()
    options.edit.turns = [.right]
    for kind in [MetadataBlock.exif, .xmp] {
      let made = try Self.registry.convert(
        .bytes(Self.file(.jpeg, kind)), to: .jpeg, at: .memory, options: options)
      #expect(!Self.holds(made.bytes, Self.mark))
      #expect(made.changes.contains { $0.fact == (kind == .exif ? .exif : .xmp) && $0.outcome == .dropped })
    }
    options.isStrict = true
    #expect(throws: CoderError.self) {
      try Self.registry.convert(.bytes(Self.file(.jpeg, .exif)), to: .jpeg, at: .memory, options: options)
    }
  }

  /// Programs that write a block twice lose nothing if it is written once.
  @Test(arguments: withExif) func equalBlocksAreOne(_ format: ImageFormat) throws {
    let file = try Self.first(format)
    let exif = try #require(try Self.registry.open(.bytes(file)).metadata(.exif))
    let twice = Self.adding(exif, isExif: true, to: file, format)
    let made = try Self.registry.convert(
      .bytes(twice), to: .jpeg, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(!made.changes.contains { $0.fact == .exif })
  }
}
