// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Smaller versions of pages that the file has (ISO/IEC 23008-12 §6.4.4), which become hidden pages.
public struct ThumbnailItems {
  public private(set) var found: [AuxiliaryItem] = []
  private let meta: MetaBox
  /// What an item is that can be one.
  private let types: Set<FourCC>
  /// Items that are pages.
  private let pages: Set<UInt32>

  private let most: Int

  /// - Parameter most: Of many, so many count, those that come first.
  public init(in meta: MetaBox, types: [FourCC], pages: [UInt32], most: Int) {
    (self.meta, self.types, self.pages, self.most) = (meta, Set(types), Set(pages), most)
  }

  /// Adds those of a page: each once, without pages and what is not there.
  public mutating func add(_ items: some Sequence<UInt32>, owner: Int) {
    var seen: Set<UInt32> = []
    for item in items {
      guard found.count < most else { return }
      guard !pages.contains(item), seen.insert(item).inserted, let type = meta.item(item)?.type, types.contains(type)
      else { continue }
      found.append(AuxiliaryItem(thumbnail: item, owner: owner))
    }
  }
}
