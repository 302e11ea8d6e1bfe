// SPDX-License-Identifier: Apache-2.0

/// A file of HEIF or AVIF, put together from its items, whose bytes lie in `idat`.
public struct FileOfItems {
  public struct Item {
    public var type: String
    public var isHidden: Bool
    public var encoding: String
    /// Bytes in idat.
    public var bytes: [UInt8]
    /// As iloc states them; nil for those of `bytes`.
    public var length: Int?
    public var properties: [[UInt8]]

    public init(
      type: String, isHidden: Bool = false, encoding: String = "", bytes: [UInt8] = [], length: Int? = nil,
      properties: [[UInt8]] = []
    ) {
      self.type = type
      self.isHidden = isHidden
      self.encoding = encoding
      self.bytes = bytes
      self.length = length
      self.properties = properties
    }
  }

  public typealias Reference = (type: String, from: Int, to: [Int])

  public var brand: String
  /// By their numbers, from 1.
  public var items: [Item]
  public var references: [Reference]

  public init(brand: String = "heic", items: [Item], references: [Reference] = []) {
    self.brand = brand
    self.items = items
    self.references = references
  }

  public static func ispe(_ width: Int, _ height: Int) -> [UInt8] { full("ispe", number(width, 4) + number(height, 4)) }

  public static func auxC(_ name: String) -> [UInt8] { full("auxC", Array(name.utf8) + [0]) }

  /// One row of tiles, ISO/IEC 23008-12 §6.6.2.3.2.
  public static func grid(tiles: Int, _ width: Int, _ height: Int) -> [UInt8] {
    [0, 0, 0, UInt8(tiles - 1)] + number(width, 2) + number(height, 2)
  }

  public var bytes: [UInt8] {
    var entries: [UInt8] = []
    var locations = Self.number(0x4400, 2) + Self.number(items.count, 2)
    var (data, links): ([UInt8], [UInt8]) = ([], [])
    // Items share what is equal: a number of a property has 7 bits.
    var store: [[UInt8]] = []
    for (index, item) in items.enumerated() {
      let id = Self.number(index + 1, 2)
      let names = [UInt8](item.type.utf8) + [0] + (item.type == "mime" ? [0] + Array(item.encoding.utf8) + [0] : [])
      entries += Self.full("infe", id + [0, 0] + names, version: 2, flags: item.isHidden ? 1 : 0)
      locations += id + Self.number(1, 2) + [0, 0] + Self.number(1, 2)
      locations += Self.number(data.count, 4) + Self.number(item.length ?? item.bytes.count, 4)
      data += item.bytes
      links += id + [UInt8(item.properties.count)]
      for property in item.properties {
        if !store.contains(property) { store.append(property) }
        links += [UInt8(1 + (store.firstIndex(of: property) ?? 0))]
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
      + Self.box(
        "iprp", Self.box("ipco", store.flatMap { $0 }) + Self.full("ipma", Self.number(items.count, 4) + links))
    return Self.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8)) + Self.full("meta", meta)
  }

  public static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  public static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    number(content.count + 8, 4) + Array(name.utf8) + content
  }

  private static func full(_ name: String, _ content: [UInt8], version: Int = 0, flags: Int = 0) -> [UInt8] {
    box(name, number(version << 24 | flags, 4) + content)
  }
}
