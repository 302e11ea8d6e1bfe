// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The directories of a file: its pages, and smaller versions of them.
///
/// Of an incremental file, the chain of directories is walked as far as it is asked for.
///
/// - Format: TIFF 6.0 §2 and NewSubfileType; TIFF Technical Note 1 for SubIFDs.
struct TIFFFile {
  /// An independent picture.
  struct Page {
    /// The offset of its directory.
    let offset: Int
    /// The offsets of directories after it that say that they are smaller versions of a picture.
    var reduced: [Int] = []
    /// The offsets of directories after it that say that they are masks of a picture.
    var masks: [Int] = []
  }

  let source: TIFFSource
  /// Those that are known, at least one.
  private(set) var pages: [Page] = []
  /// The chain of directories leaves the file.
  private(set) var isTruncated = false
  /// The chain of directories comes back to itself, or leads to something else.
  private(set) var isDamaged = false
  /// Whether the chain has been walked to its end.
  private(set) var isOver = false

  /// The first directories that the chain leads to, whatever they are for.
  private(set) var chain: [Int] = []
  private let limit: Int
  private var next: Link
  private var visited: Set<Int> = []
  /// Smaller versions before the first page.
  private var early: [Int] = []

  /// What leads to the next directory.
  private enum Link {
    case directory(at: Int)
    /// Where its offset is.
    case stored(at: Int)
  }

  /// Walks the chain of directories, or only as far as to the first page of an incremental file. Of each directory, only
  /// the first entries are looked at: tags are sorted.
  init(_ view: SourceView, host: CoderHost, isIncremental: Bool) throws(CoderError) {
    source = try TIFFSource(view)
    limit = host.limits.maxPages
    next = .directory(at: source.firstDirectory)
    if isIncremental { try advance(toPage: 0) } else { try advanceToTheEnd() }
  }

  mutating func advanceToTheEnd() throws(CoderError) {
    while !isOver { try advance() }
  }

  /// Goes on until a page is known, or that there is none.
  mutating func advance(toPage index: Int) throws(CoderError) {
    while !isOver, pages.count <= index { try advance() }
  }

  /// Directories that say that they are smaller versions of a page.
  mutating func reduced(ofPage index: Int) throws(CoderError) -> [Int] {
    // They end where the next page begins.
    try advance(toPage: index + 1)
    return pages[index].reduced + (index == 0 ? early : [])
  }

  /// Takes one directory.
  private mutating func advance() throws(CoderError) {
    let place = try nextDirectory()
    guard place != 0 else { return try finish() }
    guard visited.insert(place).inserted else {
      isDamaged = true
      return try finish()
    }
    // Smaller versions are no pages, but they are not free either.
    let (bound, overflow) = limit.multipliedReportingOverflow(by: 16)
    guard visited.count <= (overflow ? .max : max(bound, 64)) else {
      throw .limitExceeded(.maxPages, found: visited.count, allowed: limit, what: "a directory count of")
    }
    let step: Step
    do throws(CoderError) {
      step = try Self.step(at: place, in: source)
    } catch {
      // The first directory has to be there; the pages before a broken one are.
      guard visited.count > 1, error.code == .truncated || error.code == .malformed else { throw error }
      if error.code == .truncated { isTruncated = true } else { isDamaged = true }
      return try finish()
    }
    next = .stored(at: step.link)
    if chain.count < CameraRaw.mostDirectories { chain.append(place) }
    switch step.role {
    case .page:
      pages.append(Page(offset: place))
      try checkPageCount()
    case .reduced:
      if pages.isEmpty { early.append(place) } else { pages[pages.count - 1].reduced.append(place) }
    case .mask: if !pages.isEmpty { pages[pages.count - 1].masks.append(place) }
    }
  }

  /// Follows the link of the directory before; 0 after the last.
  private func nextDirectory() throws(CoderError) -> Int {
    switch next {
    case .directory(let place): return place
    case .stored(let place):
      var link = try source.source.reader(at: place, count: source.offsetSize, order: source.order)
      // A file that ends where the link should be has no further directory.
      guard link.count == source.offsetSize else { return 0 }
      return Int(clamping: try link.unsigned(bytes: source.offsetSize))
    }
  }

  private mutating func finish() throws(CoderError) {
    isOver = true
    guard pages.isEmpty else { return }
    // All of them are smaller versions of something that is elsewhere, as in raw files of cameras.
    pages = (early.isEmpty ? [source.firstDirectory] : early).map { Page(offset: $0) }
    early = []
    try checkPageCount()
  }

  private func checkPageCount() throws(CoderError) {
    guard pages.count <= limit else {
      throw .limitExceeded(.maxPages, found: pages.count, allowed: limit, what: "a page count of")
    }
  }

  /// What a directory is for.
  private enum Role {
    case page, reduced, mask
  }

  private struct Step {
    let role: Role
    /// Where the offset of the next directory is.
    let link: Int
  }

  private static func step(at offset: Int, in source: TIFFSource) throws(CoderError) -> Step {
    let count = try source.entryCount(at: offset)
    let size = source.entrySize
    let entries = offset + source.countSize
    var role = Role.page
    // NewSubfileType and SubfileType have the smallest tags that there are.
    let looked = min(count, 2)
    try source.read(
      at: entries, count: looked * size, of: "a directory of \(count) entries"
    ) { (reader) throws(CoderError) in
      for index in 0..<looked {
        let start = index * size
        let tag = Int(try reader.uint16(at: start))
        let type = TagType(rawValue: Int(try reader.uint16(at: start + 2)))
        let value = try reader.unsigned(bytes: min(type.size, 4), at: start + 4 + source.offsetSize)
        if tag == Tag.newSubfileType { role = value & 1 != 0 ? .reduced : value & 4 != 0 ? .mask : .page }
        if tag == Tag.subfileType, role == .page, value == 2 { role = .reduced }
      }
    }
    return Step(role: role, link: entries + count * size)
  }
}
