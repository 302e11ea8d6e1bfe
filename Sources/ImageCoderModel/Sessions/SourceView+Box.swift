// SPDX-License-Identifier: Apache-2.0

extension SourceView {
  /// The box at an offset (ISO/IEC 14496-12 §4.2). Only its header is read; while the file is incomplete, the call
  /// waits for it.
  ///
  /// - Parameter limit: Where the box or file that contains it ends; a box that extends beyond has ``Box/isCut`` set.
  /// - Returns: The box, or nil if not a whole header is left.
  /// - Throws: ``CoderError/Code/malformed`` for a size smaller than the header; ``CoderError/Code/io``;
  ///   ``CoderError/Code/cancelled``.
  public func box(at offset: Int, before limit: Int) throws(CoderError) -> Box? {
    guard offset >= 0, limit >= 8, offset <= limit &- 8 else { return nil }
    let longest = min(16, limit &- offset)
    var reader = ByteReader(try bytes(at: offset, least: 8, most: longest), at: offset, of: "a box")
    guard reader.count >= 8 else { return nil }
    // A first size of 1 announces one of 64 bits.
    if try reader.uint32(at: 0) == 1 {
      if reader.count < longest {
        reader = ByteReader(try bytes(at: offset, count: longest), at: offset, of: "a box")
      }
      guard reader.count == 16 else { return nil }
    }
    let header = try BoxHeader(parsing: &reader)
    let room = limit &- offset
    let size = header.size ?? room
    let (end, overflow) = offset.addingReportingOverflow(size)
    return Box(
      type: header.type, start: offset, content: offset &+ header.length, end: overflow ? .max : end,
      isCut: size > room)
  }
}
