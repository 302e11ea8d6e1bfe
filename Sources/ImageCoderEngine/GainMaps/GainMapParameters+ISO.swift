// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// The metadata as the standard has it in files.
extension GainMapParameters {
  /// What readers of version 0 can use.
  private static let minimumVersion: UInt16 = 0
  private static let severalChannels: UInt8 = 0x80
  private static let baseColors: UInt8 = 0x40
  /// One denominator for all numbers, as libultrahdr writes it; reserved in the standard.
  private static let commonDenominator: UInt8 = 0x08

  /// Reads the metadata, from `minimum_version` on.
  ///
  /// - Format: ISO 21496-1:2025, C.2.
  /// - Throws: ``CoderError/Code/unsupported`` for a version above 0; ``CoderError/Code/truncated``;
  ///   ``CoderError/Code/malformed`` for numbers that have no value, gamma 0, a minimum above the maximum, and more bytes
  ///   than version 0 has.
  public init(iso bytes: [UInt8]) throws(CoderError) {
    var reader = ByteReader(bytes.span.bytes, of: "the gain map metadata")
    let version = try reader.uint16("minimum_version")
    guard version == Self.minimumVersion else {
      throw .unsupported("a gain map of version \(version); version 0 is supported")
    }
    let writer = try reader.uint16("writer_version")
    let flags = try reader.uint8("the flags")
    let count = flags & Self.severalChannels == 0 ? 1 : 3
    var common: UInt32?
    if flags & Self.commonDenominator != 0, bytes.count < 21 + 40 * count {
      common = try reader.uint32("a denominator")
    }
    let base = try Self.unsigned(&reader, common: common, "the base headroom")
    let alternate = try Self.unsigned(&reader, common: common, "the alternate headroom")
    var channels: [Channel] = []
    for _ in 0..<count {
      channels.append(
        Channel(
          minimum: try Self.signed(&reader, common: common, "the minimum gain"),
          maximum: try Self.signed(&reader, common: common, "the maximum gain"),
          gamma: try Self.unsigned(&reader, common: common, "gamma"),
          baseOffset: try Self.signed(&reader, common: common, "the base offset"),
          alternateOffset: try Self.signed(&reader, common: common, "the alternate offset")))
    }
    guard reader.isAtEnd || writer > 0 else {
      throw .malformed("\(reader.remaining) bytes after the gain map metadata of version 0", at: reader.offset)
    }
    if count == 1 { channels = [channels[0], channels[0], channels[0]] }
    self = try GainMapParameters(
      channels, baseHeadroom: base, alternateHeadroom: alternate, usesBaseColors: flags & Self.baseColors != 0
    ).checked()
  }

  /// The metadata as files have it: 61 bytes, or 141 if channels differ.
  public var isoMetadata: [UInt8] {
    var writer = ByteWriter(capacity: 141)
    writer.put(Self.minimumVersion)
    writer.put(UInt16(0))
    writer.put((isGray ? 0 : Self.severalChannels) | (usesBaseColors ? Self.baseColors : 0))
    for headroom in [baseHeadroom, alternateHeadroom] { Self.put(headroom, most: Double(UInt32.max), &writer) }
    for channel in isGray ? [red] : channels {
      Self.put(channel.minimum, most: Double(Int32.max), &writer)
      Self.put(channel.maximum, most: Double(Int32.max), &writer)
      Self.put(channel.gamma, most: Double(UInt32.max), &writer)
      Self.put(channel.baseOffset, most: Double(Int32.max), &writer)
      Self.put(channel.alternateOffset, most: Double(Int32.max), &writer)
    }
    return writer.bytes
  }

  private static func unsigned(
    _ reader: inout ByteReader, common: UInt32?, _ field: StaticString
  ) throws(CoderError) -> Double {
    let numerator = Double(try reader.uint32(field))
    return try quotient(numerator, &reader, common: common, field: field)
  }

  private static func signed(
    _ reader: inout ByteReader, common: UInt32?, _ field: StaticString
  ) throws(CoderError) -> Double {
    let numerator = Double(Int32(bitPattern: try reader.uint32(field)))
    return try quotient(numerator, &reader, common: common, field: field)
  }

  private static func quotient(
    _ numerator: Double, _ reader: inout ByteReader, common: UInt32?, field: StaticString
  ) throws(CoderError) -> Double {
    let denominator: UInt32
    if let common { denominator = common } else { denominator = try reader.uint32(field) }
    guard denominator > 0 else { throw .malformed("\(field) has the denominator 0", at: reader.offset) }
    return numerator / Double(denominator)
  }

  /// Writes a number as the simplest fraction that is as exact as 32 bits allow.
  ///
  /// - Parameter most: The largest numerator.
  private static func put(_ value: Double, most: Double, _ writer: inout ByteWriter) {
    let magnitude = value.magnitude
    var (last, before) = ((n: 1.0, d: 0.0), (n: 0.0, d: 1.0))
    var rest = magnitude
    // Continued fraction: each step is the best for a denominator of its size.
    while true {
      let whole = rest.rounded(.down)
      let next = (n: whole * last.n + before.n, d: whole * last.d + before.d)
      guard next.n <= most, next.d <= Double(UInt32.max) else { break }
      (before, last) = (last, next)
      guard last.n / last.d != magnitude, rest > whole else { break }
      rest = 1 / (rest - whole)
    }
    // A number that no 32 bits hold.
    if last.d == 0 { last = (n: most, d: 1) }
    let numerator = UInt32(last.n)
    writer.put(value < 0 ? UInt32(bitPattern: -Int32(clamping: numerator)) : numerator)
    writer.put(UInt32(last.d))
  }
}
