// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The directories of a file: its pages, and smaller versions of them.
///
/// - Format: TIFF 6.0 §2 and NewSubfileType; TIFF Technical Note 1 for SubIFDs.
struct TIFFFile {
  /// An independent picture.
  struct Page {
    /// Of its directory.
    let offset: Int
    /// Of directories behind it that say that they are smaller versions of a picture.
    var reduced: [Int] = []
  }

  let source: TIFFSource
  /// At least one.
  let pages: [Page]
  /// The chain of directories leaves the file.
  let isTruncated: Bool
  /// The chain of directories comes back to itself, or leads to something else.
  let isDamaged: Bool

  /// Walks the chain of directories. Of each, only the first entries are looked at: tags are sorted.
  init(_ view: SourceView, host: CoderHost) throws(CoderError) {
    source = try TIFFSource(view)
    let limit = host.limits.maxPages
    var pages: [Page] = []
    var early: [Int] = []  // smaller versions in front of the first page
    var visited: Set<Int> = []
    var next = source.firstDirectory
    var (isTruncated, isDamaged) = (false, false)
    while next != 0 {
      guard visited.insert(next).inserted else {
        isDamaged = true
        break
      }
      // Smaller versions are no pages, but they are not free either.
      let (bound, overflow) = limit.multipliedReportingOverflow(by: 16)
      guard visited.count <= (overflow ? .max : max(bound, 64)) else {
        throw .limitExceeded("maxPages", found: visited.count, allowed: limit, what: "a directory count of")
      }
      let step: Step
      do throws(CoderError) {
        step = try Self.step(at: next, in: source)
      } catch {
        // The first directory has to be there; the pages before a broken one are.
        guard visited.count > 1, error.code == .truncated || error.code == .malformed else { throw error }
        if error.code == .truncated { isTruncated = true } else { isDamaged = true }
        break
      }
      switch step.role {
      case .page:
        pages.append(Page(offset: next))
        guard pages.count <= limit else {
          throw .limitExceeded("maxPages", found: pages.count, allowed: limit, what: "a page count of")
        }
      case .reduced:
        if pages.isEmpty { early.append(next) } else { pages[pages.count - 1].reduced.append(next) }
      case .mask: break
      }
      next = step.next
    }
    if pages.isEmpty {
      // All of them are smaller versions of something that is elsewhere, as in raw files of cameras.
      pages = (early.isEmpty ? [source.firstDirectory] : early).map { Page(offset: $0) }
      guard pages.count <= limit else {
        throw .limitExceeded("maxPages", found: pages.count, allowed: limit, what: "a page count of")
      }
    } else {
      pages[0].reduced += early
    }
    self.pages = pages
    self.isTruncated = isTruncated
    self.isDamaged = isDamaged
  }

  /// What a directory is for.
  private enum Role {
    case page, reduced, mask
  }

  private struct Step {
    let role: Role
    let next: Int
  }

  private static func step(at offset: Int, in source: TIFFSource) throws(CoderError) -> Step {
    let count = try source.entryCount(at: offset)
    let size = source.entrySize
    let entries = offset + source.countSize
    // NewSubfileType and SubfileType have the smallest tags that there are.
    let head = try source.bytes(at: entries, count: min(count, 2) * size, of: "a directory of \(count) entries")
    var role = Role.page
    for start in stride(from: 0, to: head.count, by: size) {
      let tag = Int(head.number(at: start, bytes: 2, isBigEndian: source.isBigEndian))
      let type = Int(head.number(at: start + 2, bytes: 2, isBigEndian: source.isBigEndian))
      let bytes = min(TagType.size(type), 4)
      let value = head.number(at: start + 4 + source.offsetSize, bytes: bytes, isBigEndian: source.isBigEndian)
      if tag == Tag.newSubfileType { role = value & 1 != 0 ? .reduced : value & 4 != 0 ? .mask : .page }
      if tag == Tag.subfileType, role == .page, value == 2 { role = .reduced }
    }
    let link = entries + count * size
    // A file that ends where the link should be has no further directory.
    let next =
      link <= source.size - source.offsetSize
      ? try source.number(at: link, bytes: source.offsetSize, of: "a directory's link") : 0
    return Step(role: role, next: Int(clamping: next))
  }
}
