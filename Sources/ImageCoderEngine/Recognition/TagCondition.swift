// SPDX-License-Identifier: Apache-2.0

/// A tag that a directory of a TIFF or BigTIFF file has.
///
/// What is read has a bound, whatever the file says: 16 directories of 512 entries, each directory once. A directory with
/// more entries says nothing.
///
/// - Format: TIFF 6.0 §2; TIFF Technical Note 1 for SubIFDs; BigTIFF.
package struct TagCondition: Sendable, Equatable {
  let tag: UInt16
  /// One of them has to be the tag's first value; none for any value.
  let values: [UInt32]
  /// Whether all directories of the chain and the SubIFDs count, not the first directory alone.
  let looksAtAll: Bool

  package init(_ tag: UInt16, values: [UInt32] = [], looksAtAll: Bool = false) {
    self.tag = tag
    self.values = values
    self.looksAtAll = looksAtAll
  }

  package static let mostDirectories = 16
  package static let mostEntries = 512

  func recognition<File: RecognizableBytes>(of file: File) throws(File.Failure) -> Recognition {
    let head = try file.bytes(at: 0, count: 16)
    guard head.count >= 8 else { return file.missing(upTo: 8) }
    guard let shape = Shape(head) else { return head.count < 16 ? file.missing(upTo: 16) : .no }
    var walk = DirectoryWalk(first: shape.number(head, at: shape.firstPlace, bytes: shape.offsetSize))
    /// The fewest bytes that may still show the tag.
    var needed: Int?
    while let place = walk.next() {
      switch try look(at: place, in: file, shape, &walk) {
      case .yes: return .yes(strength: FormatCondition.strength)
      case .needMore(let bytes): needed = min(needed ?? bytes, bytes)
      case .no: break
      }
      guard looksAtAll else { break }
    }
    return needed.map { .needMore(bytes: $0) } ?? .no
  }

  /// Looks through one directory, and notes where others are.
  private func look<File: RecognizableBytes>(
    at place: Int, in file: File, _ shape: Shape, _ walk: inout DirectoryWalk
  ) throws(File.Failure) -> Recognition {
    let (entriesPlace, isFar) = place.addingReportingOverflow(shape.countSize)
    guard !isFar else { return .no }
    let head = try file.bytes(at: place, count: shape.countSize)
    guard head.count == shape.countSize else { return file.missing(upTo: entriesPlace) }
    guard let count = shape.number(head, at: 0, bytes: shape.countSize), count <= Self.mostEntries else { return .no }
    let length = count * shape.entrySize
    let (end, overflow) = entriesPlace.addingReportingOverflow(length + shape.offsetSize)
    guard !overflow else { return .no }
    let entries = try file.bytes(at: entriesPlace, count: length + shape.offsetSize)
    var nested: Entry?
    for index in 0..<count {
      // A file that is cut here has only the entries before.
      guard (index + 1) * shape.entrySize <= entries.count else { return file.missing(upTo: end) }
      let entry = Entry(entries, at: index * shape.entrySize, shape)
      if entry.tag == tag, values.isEmpty || entry.first.map({ values.contains($0) }) ?? false {
        return .yes(strength: FormatCondition.strength)
      }
      if entry.tag == Self.subIFDs { nested = entry }
    }
    guard looksAtAll else { return .no }
    var answer = Recognition.no
    // A file may end where the link should be.
    if entries.count == length + shape.offsetSize {
      walk.add(shape.number(entries, at: length, bytes: shape.offsetSize))
    } else {
      answer = file.missing(upTo: end)
    }
    if let nested { answer.merge(try note(nested, in: file, shape, to: &walk)) }
    return answer
  }

  /// Notes the directories that SubIFDs leads to.
  private func note<File: RecognizableBytes>(
    _ entry: Entry, in file: File, _ shape: Shape, to walk: inout DirectoryWalk
  ) throws(File.Failure) -> Recognition {
    guard let size = shape.sizeOfOffset(entry.type) else { return .no }
    let count = min(entry.count, Self.mostDirectories)
    if entry.count * size <= shape.offsetSize {
      for index in 0..<count { walk.add(shape.number(entry.field, at: index * size, bytes: size)) }
      return .no
    }
    guard let place = shape.number(entry.field, at: 0, bytes: shape.offsetSize) else { return .no }
    let offsets = try file.bytes(at: place, count: count * size)
    for index in 0..<(offsets.count / size) { walk.add(shape.number(offsets, at: index * size, bytes: size)) }
    let (end, overflow) = place.addingReportingOverflow(count * size)
    return offsets.count == count * size || overflow ? .no : file.missing(upTo: end)
  }

  private static let subIFDs: UInt16 = 330
}

/// Directories that are to be looked at, each once.
private struct DirectoryWalk {
  private var places: [Int] = []
  private var index = 0

  init(first: Int?) { add(first) }

  /// Notes a directory; 0 is the end of a chain.
  mutating func add(_ place: Int?) {
    guard let place, place >= 8, places.count < TagCondition.mostDirectories, !places.contains(place) else { return }
    places.append(place)
  }

  mutating func next() -> Int? {
    guard index < places.count else { return nil }
    defer { index += 1 }
    return places[index]
  }
}

/// How numbers stand in a TIFF file.
private struct Shape {
  let isLittleEndian: Bool
  let isBig: Bool

  /// Nil for a file that is no TIFF.
  init?(_ head: UnsafeRawBufferPointer) {
    switch (head[0], head[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4D, 0x4D): isLittleEndian = false
    default: return nil
    }
    let version = isLittleEndian ? (head[2], head[3]) : (head[3], head[2])
    switch version {
    case (42, 0): isBig = false
    case (43, 0) where head.count >= 16: isBig = true
    default: return nil
    }
  }

  /// Where the first directory's offset is.
  var firstPlace: Int { isBig ? 8 : 4 }
  var countSize: Int { isBig ? 8 : 2 }
  var offsetSize: Int { isBig ? 8 : 4 }
  var entrySize: Int { isBig ? 20 : 12 }

  /// A number that has to be there, or nil if it is too large.
  func number(_ bytes: UnsafeRawBufferPointer, at place: Int, bytes count: Int) -> Int? {
    var value: UInt64 = 0
    for index in 0..<count { value = value << 8 | UInt64(bytes[place + (isLittleEndian ? count - 1 - index : index)]) }
    return Int(exactly: value)
  }

  /// Bytes of an offset of a type, or nil for a type that holds none.
  func sizeOfOffset(_ type: Int) -> Int? {
    switch type {
    case 4, 13: 4
    case 16, 18: 8
    default: nil
    }
  }

  /// Bytes of a whole number of a type without a sign, or nil for another type.
  func sizeOfNumber(_ type: Int) -> Int? {
    switch type {
    case 1: 1
    case 3: 2
    default: sizeOfOffset(type)
    }
  }
}

/// An entry of a directory.
private struct Entry {
  let tag: UInt16
  let type: Int
  /// How many values it has; the largest number for more.
  let count: Int
  /// Its value, or where the values are.
  let field: UnsafeRawBufferPointer
  /// The first value, if it is a whole number that stands in the entry.
  let first: UInt32?

  /// - Parameter bytes: Has to have the whole entry.
  init(_ bytes: UnsafeRawBufferPointer, at place: Int, _ shape: Shape) {
    tag = UInt16(truncatingIfNeeded: shape.number(bytes, at: place, bytes: 2) ?? 0)
    type = shape.number(bytes, at: place + 2, bytes: 2) ?? 0
    // More values than fit into a file's entry are somewhere else: that there are many is all that matters.
    count = min(shape.number(bytes, at: place + 4, bytes: shape.offsetSize) ?? 1 << 32, 1 << 32)
    field = UnsafeRawBufferPointer(rebasing: bytes[(place + 4 + shape.offsetSize)...].prefix(shape.offsetSize))
    guard let size = shape.sizeOfNumber(type), count > 0, count * size <= shape.offsetSize else {
      first = nil
      return
    }
    first = shape.number(field, at: 0, bytes: size).flatMap { UInt32(exactly: $0) }
  }
}
