// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

// What new items are said to be, and which of them are alternatives.
extension ItemTables {
  /// The box of properties with those of new items, or nil if they have none.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the tables have no room for them.
  func changedProperties() throws(CoderError) -> [UInt8]? {
    guard added.contains(where: { !$0.properties.isEmpty }) else { return nil }
    guard let box = children.first(where: { $0.type == .itemProperties }),
      let container = file.child(.propertyContainer, of: box),
      let last = file.children(of: box).reversed().first(where: { $0.type == .propertyAssociation })
    else { throw .unsupported("an item with properties in a file without tables for them") }
    var boxes: [UInt8] = []
    var lists: [(id: UInt32, entries: [(index: Int, isEssential: Bool)])] = []
    var count = meta.properties.count
    for item in added where !item.properties.isEmpty {
      var entries: [(Int, Bool)] = []
      for property in item.properties {
        switch property {
        case .known(let index, let isEssential): entries.append((index, isEssential))
        case .new(let bytes, let isEssential):
          boxes += bytes
          entries.append((count, isEssential))
          count += 1
        }
      }
      lists.append((item.id, entries))
    }
    let associations = try associations(last, with: lists)
    var writer = ByteWriter()
    writer.box(.itemProperties) { writer in
      for child in file.children(of: box) {
        if child.start == container.start {
          writer.box(.propertyContainer) { writer in
            writer.put(copy(child.payload))
            writer.put(boxes)
          }
        } else if child.start == last.start {
          writer.put(associations)
        } else {
          writer.put(copy(child.start..<child.end))
        }
      }
    }
    return writer.bytes
  }

  /// A table of associations with more of them, in the form that it has (ISO/IEC 23008-12 §9.3.2). Properties count from
  /// 1 there.
  private func associations(
    _ box: Box, with lists: [(id: UInt32, entries: [(index: Int, isEssential: Bool)])]
  ) throws(CoderError) -> [UInt8] {
    guard let head = file.uint32(at: box.content), let count = file.uint32(at: box.fullContent),
      box.fullContent + 4 <= box.end
    else { throw .malformed("a cut ipma", at: box.start) }
    let (isLong, isWide) = (head >> 24 > 0, head & 1 == 1)
    let most = isWide ? 0x7FFF : 0x7F
    guard lists.allSatisfy({ $0.entries.allSatisfy { $0.index < most } && $0.entries.count < 256 }) else {
      throw .unsupported("more than \(most) properties of items")
    }
    var writer = ByteWriter()
    writer.box(.propertyAssociation) { writer in
      writer.put(head)
      writer.put(count &+ UInt32(clamping: lists.count))
      writer.put(copy((box.fullContent + 4)..<box.end))
      for (id, entries) in lists {
        if isLong { writer.put(id) } else { writer.put(UInt16(clamping: id)) }
        writer.put(UInt8(clamping: entries.count))
        for (index, isEssential) in entries {
          if isWide {
            writer.put(UInt16(clamping: index + 1) | (isEssential ? 0x8000 : 0))
          } else {
            writer.put(UInt8(clamping: index + 1) | (isEssential ? 0x80 : 0))
          }
        }
      }
    }
    return writer.bytes
  }

  /// The groups of items with the new one.
  func groups(_ box: Box?) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(.groups) { writer in
      if let box { writer.put(copy(box.payload)) }
      guard let newGroup else { return }
      writer.fullBox(.alternatives) { writer in
        writer.put(newGroup.id)
        writer.put(UInt32(clamping: newGroup.items.count))
        for item in newGroup.items { writer.put(item) }
      }
    }
    return writer.bytes
  }
}
