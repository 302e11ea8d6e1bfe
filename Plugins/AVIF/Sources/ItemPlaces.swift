// SPDX-License-Identifier: Apache-2.0

/// Where items lie in the file: ISO/IEC 14496-12 §8.11.3, sizes of the fields, then for each item its number, construction
/// method, base and extents.
struct ItemPlaces {
  private let table: Box
  private let version: Int
  private let sizes: Int
  private let bytes: FileBytes

  /// - Returns: nil when a meta box has no such table of a known version.
  init?(of meta: Box, in bytes: FileBytes) {
    guard let table = bytes.child(FourCC("iloc"), of: meta, skipping: 4), let version = bytes.uint8(at: table.payload),
      version <= 2, let sizes = bytes.uint16(at: table.fullPayload)
    else { return nil }
    self.table = table
    self.version = version
    self.sizes = sizes
    self.bytes = bytes
  }

  /// Calls `body` with each extent that is stored in the file itself, up to the first that cannot be read.
  func visit(_ body: (_ item: UInt32, _ place: Range<Int>) -> Void) {
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version > 0 ? sizes & 15 : 0
    var cursor = table.fullPayload + 2
    guard let count = number(version == 2 ? 4 : 2, at: &cursor) else { return }
    for _ in 0..<count {
      guard let item = number(version == 2 ? 4 : 2, at: &cursor),
        let method = version > 0 ? number(2, at: &cursor) : 0, number(2, at: &cursor) != nil,
        let base = number(baseSize, at: &cursor), let extents = number(2, at: &cursor)
      else { return }
      for _ in 0..<extents {
        guard number(indexSize, at: &cursor) != nil, let offset = number(offsetSize, at: &cursor),
          let length = number(lengthSize, at: &cursor), cursor <= table.end
        else { return }
        let start = base.addingReportingOverflow(offset)
        let end = start.partialValue.addingReportingOverflow(length)
        guard method & 15 == 0, !start.overflow, !end.overflow else { continue }
        // A length of 0 reaches up to the end of the file.
        let last = length == 0 ? max(bytes.count, start.partialValue) : end.partialValue
        body(UInt32(truncatingIfNeeded: item), start.partialValue..<last)
      }
    }
  }

  private func number(_ size: Int, at cursor: inout Int) -> Int? {
    defer { cursor += size }
    switch size {
    case 0: return 0
    case 2: return bytes.uint16(at: cursor)
    case 4: return bytes.uint32(at: cursor).map { Int($0) }
    case 8: return bytes.uint64(at: cursor).flatMap { Int(exactly: $0) }
    default: return nil
    }
  }
}
