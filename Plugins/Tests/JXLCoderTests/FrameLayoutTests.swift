// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin
import Testing

@testable import JXLCoder

/// Writes numbers from their lowest bit on, as codestreams have them.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func put(_ value: Int, _ bits: Int) {
    for bit in 0..<bits {
      if count & 7 == 0 { bytes.append(0) }
      bytes[count >> 3] |= UInt8(value >> bit & 1) << UInt8(count & 7)
      count += 1
    }
  }

  mutating func alignToByte() { count = (count + 7) & ~7 }
}

@Suite struct FrameLayoutTests {
  private func layout(
    _ bytes: [UInt8], size: Size = Size(width: 100, height: 100), _ edit: (inout JxlBasicInfo) -> Void = { _ in }
  ) throws(CoderError) -> FrameLayout {
    var info = JxlBasicInfo()
    edit(&info)
    var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst, of: "the frame header")
    return try FrameLayout(parsing: &bits, info: info, size: size)
  }

  /// A frame whose fields all have their defaults: one section for one group of 256 × 256.
  private func defaultFrame(sections: [Int], isPermuted: Bool = false) -> [UInt8] {
    var bits = BitWriter()
    bits.put(1, 1)
    bits.put(isPermuted ? 1 : 0, 1)
    bits.alignToByte()
    for size in sections {
      bits.put(0, 2)
      bits.put(size, 10)
    }
    bits.alignToByte()
    return bits.bytes
  }

  @Test func oneGroupIsOneSection() throws {
    let layout = try layout(defaultFrame(sections: [300]))
    #expect(layout.isInOrder)
    #expect(layout.isLast)
    #expect(layout.byteCount == 3 + 300)
  }

  @Test func severalGroupsHaveAGlobalAndALowFrequencySection() throws {
    // 2 × 2 groups, and one of low frequencies: 1 + 1 + 1 + 4 sections.
    let layout = try layout(defaultFrame(sections: [1, 2, 3, 4, 5, 6, 7]), size: Size(width: 300, height: 257))
    #expect(layout.isInOrder)
    #expect(layout.byteCount == 1 + 11 + 28)
  }

  @Test func aPermutedTableIsNotInOrder() throws {
    #expect(try !layout(defaultFrame(sections: [], isPermuted: true)).isInOrder)
  }

  @Test func tooManySectionsAreNotUnderstood() throws {
    #expect(try !layout(defaultFrame(sections: []), size: Size(width: 1 << 30, height: 1 << 30)).isInOrder)
  }

  @Test func aTableThatIsCutAtAnyByteIsAnError() {
    let bytes = defaultFrame(sections: [1, 2, 3, 4, 5, 6, 7])
    for count in 0..<bytes.count {
      #expect { _ = try layout(Array(bytes.prefix(count)), size: Size(width: 300, height: 257)) } throws: { error in
        (error as? CoderError)?.code == .malformed
      }
    }
  }

  /// A regular modular frame of an animation with alpha: a crop, blending, a duration, not the last.
  private var croppedFrame: [UInt8] {
    var bits = BitWriter()
    bits.put(0, 1)  // not all default
    bits.put(0, 2)  // regular
    bits.put(1, 1)  // modular
    bits.put(0, 2)  // flags: U64 of 0
    bits.put(0, 1)  // no YCbCr
    bits.put(0, 2)  // upsampling 1
    bits.put(0, 2)  // of the extra channel
    bits.put(1, 2)  // groups of 256
    bits.put(0, 2)  // one pass
    bits.put(1, 1)  // a crop
    for value in [4, 6, 40, 30] {  // x and y as signed numbers, width and height
      bits.put(0, 2)
      bits.put(value, 8)
    }
    bits.put(2, 2)  // blend
    bits.put(0, 2)  // its alpha channel
    bits.put(0, 1)  // no clamp
    bits.put(1, 2)  // source slot
    bits.put(0, 2)  // the extra channel replaces,
    bits.put(1, 2)  // and so has a source
    bits.put(2, 2)  // duration of 8 bits
    bits.put(9, 8)
    bits.put(0, 1)  // not the last
    bits.put(1, 2)  // kept in slot 1
    bits.put(0, 2)  // no name
    bits.put(1, 1)  // default loop filter
    bits.put(0, 2)  // no extensions
    bits.put(0, 1)  // not permuted
    bits.alignToByte()
    bits.put(0, 2)
    bits.put(77, 10)
    bits.alignToByte()
    return bits.bytes
  }

  private func animated(_ info: inout JxlBasicInfo) {
    info.uses_original_profile = 1
    info.have_animation = 1
    info.num_extra_channels = 1
  }

  @Test func readsAFrameThatIsCroppedAndBlended() throws {
    let bytes = croppedFrame
    let layout = try layout(bytes) { animated(&$0) }
    #expect(layout.isInOrder)
    #expect(!layout.isLast)
    #expect(layout.byteCount == bytes.count + 77)
  }

  @Test func aHeaderThatIsCutAtAnyByteIsAnError() {
    for count in 0..<croppedFrame.count {
      #expect { _ = try layout(Array(croppedFrame.prefix(count))) { animated(&$0) } } throws: { error in
        (error as? CoderError)?.code == .malformed
      }
    }
  }

  @Test func readsNumbersOf64Bits() throws {
    var writer = BitWriter()
    writer.put(1, 2)  // 1 to 16
    writer.put(15, 4)
    writer.put(2, 2)  // 17 to 272
    writer.put(255, 8)
    writer.put(3, 2)  // 12 bits, and 8 more
    writer.put(0xABC, 12)
    writer.put(1, 1)
    writer.put(0xDE, 8)
    writer.put(0, 1)
    let bytes = writer.bytes
    var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst)
    #expect(try bits.u64() == 16)
    #expect(try bits.u64() == 272)
    #expect(try bits.u64() == 0xDEABC)
  }
}
