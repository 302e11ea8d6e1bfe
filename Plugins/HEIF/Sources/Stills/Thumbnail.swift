// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// An embedded smaller version of a picture (ISO/IEC 23008-12 §6.4.4), found fit to stand for it.
struct Thumbnail {
  let node: PictureNode
  /// Its coded items as they were decoded to see whether they can be, until it is drawn.
  private var items: DecodedItems

  /// Thumbnails larger than this are not tried: they are decoded before they are offered, and kept.
  private static let maxPixels = 1 << 20

  /// The smallest one that is large enough, shows the same picture with the same colors, and decodes.
  init?(of whole: PictureNode, in file: HEIFFile, for size: Size) {
    let fits = file.thumbnails(of: whole.id).compactMap { id -> PictureNode? in
      guard let node = try? file.node(id), Self.shows(whole, in: node, file: file) else { return nil }
      return Self.covers(node, size) ? node : nil
    }
    let sorted = fits.sorted { $0.placement.crop.size.pixelCount < $1.placement.crop.size.pixelCount }
    for node in sorted {
      var items = DecodedItems()
      guard Self.decode(node, in: file, into: &items) else { continue }
      self.node = node
      self.items = items
      return
    }
    return nil
  }

  /// The decoded items, which are not kept any longer.
  mutating func takeItems() -> DecodedItems {
    defer { items = DecodedItems() }
    return items
  }

  func covers(_ size: Size) -> Bool { Self.covers(node, size) }

  private static func covers(_ node: PictureNode, _ size: Size) -> Bool {
    let own = node.placement.crop.size
    return own.width >= size.width && own.height >= size.height
  }

  private static func shows(_ whole: PictureNode, in node: PictureNode, file: HEIFFile) -> Bool {
    let large = whole.placement.crop.size
    let small = node.placement.crop.size
    guard node.placement.orientation == whole.placement.orientation, node.isGray == whole.isGray, !whole.hasAlpha,
      !node.hasAlpha, small.width <= large.width, small.height <= large.height, small.pixelCount <= maxPixels
    else { return false }
    // A crop of the whole picture that the thumbnail does not have, or the other way round, shows something else.
    let ideal = Double(small.width) * Double(large.height) / Double(large.width)
    let other = Double(small.height) * Double(large.width) / Double(large.height)
    guard abs(ideal - Double(small.height)) <= 1 || abs(other - Double(small.width)) <= 1 else { return false }
    // Without a profile of its own it has the whole picture's.
    guard let profile = node.profile else { return node.points == nil || node.points == whole.points }
    return whole.profile.map { file.contents.bytes(in: $0).elementsEqual(file.contents.bytes(in: profile)) } ?? false
  }

  /// - Returns: Whether all items decode without damage.
  private static func decode(_ node: PictureNode, in file: HEIFFile, into items: inout DecodedItems) -> Bool {
    switch node.content {
    case .coded(let coded):
      guard items[coded.item.id] == nil else { return true }
      guard let bytes = try? file.bytes(of: coded.item), !bytes.isCut,
        let item = try? DecodedItem(coded, bytes: bytes, in: file), item.damage == nil
      else { return false }
      items[coded.item.id] = item
      return true
    case .overlay: return false
    default: return node.content.parts.allSatisfy { decode($0, in: file, into: &items) }
    }
  }
}
