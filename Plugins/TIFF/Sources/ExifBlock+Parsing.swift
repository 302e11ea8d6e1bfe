// SPDX-License-Identifier: Apache-2.0

extension ExifBlock {
  /// Takes a payload apart, for a file in the byte order of `fields`; nil for one that is no TIFF structure.
  ///
  /// Of the first directory, the descriptive fields are kept; what else it has describes a thumbnail or another
  /// file's pixels.
  init?(parsing payload: [UInt8], fields: FieldWriter) {
    let isBigEndian: Bool
    switch payload.prefix(2) {
    case [0x4D, 0x4D]: isBigEndian = true
    case [0x49, 0x49]: isBigEndian = false
    default: return nil
    }
    let structure = Structure(bytes: payload, isBigEndian: isBigEndian, swaps: isBigEndian != fields.isBigEndian)
    guard structure.number(at: 2, bytes: 2) == 42, let first = structure.number(at: 4, bytes: 4) else { return nil }
    let pointers: Set = [Tag.exif, Tag.gps, Tag.interoperability]
    let (all, lost) = structure.fields(at: first)
    main = all.filter { Tag.descriptive.contains($0.tag) }
    dropped = lost + all.filter { !Tag.descriptive.contains($0.tag) && !pointers.contains($0.tag) }.count
    func nested(_ tag: Int, in place: Int) -> (place: Int, fields: [Field])? {
      guard let place = structure.pointer(tag, in: place) else { return nil }
      let (found, lost) = structure.fields(at: place)
      dropped += lost
      return (place, found.filter { !pointers.contains($0.tag) })
    }
    if let inner = nested(Tag.exif, in: first) {
      exif = inner.fields
      interoperability = nested(Tag.interoperability, in: inner.place)?.fields ?? []
    }
    gps = nested(Tag.gps, in: first)?.fields ?? []
  }

  /// A TIFF structure in memory, read without ever leaving it.
  private struct Structure {
    let bytes: [UInt8]
    let isBigEndian: Bool
    let swaps: Bool

    private static let mostEntries = 1000

    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      return Int(bytes.number(at: offset, bytes: count, isBigEndian: isBigEndian))
    }

    /// Where a pointer leads.
    func pointer(_ tag: Int, in directory: Int) -> Int? {
      guard let count = number(at: directory, bytes: 2) else { return nil }
      for index in 0..<min(count, Self.mostEntries) {
        let entry = directory + 2 + 12 * index
        if number(at: entry, bytes: 2) == tag { return number(at: entry + 8, bytes: 4) }
      }
      return nil
    }

    /// A directory's fields, and how many cannot be read.
    func fields(at directory: Int) -> (fields: [Field], lost: Int) {
      guard let count = number(at: directory, bytes: 2) else { return ([], 0) }
      var fields: [Field] = []
      var tags: Set<Int> = []
      var lost = max(0, count - Self.mostEntries)
      for index in 0..<min(count, Self.mostEntries) {
        let entry = directory + 2 + 12 * index
        guard let tag = number(at: entry, bytes: 2), let type = number(at: entry + 2, bytes: 2),
          let values = number(at: entry + 4, bytes: 4), let far = number(at: entry + 8, bytes: 4),
          type <= 13, TagType.size(type) > 0, values > 0, tags.insert(tag).inserted
        else {
          lost += 1
          continue
        }
        let length = values * TagType.size(type)
        let place = length <= 4 ? entry + 8 : far
        guard place <= bytes.count, length <= bytes.count - place else {
          lost += 1
          continue
        }
        let field = Field(tag: tag, type: type, count: values, value: Array(bytes[place..<place + length]))
        fields.append(swaps ? field.swapped : field)
      }
      return (fields, lost)
    }
  }
}
