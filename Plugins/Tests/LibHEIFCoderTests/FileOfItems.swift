// SPDX-License-Identifier: Apache-2.0

/// A HEIF file without pictures' bytes, put together from its items.
struct FileOfItems {
  struct Item {
    var type: String
    var isHidden = false
    var encoding = ""
    /// Bytes in idat.
    var bytes: [UInt8] = []
    /// As iloc states them; nil for those of `bytes`.
    var length: Int?
    var properties: [[UInt8]] = []
  }

  var brand = "heic"
  /// By their numbers, from 1.
  var items: [Item]
  var references: [(type: String, from: Int, to: [Int])] = []

  static func ispe(_ width: Int, _ height: Int) -> [UInt8] { full("ispe", number(width, 4) + number(height, 4)) }

  static func auxC(_ name: String) -> [UInt8] { full("auxC", Array(name.utf8) + [0]) }

  /// One row of tiles, ISO/IEC 23008-12 §6.6.2.3.2.
  static func grid(tiles: Int, _ width: Int, _ height: Int) -> [UInt8] {
    [0, 0, 0, UInt8(tiles - 1)] + number(width, 2) + number(height, 2)
  }

  var bytes: [UInt8] {
    var entries: [UInt8] = []
    var locations = Self.number(0x4400, 2) + Self.number(items.count, 2)
    var (data, store, links): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var propertyCount = 0
    for (index, item) in items.enumerated() {
      let id = Self.number(index + 1, 2)
      let names = [UInt8](item.type.utf8) + [0] + (item.type == "mime" ? [0] + Array(item.encoding.utf8) + [0] : [])
      entries += Self.full("infe", id + [0, 0] + names, version: 2, flags: item.isHidden ? 1 : 0)
      locations += id + Self.number(1, 2) + [0, 0] + Self.number(1, 2)
      locations += Self.number(data.count, 4) + Self.number(item.length ?? item.bytes.count, 4)
      data += item.bytes
      links += id + [UInt8(item.properties.count)]
      for property in item.properties {
        store += property
        propertyCount += 1
        links += [UInt8(propertyCount)]
      }
    }
    let boxes = references.flatMap { reference in
      Self.box(
        reference.type,
        Self.number(reference.from, 2) + Self.number(reference.to.count, 2)
          + reference.to.flatMap { Self.number($0, 2) })
    }
    let meta =
      Self.full("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
      + Self.full("pitm", [0, 1]) + Self.full("iinf", Self.number(items.count, 2) + entries)
      + Self.full("iloc", locations, version: 1) + Self.full("iref", boxes) + Self.box("idat", data)
      + Self.box("iprp", Self.box("ipco", store) + Self.full("ipma", Self.number(items.count, 4) + links))
    return Self.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8)) + Self.full("meta", meta)
  }

  static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    number(content.count + 8, 4) + Array(name.utf8) + content
  }

  private static func full(_ name: String, _ content: [UInt8], version: Int = 0, flags: Int = 0) -> [UInt8] {
    box(name, number(version << 24 | flags, 4) + content)
  }
}
