// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension GIFStructure {
  /// The XMP packet, or nil when the file has none.
  ///
  /// The packet lies in the file as it is, not cut into sub-blocks, and the magic trailer follows.
  ///
  /// - Format: XMP Specification Part 3, §1.1.2, GIF 89a.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func xmp(in bytes: RawSpan, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let start = xmpOffset else { return nil }
    let file = ByteReader(bytes, of: "the XMP extension")
    let end = try Self.endOfSubBlocks(at: start, in: file)
    let packetEnd = end - ApplicationExtension.xmpTrailer.count
    if packetEnd >= start,
      [UInt8](copying: try file.bytes(at: packetEnd, count: end - packetEnd)) == ApplicationExtension.xmpTrailer
    {
      try limits.check(metadata: packetEnd - start)
      return packetEnd == start
        ? nil : try ArrayMemory.copy(file.bytes(at: start, count: packetEnd - start), for: "metadata")
    }
    // Some writers do use sub-blocks.
    try limits.check(metadata: end - start)
    let joined = try Self.joinedSubBlocks(from: start, to: end, in: file)
    return joined.isEmpty ? nil : joined
  }

  /// What an extension has whose sub-blocks start at a place: the ICC profile, or content credentials.
  ///
  /// - Parameter start: Nil when the file has no such extension.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func joined(at start: Int?, in bytes: RawSpan, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let start else { return nil }
    let file = ByteReader(bytes, of: "an extension")
    let end = try Self.endOfSubBlocks(at: start, in: file)
    try limits.check(metadata: end - start)
    let joined = try Self.joinedSubBlocks(from: start, to: end, in: file)
    return joined.isEmpty ? nil : joined
  }

  /// The comments, a payload of ``MetadataKind/text``.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func texts(in bytes: RawSpan, limits: Limits) throws(CoderError) -> [UInt8]? {
    let file = ByteReader(bytes, of: "a comment")
    var texts: [ContainerText] = []
    var length = 0
    for offset in commentOffsets {
      let end = try Self.endOfSubBlocks(at: offset, in: file)
      length += end - offset
      try limits.check(metadata: length)
      // GIF89a §24 asks for ASCII.
      texts.append(ContainerText(decoding: try Self.joinedSubBlocks(from: offset, to: end, in: file)))
    }
    return texts.isEmpty ? nil : ContainerText.payload(texts)
  }

  /// The comments that the limits have room for, a line feed between two of them, or nil when the file has none.
  func comment(in bytes: RawSpan, limits: Limits) throws(CoderError) -> String? {
    guard !commentOffsets.isEmpty else { return nil }
    let file = ByteReader(bytes, of: "a comment")
    var texts: [String] = []
    var length = 0
    for offset in commentOffsets {
      let end = try Self.endOfSubBlocks(at: offset, in: file)
      length += end - offset
      guard length <= limits.maxMetadata else { break }
      let text = try Self.joinedSubBlocks(from: offset, to: end, in: file)
      // GIF89a §24 asks for ASCII. What is not UTF-8 either is taken for ISO 8859-1, in which nothing is invalid.
      texts.append(
        String(validating: text, as: UTF8.self) ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) })))
    }
    return texts.joined(separator: "\n")
  }

  /// What is in the sub-blocks of a range, their lengths left out.
  ///
  /// - Format: GIF89a §15, Data Sub-blocks.
  private static func joinedSubBlocks(
    from start: Int, to end: Int, in file: ByteReader
  ) throws(CoderError) -> [UInt8] {
    var blocks = ByteReader(try file.bytes(at: start, count: end - start), at: start, of: "sub-blocks")
    var joined: [UInt8] = []
    try ArrayMemory.grow(&joined, by: end - start, for: "metadata")
    while !blocks.isAtEnd {
      let length = Int(try blocks.uint8())
      guard length > 0 else { break }
      joined += try blocks.array(min(length, blocks.remaining))
    }
    return joined
  }

  /// Where the terminator ends, or the bytes.
  private static func endOfSubBlocks(at start: Int, in file: ByteReader) throws(CoderError) -> Int {
    var offset = start
    while offset < file.count {
      let length = Int(try file.uint8(at: offset))
      offset += 1 + length
      if length == 0 { return offset }
    }
    return file.count
  }
}
