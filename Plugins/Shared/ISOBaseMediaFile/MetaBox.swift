// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// One item of a file (ISO/IEC 14496-12 §8.11).
public struct Item {
  public let id: UInt32
  public let type: FourCC
  public let isHidden: Bool
  /// Of a `mime` item.
  public let contentType: String
  /// Of a `mime` item: `deflate` and others, empty for none.
  public let contentEncoding: String
  /// Where its bytes are, indexes into ``MetaBox/extents``.
  public internal(set) var extents: Range<Int> = 0..<0
  public internal(set) var construction = Construction.file
  /// Added to the extents' offsets.
  public internal(set) var base: UInt64 = 0
  /// What the table of places says of it, behind its number; empty if it has no place.
  public internal(set) var location: Range<Int> = 0..<0
  /// Its properties, indexes into ``MetaBox/associations``.
  public internal(set) var associations: Range<Int> = 0..<0

  /// What an extent's offset counts from (ISO/IEC 14496-12 §8.11.3).
  public enum Construction: Equatable {
    case file
    case itemData
    /// Not read: bytes of other items, and other files.
    case elsewhere(String)
  }
}

/// Some bytes of an item.
public struct Extent {
  public let offset: UInt64
  /// 0: all that follows.
  public let length: UInt64
}

/// A reference from an item to others (ISO/IEC 14496-12 §8.11.12).
public struct ItemReference {
  /// Of its box.
  public let start: Int
  public let type: FourCC
  public let from: UInt32
  /// Indexes into ``MetaBox/referenced``.
  public let to: Range<Int>
}

/// The file-level meta box: which items there are, where they lie, and what is said of them.
///
/// All lists are flat and grow by the bytes that state them, so that a small file cannot ask for much memory.
public struct MetaBox {
  /// The whole box.
  public let box: Box
  public private(set) var primary: UInt32?
  /// Where the number of the primary item stands.
  public private(set) var primaryPlace: Range<Int>?
  /// By their number in the file.
  public private(set) var items: [Item] = []
  public private(set) var extents: [Extent] = []
  public private(set) var references: [ItemReference] = []
  public private(set) var referenced: [UInt32] = []
  /// Whether the numbers of items in references have 16 bits, and not 32.
  public private(set) var hasShortReferences = true
  /// Indexes of properties, from 0.
  public private(set) var associations: [Int] = []
  /// Items that are given properties, in the order of the file.
  public private(set) var itemsWithProperties: [UInt32] = []
  public private(set) var properties: [Box] = []
  public private(set) var itemData: Range<Int>?
  /// Items of which one is to be shown, the best first (ISO/IEC 23008-12 §6.8.1).
  public private(set) var alternatives: [[UInt32]] = []
  private var indexes: [UInt32: Int] = [:]
  /// References by the item that they start from.
  private var referencesFrom: [UInt32: [Int]] = [:]

  /// - Parameter isLenient: Whether of a table that breaks its rules what comes before counts, and nothing is thrown.
  /// - Throws: ``CoderError/Code/truncated`` when the file ends inside the box.
  public init(parsing box: Box, in file: FileBytes, isLenient: Bool = false) throws(CoderError) {
    self.box = box
    do throws(CoderError) {
      try readTables(in: file, isLenient: isLenient)
    } catch {
      guard isLenient else { throw error }
    }
  }

  private mutating func readTables(in file: FileBytes, isLenient: Bool) throws(CoderError) {
    let content = file.bytes(in: box.payload.clamped(to: 0..<file.count))
    var reader = ByteReader(content.bytes, at: box.content, of: "meta", isCutOff: box.isCut)
    _ = try reader.fullBox()
    var boxes = BoxReader(reader, in: "meta", isCutOff: box.isCut)
    // Locations and associations name items, whatever the order of the boxes.
    var locations: Box?
    var associationBoxes: [Box] = []
    while let inner = try boxes.next() {
      guard !inner.isCut else {
        throw .truncated("the box \(inner.type) inside meta is cut", at: file.end)
      }
      do throws(CoderError) {
        switch inner.type {
        case .primaryItem: try readPrimary(boxes.content(of: inner, as: "pitm"))
        case .itemInformation: try readItems(boxes.content(of: inner, as: "iinf"))
        case .itemLocation: locations = inner
        case .itemReference: try readReferences(boxes.content(of: inner, as: "iref"))
        case .itemData: itemData = inner.payload
        case .groups: readGroups(try boxes.content(of: inner, as: "grpl"))
        case .itemProperties:
          try readProperties(boxes.content(of: inner, as: "iprp"), associations: &associationBoxes)
        default: continue
        }
      } catch {
        if !isLenient { throw error }
      }
    }
    guard !box.isCut else { throw .truncated("the meta box is cut", at: file.end) }
    do throws(CoderError) {
      if let locations { try readLocations(boxes.content(of: locations, as: "iloc")) }
    } catch {
      if !isLenient { throw error }
    }
    for box in associationBoxes {
      do throws(CoderError) {
        try readAssociations(boxes.content(of: box, as: "ipma"))
      } catch {
        if !isLenient { throw error }
      }
    }
  }

  public func item(_ id: UInt32) -> Item? { indexes[id].map { items[$0] } }

  /// What an item refers to, in order.
  public func references(from id: UInt32, as type: FourCC) -> ArraySlice<UInt32> {
    let found = referencesFrom[id]?.first { references[$0].type == type }
    return found.map { referenced[references[$0].to] } ?? []
  }

  /// All references of a type, each with the items that it goes to.
  public func references(as type: FourCC) -> [(from: UInt32, to: ArraySlice<UInt32>)] {
    references.filter { $0.type == type }.map { ($0.from, referenced[$0.to]) }
  }
}

extension MetaBox {
  /// ISO/IEC 14496-12 §8.11.4.
  private mutating func readPrimary(_ content: consuming ByteReader) throws(CoderError) {
    let (version, _) = try content.fullBox()
    let start = content.offset
    primary = try content.identifier(isShort: version == 0, "the primary item")
    primaryPlace = start..<content.offset
  }

  /// ISO/IEC 14496-12 §8.11.6.
  private mutating func readItems(_ content: consuming ByteReader) throws(CoderError) {
    let (version, _) = try content.fullBox()
    try content.skip(version == 0 ? 2 : 4, "the item count")
    var boxes = BoxReader(content, in: "iinf")
    while let box = try boxes.next() {
      guard box.type == .itemInformationEntry else { continue }
      var entry = try boxes.content(of: box, as: "infe")
      let (version, flags) = try entry.fullBox()
      // Versions 0 and 1 know no types, and so no pictures.
      guard version >= 2 else { continue }
      let id = try entry.identifier(isShort: version == 2, "an item's number")
      try entry.skip(2, "an item's protection")
      let type = try entry.fourCC("an item's type")
      _ = entry.terminatedText()
      let contentType = type == .mime ? entry.terminatedText() : ""
      let encoding = type == .mime ? entry.terminatedText() : ""
      guard indexes[id] == nil else {
        throw .malformed("two items with the number \(id)", at: box.start)
      }
      indexes[id] = items.count
      items.append(
        Item(id: id, type: type, isHidden: flags & 1 == 1, contentType: contentType, contentEncoding: encoding))
    }
  }

  /// ISO/IEC 14496-12 §8.11.3.
  private mutating func readLocations(_ content: consuming ByteReader) throws(CoderError) {
    let (version, _) = try content.fullBox()
    guard version <= 2 else { throw .unsupported("iloc of version \(version), 2 is known", at: content.offset) }
    let sizes = Int(try content.uint16("the sizes"))
    let offsetSize = sizes >> 12
    let lengthSize = sizes >> 8 & 15
    let baseSize = sizes >> 4 & 15
    let indexSize = version == 0 ? 0 : sizes & 15
    for size in [offsetSize, lengthSize, baseSize, indexSize] where ![0, 4, 8].contains(size) {
      throw .malformed("a number of \(size) bytes in iloc, 0, 4 and 8 are allowed", at: content.offset)
    }
    let count = try content.identifier(isShort: version < 2, "the number of locations")
    for _ in 0..<count {
      let id = try content.identifier(isShort: version < 2, "a location")
      let start = content.offset
      let method = version == 0 ? 0 : try content.uint16("a construction method") & 15
      let reference = try content.uint16("a data reference")
      let base = try content.unsigned(bytes: baseSize, "a base offset")
      let extentCount = try content.uint16("the number of extents")
      // Extents that take no bytes would be a way to ask for much work with few bytes.
      guard extentCount <= 1 || offsetSize + lengthSize + indexSize > 0 else {
        throw .malformed("\(extentCount) extents without offset and length", at: content.offset)
      }
      let first = extents.count
      for _ in 0..<extentCount {
        try content.skip(indexSize, "an extent's index")
        let offset = try content.unsigned(bytes: offsetSize, "an extent's offset")
        extents.append(
          Extent(offset: offset, length: try content.unsigned(bytes: lengthSize, "an extent's length")))
      }
      guard let index = indexes[id] else { continue }
      items[index].extents = first..<extents.count
      items[index].base = base
      items[index].location = start..<content.offset
      items[index].construction =
        reference != 0
        ? .elsewhere("another file") : method == 0 ? .file : method == 1 ? .itemData : .elsewhere("another item")
    }
  }

  /// ISO/IEC 14496-12 §8.11.12.
  private mutating func readReferences(_ content: consuming ByteReader) throws(CoderError) {
    let isShort = try content.fullBox().version == 0
    hasShortReferences = isShort
    var boxes = BoxReader(content, in: "iref")
    while let box = try boxes.next() {
      var reference = try boxes.content(of: box, as: "a reference")
      let from = try reference.identifier(isShort: isShort, "the item that refers")
      let count = try reference.uint16("the number of items")
      let first = referenced.count
      for _ in 0..<count { referenced.append(try reference.identifier(isShort: isShort, "an item")) }
      referencesFrom[from, default: []].append(references.count)
      references.append(ItemReference(start: box.start, type: box.type, from: from, to: first..<referenced.count))
    }
  }

  /// ISO/IEC 14496-12 §8.18. Pictures are shown without groups too, so those before a damaged one count.
  private mutating func readGroups(_ content: consuming ByteReader) {
    do throws(CoderError) {
      var boxes = BoxReader(content, in: "grpl")
      while let box = try boxes.next() {
        guard box.type == .alternatives else { continue }
        var group = try boxes.content(of: box, as: "altr")
        _ = try group.fullBox()
        try group.skip(4, "the group's number")
        let count = try group.uint32("the number of items")
        var items: [UInt32] = []
        for _ in 0..<count { items.append(try group.uint32("an item")) }
        alternatives.append(items)
      }
    } catch {
      return
    }
  }

  /// ISO/IEC 23008-12 §9.3: properties, and boxes that give them to items.
  private mutating func readProperties(
    _ content: consuming ByteReader, associations: inout [Box]
  ) throws(CoderError) {
    var boxes = BoxReader(content, in: "iprp")
    while let box = try boxes.next() {
      if box.type == .propertyAssociation {
        associations.append(box)
      } else if box.type == .propertyContainer {
        var container = BoxReader(try boxes.content(of: box, as: "ipco"), in: "ipco")
        while let property = try container.next() { properties.append(property) }
      }
    }
  }

  private mutating func readAssociations(_ content: consuming ByteReader) throws(CoderError) {
    let (version, flags) = try content.fullBox()
    let count = try content.uint32("the number of associations")
    for _ in 0..<count {
      let id = try content.identifier(isShort: version == 0, "an item")
      let properties = try content.uint8("the number of properties")
      let first = associations.count
      for _ in 0..<properties {
        let word = try content.unsigned(bytes: flags & 1 == 1 ? 2 : 1, "an association")
        // The highest bit says that the property is essential; 0 stands for none.
        let index = Int(word & (flags & 1 == 1 ? 0x7FFF : 0x7F))
        if index > 0, index <= self.properties.count { associations.append(index - 1) }
      }
      itemsWithProperties.append(id)
      guard let item = indexes[id] else { continue }
      items[item].associations = first..<associations.count
    }
  }
}

extension ByteReader {
  /// A number of 16 bits, or of 32.
  fileprivate mutating func identifier(isShort: Bool, _ field: StaticString) throws(CoderError) -> UInt32 {
    isShort ? UInt32(try uint16(field)) : try uint32(field)
  }
}
