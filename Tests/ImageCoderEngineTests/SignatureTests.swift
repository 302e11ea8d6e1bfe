// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Bytes by which a format is known, and bytes that are not enough to know it.
@Suite struct SignatureTests {
  private static func match(_ signature: FormatSignature, _ text: String, isComplete: Bool = false) -> Recognition {
    Array(text.utf8).withUnsafeBytes { signature.matches($0, isComplete: isComplete) }
  }

  private static let riff = FormatSignature(
    Array("RIFF....WEBP".utf8), mask: [255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255])

  @Test func agreesByItsSignificantBits() {
    #expect(Self.match(FormatSignature(Array("GIF8".utf8)), "GIF89a") == .yes(strength: 32))
    #expect(Self.match(Self.riff, "RIFF1234WEBPVP8 ") == .yes(strength: 64))
    #expect(Self.match(Self.riff, "RIFF1234WAVE") == .no)
  }

  @Test func aPrefixThatAgreesNeedsMoreUntilTheEnd() {
    #expect(Self.match(Self.riff, "RIFF12") == .needMore(bytes: 12))
    #expect(Self.match(Self.riff, "") == .needMore(bytes: 12))
    #expect(Self.match(Self.riff, "RIFF12", isComplete: true) == .no)
  }

  @Test func oneByteThatDiffersDecides() {
    #expect(Self.match(Self.riff, "R") != .no && Self.match(Self.riff, "RX") == .no)
  }

  @Test func aSearchIsBounded() {
    let signature = FormatSignature(Array("ftyp".utf8), at: 1, within: 2)
    #expect(Self.match(signature, "xxxftyp") == .yes(strength: 32))
    #expect(Self.match(signature, "xxxxftyp") == .no)
    #expect(Self.match(signature, "xx") == .needMore(bytes: 7))
  }

  @Test func theEndOfAFileCountsOnceItIsThere() {
    let signature = FormatSignature(Array("end".utf8), at: -3)
    #expect(Self.match(signature, "the end", isComplete: true) == .yes(strength: 24))
    #expect(Self.match(signature, "the ends", isComplete: true) == .no)
    #expect(Self.match(signature, "the end") == .needMore(bytes: .max))
  }
}
