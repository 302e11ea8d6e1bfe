// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import Glibc
import TestSupport
import Testing

/// Parts of files that other programs have written, and changes that leave lengths and checksums right.
@Suite struct FileStructureTests {
  private static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen("\(StagedTree.root)/Tests/Fixtures/\(path)", "rb"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    return bytes
  }

  /// The four letters at an offset.
  private static func letters(_ bytes: [UInt8], _ offset: Int) -> String {
    String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }

  /// Changes of a file, the same each time.
  private static func changes(
    of bytes: [UInt8], _ structure: any FileStructure.Type, count: Int = 200
  ) -> [[UInt8]] {
    (0..<count).map { number in
      var changed = bytes
      var choices = Choices(Array("\(number)".utf8))
      structure.rearrange(&changed, most: 2 * bytes.count, &choices)
      structure.repair(&changed)
      return changed
    }
  }

  // MARK: PNG

  @Test func checksumIsThatOfTheStandard() {
    // CRC-32 of "123456789" is the check value of its catalog entry; that of IEND ends every PNG file.
    #expect(PNGStructure.checksum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
    #expect(PNGStructure.checksum(Array("IEND".utf8)[...]) == 0xAE42_6082)
  }

  @Test func chunksAreRepairedToWhatTheyWere() throws {
    let bytes = try Self.bytes("png/valid/apng-loop-3.png")
    let parts = PNGStructure.parts(of: bytes)
    #expect(parts.first?.lowerBound == 8)
    #expect(parts.last?.upperBound == bytes.count)
    #expect(parts.map { Self.letters(bytes, $0.lowerBound + 4) }.first == "IHDR")
    // libpng wrote these checksums.
    var damaged = bytes
    for part in parts { damaged[part.upperBound - 1] ^= 0x55 }
    #expect(damaged != bytes)
    PNGStructure.repair(&damaged)
    #expect(damaged == bytes)
  }

  @Test func changedChunksHaveTheirOwnChecksums() throws {
    let bytes = try Self.bytes("png/valid/apng-loop-3.png")
    let known = Set(PNGStructure.parts(of: bytes).map { Array(bytes[$0]) })
    for changed in Self.changes(of: bytes, PNGStructure.self) {
      let parts = PNGStructure.parts(of: changed)
      #expect(parts.map(\.count).reduce(8, +) == changed.count)
      #expect(parts.allSatisfy { known.contains(Array(changed[$0])) })
    }
    // A pixel's byte that changes also changes the checksum behind it.
    var changed = bytes
    let header = try #require(PNGStructure.parts(of: bytes).first)
    changed[header.lowerBound + 11] ^= 1
    PNGStructure.repair(&changed)
    #expect(changed[..<(header.upperBound - 4)] != bytes[..<(header.upperBound - 4)])
    #expect(changed[(header.upperBound - 4)..<header.upperBound] != bytes[(header.upperBound - 4)..<header.upperBound])
  }

  // MARK: Boxes

  @Test func boxesAreFoundAtAllLevels() throws {
    let bytes = try Self.bytes("avif/valid/1x1.avif")
    let parts = BoxStructure.parts(of: bytes)
    #expect(
      parts.map { Self.letters(bytes, $0.lowerBound + 4) }
        == ["ftyp", "hdlr", "pitm", "iloc", "iinf", "ispe", "pixi", "av1C", "colr", "ipma", "mdat"])
    #expect(parts.map(\.lowerBound) == [0, 44, 84, 98, 128, 184, 204, 220, 232, 251, 274])
    #expect(parts.last?.upperBound == bytes.count)
  }

  /// The sizes of boxes at all levels, as a reader goes through them: nil if one does not end where its parent does.
  private static func levels(_ bytes: [UInt8], _ range: Range<Int>, depth: Int = 0) -> Int? {
    let heads = ["meta": 12, "iprp": 8, "ipco": 8, "iref": 12, "moov": 8, "trak": 8, "mdia": 8, "minf": 8, "stbl": 8]
    var (offset, count) = (range.lowerBound, 0)
    while offset < range.upperBound {
      guard offset + 8 <= range.upperBound else { return nil }
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 8, offset + length <= range.upperBound else { return nil }
      count += 1
      if let head = heads[letters(bytes, offset + 4)], head <= length {
        guard let inner = levels(bytes, offset + head..<offset + length, depth: depth + 1) else { return nil }
        count += inner
      }
      offset += length
    }
    return count
  }

  @Test(arguments: [
    "avif/valid/1x1.avif", "avif/valid/gain-map.avif", "avif/valid/sequence.avif", "heif/valid/alpha.heic",
  ])
  func changedBoxesEndWhereTheirParentsDo(_ path: String) throws {
    let bytes = try Self.bytes(path)
    let whole = try #require(Self.levels(bytes, 0..<bytes.count))
    var counts: Set<Int> = []
    for changed in Self.changes(of: bytes, BoxStructure.self) {
      counts.insert(try #require(Self.levels(changed, 0..<changed.count)))
    }
    // One fewer, as many, and one more.
    #expect(counts.isSuperset(of: [whole - 1, whole, whole + 1]))
  }

  @Test func lastBoxTakesWhatIsLeft() throws {
    var bytes = Array(try Self.bytes("avif/valid/1x1.avif").dropLast(10))
    BoxStructure.repair(&bytes)
    #expect(Array(bytes[274..<282]) == [0, 0, 0, 24] + Array("mdat".utf8))
  }

  @Test func boxesThatEndInTheirHeadsAreNoTrap() {
    // A meta box of eight bytes has no room for version and flags.
    var bytes: [UInt8] = [0, 0, 0, 8] + Array("meta".utf8) + [0, 0, 0, 8] + Array("free".utf8)
    #expect(BoxStructure.parts(of: bytes) == [0..<8, 8..<16])
    BoxStructure.repair(&bytes)
    for changed in Self.changes(of: bytes, BoxStructure.self) { #expect(changed.count % 8 == 0) }
  }

  // MARK: TIFF

  @Test(arguments: [("tiff/valid/rgb8.tif", 0x4C6, 12), ("tiff/valid/bigtiff.tif", 0x4D8, 20)])
  func entriesChangePlacesAndNothingElseMoves(_ path: String, _ directory: Int, _ size: Int) throws {
    let bytes = try Self.bytes(path)
    let parts = TIFFStructure.parts(of: bytes)
    let first = directory + (size == 12 ? 2 : 8)
    #expect(parts.first == first..<first + size)
    #expect(parts.count == Int(bytes[directory]))
    for changed in Self.changes(of: bytes, TIFFStructure.self) {
      #expect(changed.count == bytes.count)
      #expect(changed[..<directory] == bytes[..<directory])
      let count = Int(changed[directory])
      #expect(count == parts.count || count == parts.count - 1)
      // Behind the last entry is the offset of the next directory: 0.
      let end = first + count * size
      #expect(changed[end..<end + 4] == [0, 0, 0, 0] || count == parts.count)
    }
  }

  // MARK: Others

  @Test func lengthOfRIFFIsThatOfTheFile() throws {
    let bytes = try Self.bytes("webp/valid/animated-loop-3.webp")
    let names = RIFFStructure.parts(of: bytes).map { Self.letters(bytes, $0.lowerBound) }
    #expect(names == ["VP8X", "ANIM", "ANMF", "ANMF", "ANMF"])
    for changed in Self.changes(of: bytes, RIFFStructure.self) {
      let length = (0..<4).reduce(0) { $0 | Int(changed[4 + $1]) << (8 * $1) }
      #expect(length == changed.count - 8)
      #expect(RIFFStructure.parts(of: changed).map(\.count).reduce(12, +) == changed.count)
    }
  }

  @Test func lengthOfAnIconFileIsThatOfTheFile() throws {
    var bytes: [UInt8] = Array("icns".utf8) + [0, 0, 0, 30]
    bytes += Array("ICON".utf8) + [0, 0, 0, 10, 1, 2] + Array("ic07".utf8) + [0, 0, 0, 12, 1, 2, 3, 4]
    #expect(ICNSStructure.parts(of: bytes) == [8..<18, 18..<30])
    for changed in Self.changes(of: bytes, ICNSStructure.self) {
      #expect(changed[4..<8] == [0, 0, 0, UInt8(changed.count)])
      #expect([8, 18, 20, 30, 40, 42].contains(changed.count))
    }
  }

  @Test func blocksOfGIFAreFound() throws {
    let bytes = try Self.bytes("gif/valid/loop-3.gif")
    let parts = GIFStructure.parts(of: bytes)
    #expect(parts.contains { Array(bytes[$0]).starts(with: [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)) })
    // The trailer is what is left.
    #expect(parts.last?.upperBound == bytes.count - 1)
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    for changed in Self.changes(of: bytes, GIFStructure.self) { #expect(changed.last == 0x3B) }
  }

  @Test func segmentsAndScansOfJPEGAreFound() throws {
    let bytes = try Self.bytes("jpeg/valid/progressive-gray.jpg")
    let parts = JPEGStructure.parts(of: bytes)
    #expect(
      parts.map { bytes[$0.lowerBound + 1] }
        == [0xE0, 0xDB, 0xC2, 0xC4, 0xDA, 0xC4, 0xDA, 0xC4, 0xDA, 0xC4, 0xDA, 0xDA, 0xC4, 0xDA])
    #expect(parts.map(\.count) == [18, 69, 13, 24, 27, 27, 42, 22, 11, 25, 25, 13, 27, 32])
  }

  @Test func messagesOfAConversationAreFound() {
    let message = { (length: Int) in [65, 0, UInt8(length), 0] + [UInt8](repeating: 0, count: 52 + length) }
    let bytes: [UInt8] = [1, 0] + message(3) + message(0) + message(200)
    #expect(ConversationStructure.parts(of: bytes).map(\.count) == [59, 56, 256])
    var cut = Array(bytes.dropLast(50))
    ConversationStructure.repair(&cut)
    #expect(cut[bytes.count - 256 + 2] == 150)
    for changed in Self.changes(of: bytes, ConversationStructure.self) {
      #expect(ConversationStructure.parts(of: changed).map(\.count).reduce(2, +) == changed.count)
    }
  }

  // MARK: All

  @Test func anyBytesCanBeChanged() {
    let structures: [any FileStructure.Type] = [
      PNGStructure.self, BoxStructure.self, TIFFStructure.self, RIFFStructure.self, ICNSStructure.self,
      GIFStructure.self,
      JPEGStructure.self, ConversationStructure.self,
    ]
    let words = ["meta", "II*\0", "MM\0*", "RIFF", "GIF89a", "\u{FF}\u{D8}", "moov", "IHDR"].map { Array($0.utf8) }
    for structure in structures {
      for number in 0..<2000 {
        var choices = Choices(Array("\(number)".utf8))
        var bytes = (0..<choices.below(80)).map { _ in
          choices.below(3) == 0 ? UInt8(choices.below(256)) : UInt8(choices.below(20))
        }
        if choices.below(2) == 0 { bytes += words[choices.below(words.count)] + bytes }
        structure.rearrange(&bytes, most: 400, &choices)
        structure.repair(&bytes)
        Mutation.mutate(&bytes, structure, &choices)
        #expect(bytes.count <= 16 * 400)
      }
    }
  }

  @Test func mutationsAreTheSameEachTime() throws {
    let bytes = try Self.bytes("gif/valid/loop-3.gif")
    let twice = (0..<2).map { _ in
      var (changed, choices) = (bytes, Choices(bytes))
      Mutation.mutate(&changed, GIFStructure.self, &choices)
      return changed
    }
    #expect(twice[0] == twice[1])
    #expect(twice[0] != bytes)
  }
}
