// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Profiles of strangers: none of them crashes, and one that is refused is as none.
@Suite struct HostileProfileTests {
  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  private static func picture(_ profile: [UInt8]) -> PictureColor {
    let header = ImageHeader(
      format: .jpeg, canvas: Size(width: 1, height: 1), pixelFormat: .rgb8, bitsPerChannel: 8, alpha: .opaque)
    var statements = PictureColor.Statements()
    statements.profile = profile
    return PictureColor(header, statements)
  }

  /// Converts two colors, from the profile and to it.
  private static func use(_ space: ColorSpace) throws(CoderError) {
    let pixels = try PixelBuffer(size: Size(width: 2, height: 1), format: .rgb8, alpha: .opaque)
    pixels.withMutableRow(0) { $0.copyBytes(from: [200, 100, 50, 0, 255, 3]) }
    for (source, target) in [(space, ColorSpace.sRGB), (.displayP3, space)] {
      do throws(CoderError) {
        guard let color = try ColorTransform(from: source, to: target, toneMapping: .bt2390) else { continue }
        _ = try pixels.converted(to: PixelLayout(.rgba16, .opaque), color: color)
      } catch {
        guard error.code == .malformed || error.code == .unsupported else { throw error }
      }
    }
  }

  @Test(arguments: ["nmcl", "link", "abst"]) func classesThatDescribeNoPictureCountAsNone(_ kind: String) {
    var bytes = MatrixProfile.displayP3.bytes
    bytes.replaceSubrange(12..<16, with: kind.utf8)
    let color = Self.picture(bytes)
    #expect(color.refusal == "a profile of class \(kind), which describes no picture")
    #expect(color.words == "sRGB, untagged")
  }

  @Test func tagsMayShareTheirBytes() throws {
    // Three curves that are one, as most profiles have them, and tags that lie in each other.
    var bytes = MatrixProfile.displayP3.bytes
    let entries = (0..<Int(bytes[131])).map { 132 + $0 * 12 }
    func entry(_ name: String) throws -> Int {
      try #require(entries.first { Array(bytes[$0..<$0 + 4]) == Array(name.utf8) })
    }
    let (red, green) = (try entry("rTRC"), try entry("gTRC"))
    bytes.replaceSubrange((green + 4)..<(green + 12), with: bytes[(red + 4)..<(red + 12)])
    #expect(Self.picture(bytes).words == "Display P3, ICC")
    // A description over all of the others.
    bytes.replaceSubrange((try entry("desc") + 8)..<(try entry("desc") + 12), with: Self.number(bytes.count - 300))
    #expect(Self.picture(bytes).refusal == nil)
  }

  /// 160 kB that cost Little CMS 8 seconds: every element of the chain is the same one.
  @Test func longChainsAreRefusedBeforeTheLibrarySeesThem() {
    var profile = MatrixProfile.displayP3
    let table = (0..<20_000).flatMap { _ in Self.number(160_016) + Self.number(12) }
    profile.others = [
      (
        "A2B0",
        Array("mpet".utf8) + [0, 0, 0, 0, 0, 3, 0, 3] + Self.number(20_000) + table + [UInt8](repeating: 0, count: 12)
      )
    ]
    // The thread's processor time, which other work on the machine does not lengthen.
    var (before, after) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
    #expect(Self.picture(profile.bytes).refusal?.hasSuffix("20000 elements, 64 are allowed") == true)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
    #expect(after.tv_sec - before.tv_sec < 2)
  }

  /// Mutants of a profile with a matrix and of one with tables, each the same in every run.
  @Test(arguments: [UInt64](1...8)) func mutantsAreReadOrRefused(_ seed: UInt64) throws {
    let whole = [
      MatrixProfile.displayP3.bytes, MatrixProfile.adobeRGB.bytes, TableConverterTests.profile(keepsMatrix: true),
      TableConverterTests.profile(keepsMatrix: false),
    ]
    var random = SplitMix(seed: seed)
    var (read, refused) = (0, 0)
    for _ in 0..<500 {
      var bytes = whole[random.below(whole.count)]
      for _ in 0...random.below(3) { Self.mutate(&bytes, &random) }
      let color = Self.picture(bytes)
      if color.refusal == nil { read += 1 } else { refused += 1 }
      #expect((color.refusal == nil) == (color.origin == .icc))
      try Self.use(color.space)
    }
    #expect(read > 20 && refused > 100, "\(read) \(refused)")
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix) {
    // Tables of tags and the starts of tags, where numbers are that are believed.
    let place = random.below(2) == 0 ? 128 + random.below(140) : random.below(bytes.count)
    guard place + 4 <= bytes.count else { return }
    switch random.below(6) {
    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1: bytes[place] = UInt8(random.below(256))
    case 2:
      let word = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, bytes.count, bytes.count - 4][random.below(7)]
      bytes.replaceSubrange(place..<place + 4, with: number(word))
    case 3: bytes.removeLast(random.below(bytes.count - place))
    case 4:
      let from = random.below(bytes.count - 4)
      bytes.replaceSubrange(place..<place + 4, with: bytes[from..<from + 4])
    default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(24))], at: place)
    }
  }
}
