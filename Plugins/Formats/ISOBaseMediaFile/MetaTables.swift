// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The tables of a meta box, as they are read.
///
/// All lists are flat and grow by the bytes that state them, so that a small file cannot ask for much memory.
struct MetaTables: Sendable {
  private(set) var primary: UInt32?
  /// Where the number of the primary item stands.
  private(set) var primaryPlace: Range<Int>?
  /// By their number in the file.
  private(set) var items: [Item] = []
  private(set) var extents: [Extent] = []
  private(set) var references: [ItemReference] = []
  private(set) var referenced: [UInt32] = []
  /// Whether the numbers of items in references have 16 bits, and not 32.
  private(set) var hasShortReferences = true
  /// Indexes of properties, from 0.
  private(set) var associations: [Int] = []
  /// Items that are given properties, in the order of the file.
  private(set) var itemsWithProperties: [UInt32] = []
  private(set) var properties: [Box] = []
  private(set) var itemData: Range<Int>?
  /// Items of which one is to be shown, the best first (ISO/IEC 23008-12 §6.8.1).
  private(set) var alternatives: [[UInt32]] = []
  /// Stereo pairs and bursts.
  private(set) var groups: [(type: FourCC, items: [UInt32])] = []
  /// Items at the start of ``items`` whose numbers ascend, as those of nearly all files do.
  private var ascendingItems = 0
  /// Indexes of the others.
  private var indexes: [UInt32: Int] = [:]
  /// References by the item that they start from.
  private(set) var referencesFrom: [UInt32: [Int]] = [:]

  /// What most files have no more of: longer lists grow by the bytes that state them.
  private static let usualItems = 64
  private static let usualProperties = 8

  mutating func read(_ box: Box, in file: FileBytes, isLenient: Bool) throws(CoderError) {
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
}

extension MetaTables {
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
    let count = try content.identifier(isShort: version == 0, "the item count")
    items.reserveCapacity(min(Int(count), Self.usualItems))
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
      _ = entry.terminatedBytes()
      let isXMP = type == .mime && entry.terminatedBytes().isEqual(to: "application/rdf+xml")
      let encoding = type == .mime ? Item.ContentEncoding(entry.terminatedBytes()) : .none
      guard index(of: id) == nil else {
        throw .malformed("two items with the number \(id)", at: box.start)
      }
      if ascendingItems == items.count, items.last.map({ $0.id < id }) ?? true {
        ascendingItems += 1
      } else {
        indexes[id] = items.count
      }
      items.append(Item(id: id, type: type, isHidden: flags & 1 == 1, isXMP: isXMP, contentEncoding: encoding))
    }
  }

  /// Where an item is in ``items``.
  func index(of id: UInt32) -> Int? {
    var (low, high) = (0, ascendingItems)
    while low < high {
      let middle = (low &+ high) / 2
      let found = items[middle].id
      if found == id { return middle }
      if found < id { low = middle &+ 1 } else { high = middle }
    }
    return indexes.isEmpty ? nil : indexes[id]
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
    extents.reserveCapacity(min(Int(count), Self.usualItems))
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
      guard let index = index(of: id) else { continue }
      items[index].extents = first..<extents.count
      items[index].base = base
      items[index].location = start..<content.offset
      items[index].construction =
        reference != 0
        ? .elsewhere(.otherFile) : method == 0 ? .file : method == 1 ? .itemData : .elsewhere(.otherItem)
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
        guard [.alternatives, .stereoPair, .burst].contains(box.type) else { continue }
        var group = try boxes.content(of: box, as: "a group")
        _ = try group.fullBox()
        try group.skip(4, "the group's number")
        let count = try group.uint32("the number of items")
        var items: [UInt32] = []
        for _ in 0..<count { items.append(try group.uint32("an item")) }
        if box.type == .alternatives { alternatives.append(items) } else { groups.append((box.type, items)) }
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
        properties.reserveCapacity(Self.usualProperties)
        while let property = try container.next() { properties.append(property) }
      }
    }
  }

  private mutating func readAssociations(_ content: consuming ByteReader) throws(CoderError) {
    let (version, flags) = try content.fullBox()
    let count = try content.uint32("the number of associations")
    associations.reserveCapacity(Self.usualProperties)
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
      guard let item = index(of: id) else { continue }
      items[item].associations = first..<associations.count
    }
  }
}

extension Item.ContentEncoding {
  fileprivate init(_ name: RawSpan) {
    self = name.isEmpty ? .none : name.isEqual(to: "deflate") ? .deflate : .other
  }
}

extension RawSpan {
  fileprivate func isEqual(to text: StaticString) -> Bool {
    byteCount == text.utf8CodeUnitCount && ByteReader(self).has(text, at: 0)
  }
}

extension ByteReader {
  /// A number of 16 bits, or of 32.
  fileprivate mutating func identifier(isShort: Bool, _ field: StaticString) throws(CoderError) -> UInt32 {
    isShort ? UInt32(try uint16(field)) : try uint32(field)
  }
}
