// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// One item of a file (ISO/IEC 14496-12 §8.11).
public struct Item: Sendable {
  public let id: UInt32
  public let type: FourCC
  public let isHidden: Bool
  /// Whether it is a `mime` item of the type that XMP has (ISO/IEC 23008-12 §A.3).
  public let isXMP: Bool
  /// The content encoding of a `mime` item.
  public let contentEncoding: ContentEncoding
  /// Where its bytes are, indexes into ``MetaBox/extents``.
  public internal(set) var extents: Range<Int> = 0..<0
  public internal(set) var construction = Construction.file
  /// Added to the extents' offsets.
  public internal(set) var base: UInt64 = 0
  /// What the table of places says of it, after its number; empty if it has no place.
  public internal(set) var location: Range<Int> = 0..<0
  /// Its properties, indexes into ``MetaBox/associations``.
  public internal(set) var associations: Range<Int> = 0..<0

  /// What has to be undone before its bytes are what they are (ISO/IEC 14496-12 §8.11.6).
  public enum ContentEncoding: Sendable {
    case none
    case deflate
    case other
  }

  /// What an extent's offset counts from (ISO/IEC 14496-12 §8.11.3).
  public enum Construction: Equatable, Sendable {
    case file
    case itemData
    /// Not read.
    case elsewhere(Elsewhere)

    public enum Elsewhere: String, Sendable {
      case otherItem = "another item"
      case otherFile = "another file"
    }
  }
}

/// Some bytes of an item.
public struct Extent: Sendable {
  public let offset: UInt64
  /// 0: all that follows.
  public let length: UInt64
}

/// A reference from an item to others (ISO/IEC 14496-12 §8.11.12).
public struct ItemReference: Sendable {
  /// The start of its box.
  public let start: Int
  public let type: FourCC
  public let from: UInt32
  /// Indexes into ``MetaBox/referenced``.
  public let to: Range<Int>
}

/// The file-level meta box: which items there are, where they lie, and what is said of them.
///
/// A class, because its lists are many, and those who ask it are too.
public final class MetaBox: Sendable {
  /// The whole box.
  public let box: Box
  private let tables: MetaTables

  /// - Parameter isLenient: Whether of a table that breaks its rules what comes before counts, and nothing is thrown.
  /// - Throws: ``CoderError/Code/truncated`` when the file ends inside the box.
  public init(parsing box: Box, in file: FileBytes, isLenient: Bool = false) throws(CoderError) {
    self.box = box
    var tables = MetaTables()
    do throws(CoderError) {
      try tables.read(box, in: file, isLenient: isLenient)
    } catch {
      guard isLenient else { throw error }
    }
    self.tables = tables
  }

  public var primary: UInt32? { tables.primary }
  /// Where the number of the primary item stands.
  public var primaryPlace: Range<Int>? { tables.primaryPlace }
  /// By their number in the file.
  public var items: [Item] { tables.items }
  public var extents: [Extent] { tables.extents }
  public var references: [ItemReference] { tables.references }
  public var referenced: [UInt32] { tables.referenced }
  /// Whether the numbers of items in references have 16 bits, and not 32.
  public var hasShortReferences: Bool { tables.hasShortReferences }
  /// Indexes of properties, from 0.
  public var associations: [Int] { tables.associations }
  /// Items that are given properties, in the order of the file.
  public var itemsWithProperties: [UInt32] { tables.itemsWithProperties }
  public var properties: [Box] { tables.properties }
  public var itemData: Range<Int>? { tables.itemData }
  /// Items of which one is to be shown, the best first (ISO/IEC 23008-12 §6.8.1).
  public var alternatives: [[UInt32]] { tables.alternatives }
  /// Pictures that belong together (ISO/IEC 23008-12 §6.8): `ster`, the left one first, and `brst`.
  public var groups: [(type: FourCC, items: [UInt32])] { tables.groups }

  public func item(_ id: UInt32) -> Item? { tables.index(of: id).map { tables.items[$0] } }

  /// What an item refers to, in order.
  public func references(from id: UInt32, as type: FourCC) -> ArraySlice<UInt32> {
    let found = tables.referencesFrom[id]?.first { tables.references[$0].type == type }
    return found.map { tables.referenced[tables.references[$0].to] } ?? []
  }

  /// All references of a type, each with the items that it goes to.
  public func references(as type: FourCC) -> [(from: UInt32, to: ArraySlice<UInt32>)] {
    tables.references.filter { $0.type == type }.map { ($0.from, tables.referenced[$0.to]) }
  }
}
