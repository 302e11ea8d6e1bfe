// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Changes to the boxes of a HEIF test picture, as its recipe writes them: one of each kind, numbers of 16 bits, `iloc` of
/// version 1 with fields of 4 bytes.
enum BoxEdit {
  /// Gives an item an `ispe`, before its other properties.
  static func stating(_ size: Size, ofItem item: Int, in bytes: [UInt8]) -> [UInt8] {
    var file = bytes
    let store = start(of: "ipco", in: file)
    let property = bigEndian(20) + Array("ispe".utf8) + [0, 0, 0, 0] + bigEndian(size.width) + bigEndian(size.height)
    let number = UInt8(count(in: store + 8..<store + value(at: store, in: file), of: file) + 1)

    // From the back to the front, so that places stay where they are.
    let links = start(of: "ipma", in: file)
    var entry = links + 16
    var added = 1
    let entries = value(at: links + 12, in: file)
    var left = entries
    while left > 0, Int(file[entry]) << 8 | Int(file[entry + 1]) != item {
      entry += 3 + Int(file[entry + 2])
      left -= 1
    }
    if left > 0 {
      file[entry + 2] += 1
      file.insert(number, at: entry + 3)
    } else {
      file.insert(contentsOf: [0, UInt8(item), 1, number], at: entry)
      put(entries + 1, at: links + 12, in: &file)
      added = 4
    }
    grow(links, by: added, in: &file)
    file.insert(contentsOf: property, at: store + value(at: store, in: file))
    grow(store, by: 20, in: &file)
    grow(start(of: "iprp", in: file), by: 20 + added, in: &file)
    grow(start(of: "meta", in: file), by: 20 + added, in: &file)

    movePlaces(by: 20 + added, in: &file)
    return file
  }

  /// Says that what is in the file lies further to its end.
  private static func movePlaces(by count: Int, in file: inout [UInt8]) {
    var place = start(of: "iloc", in: file) + 16
    for _ in 0..<(Int(file[place - 2]) << 8 | Int(file[place - 1])) {
      if file[place + 3] == 0 { grow(place + 6, by: count, in: &file) }
      place += 12 + 8 * (Int(file[place + 10]) << 8 | Int(file[place + 11]))
    }
  }

  private static func start(of name: String, in bytes: [UInt8]) -> Int {
    let name = Array(name.utf8)
    return (0..<(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(name) }.map { $0 - 4 } ?? 0
  }

  private static func count(in range: Range<Int>, of bytes: [UInt8]) -> Int {
    var (offset, count) = (range.lowerBound, 0)
    while offset < range.upperBound {
      offset += value(at: offset, in: bytes)
      count += 1
    }
    return count
  }

  private static func value(at offset: Int, in bytes: [UInt8]) -> Int {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func put(_ value: Int, at offset: Int, in bytes: inout [UInt8]) {
    bytes.replaceSubrange(offset..<(offset + 4), with: bigEndian(value))
  }

  private static func grow(_ offset: Int, by count: Int, in bytes: inout [UInt8]) {
    put(value(at: offset, in: bytes) + count, at: offset, in: &bytes)
  }
}

extension BoxEdit {
  /// Puts two items into a group of a type, ISO/IEC 14496-12 §8.18: `ster` is a stereo pair, the left picture first.
  static func grouping(_ items: [Int], as type: String, in bytes: [UInt8]) -> [UInt8] {
    var file = bytes
    let numbers = [100, items.count] + items
    let group = bigEndian(12 + 4 * numbers.count) + Array(type.utf8) + [0, 0, 0, 0] + numbers.flatMap(bigEndian)
    let box = bigEndian(8 + group.count) + Array("grpl".utf8) + group
    let meta = start(of: "meta", in: file)
    file.insert(contentsOf: box, at: meta + value(at: meta, in: file))
    grow(meta, by: box.count, in: &file)
    movePlaces(by: box.count, in: &file)
    return file
  }
}

extension BoxEdit {
  /// Adds an item that describes the first one, as a writer of several blocks of metadata leaves it: `iloc` and `iinf` are of
  /// version 0, and all items are in the file. Its bytes are in a box of their own at the end.
  ///
  /// - Parameter contentType: Of a `mime` item.
  static func describing(_ data: [UInt8], as type: String, _ contentType: String? = nil, in bytes: [UInt8]) -> [UInt8] {
    var file = bytes
    let places = start(of: "iloc", in: file)
    var (place, last) = (places + 16, 0)
    for _ in 0..<short(at: places + 14, in: file) {
      last = max(last, short(at: place, in: file))
      place += 6 + 8 * short(at: place + 4, in: file)
    }
    let item = Array(bigEndian(last + 1).suffix(2))
    let names: [UInt8] = Array(type.utf8) + [0] + (contentType.map { Array($0.utf8) + [0] } ?? [])
    let entry: [UInt8] = bigEndian(16 + names.count) + Array("infe".utf8) + [2, 0, 0, 0] + item + [0, 0] + names
    let reference: [UInt8] = bigEndian(14) + Array("cdsc".utf8) + item + [0, 1, 0, 1]
    let added = entry.count + 14 + reference.count
    let end = bigEndian(bytes.count + added + 8)
    let extent: [UInt8] = item + [0, 0, 0, 1] + end + bigEndian(data.count)
    let additions: [(box: String, bytes: [UInt8])] = [("iloc", extent), ("iinf", entry), ("iref", reference)]
    for addition in additions {
      let start = start(of: addition.box, in: file)
      file.insert(contentsOf: addition.bytes, at: start + value(at: start, in: file))
      grow(start, by: addition.bytes.count, in: &file)
    }
    for count in [start(of: "iloc", in: file) + 14, start(of: "iinf", in: file) + 12] {
      file.replaceSubrange(count..<(count + 2), with: bigEndian(short(at: count, in: file) + 1).suffix(2))
    }
    grow(start(of: "meta", in: file), by: added, in: &file)
    place = start(of: "iloc", in: file) + 16
    // The last one is the new one, whose place is right.
    for _ in 1..<short(at: place - 2, in: file) {
      let extents = short(at: place + 4, in: file)
      for extent in 0..<extents { grow(place + 6 + 8 * extent, by: added, in: &file) }
      place += 6 + 8 * extents
    }
    return file + bigEndian(data.count + 8) + Array("mdat".utf8) + data
  }

  private static func short(at offset: Int, in bytes: [UInt8]) -> Int {
    Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }
}
