// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// The content of a `jhgm` box (ISO/IEC 18181-2, amendment 1): a gain map, which is a JPEG XL file of its own, and what it
/// means.
struct GainMapBox: Equatable {
  /// As ISO 21496-1 has it.
  let metadata: [UInt8]
  /// The colors of the picture once the map is applied, or nil when the box does not say, or says it in a profile alone.
  let points: CodingIndependentCodePoints?
  /// Where in the content the profile of those colors is, as JPEG XL compresses it; empty without one.
  let profile: Range<Int>
  /// Where in the content the map begins.
  let start: Int

  /// - Returns: nil for other versions, for what is cut, and for content that holds no JPEG XL file.
  ///
  /// Before libjxl 0.11 was done, the size of the color encoding had 32 bits, and the map one in front of it. Only one of
  /// the two readings leads to where a JPEG XL file begins.
  init?(_ content: [UInt8]) {
    guard let found = Self.parse(content, isEarly: false) ?? Self.parse(content, isEarly: true) else { return nil }
    self = found
  }

  private init(metadata: [UInt8], points: CodingIndependentCodePoints?, profile: Range<Int>, start: Int) {
    self.metadata = metadata
    self.points = points
    self.profile = profile
    self.start = start
  }

  private static func parse(_ content: [UInt8], isEarly: Bool) -> GainMapBox? {
    do throws(CoderError) {
      var reader = ByteReader(content.span.bytes, of: "jhgm")
      guard try reader.uint8("the version") == 0 else { return nil }
      let metadata = try reader.array(Int(try reader.uint16("a size")), "the metadata")
      // A version that a reader has to know.
      guard metadata.count > 2, metadata[0] == 0, metadata[1] == 0 else { return nil }
      let colorBytes = Int(isEarly ? try reader.uint32("a size") : UInt32(try reader.uint8("a size")))
      let color = try reader.array(colorBytes, "the color encoding")
      let profileBytes = Int(try reader.uint32("the size of the profile"))
      let profile = reader.offset
      try reader.skip(profileBytes, "the profile")
      if isEarly { try reader.skip(4, "the size of the map") }
      let rest = content[reader.offset...]
      guard rest.starts(with: BoxIndex.codestreamSignature) || rest.starts(with: BoxIndex.signature) else { return nil }
      return GainMapBox(
        metadata: metadata, points: points(color), profile: profile..<profile + profileBytes, start: reader.offset)
    } catch {
      return nil
    }
  }

  /// ISO/IEC 18181-1 §E.2, the colors that code points say too.
  private static func points(_ bytes: [UInt8]) -> CodingIndependentCodePoints? {
    guard !bytes.isEmpty else { return nil }
    do throws(CoderError) {
      var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst, of: "a color encoding")
      if try bits.flag() { return .sRGB }
      guard try !bits.flag() else { return nil }
      var encoding = JxlColorEncoding()
      encoding.color_space = JxlColorSpace(UInt32(try bits.value()))
      let isGray = encoding.color_space == JXL_COLOR_SPACE_GRAY
      guard encoding.color_space == JXL_COLOR_SPACE_RGB || isGray else { return nil }
      encoding.white_point = JxlWhitePoint(UInt32(try bits.value()))
      guard encoding.white_point != JXL_WHITE_POINT_CUSTOM else { return nil }
      encoding.primaries = isGray ? JXL_PRIMARIES_SRGB : JxlPrimaries(UInt32(try bits.value()))
      guard encoding.primaries != JXL_PRIMARIES_CUSTOM, try !bits.flag() else { return nil }
      encoding.transfer_function = JxlTransferFunction(UInt32(try bits.value()))
      return CodingIndependentCodePoints(encoding)
    } catch {
      return nil
    }
  }
}

extension BitReader {
  /// Enum (ISO/IEC 18181-1 §C.4.4).
  fileprivate mutating func value() throws(CoderError) -> Int { try u32((0, 0), (0, 1), (4, 2), (6, 18)) }
}
