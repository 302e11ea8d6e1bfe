// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Pages that belong together: stereo pairs, the left picture first, and bursts.
///
/// - Format: ISO/IEC 14496-12 §8.18.3, with the groups `ster` and `brst` of ISO/IEC 23008-12 §6.8.
struct PageGroups {
  private(set) var groups: [(type: FourCC, pages: [Int])] = []

  private static let types: [String: FourCC] = ["stereo": .stereoPair, "burst": .burst]

  /// - Parameter text: What the option says: `stereo 2 1, burst 3-8`. Pages count from 1.
  /// - Throws: ``CoderError/Code/unsupported`` for other words; ``CoderError/Code/invalidArgument`` for pages that make no
  ///   group of the kind.
  init(_ text: String) throws(CoderError) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard let name = words.first, let type = Self.types[String(name)] else {
        throw .unsupported("groups \"\(text.prefix(80))\"; \"stereo 1 2, burst 3-8\" is an example")
      }
      var pages: [Int] = []
      for word in words.dropFirst() {
        let ends = word.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard let first = ends.first, let last = ends.last, first >= 1, last >= first, last <= Self.maxPage else {
          throw .invalidArgument("page \"\(word)\" of a group; pages count from 1")
        }
        pages += first...last
      }
      guard Set(pages).count == pages.count, pages.count >= 2, type == .burst || pages.count == 2 else {
        throw .invalidArgument("a \(name) of \(pages.count) pages; a stereo has 2, a burst several, each once")
      }
      groups.append((type, pages))
    }
  }

  /// The highest page that can be named, so that a range takes no memory of note.
  private static let maxPage = 0xFFFF

  /// The groups of items, which the pages have become.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have.
  func items(ofPages items: [Int]) throws(CoderError) -> [(type: FourCC, items: [Int])] {
    var result: [(type: FourCC, items: [Int])] = []
    for group in groups {
      guard let last = group.pages.max(), last <= items.count else {
        throw .invalidArgument("a group with page \(group.pages.max() ?? 0) of a file of \(items.count) pages")
      }
      result.append((group.type, group.pages.map { items[$0 - 1] }))
    }
    return result
  }
}
