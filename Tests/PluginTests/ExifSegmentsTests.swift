// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Exif of more than 64 KiB, which a JPEG file has in several segments, as exiftool and Pillow read and write it.
@Suite(.needs("JPEG", "PNG"))
struct ExifSegmentsTests {
  private static let registry = EncodingPictures.registry
  /// A segment has 65,533 bytes, and the name takes six.
  private static let most = 65_527

  /// Description and copyright, which stands at the end: TIFF 6.0 §2.
  private static func payload(_ count: Int, marks: [Int] = []) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let owner = Array("The owner\0".utf8)
    let start = 8 + 2 + 2 * 12 + 4
    let description = count - start - owner.count
    var bytes: [UInt8] = Array("II*\0".utf8) + number(8) + [2, 0]
    bytes += [0x0E, 0x01, 2, 0] + number(description) + number(start)
    bytes += [0x98, 0x82, 2, 0] + number(owner.count) + number(start + description) + number(0)
    bytes += [UInt8](repeating: UInt8(ascii: "a"), count: description - 1) + [0] + owner
    for mark in marks { bytes.replaceSubrange(mark..<(mark + 4), with: Array("II*\0".utf8)) }
    return bytes
  }

  private static func picture(_ exif: [UInt8]) throws -> Image {
    var image = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    image.metadata[.exif] = exif
    return image
  }

  /// Whether two payloads are equal, without a list of 150,000 bytes where they are not.
  private static func isSame(_ first: [UInt8]?, _ second: [UInt8]) -> Bool { first == second }

  /// What the segments of Exif hold, after their names.
  private static func segments(_ file: [UInt8]) -> [[UInt8]] {
    var (place, found) = (2, [[UInt8]]())
    while place + 4 <= file.count, file[place] == 0xFF, file[place + 1] != 0xDA {
      let end = place + 2 + Int(file[place + 2]) << 8 + Int(file[place + 3])
      if file[place + 1] == 0xE1, file[(place + 4)...].starts(with: Array("Exif\0\0".utf8)) {
        found.append(Array(file[(place + 10)..<end]))
      }
      place = end
    }
    return found
  }

  @Test(arguments: [65_527, 65_528, 131_054, 150_000])
  func longExifIsWrittenInSeveral(_ count: Int) throws {
    let exif = Self.payload(count)
    let source = try Self.registry.encode(try Self.picture(exif), as: .png)
    let made = try Self.registry.convert(
      .bytes(source), to: .jpeg, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(!made.changes.contains { $0.fact == .exif })
    let found = Self.segments(made.bytes)
    #expect(found.count == (count + Self.most - 1) / Self.most)
    #expect(found.dropLast().map(\.count).allSatisfy { $0 == Self.most })
    #expect(Self.isSame(Array(found.joined()), exif))
    let decoder = try Self.registry.open(.bytes(made.bytes))
    #expect(Self.isSame(try decoder.metadata(.exif), exif))
    #expect(try decoder.properties()["{TIFF}", "Copyright"] == .text("The owner"))
    let back = try Self.registry.convert(
      .bytes(made.bytes), to: .png, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(!back.changes.contains { $0.fact == .exif })
    #expect(Self.isSame(try Self.registry.open(.bytes(back.bytes)).metadata(.exif), exif))
  }

  /// What begins like a TIFF structure would be taken for a block of its own.
  @Test func segmentsDoNotBeginLikeBlocks() throws {
    let exif = Self.payload(150_000, marks: [Self.most, 2 * Self.most - 1])
    let file = try Self.registry.encode(try Self.picture(exif), as: .jpeg)
    #expect(Self.segments(file).map(\.count) == [Self.most - 1, Self.most - 1, 150_000 - 2 * Self.most + 2])
    #expect(Self.isSame(try Self.registry.open(.bytes(file)).metadata(.exif), exif))
  }

  @Test func turnsWithoutLossKeepAllOfIt() throws {
    let exif = Self.payload(150_000)
    var options = EncodeOptions()
    options.edit.turns = [.right]
    let made = try Self.registry.convert(
      .bytes(Self.registry.encode(try Self.picture(exif), as: .jpeg)), to: .jpeg, at: .memory, options: options)
    #expect(!made.changes.contains { $0.fact == .exif })
    #expect(try Self.registry.open(.bytes(made.bytes)).properties()["{TIFF}", "Copyright"] == .text("The owner"))
    #expect(Self.segments(made.bytes).count == 3)
  }

  @Test func editsConcernAllOfIt() throws {
    let source = ByteSource.bytes(try Self.registry.encode(try Self.picture(Self.payload(150_000)), as: .jpeg))
    let stripped = try Self.registry.editMetadata(source, MetadataEdit(removing: [.exif]))
    #expect(stripped.changes.isEmpty && Self.segments(stripped.bytes).isEmpty)
    var edit = MetadataEdit()
    try edit.set("Artist", to: "A. Author")
    let named = try Self.registry.editMetadata(source, edit)
    #expect(named.changes.isEmpty)
    let properties = try Self.registry.open(.bytes(named.bytes)).properties()
    #expect(properties["{TIFF}", "Copyright"] == .text("The owner"))
    #expect(properties["{TIFF}", "Artist"] == .text("A. Author"))
    #expect(Self.segments(named.bytes).count == 3)
  }

  /// Only what follows at once goes on with a block.
  @Test func otherSegmentsBetweenEndIt() throws {
    var file = try Self.registry.encode(try Self.picture(Self.payload(150_000)), as: .jpeg)
    let first = try #require(Self.segments(file).first)
    let end = (2..<file.count).first { file[$0...].starts(with: Array("Exif\0\0".utf8)) }.map { $0 + 6 + first.count }
    file.insert(contentsOf: [0xFF, 0xFE, 0, 4, 0x61, 0x62], at: try #require(end))
    let decoder = try Self.registry.open(.bytes(file))
    #expect(Self.isSame(try decoder.metadata(.exif), first))
    let made = try Self.registry.convert(
      .bytes(file), to: .png, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(made.changes.contains { $0.fact == .exif && $0.outcome == .dropped })
  }
}
