// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a meta box says of the items around its primary one (ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §6).
struct ItemTable {
  /// The whole meta box.
  let box: Box
  /// Where the number of the primary item stands, and whether it has 32 bits.
  let primaryPlace: (offset: Int, isLong: Bool)
  let primary: UInt32
  private(set) var types: [UInt32: FourCC] = [:]
  /// Items that are thumbnails of the primary one, and where the types of the references stand that say so.
  private(set) var thumbnails: [(item: UInt32, place: Int)] = []
  /// Items that are auxiliary to the primary one: alpha, depth, gain map.
  private(set) var auxiliaries: [UInt32] = []
  /// Items that the primary one is derived from: the tiles of a grid.
  private(set) var sourceCount = 0
  private let properties: PropertyTable

  /// - Returns: nil when there is no primary item.
  init?(_ meta: Box, in bytes: FileBytes) {
    guard let pitm = bytes.child(.primaryItem, of: meta, skipping: 4), let version = bytes.uint8(at: pitm.payload)
    else { return nil }
    let isLong = version != 0
    guard
      let primary = isLong ? bytes.uint32(at: pitm.fullPayload) : bytes.uint16(at: pitm.fullPayload).map({ UInt32($0) })
    else { return nil }
    box = meta
    self.primary = primary
    primaryPlace = (pitm.fullPayload, isLong)
    properties = PropertyTable(bytes.child(.itemProperties, of: meta, skipping: 4), in: bytes)
    if let table = bytes.child(.itemInformation, of: meta, skipping: 4) { readTypes(table, in: bytes) }
    if let table = bytes.child(.itemReferences, of: meta, skipping: 4) { readReferences(table, in: bytes) }
  }

  /// An item's properties, whole boxes, in the order in which they apply.
  func properties(of item: UInt32, in bytes: FileBytes) -> [Box] { properties.boxes(of: item, in: bytes) }

  /// The size of an item, from its ImageSpatialExtentsProperty (ISO/IEC 23008-12 §6.5.3).
  func size(of item: UInt32, in bytes: FileBytes) -> Size? {
    guard let box = properties(of: item, in: bytes).first(where: { $0.type == FourCC("ispe") }),
      let width = bytes.uint32(at: box.fullPayload), let height = bytes.uint32(at: box.fullPayload + 4)
    else { return nil }
    return Size(width: Int(width), height: Int(height))
  }

  /// Where an item's bytes are, when they lie in the file in one piece, or the part of them that is there.
  func place(of item: UInt32, in bytes: FileBytes) -> Range<Int>? {
    var found: [Range<Int>] = []
    ItemPlaces(of: box, in: bytes)?.visit { if $0 == item { found.append($1) } }
    guard found.count == 1, found[0].lowerBound <= bytes.count else { return nil }
    return found[0].clamped(to: found[0].lowerBound..<bytes.count)
  }

  /// ISO/IEC 14496-12 §8.11.6: ItemInfoEntry of versions 2 and 3 has the type behind number and protection.
  private mutating func readTypes(_ table: Box, in bytes: FileBytes) {
    guard let version = bytes.uint8(at: table.payload) else { return }
    for entry in bytes.children(of: table, skipping: version == 0 ? 6 : 8) where entry.type == FourCC("infe") {
      let isLong = bytes.uint8(at: entry.payload) == 3
      let place = entry.fullPayload
      let number = isLong ? bytes.uint32(at: place) : bytes.uint16(at: place).map { UInt32($0) }
      guard let number, let type = bytes.fourCC(at: place + (isLong ? 6 : 4)) else { continue }
      types[number] = type
    }
  }

  /// ISO/IEC 14496-12 §8.11.12: from, count, and so many items; 32 bits each in version 1.
  private mutating func readReferences(_ table: Box, in bytes: FileBytes) {
    guard let version = bytes.uint8(at: table.payload) else { return }
    let width = version == 0 ? 2 : 4
    func item(at offset: Int) -> UInt32? {
      width == 4 ? bytes.uint32(at: offset) : bytes.uint16(at: offset).map { UInt32($0) }
    }
    for reference in bytes.children(of: table, skipping: 4) {
      guard let from = item(at: reference.payload), let count = bytes.uint16(at: reference.payload + width) else {
        continue
      }
      if reference.type == FourCC("dimg"), from == primary { sourceCount = count }
      guard reference.type == FourCC("thmb") || reference.type == FourCC("auxl") else { continue }
      let first = reference.payload + width + 2
      let targets = (0..<count).prefix { first + ($0 + 1) * width <= reference.end }
      guard targets.contains(where: { item(at: first + $0 * width) == primary }) else { continue }
      if reference.type == FourCC("thmb") {
        thumbnails.append((from, reference.start + 4))
      } else {
        auxiliaries.append(from)
      }
    }
  }
}

/// Properties and the items that they belong to (ISO/IEC 23008-12 §9.3).
struct PropertyTable {
  private var boxes: [Box] = []
  private var associations: [Box] = []

  init(_ table: Box?, in bytes: FileBytes) {
    guard let table else { return }
    for box in bytes.children(of: table) {
      if box.type == FourCC("ipco"), boxes.isEmpty { boxes = Array(bytes.children(of: box)) }
      if box.type == FourCC("ipma") { associations.append(box) }
    }
  }

  func boxes(of item: UInt32, in bytes: FileBytes) -> [Box] {
    var found: [Box] = []
    for table in associations {
      guard let head = bytes.uint32(at: table.payload), let entries = bytes.uint32(at: table.fullPayload) else {
        continue
      }
      // Version in the upper 8 bits; flag 1: 15-bit indexes.
      let (isLong, isWide) = (head >> 24 != 0, head & 1 != 0)
      var offset = table.fullPayload + 4
      for _ in 0..<entries {
        let number = isLong ? bytes.uint32(at: offset) : bytes.uint16(at: offset).map { UInt32($0) }
        guard let number, let count = bytes.uint8(at: offset + (isLong ? 4 : 2)) else { break }
        offset += isLong ? 5 : 3
        guard offset + count * (isWide ? 2 : 1) <= table.end else { break }
        if number == item {
          for position in 0..<count {
            let index =
              isWide
              ? bytes.uint16(at: offset + position * 2).map { $0 & 0x7FFF }
              : bytes.uint8(at: offset + position).map { $0 & 0x7F }
            guard let index, index > 0, index <= boxes.count else { continue }
            found.append(boxes[index - 1])
          }
        }
        offset += count * (isWide ? 2 : 1)
      }
    }
    return found
  }
}

extension FourCC {
  static let primaryItem = FourCC("pitm")
  static let itemInformation = FourCC("iinf")
  static let itemReferences = FourCC("iref")
  static let itemProperties = FourCC("iprp")
  static let meta = FourCC("meta")
  static let movie = FourCC("moov")
  static let track = FourCC("trak")
}
