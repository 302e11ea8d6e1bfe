// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// An ICC profile as codestreams have it (ISO/IEC 18181-1 §E.4), without a codestream around it.
///
/// libjxl compresses profiles in files only, so one of a single pixel is made: the profile's bits follow its header.
enum CompressedProfile {
  /// Compresses a profile.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for one that libjxl refuses.
  static func compress(_ profile: [UInt8], host: CoderHost) throws(CoderError) -> [UInt8] {
    let file = try file(with: profile, host: host)
    let copy = CopiedSource(file)
    return try withExtendedLifetime(copy) { () throws(CoderError) in
      let headers = try HeaderReader(InputFeed(copy.view, range: nil), isFirstOnly: true, host: host)
      try headers.advanceToThePicture()
      // The first frame begins at a byte.
      let end = min(headers.firstFrame, file.count)
      let start = try profileStart(in: file)
      guard start < 8 * end else { throw .libraryFailure("libjxl writes no profile into a file") }
      var reader = BitReader(file.span.bytes, order: .leastSignificantFirst, of: "a profile")
      try reader.skip(start)
      var bits = BitPacker()
      for _ in start..<(8 * end) { bits.put(try reader.flag() ? 1 : 0, bits: 1) }
      return bits.bytes
    }
  }

  /// The profile, or nil for bytes that are none.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for a larger one than metadata may be.
  static func decompress(_ bytes: some Collection<UInt8>, host: CoderHost) throws(CoderError) -> [UInt8]? {
    var bits = BitPacker()
    for byte in BoxIndex.codestreamSignature { bits.put(UInt32(byte), bits: 8) }
    // §D.2: a small square of 8 pixels. §D.3: nothing is the default; no further fields, whole numbers of 8 bits, for which
    // 16 are enough, no further channels, no XYB.
    for (value, count) in [(1, 1), (0, 5), (1, 3), (0, 1), (0, 1), (0, 1), (0, 2), (1, 1), (0, 2), (0, 1)] {
      bits.put(UInt32(value), bits: count)
    }
    // §E.2: a profile, of RGB. No extensions; the usual matrices.
    for (value, count) in [(0, 1), (1, 1), (0, 2), (0, 2), (1, 1)] { bits.put(UInt32(value), bits: count) }
    for byte in bytes { bits.put(UInt32(byte), bits: 8) }
    // libjxl looks for the frame before it tells of colors.
    let file = bits.bytes + [UInt8](repeating: 0, count: 64)
    let result = file.withUnsafeBytes { file -> Result<[UInt8]?, CoderError> in
      do throws(CoderError) { return .success(try profile(in: file, host: host)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func profile(in file: UnsafeRawBufferPointer, host: CoderHost) throws(CoderError) -> [UInt8]? {
    let decoder = try LibJXL.Decoder(host: host)
    try decoder.begin(file, events: JXL_DEC_COLOR_ENCODING)
    var size = 0
    guard decoder.next() == JXL_DEC_COLOR_ENCODING, jxl_stored_profile_size(decoder.raw, &size) == JXL_DEC_SUCCESS,
      size > 0
    else { return nil }
    try host.limits.check(metadata: size)
    try host.countInflated(size)
    var profile = [UInt8](repeating: 0, count: size)
    return jxl_stored_profile(decoder.raw, &profile, size) == JXL_DEC_SUCCESS ? profile : nil
  }

  /// A codestream of one pixel with a profile.
  private static func file(with profile: [UInt8], host: CoderHost) throws(CoderError) -> [UInt8] {
    let encoder = try LibJXL.Encoder(host: host)
    let settings = try encoder.makeFrameSettings()
    var info = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&info)
    (info.xsize, info.ysize, info.bits_per_sample, info.num_color_channels) = (1, 1, 8, 3)
    info.uses_original_profile = 1
    try encoder.check(JxlEncoderSetBasicInfo(encoder.raw, &info), "a pixel")
    try encoder.check(
      JxlEncoderSetICCProfile(encoder.raw, profile, profile.count), "an ICC profile of \(profile.count) bytes")
    try encoder.check(JxlEncoderSetFrameLossless(settings, 1), "a lossless picture")
    var format = JxlPixelFormat(num_channels: 3, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
    try encoder.check(JxlEncoderAddImageFrame(settings, &format, [0, 0, 0] as [UInt8], 3), "a pixel")
    JxlEncoderCloseInput(encoder.raw)
    var file: [UInt8] = []
    try encoder.drain { (piece) throws(CoderError) in file.append(contentsOf: piece) }
    return file
  }

  /// The first bit after the picture's header (ISO/IEC 18181-1 §D) in a file of ``file(with:host:)``.
  ///
  /// - Throws: ``CoderError/Code/library`` for a header that says more than such a file needs.
  private static func profileStart(in file: [UInt8]) throws(CoderError) -> Int {
    var bits = BitReader(file.span.bytes, order: .leastSignificantFirst, of: "a codestream")
    func expect(_ isPlain: Bool) throws(CoderError) {
      guard isPlain else { throw .libraryFailure("libjxl writes a header that is not expected before a profile") }
    }
    try expect(try bits.number(16) == 0x0AFF)
    let isSmall = try bits.flag()
    _ = try side(&bits, isSmall: isSmall)
    if try bits.number(3) == 0 { _ = try side(&bits, isSmall: isSmall) }
    try expect(try !bits.flag())
    let hasMore = try bits.flag()
    if hasMore {
      // An orientation; no other size, preview or animation.
      _ = try bits.number(3)
      try expect(try bits.number(3) == 0)
    }
    try expect(try !bits.flag())
    _ = try bits.u32((0, 8), (0, 10), (0, 12), (6, 1))
    _ = try bits.flag()
    try expect(try bits.u32((0, 0), (0, 1), (4, 2), (12, 1)) == 0)
    try expect(try !bits.flag())
    // Colors: no default, but a profile, of some space.
    let isDefault = try bits.flag()
    let hasProfile = try bits.flag()
    try expect(!isDefault && hasProfile)
    _ = try bits.u32((0, 0), (0, 1), (4, 2), (6, 18))
    if hasMore { try expect(try bits.flag()) }
    try expect(try bits.u64() == 0)
    try expect(try bits.flag())
    return bits.position
  }

  /// §D.2.
  private static func side(_ bits: inout BitReader, isSmall: Bool) throws(CoderError) -> Int {
    try isSmall ? bits.number(5) : bits.u32((9, 1), (13, 1), (18, 1), (30, 1))
  }
}

/// Bits that become bytes, the first one the lowest (ISO/IEC 18181-1 §C.2).
struct BitPacker {
  private(set) var bytes: [UInt8] = []
  /// Bits that the last byte has room for.
  private var room = 0

  mutating func put(_ value: UInt32, bits: Int) {
    for index in 0..<bits {
      if room == 0 {
        bytes.append(0)
        room = 8
      }
      bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: value >> UInt32(index) & 1) << UInt8(8 - room)
      room -= 1
    }
  }

  /// Enum (§C.4.4), below 82.
  mutating func putEnumeration(_ value: UInt32) {
    switch value {
    case 0, 1: put(value, bits: 2)
    case 2..<18:
      put(2, bits: 2)
      put(value - 2, bits: 4)
    default:
      put(3, bits: 2)
      put(value - 18, bits: 6)
    }
  }
}
