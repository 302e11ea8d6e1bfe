// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Brands of ISO base media files, and further bytes, as conditions of a signature.
@Suite struct BrandTests {
  /// A box `ftyp` of a size that it states, with brands after the minor version.
  private static func file(_ major: String, _ compatible: [String], size: Int? = nil) -> [UInt8] {
    let size = UInt32(size ?? 16 + 4 * compatible.count)
    return withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array("ftyp\(major)".utf8)
      + Array("xxxx\(compatible.joined())".utf8)
  }

  private static func look(_ bytes: [UInt8], _ brands: [String], isComplete: Bool = true) -> Recognition {
    var signature = FormatSignature(Array("ftyp".utf8), at: 4)
    signature.conditions = [.brand(brands.compactMap { Brand($0) })]
    return bytes.withUnsafeBytes { signature.matches($0, isComplete: isComplete) }
  }

  private static let yes = Recognition.yes(strength: 64)

  @Test func majorAndCompatibleBrandsCount() {
    #expect(Self.look(Self.file("avif", []), ["avif", "avis"]) == Self.yes)
    #expect(Self.look(Self.file("mif1", ["miaf", "avis"]), ["avif", "avis"]) == Self.yes)
    #expect(Self.look(Self.file("mif1", Array(repeating: "none", count: 9) + ["avif"]), ["avif"]) == Self.yes)
    #expect(Self.look(Self.file("mif1", ["miaf"]), ["avif"]) == .no)
  }

  @Test func theMinorVersionIsNoBrand() {
    #expect(Self.look(Self.file("mif1", []), ["xxxx"]) == .no)
  }

  @Test func bytesAfterTheBoxAreNoBrands() {
    #expect(Self.look(Self.file("mif1", ["miaf"], size: 20) + Array("avif".utf8), ["avif"]) == .no)
    #expect(Self.look(Self.file("mif1", ["miaf"], size: 0), ["mif1"]) == .no)
  }

  /// The brand that ends at the last of 4096 bytes counts, the next one does not.
  @Test func fourKibibytesAreLookedAt() {
    let fill = Array(repeating: "none", count: (4_096 - 16) / 4 - 1)
    #expect(Self.look(Self.file("mif1", fill + ["avif"]), ["avif"]) == Self.yes)
    #expect(Self.look(Self.file("mif1", fill + ["none", "avif"]), ["avif"]) == .no)
    #expect(Self.look(Self.file("mif1", fill + ["none"], size: Int(UInt32.max)), ["avif"]) == .no)
  }

  @Test func aBoxThatIsCutNeedsTheRest() {
    let file = Self.file("mif1", ["miaf", "avif"])
    for (count, needed) in [(8, 12), (11, 12), (12, 24), (23, 24)] {
      #expect(Self.look(Array(file.prefix(count)), ["avif"], isComplete: false) == .needMore(bytes: needed))
      #expect(Self.look(Array(file.prefix(count)), ["avif"]) == .needMore(bytes: needed))
    }
    #expect(Self.look(Array(file.prefix(12)), ["mif1"]) == Self.yes)
  }

  @Test func aBrandHasFourCharacters() {
    #expect(Brand("qt  ") != nil && Brand("avi") == nil && Brand("avif1") == nil && Brand("äif") == nil)
  }

  @Test func furtherBytesAreSearchedInSteps() {
    var further = FormatSignature(Array("GPS".utf8), at: 4, within: 8)
    further.step = 4
    var signature = FormatSignature(Array("PK".utf8))
    signature.conditions = [.bytes(further)]
    func look(_ text: String) -> Recognition {
      Array(text.utf8).withUnsafeBytes { signature.matches($0, isComplete: true) }
    }
    #expect(look("PK..GPS") == .yes(strength: 40))
    #expect(look("PK..........GPS") == .yes(strength: 40))
    #expect(look("PK...GPS.......") == .no)
    #expect(look("PK..............GPS") == .no)
    #expect(look("QK..GPS") == .no)
  }
}
