// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// Writes numbers from their highest bit on, as AV1 has them.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func put(_ value: Int, _ bits: Int) {
    for bit in (0..<bits).reversed() {
      if count & 7 == 0 { bytes.append(0) }
      bytes[count >> 3] |= UInt8(value >> bit & 1) << UInt8(7 - count & 7)
      count += 1
    }
  }
}

@Suite struct AV1KeyFrameTests {
  /// One open bitstream unit with its size.
  private static func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
    [type << 3 | 2, UInt8(content.count)] + content
  }

  /// A reduced still picture header of 300 × 200, 4:4:4 by the identity matrix.
  private static func sequence(isMonochrome: Bool = false) -> [UInt8] {
    var bits = BitWriter()
    bits.put(isMonochrome ? 0 : 1, 3)  // profile
    bits.put(1, 1)  // still picture
    bits.put(1, 1)  // reduced header
    bits.put(8, 5)  // level
    bits.put(8, 4)  // 9 bits of width
    bits.put(7, 4)  // 8 bits of height
    bits.put(299, 9)
    bits.put(199, 8)
    bits.put(0, 1)  // superblocks of 64
    bits.put(0, 2)
    bits.put(0, 1)  // no superresolution
    bits.put(0, 2)
    bits.put(0, 1)  // 8 bits
    if isMonochrome {
      bits.put(1, 1)
      bits.put(0, 1)  // no code points
      bits.put(1, 1)  // full range
    } else {
      bits.put(1, 1)  // code points
      bits.put(1, 8)
      bits.put(13, 8)
      bits.put(0, 8)
      bits.put(0, 1)  // one quantizer for both chroma planes
    }
    bits.put(0, 1)  // no film grain
    return unit(1, bits.bytes)
  }

  private static func frame(
    quantizer: Int = 0, delta: Int? = nil, isMonochrome: Bool = false, isSegmented: Bool = false
  ) -> [UInt8] {
    var bits = BitWriter()
    bits.put(0, 1)  // distributions are updated
    bits.put(0, 1)  // no screen content tools
    bits.put(0, 1)  // the render size is that of the frame
    bits.put(1, 1)  // tiles of one size,
    bits.put(0, 1)  // one column of 5 superblocks that may be cut
    bits.put(0, 1)  // one row of 4
    bits.put(quantizer, 8)
    for plane in 0..<(isMonochrome ? 1 : 3) {
      bits.put(plane == 0 && delta != nil ? 1 : 0, 1)
      if plane == 0, let delta { bits.put(delta, 7) }
    }
    bits.put(0, 1)  // no quantizer matrices
    bits.put(isSegmented ? 1 : 0, 1)
    return unit(6, bits.bytes + [0])
  }

  private func isLossless(_ bytes: [UInt8]) throws(CoderError) -> Bool {
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "an AV1 item")
    return try AV1KeyFrame(parsing: &reader).isLossless
  }

  @Test func aQuantizerOf0IsLossless() throws {
    #expect(try isLossless(Self.sequence() + Self.frame()))
    #expect(try isLossless(Self.sequence(isMonochrome: true) + Self.frame(isMonochrome: true)))
  }

  @Test func anyOtherQuantizerLoses() throws {
    #expect(try !isLossless(Self.sequence() + Self.frame(quantizer: 1)))
    #expect(try !isLossless(Self.sequence() + Self.frame(delta: 1)))
    #expect(try isLossless(Self.sequence() + Self.frame(delta: 0)))
    #expect(try !isLossless(Self.sequence() + Self.frame(isSegmented: true)))
  }

  @Test func unitsOfOtherTypesArePassedOver() throws {
    let delimiter: [UInt8] = [2 << 3 | 2, 0]
    let metadata: [UInt8] = [5 << 3 | 4 | 2, 0xFF, 3, 1, 2, 3]
    #expect(try isLossless(delimiter + Self.sequence() + metadata + Self.frame()))
  }

  @Test func rejectsAFrameWithoutASequenceHeader() {
    #expect(throws: CoderError.malformed("a frame header without a sequence header", at: 102)) {
      _ = try isLossless(Self.frame())
    }
  }

  @Test func rejectsASizeOfMoreThan8Bytes() {
    #expect(throws: CoderError.malformed("the size of a unit has more than 8 bytes", at: 109)) {
      _ = try isLossless([1 << 3 | 2] + [UInt8](repeating: 0x80, count: 9))
    }
  }

  @Test func everyCutBeforeTheQuantizerIsAnError() {
    let bytes = Self.sequence() + Self.frame()
    for count in 0..<(Self.sequence().count + 4) {
      #expect("after \(count) bytes") { _ = try isLossless(Array(bytes.prefix(count))) } throws: { error in
        [.malformed, .truncated].contains((error as? CoderError)?.code)
      }
    }
  }

  @Test func readsTheSequenceHeader() throws {
    let bytes = Array(Self.sequence().dropFirst(2))
    var bits = BitReader(bytes.span.bytes, of: "a unit")
    let header = try AV1SequenceHeader(parsing: &bits)
    #expect(header.isReducedStill)
    #expect(header.width == 300)
    #expect(header.height == 200)
    #expect(header.screenTools == .byFrame)
    #expect(!header.isMonochrome)
    #expect(!header.hasSeparateChroma)
  }

  @Test func readsNonSymmetricNumbers() throws {
    // Below 5: 0, 1 and 2 take two bits, 3 and 4 take three.
    var writer = BitWriter()
    writer.put(0b10, 2)
    writer.put(0b110, 3)
    writer.put(0b111, 3)
    let bytes = writer.bytes
    var bits = BitReader(bytes.span.bytes)
    #expect(try bits.nonSymmetric(below: 5) == 2)
    #expect(try bits.nonSymmetric(below: 5) == 3)
    #expect(try bits.nonSymmetric(below: 5) == 4)
    #expect(try bits.nonSymmetric(below: 1) == 0)
  }
}
