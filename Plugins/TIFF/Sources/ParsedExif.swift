// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// An Exif payload that was taken apart for a TIFF file.
struct ParsedExif {
  var block = ExifBlock()
  /// How many fields cannot be read.
  private(set) var damaged = 0
  /// Tags of fields that would say something else of a TIFF file.
  private(set) var foreign: [Int] = []

  /// Takes a payload apart, for a file in a byte order; nil for one that is no TIFF structure.
  ///
  /// What the first directory says of how pixels are stored is left out: it describes another file's.
  init?(parsing payload: [UInt8], for order: ByteOrder) {
    guard let own = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
    let reader = ByteReader(payload.span.bytes, order: own, of: "Exif")
    guard let first = try? reader.uint32(at: 4) else { return nil }  // the payload ends there
    let pointers: Set = [Tag.exif, Tag.gps, Tag.interoperability]
    let all = Self.directory(in: reader, at: Int(first), for: order)
    let described = Tag.descriptive.union(Tag.windows).union(Tag.texts.values)
    let fields = all.fields.filter { described.contains($0.tag) || !Tag.needed.contains($0.tag) }
    block.main = fields.filter { !Tag.raw.contains($0.tag) }
    foreign = fields.map(\.tag).filter(Tag.raw.contains)
    damaged = all.lost
    if let place = all.pointers[Tag.exif] {
      let nested = Self.directory(in: reader, at: place, for: order)
      block.exif = nested.fields.filter { !pointers.contains($0.tag) }
      damaged += nested.lost
      if let place = nested.pointers[Tag.interoperability] {
        let inner = Self.directory(in: reader, at: place, for: order)
        block.interoperability = inner.fields.filter { !pointers.contains($0.tag) }
        damaged += inner.lost
      }
    }
    if let place = all.pointers[Tag.gps] {
      let nested = Self.directory(in: reader, at: place, for: order)
      block.gps = nested.fields.filter { !pointers.contains($0.tag) }
      damaged += nested.lost
    }
  }

  /// The fields of the first directory of a TIFF structure, for a file in a byte order.
  static func fields(of payload: [UInt8], for order: ByteOrder) -> [TIFFField] {
    guard let own = ExifPayload.byteOrder(of: payload.span.bytes) else { return [] }
    let reader = ByteReader(payload.span.bytes, order: own, of: "a TIFF structure")
    guard let first = try? reader.uint32(at: 4) else { return [] }
    return directory(in: reader, at: Int(first), for: order).fields
  }

  /// What a directory of a payload has.
  private struct Found {
    var fields: [TIFFField] = []
    /// Fields that cannot be read.
    var lost = 0
    /// Where entries lead, if they are pointers: the first of each tag.
    var pointers: [Int: Int] = [:]
  }

  /// Reads a directory, as far as it is there.
  private static func directory(in payload: ByteReader, at place: Int, for order: ByteOrder) -> Found {
    var found = Found()
    guard let count = (try? payload.uint16(at: place)).map({ Int($0) }) else { return found }  // it leads outside
    var tags: Set<Int> = []
    for index in 0..<min(count, ExifBlock.mostEntries) {
      let start = place + 2 + 12 * index
      guard let entry = try? RawEntry(in: payload, at: start) else {
        // It lies beyond the end, and so do those after it.
        found.lost += min(count, ExifBlock.mostEntries) - index
        break
      }
      if found.pointers[entry.tag] == nil { found.pointers[entry.tag] = try? entry.pointer(in: payload, at: start) }
      let length = entry.count * entry.type.size
      // Values of up to four bytes stand in the entry itself.
      let values = try? [UInt8](copying: payload.bytes(at: length <= 4 ? start + 8 : entry.far, count: length))
      guard entry.type.rawValue <= 13, length > 0, let values, tags.insert(entry.tag).inserted else {
        found.lost += 1
        continue
      }
      let field = TIFFField(tag: entry.tag, type: entry.type, count: entry.count, value: values)
      found.fields.append(payload.order == order ? field : field.swapped)
    }
    found.lost += max(0, count - ExifBlock.mostEntries)
    return found
  }

  /// The 12 bytes of an entry.
  private struct RawEntry {
    let tag: Int
    let type: TagType
    let count: Int
    let far: Int

    init(in payload: ByteReader, at place: Int) throws(CoderError) {
      tag = Int(try payload.uint16(at: place))
      type = TagType(rawValue: Int(try payload.uint16(at: place + 2)))
      count = Int(try payload.uint32(at: place + 4))
      far = Int(try payload.uint32(at: place + 8))
    }

    /// The first of its whole numbers, of whatever type; nil for other values.
    func pointer(in payload: ByteReader, at place: Int) throws(CoderError) -> Int? {
      guard [1, 3, 4, 6, 8, 9, 13].contains(type.rawValue), count > 0 else { return nil }
      return Int(try payload.unsigned(bytes: type.size, at: count * type.size <= 4 ? place + 8 : far))
    }
  }
}
