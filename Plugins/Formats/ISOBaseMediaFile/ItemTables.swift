// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The tables of a meta box, to be written with other items.
///
/// - Format: ISO/IEC 14496-12 §8.11.
struct ItemTables {
  let meta: MetaBox
  let file: FileBytes
  private var removed: Set<UInt32> = []
  private(set) var added: [NewItem] = []
  /// Items of which one is shown, the best first, with the number of the group.
  private(set) var newGroup: (id: UInt32, items: [UInt32])?
  let children: [Box]
  private let locations: Locations

  /// The sizes of the numbers in iloc, and where its entries are.
  private struct Locations {
    var version = 0
    var (offsetSize, lengthSize, baseSize, indexSize) = (4, 4, 0, 0)
    var entries: [Location] = []
    /// The first entry of each item.
    var indexes: [UInt32: Int] = [:]
  }

  private struct Location {
    let id: UInt32
    var method: UInt16
    let reference: UInt16
    var base: UInt64
    var extents: [(index: UInt64, offset: UInt64, length: UInt64)]
  }

  init(_ file: FileBytes, _ box: Box) throws(CoderError) {
    self.file = file
    meta = try MetaBox(parsing: box, in: file)
    var children: [Box] = []
    var offset = box.fullContent
    while offset < box.end, let child = file.box(at: offset, before: box.end) {
      guard child.end <= box.end else { throw .malformed("a box \(child.type) that leaves meta", at: child.start) }
      children.append(child)
      offset = child.end
    }
    self.children = children
    var locations = Locations()
    if let box = children.first(where: { $0.type == .itemLocation }) {
      locations = try file.read(box, as: "iloc") { (reader) throws(CoderError) in try Self.locations(&reader) }
    }
    self.locations = locations
  }

  private static func locations(_ reader: inout ByteReader) throws(CoderError) -> Locations {
    var table = Locations()
    table.version = Int(try reader.fullBox().version)
    let sizes = Int(try reader.uint16())
    (table.offsetSize, table.lengthSize, table.baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    table.indexSize = table.version == 0 ? 0 : sizes & 15
    let isShort = table.version < 2
    let count = isShort ? Int(try reader.uint16()) : Int(try reader.uint32())
    for _ in 0..<count {
      let id = isShort ? UInt32(try reader.uint16()) : try reader.uint32()
      let method = table.version == 0 ? 0 : try reader.uint16()
      var location = Location(
        id: id, method: method, reference: try reader.uint16(), base: try reader.unsigned(bytes: table.baseSize),
        extents: [])
      for _ in 0..<Int(try reader.uint16()) {
        location.extents.append(
          (
            try reader.unsigned(bytes: table.indexSize), try reader.unsigned(bytes: table.offsetSize),
            try reader.unsigned(bytes: table.lengthSize)
          ))
      }
      if table.indexes[id] == nil { table.indexes[id] = table.entries.count }
      table.entries.append(location)
    }
    return table
  }

  // MARK: Questions

  /// Whether an item describes a picture; one that says of no picture that it describes it counts for the primary one.
  func describes(_ id: UInt32, _ picture: UInt32) -> Bool {
    let described = meta.references(from: id, as: .describes)
    return described.isEmpty || described.contains(picture)
  }

  /// Whether the location of an item can state another place.
  func canMove(_ item: Item) -> Bool {
    guard let location = locations.indexes[item.id].map({ locations.entries[$0] }) else { return false }
    return location.reference == 0 && locations.offsetSize >= 4 && locations.lengthSize >= 4
      && (location.method & 15 == 0 || locations.version > 0) && location.extents.count == 1
  }

  /// Where payloads of items are in the file, without bytes that other items have too.
  func payloads(of ids: Set<UInt32>) -> [Range<Int>] {
    var (own, kept): ([Range<Int>], [Range<Int>]) = ([], [])
    for item in meta.items {
      for extent in meta.extents[item.extents] {
        var start = Int(clamping: item.base.addingReportingOverflow(extent.offset).partialValue)
        switch item.construction {
        case .file: break
        case .itemData:
          guard let data = meta.itemData else { continue }
          start = min(start, file.count) + data.lowerBound
        case .elsewhere: continue
        }
        guard start < file.count else { continue }
        let room = file.count - start
        let range = start..<start + min(extent.length == 0 ? room : Int(clamping: extent.length), room)
        if ids.contains(item.id) { own.append(range) } else { kept.append(range) }
      }
    }
    return FilePieces.parts(of: own, without: kept)
  }

  // MARK: Changes

  mutating func remove(_ id: UInt32) { removed.insert(id) }

  /// Adds an item that describes a picture.
  ///
  /// - Returns: Its number.
  /// - Throws: ``CoderError/Code/unsupported`` if the tables of the file have no room for it.
  mutating func add(
    _ type: FourCC, contentType: String, describing primary: UInt32
  ) throws(CoderError) -> UInt32 {
    try add(
      NewItem(type: type, contentType: contentType, isHidden: true, references: [(.describes, [primary])]))
  }

  /// Adds an item.
  ///
  /// - Returns: Its number.
  /// - Throws: ``CoderError/Code/unsupported`` if the tables of the file have no room for it.
  mutating func add(_ item: NewItem) throws(CoderError) -> UInt32 {
    let id = (meta.items.map(\.id) + added.map(\.id)).reduce(meta.primary ?? 0, max) + 1
    guard id <= 0xFFFF, locations.offsetSize >= 4, locations.lengthSize >= 4,
      children.contains(where: { $0.type == .itemLocation }), children.contains(where: { $0.type == .itemInformation })
    else { throw .unsupported("another item in a file whose tables have no room for one") }
    var item = item
    item.id = id
    added.append(item)
    return id
  }

  /// Groups items of which one is shown, the best first.
  mutating func addAlternatives(_ items: [UInt32]) {
    // Numbers of groups are none of items (ISO/IEC 14496-12 §8.18.3.3), and those of groups that are there are not read.
    newGroup = ((meta.items.map(\.id) + added.map(\.id)).reduce(0x4000_0000, max) + 1, items)
  }

  /// A property of an item: which of the file's, from 0, or a whole box.
  enum Property {
    case known(Int, isEssential: Bool)
    case new([UInt8], isEssential: Bool)
  }

  /// An item that is not in the file yet.
  struct NewItem {
    fileprivate(set) var id: UInt32 = 0
    let type: FourCC
    var contentType = ""
    let isHidden: Bool
    let references: [(type: FourCC, to: [UInt32])]
    var properties: [Property] = []

    init(
      type: FourCC, contentType: String = "", isHidden: Bool, references: [(type: FourCC, to: [UInt32])],
      properties: [Property] = []
    ) {
      self.type = type
      self.contentType = contentType
      self.isHidden = isHidden
      self.references = references
      self.properties = properties
    }
  }

  // MARK: Writing

  /// The meta box.
  ///
  /// - Parameters:
  ///   - places: Of new payloads, counted from `start`.
  ///   - limit: What is from here on in the file moves by `shift`.
  /// - Throws: ``CoderError/Code/unsupported`` if the tables of properties have no room for new ones.
  func bytes(
    places: [UInt32: Range<Int>], start: Int, movedFrom limit: Int, by shift: Int
  ) throws(CoderError) -> [UInt8] {
    let properties = try changedProperties()
    var writer = ByteWriter()
    writer.box(.meta) { writer in
      writer.put(copy(meta.box.content..<meta.box.fullContent))
      var hasReferences = false
      for child in children {
        switch child.type {
        case .itemInformation: writer.put(information(child))
        case .itemLocation: writer.put(locations(places, start, limit, shift))
        case .itemReference:
          hasReferences = true
          writer.put(references(child))
        case .itemData: writer.put(itemData(child, places))
        case .itemProperties: writer.put(properties ?? copy(child.start..<child.end))
        case .groups: writer.put(groups(child))
        default: writer.put(copy(child.start..<child.end))
        }
      }
      if !hasReferences, !added.isEmpty { writer.put(references(nil)) }
      if newGroup != nil, !children.contains(where: { $0.type == .groups }) { writer.put(groups(nil)) }
    }
    return writer.bytes
  }

  func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](file.bytes(in: range)) }

  private func information(_ box: Box) -> [UInt8] {
    let isShort = file.uint8(at: box.content) == 0
    let start = box.fullContent + (isShort ? 2 : 4)
    var (entries, count) = ([UInt8](), 0)
    var offset = start
    while offset < box.end, let entry = file.box(at: offset, before: box.end) {
      offset = max(entry.end, offset + 8)
      let isLong = file.uint8(at: entry.content) == 3
      let id = isLong ? file.uint32(at: entry.fullContent) : file.uint16(at: entry.fullContent).map { UInt32($0) }
      if let id, removed.contains(id) { continue }
      entries += copy(entry.start..<min(entry.end, box.end))
      count += 1
    }
    for item in added {
      var writer = ByteWriter()
      writer.fullBox(.itemInformationEntry, version: 2, flags: item.isHidden ? 1 : 0) { writer in
        writer.put(UInt16(clamping: item.id))
        writer.put(UInt16(0))
        writer.put(item.type)
        writer.put(UInt8(0))
        if item.type == .mime { writer.put(Array(item.contentType.utf8) + [0]) }
      }
      entries += writer.bytes
      count += 1
    }
    var writer = ByteWriter()
    writer.box(.itemInformation) { writer in
      writer.put(copy(box.content..<box.fullContent))
      if isShort { writer.put(UInt16(clamping: count)) } else { writer.put(UInt32(clamping: count)) }
      writer.put(entries)
    }
    return writer.bytes
  }

  private func locations(_ places: [UInt32: Range<Int>], _ start: Int, _ limit: Int, _ shift: Int) -> [UInt8] {
    var entries = locations.entries.filter { !removed.contains($0.id) }
    for item in added { entries.append(Location(id: item.id, method: 0, reference: 0, base: 0, extents: [(0, 0, 0)])) }
    for index in entries.indices {
      if let place = places[entries[index].id] {
        entries[index].method = 0
        entries[index].base = 0
        entries[index].extents = [(0, UInt64(start + place.lowerBound), UInt64(place.count))]
      } else if entries[index].method & 15 == 0, entries[index].reference == 0 {
        Self.move(&entries[index], from: limit, by: shift)
      }
    }
    var writer = ByteWriter()
    let (table, isShort) = (locations, locations.version < 2)
    writer.fullBox(.itemLocation, version: UInt8(table.version)) { writer in
      writer.put(UInt16(table.offsetSize << 12 | table.lengthSize << 8 | table.baseSize << 4 | table.indexSize))
      if isShort { writer.put(UInt16(clamping: entries.count)) } else { writer.put(UInt32(clamping: entries.count)) }
      for entry in entries {
        if isShort { writer.put(UInt16(clamping: entry.id)) } else { writer.put(entry.id) }
        if table.version > 0 { writer.put(entry.method) }
        writer.put(entry.reference)
        writer.put(entry.base, bytes: table.baseSize)
        writer.put(UInt16(clamping: entry.extents.count))
        for extent in entry.extents {
          writer.put(extent.index, bytes: table.indexSize)
          writer.put(extent.offset, bytes: table.offsetSize)
          writer.put(extent.length, bytes: table.lengthSize)
        }
      }
    }
    return writer.bytes
  }

  /// All extents of an item lie before the box or after it; the base is used if there is one.
  private static func move(_ location: inout Location, from limit: Int, by shift: Int) {
    func moved(_ value: UInt64) -> UInt64 { UInt64(clamping: Int(clamping: value) + shift) }
    if location.base >= UInt64(limit) {
      location.base = moved(location.base)
      return
    }
    for index in location.extents.indices
    where location.base.addingReportingOverflow(location.extents[index].offset).partialValue >= UInt64(limit) {
      location.extents[index].offset = moved(location.extents[index].offset)
    }
  }

  private func references(_ box: Box?) -> [UInt8] {
    // Version 1 has numbers of 32 bits.
    let isLong = box.map { file.uint8(at: $0.content) == 1 } ?? false
    func put(_ id: UInt32, in writer: inout ByteWriter) {
      if isLong { writer.put(id) } else { writer.put(UInt16(clamping: id)) }
    }
    var kept: [(type: FourCC, from: UInt32, to: [UInt32])] = []
    for reference in meta.references where box != nil && !removed.contains(reference.from) {
      let to = meta.referenced[reference.to].filter { !removed.contains($0) }
      if !to.isEmpty { kept.append((reference.type, reference.from, Array(to))) }
    }
    for item in added { kept += item.references.map { ($0.type, item.id, $0.to) } }
    guard !kept.isEmpty else { return [] }
    var writer = ByteWriter()
    writer.fullBox(.itemReference, version: isLong ? 1 : 0) { writer in
      for reference in kept {
        writer.box(reference.type) { writer in
          put(reference.from, in: &writer)
          writer.put(UInt16(clamping: reference.to.count))
          for id in reference.to { put(id, in: &writer) }
        }
      }
    }
    return writer.bytes
  }

  /// Item data with zeros where payloads were that are gone.
  private func itemData(_ box: Box, _ places: [UInt32: Range<Int>]) -> [UInt8] {
    var bytes = copy(box.start..<box.end)
    for range in payloads(of: removed.union(places.keys))
    where box.payload.lowerBound <= range.lowerBound && range.upperBound <= box.end {
      for place in range { bytes[place - box.start] = 0 }
    }
    return bytes
  }
}
