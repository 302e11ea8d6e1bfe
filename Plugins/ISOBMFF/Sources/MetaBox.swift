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
  public let box: FileBox
  public private(set) var primary: UInt32?
  /// Where the number of the primary item stands.
  public private(set) var primaryPlace: Range<Int>?
  /// By their number in the file.
  public private(set) var items: [Item] = []
  public private(set) var extents: [Extent] = []
  public private(set) var references: [ItemReference] = []
  public private(set) var referenced: [UInt32] = []
  /// Indexes of properties, from 0.
  public private(set) var associations: [Int] = []
  public private(set) var properties: [FileBox] = []
  public private(set) var itemData: Range<Int>?
  private var indexes: [UInt32: Int] = [:]
  /// References by the item that they start from.
  private var referencesFrom: [UInt32: [Int]] = [:]

  /// - Parameter isLenient: Whether of a table that breaks its rules what comes before counts, and nothing is thrown.
  /// - Throws: ``CoderError/Code/truncated`` when the file ends inside the box.
  public init(parsing box: FileBox, in file: FileBytes, isLenient: Bool = false) throws(CoderError) {
    self.box = box
    do throws(CoderError) {
      try readTables(in: file, isLenient: isLenient)
    } catch {
      guard isLenient else { throw error }
    }
  }

  private mutating func readTables(in file: FileBytes, isLenient: Bool) throws(CoderError) {
    func tolerantly(_ read: () throws(CoderError) -> Void) throws(CoderError) {
      do throws(CoderError) { try read() } catch { if !isLenient { throw error } }
    }
    var bytes = FileBoxReader(file, in: box.payload)
    _ = try bytes.fullBox("meta")
    var locations: FileBox?
    var associationBoxes: [FileBox] = []
    while let inner = try bytes.nextBox() {
      guard !inner.isCut else {
        throw .truncated("the box \(inner.type) inside meta is cut", at: file.end)
      }
      var content = FileBoxReader(file, in: inner.payload)
      switch inner.type {
      case .primaryItem:
        try tolerantly { () throws(CoderError) in
          let (version, _) = try content.fullBox("pitm")
          let start = content.offset
          primary = UInt32(truncatingIfNeeded: try content.number(version == 0 ? 2 : 4, of: "pitm"))
          primaryPlace = start..<content.offset
        }
      case .itemInformation: try tolerantly { () throws(CoderError) in try readItems(&content, in: file) }
      case .itemLocation: locations = inner
      case .itemReference: try tolerantly { () throws(CoderError) in try readReferences(&content, in: file) }
      case .itemData: itemData = inner.payload
      case .itemProperties:
        try tolerantly { () throws(CoderError) in try readProperties(&content, associations: &associationBoxes) }
      default: continue
      }
    }
    guard !box.isCut else { throw .truncated("the meta box is cut", at: file.end) }
    // Locations and associations name items, whatever the order of the boxes.
    if let locations {
      try tolerantly { () throws(CoderError) in try readLocations(FileBoxReader(file, in: locations.payload)) }
    }
    for box in associationBoxes {
      try tolerantly { () throws(CoderError) in try readAssociations(FileBoxReader(file, in: box.payload)) }
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
  /// ISO/IEC 14496-12 §8.11.6.
  private mutating func readItems(_ bytes: inout FileBoxReader, in file: FileBytes) throws(CoderError) {
    let (version, _) = try bytes.fullBox("iinf")
    _ = try bytes.number(version == 0 ? 2 : 4, of: "the item count")
    while let box = try bytes.nextBox() {
      guard box.type == .itemInformationEntry else { continue }
      var entry = FileBoxReader(file, in: box.payload)
      let (version, flags) = try entry.fullBox("infe")
      // Versions 0 and 1 know no types, and so no pictures.
      guard version >= 2 else { continue }
      let id = UInt32(truncatingIfNeeded: try entry.number(version == 2 ? 2 : 4, of: "an item's number"))
      _ = try entry.uint16("an item's protection")
      let type = try entry.fourCC("an item's type")
      _ = entry.text()
      let contentType = type == .mime ? entry.text() : ""
      let encoding = type == .mime ? entry.text() : ""
      guard indexes[id] == nil else {
        throw .malformed("two items with the number \(id)", at: box.start)
      }
      indexes[id] = items.count
      items.append(
        Item(id: id, type: type, isHidden: flags & 1 == 1, contentType: contentType, contentEncoding: encoding))
    }
  }

  /// ISO/IEC 14496-12 §8.11.3.
  private mutating func readLocations(_ source: FileBoxReader) throws(CoderError) {
    var bytes = source
    let (version, _) = try bytes.fullBox("iloc")
    guard version <= 2 else { throw .unsupported("iloc of version \(version), 2 is known", at: bytes.offset) }
    let sizes = try bytes.uint16("the sizes of iloc")
    let offsetSize = sizes >> 12
    let lengthSize = sizes >> 8 & 15
    let baseSize = sizes >> 4 & 15
    let indexSize = version == 0 ? 0 : sizes & 15
    for size in [offsetSize, lengthSize, baseSize, indexSize] where ![0, 4, 8].contains(size) {
      throw .malformed("a number of \(size) bytes in iloc, 0, 4 and 8 are allowed", at: bytes.offset)
    }
    let count = try bytes.number(version < 2 ? 2 : 4, of: "the number of locations")
    for _ in 0..<count {
      let id = UInt32(truncatingIfNeeded: try bytes.number(version < 2 ? 2 : 4, of: "a location"))
      let method = version == 0 ? 0 : try bytes.uint16("a construction method") & 15
      let reference = try bytes.uint16("a data reference")
      let base = try bytes.number(baseSize, of: "a base offset")
      let extentCount = try bytes.uint16("the number of extents")
      // Extents that take no bytes would be a way to ask for much work with few bytes.
      guard extentCount <= 1 || offsetSize + lengthSize + indexSize > 0 else {
        throw .malformed("\(extentCount) extents without offset and length", at: bytes.offset)
      }
      let first = extents.count
      for _ in 0..<extentCount {
        _ = try bytes.number(indexSize, of: "an extent's index")
        let offset = try bytes.number(offsetSize, of: "an extent's offset")
        extents.append(Extent(offset: offset, length: try bytes.number(lengthSize, of: "an extent's length")))
      }
      guard let index = indexes[id] else { continue }
      items[index].extents = first..<extents.count
      items[index].base = base
      items[index].construction =
        reference != 0
        ? .elsewhere("another file") : method == 0 ? .file : method == 1 ? .itemData : .elsewhere("another item")
    }
  }

  /// ISO/IEC 14496-12 §8.11.12.
  private mutating func readReferences(_ bytes: inout FileBoxReader, in file: FileBytes) throws(CoderError) {
    let (version, _) = try bytes.fullBox("iref")
    let size = version == 0 ? 2 : 4
    while let box = try bytes.nextBox() {
      var content = FileBoxReader(file, in: box.payload)
      let from = UInt32(truncatingIfNeeded: try content.number(size, of: "a reference"))
      let count = try content.uint16("the number of references")
      let first = referenced.count
      for _ in 0..<count {
        referenced.append(UInt32(truncatingIfNeeded: try content.number(size, of: "a reference")))
      }
      referencesFrom[from, default: []].append(references.count)
      references.append(ItemReference(start: box.start, type: box.type, from: from, to: first..<referenced.count))
    }
  }

  /// ISO/IEC 23008-12 §9.3: properties, and boxes that give them to items.
  private mutating func readProperties(_ bytes: inout FileBoxReader, associations: inout [FileBox]) throws(CoderError) {
    while let box = try bytes.nextBox() {
      if box.type == .propertyAssociation {
        associations.append(box)
      } else if box.type == .propertyContainer {
        var content = bytes.inside(box)
        while let property = try content.nextBox() { properties.append(property) }
      }
    }
  }

  private mutating func readAssociations(_ source: FileBoxReader) throws(CoderError) {
    var bytes = source
    let (version, flags) = try bytes.fullBox("ipma")
    let count = try bytes.uint32("the number of associations")
    for _ in 0..<count {
      let id = UInt32(truncatingIfNeeded: try bytes.number(version == 0 ? 2 : 4, of: "an association"))
      let properties = try bytes.uint8("the number of properties")
      let first = associations.count
      for _ in 0..<properties {
        let word = try bytes.number(flags & 1 == 1 ? 2 : 1, of: "an association")
        // The highest bit says that the property is essential; 0 stands for none.
        let index = Int(word & (flags & 1 == 1 ? 0x7FFF : 0x7F))
        if index > 0, index <= self.properties.count { associations.append(index - 1) }
      }
      guard let item = indexes[id] else { continue }
      items[item].associations = first..<associations.count
    }
  }
}
