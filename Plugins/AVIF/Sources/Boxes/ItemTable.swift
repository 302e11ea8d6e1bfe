// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What a meta box says of the items around its primary one (ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §6).
///
/// libavif reads the boxes as well and says what is wrong with them, so that here of a damaged table counts what can be
/// read.
final class ItemTable {
  let meta: MetaBox
  /// The item that is shown: the primary one, or what it shows in turn.
  let primary: UInt32
  /// The primary item, as the file says.
  let stated: UInt32
  /// Where the number of the primary item stands.
  let primaryPlace: Range<Int>
  /// Items that are thumbnails of the primary one.
  let thumbnails: [UInt32]
  /// Where the types of the references stand that say of the item that is shown that it is a thumbnail itself.
  let thumbnailMarks: [Int]
  /// Items that are auxiliary to the primary one: alpha, depth, gain map.
  let auxiliaries: [UInt32]

  /// - Returns: nil when there is no primary item.
  convenience init?(_ box: Box, in bytes: FileBytes) {
    guard let meta = try? MetaBox(parsing: box, in: bytes, isLenient: true), let stated = meta.primary else {
      return nil
    }
    self.init(meta, stated: stated, showing: stated)
  }

  /// The same items around another one, in place of the primary one.
  func showing(_ item: UInt32) -> ItemTable? { ItemTable(meta, stated: stated, showing: item) }

  private init?(_ meta: MetaBox, stated: UInt32, showing item: UInt32) {
    guard let place = meta.primaryPlace else { return nil }
    self.meta = meta
    self.stated = stated
    primary = Self.shown(for: item, in: meta)
    primaryPlace = place
    var (thumbnails, auxiliaries, marks) = ([UInt32](), [UInt32](), [Int]())
    for reference in meta.references {
      guard reference.type == .thumbnail || reference.type == .auxiliary else { continue }
      // The type stands after the size.
      if reference.type == .thumbnail, reference.from == primary { marks.append(reference.start + 4) }
      guard meta.referenced[reference.to].contains(primary) else { continue }
      if reference.type == .auxiliary {
        auxiliaries.append(reference.from)
      } else {
        thumbnails.append(reference.from)
      }
    }
    (self.thumbnails, self.auxiliaries, thumbnailMarks) = (thumbnails, auxiliaries, marks)
  }

  /// A picture with a gain map is shown without it: its base comes first (ISO/IEC 23008-12 §6.6.2.4). An item that only
  /// repeats another one, without a transformation of its own, is that one (§6.6.2.1).
  private static func shown(for item: UInt32, in meta: MetaBox) -> UInt32 {
    var item = item
    for _ in 0..<maxSteps {
      guard let found = meta.item(item), let next = meta.references(from: item, as: .derivedFrom).first else { break }
      let isTurned = meta.associations[found.associations].contains {
        [.rotation, .mirror, .cleanAperture].contains(meta.properties[$0].type)
      }
      guard found.type == .toneMap || found.type == .identity && !isTurned else { break }
      item = next
    }
    return item
  }

  private static let maxSteps = 8

  /// Items that are auxiliary to one of some items, and to which.
  func auxiliaries(ofAll items: Set<UInt32>) -> [(item: UInt32, target: UInt32)] {
    meta.references.filter { $0.type == .auxiliary }.flatMap { reference in
      meta.referenced[reference.to].filter { items.contains($0) }.map { (reference.from, $0) }
    }
  }

  /// The whole meta box.
  var box: Box { meta.box }
  /// Items that another one is derived from, in order: the tiles of a grid.
  func sources(of item: UInt32) -> [UInt32] { Array(meta.references(from: item, as: .derivedFrom)) }

  /// Where the numbers of the items stand that another one is derived from.
  func derivation(of item: UInt32) -> (targets: Int, isShort: Bool)? {
    guard let reference = meta.references.first(where: { $0.from == item && $0.type == .derivedFrom }) else {
      return nil
    }
    let width = meta.hasShortReferences ? 2 : 4
    return (reference.start + 8 + width + 2, meta.hasShortReferences)
  }

  /// What the table of places says of an item, after its number.
  func location(of item: UInt32) -> Range<Int>? { meta.item(item)?.location }

  /// Items in the order in which libavif meets them.
  func inOrderOfMention(in bytes: FileBytes) -> [UInt32] {
    var order: [UInt32] = []
    var seen: Set<UInt32> = []
    func meet(_ items: some Sequence<UInt32>) {
      for item in items where seen.insert(item).inserted { order.append(item) }
    }
    for box in bytes.children(of: meta.box, skipping: 4) {
      switch box.type {
      case .itemInformation: meet(meta.items.lazy.map(\.id))
      case .itemLocation:
        meet(
          meta.items.filter { !$0.location.isEmpty }.sorted { $0.location.lowerBound < $1.location.lowerBound }.map(
            \.id))
      case .itemReference:
        for reference in meta.references {
          meet([reference.from])
          meet(meta.referenced[reference.to])
        }
      case .itemProperties: meet(meta.itemsWithProperties)
      default: break
      }
    }
    return order
  }

  func type(of item: UInt32) -> FourCC? { meta.item(item)?.type }

  /// The first property of a type that an item has.
  func property(_ type: FourCC, of item: UInt32) -> Box? {
    guard let item = meta.item(item) else { return nil }
    let (associations, properties) = (meta.associations, meta.properties)
    for index in item.associations where properties[associations[index]].type == type {
      return properties[associations[index]]
    }
    return nil
  }

  /// An item's properties, whole boxes, in the order in which they apply.
  func properties(of item: UInt32) -> [Box] {
    guard let item = meta.item(item) else { return [] }
    return meta.associations[item.associations].map { meta.properties[$0] }
  }

  /// The size of an item, from its ImageSpatialExtentsProperty (ISO/IEC 23008-12 §6.5.3).
  func size(of item: UInt32, in bytes: FileBytes) -> Size? {
    guard let box = property(.imageSize, of: item),
      let width = bytes.uint32(at: box.fullContent), let height = bytes.uint32(at: box.fullContent + 4)
    else { return nil }
    return Size(width: Int(width), height: Int(height))
  }

  /// Whether the table of places has an item.
  func hasPlace(_ item: UInt32) -> Bool { meta.item(item).map { !$0.extents.isEmpty } ?? false }

  /// The parts of the file in which an item lies. A length of 0 reaches up to its end.
  func places(of item: UInt32, in bytes: FileBytes) -> [Range<Int>] {
    guard let item = meta.item(item), item.construction == .file, let base = Int(exactly: item.base) else { return [] }
    return meta.extents[item.extents].compactMap { extent in
      guard let offset = Int(exactly: extent.offset), let length = Int(exactly: extent.length) else { return nil }
      let start = base.addingReportingOverflow(offset)
      let end = start.partialValue.addingReportingOverflow(length)
      guard !start.overflow, !end.overflow else { return nil }
      return start.partialValue..<(length == 0 ? max(bytes.end, start.partialValue) : end.partialValue)
    }
  }

  /// Where an item's bytes are, when they lie in the file in one piece, or the part of them that is there.
  func place(of item: UInt32, in bytes: FileBytes) -> Range<Int>? {
    let places = places(of: item, in: bytes)
    guard places.count == 1, places[0].lowerBound <= bytes.count else { return nil }
    return places[0].clamped(to: places[0].lowerBound..<bytes.count)
  }

  /// Bytes that the longest item claims.
  func longestItem(in bytes: FileBytes) -> Int {
    var longest = 0
    for item in meta.items {
      let count = places(of: item.id, in: bytes).reduce(0) { sum, place in
        let longer = sum.addingReportingOverflow(place.count)
        return longer.overflow ? .max : longer.partialValue
      }
      longest = max(longest, count)
    }
    return longest
  }
}
