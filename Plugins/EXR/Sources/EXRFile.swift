// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The headers of a file, and where the tables of its chunks are.
///
/// - Format: OpenEXR File Layout, "Magic Number and Version Field", "Header" and "Offset Tables".
struct EXRFile {
  /// Whether each chunk says which part it belongs to.
  let isMultiPart: Bool
  /// All parts in the order of the file.
  let parts: [PartHeader]
  /// Those that are pictures: the pages.
  let pictures: [PartHeader]
  /// The names of the parts with deep samples, which are left out.
  let deepParts: [String]
  /// Where the first chunk may begin.
  let firstChunk: Int

  private static let signature: [UInt8] = [0x76, 0x2F, 0x31, 0x01]
  private static let isTiled: UInt32 = 0x200
  private static let hasLongNames: UInt32 = 0x400
  private static let isDeep: UInt32 = 0x800
  private static let hasParts: UInt32 = 0x1000

  /// Reads all headers.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` for another format's file; ``CoderError/Code/unsupported`` for a file of deep
  ///   samples alone.
  init(reading source: SourceView, limits: Limits) throws(CoderError) {
    let lead = [UInt8](copying: try source.bytes(at: 0, count: 4))
    guard !lead.isEmpty, lead.elementsEqual(Self.signature.prefix(lead.count)) else {
      throw .wrongFormat("the file does not begin with the four bytes of OpenEXR", at: 0)
    }
    var reader = try source.reader(at: 4, count: 4, order: .littleEndian, of: "the version")
    let version = try reader.uint32("the version")
    guard version & 0xFF <= 2 else {
      throw .unsupported("version \(version & 0xFF) of OpenEXR, 1 and 2 are known", at: 4)
    }
    let known = 0xFF | Self.isTiled | Self.hasLongNames | Self.isDeep | Self.hasParts
    guard version & ~known == 0 else {
      throw .unsupported("a version with flags of \(version & ~known), which are not known", at: 4)
    }
    isMultiPart = version & Self.hasParts != 0
    var parts: [PartHeader] = []
    var attributes = AttributeReader(source, at: 8, longestName: version & Self.hasLongNames != 0 ? 255 : 31)
    repeat {
      if isMultiPart, try attributes.isAtEndOfHeaders() { break }
      guard parts.count < limits.maxPages else {
        throw .limitExceeded(.maxPages, found: parts.count + 1, allowed: limits.maxPages, what: "a part count of")
      }
      parts.append(
        try PartHeader(
          &attributes, index: parts.count, isMultiPart: isMultiPart, isTiled: version & Self.isTiled != 0,
          isDeep: version & Self.isDeep != 0, limits: limits))
    } while isMultiPart
    guard !parts.isEmpty else { throw .malformed("a file without a part, at least one is needed", at: 8) }
    var table = attributes.offset
    for index in parts.indices {
      parts[index].table = table
      let (end, overflow) = table.addingReportingOverflow(parts[index].chunkCount &* 8)
      guard !overflow else { throw .malformed("tables of more chunks than a file can have", at: attributes.offset) }
      table = end
    }
    firstChunk = table
    self.parts = parts
    pictures = parts.filter { !$0.isDeep }
    deepParts = parts.filter(\.isDeep).map(\.name)
    guard !pictures.isEmpty else {
      throw .unsupported(
        isMultiPart
          ? "a file of \(parts.count) parts with deep samples, which are not drawn"
          : "a picture of deep samples, which are not drawn", at: 4)
    }
  }
}
