// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The directories of a file, to be changed without moving what stays.
struct DirectoryChain {
  /// A directory as it is going to be.
  struct Directory {
    let read: TIFFDirectory
    /// Bytes of the entries that stay, by tag.
    var entries: [(tag: Int, bytes: [UInt8])]
    /// Where the next directory is, or 0.
    let next: Int
    /// Tags of entries that are gone.
    var removed: Set<Int> = []
    var isChanged = false
  }

  let file: TIFFSource
  private(set) var directories: [Directory] = []
  /// New bytes after the file.
  private var tail: [UInt8] = []
  /// Where they begin: TIFF 6.0 §2 wants a word boundary.
  private let tailStart: Int
  /// The ranges of entries and directories that are gone.
  private var erased: [Range<Int>] = []
  private let fields: TIFFFieldWriter

  /// - Throws: ``CoderError/Code/limitExceeded`` for more directories than pages are allowed; ``CoderError`` for a
  ///   directory that cannot be read.
  init(_ file: TIFFSource, limits: Limits) throws(CoderError) {
    self.file = file
    fields = TIFFFieldWriter(order: file.order, isBigTIFF: file.isBigTIFF)
    tailStart = file.size + file.size % 2
    var place = file.firstDirectory
    var visited: Set<Int> = []
    while place != 0, visited.insert(place).inserted {
      guard directories.count < limits.maxPages else {
        throw .limitExceeded(
          .maxPages, found: directories.count + 1, allowed: limits.maxPages, what: "a directory count of")
      }
      let directory = try Self.directory(file, at: place)
      directories.append(directory)
      place = directory.next
    }
  }

  private static func directory(_ file: TIFFSource, at place: Int) throws(CoderError) -> Directory {
    let read = try TIFFDirectory(file, at: place)
    let count = try file.entryCount(at: place)
    let size = file.entrySize
    var entries: [(tag: Int, bytes: [UInt8])] = []
    try file.read(at: place + file.countSize, count: count * size, of: "a directory") { (reader) throws(CoderError) in
      for index in 0..<count {
        entries.append((Int(try reader.uint16(at: index * size)), try reader.array(size)))
      }
    }
    // A file may end where the link should be.
    let link = try ifReadable { () throws(CoderError) -> Int? in
      try file.read(at: place + file.countSize + count * size, count: file.offsetSize, of: "a link") {
        (reader) throws(CoderError) in Int(clamping: try reader.unsigned(bytes: file.offsetSize))
      }
    }
    return Directory(read: read, entries: entries, next: link ?? 0)
  }

  // MARK: Changing

  mutating func remove(_ tags: Set<Int>, from index: Int) {
    let read = directories[index].read
    for entry in read.entries where tags.contains(entry.tag) {
      if entry.length > file.offsetSize, read.isWhole(entry) { erased.append(entry.place..<entry.place + entry.length) }
    }
    let before = directories[index].entries.count
    directories[index].entries.removeAll { tags.contains($0.tag) }
    directories[index].removed.formUnion(tags)
    if directories[index].entries.count != before { directories[index].isChanged = true }
  }

  /// Takes out directories that entries lead to, with all that they lead to.
  mutating func removeNested(_ tags: [Int], from index: Int) throws(CoderError) {
    for tag in tags {
      if let nested = try ExifBlock.nested(tag, of: directories[index].read) { try erase(nested, depth: 0) }
      remove([tag], from: index)
    }
  }

  private mutating func erase(_ directory: TIFFDirectory, depth: Int) throws(CoderError) {
    if depth < 1, let inner = try ExifBlock.nested(Tag.interoperability, of: directory) {
      try erase(inner, depth: depth + 1)
    }
    let count = try file.entryCount(at: directory.offset)
    erased.append(directory.offset..<directory.offset + file.countSize + count * file.entrySize)
    for entry in directory.entries where entry.length > file.offsetSize && directory.isWhole(entry) {
      erased.append(entry.place..<entry.place + entry.length)
    }
  }

  mutating func add(_ tag: Int, _ type: TagType, _ value: [UInt8], to index: Int) {
    add(TIFFField(tag: tag, type: type, count: value.count, value: value), to: index)
  }

  mutating func add(_ field: TIFFField, to index: Int) {
    var writer = ByteWriter(order: file.order)
    writer.put(UInt16(truncatingIfNeeded: field.tag))
    writer.put(UInt16(truncatingIfNeeded: field.type.rawValue))
    writer.put(UInt64(field.count), bytes: file.offsetSize)
    if field.value.count <= file.offsetSize {
      writer.put(field.value)
      writer.putZeros(file.offsetSize - field.value.count)
    } else {
      writer.put(fields.offset(append(field.value)))
    }
    let entries = directories[index].entries
    let place = entries.firstIndex { $0.tag > field.tag } ?? entries.count
    directories[index].entries.insert((field.tag, writer.bytes), at: place)
    directories[index].isChanged = true
  }

  /// Adds what Exif says of a page, with its directories.
  mutating func add(_ block: ExifBlock, to index: Int) throws(CoderError) {
    for field in block.main {
      remove([field.tag], from: index)
      add(field, to: index)
    }
    var exif = block.exif
    if !block.interoperability.isEmpty {
      exif.append(fields.offsets(Tag.interoperability, [try append(block.interoperability)]))
    }
    for (tag, nested) in [(Tag.exif, exif), (Tag.gps, block.gps)] where !nested.isEmpty {
      add(fields.offsets(tag, [try append(nested)]), to: index)
    }
  }

  private mutating func append(_ nested: [TIFFField]) throws(CoderError) -> Int {
    // The place does not depend on what is there.
    append(try fields.directory(nested, at: tailStart + tail.count + tail.count % 2))
  }

  /// - Returns: Where the bytes are in the new file.
  private mutating func append(_ bytes: [UInt8]) -> Int {
    if tail.count % 2 == 1 { tail.append(0) }
    let place = tailStart + tail.count
    tail += bytes
    return place
  }

  // MARK: Writing

  /// The new file.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if it has no room for what is new: offsets have 32 bits but in BigTIFF.
  func pieces() throws(CoderError) -> FilePieces {
    var copy = self
    var patches = copy.writeDirectories()
    if !file.isBigTIFF, tailStart + copy.tail.count > Int(UInt32.max) {
      throw .unsupported("a TIFF file of more than 4 GiB")
    }
    let kept = try retained() + patches.map { $0.place..<$0.place + $0.bytes.count }
    patches += FilePieces.parts(of: erased, without: kept).map(Self.zeros)
    var result = FilePieces()
    var place = 0
    // Directories may share bytes in a file that wants to confuse: the first of two patches counts.
    for patch in patches.sorted(by: { $0.place < $1.place }) where patch.place >= place {
      result.keep(place..<patch.place)
      result.put(patch.bytes)
      place = patch.place + patch.bytes.count
    }
    result.keep(min(place, file.size)..<file.size)
    guard !copy.tail.isEmpty else { return result }
    result.put([UInt8](repeating: 0, count: tailStart - file.size))
    result.put(copy.tail)
    return result
  }

  private typealias Patch = (place: Int, bytes: [UInt8])

  private static func zeros(_ range: Range<Int>) -> Patch {
    (range.lowerBound, [UInt8](repeating: 0, count: range.count))
  }

  /// Writes the directories that change, from the last to the first, since each says where the next one is.
  ///
  /// - Returns: What is overwritten in the file.
  private mutating func writeDirectories() -> [Patch] {
    var patches: [Patch] = []
    /// Where the directory after this one has gone.
    var moved: Int?
    for directory in directories.reversed() {
      let link = fields.offset(moved ?? directory.next)
      let start = directory.read.offset
      let room = ((try? file.entryCount(at: start)) ?? 0) * file.entrySize
      let linkPlace = start + file.countSize + room
      guard directory.isChanged else {
        if moved != nil, linkPlace + link.count <= file.size { patches.append((linkPlace, link)) }
        moved = nil
        continue
      }
      var writer = ByteWriter(order: file.order)
      writer.put(UInt64(directory.entries.count), bytes: file.countSize)
      for entry in directory.entries { writer.put(entry.bytes) }
      writer.put(link)
      if directory.entries.count * file.entrySize <= room, linkPlace + link.count <= file.size {
        writer.putZeros(linkPlace + link.count - start - writer.count)
        patches.append((start, writer.bytes))
        moved = nil
      } else {
        patches.append(Self.zeros(start..<min(linkPlace, file.size)))
        moved = append(writer.bytes)
      }
    }
    if let moved { patches.append((file.isBigTIFF ? 8 : 4, fields.offset(moved))) }
    return patches
  }

  /// What stays where it is: the header, values of entries that stay, strips and tiles.
  private func retained() throws(CoderError) -> [Range<Int>] {
    var ranges = [0..<(file.isBigTIFF ? 16 : 8)]
    for directory in directories {
      for entry in directory.read.entries
      where !directory.removed.contains(entry.tag) && entry.length > file.offsetSize && directory.read.isWhole(entry) {
        ranges.append(entry.place..<entry.place + entry.length)
      }
      for (offsets, counts) in [(Tag.stripOffsets, Tag.stripByteCounts), (Tag.tileOffsets, Tag.tileByteCounts)] {
        let read = try ifReadable { () throws(CoderError) -> ([UInt64], [UInt64])? in
          guard let places = try directory.read.numbers(offsets, limit: 1 << 20),
            let lengths = try directory.read.numbers(counts, limit: 1 << 20)
          else { return nil }
          return (places, lengths)
        }
        guard let read else { continue }
        for (place, length) in zip(read.0, read.1) {
          let start = Int(clamping: place)
          guard start < file.size else { continue }
          ranges.append(start..<start + min(Int(clamping: length), file.size - start))
        }
      }
    }
    return ranges
  }
}
