// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// pbm(5): a comment of a plain file may stand anywhere, also among the digits.
@Suite(.needs("PNM", "PNG", "WebP"))
struct PlainCommentsTests {
  private static let registry = EncodingPictures.registry

  private static func texts(_ file: String, _ options: DecodeOptions = DecodeOptions()) throws -> [String] {
    let decoder = try registry.open(.bytes(Array(file.utf8)), options: options)
    #expect(decoder.header.metadata.contains(.text) == (try decoder.metadata(.text) != nil))
    return ContainerText.texts(in: try decoder.metadata(.text) ?? []).map(\.text)
  }

  @Test(
    arguments: [
      ("P2 2 1 # of the header\n9\n1 # between\n 2\n", ["of the header", "between"]),
      ("P2 2 1 9\n1# right after\r2", ["right after"]), ("P3 1 1 9 1 2 3 # at the end", ["at the end"]),
      ("P1 2 1 1#one\n#two\n0\n#three", ["one", "two", "three"]), ("P2 1 1 9 # \n1 #\n", []),
      ("P2 2 1 9\n1 2\n# after it\n", ["after it"]),
      // Samples of other kinds may be any bytes.
      ("P5 2 1 255\n#a", []),
    ] as [(String, [String])])
  func commentsAreRead(_ file: String, _ comments: [String]) throws {
    #expect(try Self.texts(file) == comments)
  }

  /// Comments are found where a window of 65,536 bytes ends in one.
  @Test func aLongFileHasItsComments() throws {
    let digits = String(repeating: "1 ", count: 32_760)
    let file = "P2 \(2 * 32_760) 1 9\n\(digits)# a comment of some length\n\(digits)#the last"
    #expect(try Self.texts(file) == ["a comment of some length", "the last"])
  }

  @Test func commentsKeepToTheLimit() throws {
    var options = DecodeOptions()
    options.limits.maxMetadata = 80
    let long = String(repeating: "a", count: 60)
    #expect(try Self.texts("P2 2 1 9\n1 #\(long)\n#\(long)\n2", options) == [long])
  }

  @Test func conversionsKeepOrNameThem() throws {
    let file = ByteSource.bytes(Array("P2 2 1 9\n1 # a note\n2\n".utf8))
    let kept = try Self.registry.convert(file, to: .png, at: .memory, options: EncodeOptions())
    let payload = try Self.registry.open(.bytes(kept.bytes)).metadata(.text)
    #expect(ContainerText.texts(in: payload ?? []) == [ContainerText("a note")])
    let made = try Self.registry.convert(file, to: .webP, at: .memory, options: EncodeOptions())
    #expect(made.changes.contains { $0.fact == .texts && $0.outcome == .dropped })
  }
}
