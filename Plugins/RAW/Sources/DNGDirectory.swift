// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A directory of tags of a DNG file, by its entries.
///
/// - Format: TIFF 6.0 §2; Digital Negative Specification 1.7.1.
struct DNGDirectory {
  typealias Tag = UInt16

  /// Where the number is that leads to the directory.
  let link: Int
  let order: ByteOrder
  /// The twelve bytes of each entry, by its tag. Of entries with the same tag, the first counts.
  private(set) var entries: [Tag: [UInt8]] = [:]
  /// Where the number is that leads to the next directory, and its bytes.
  let nextLink: Int
  private let next: [UInt8]
  /// Why entries are missing; nil if none are.
  let problem: CoderError?

  /// Entries of a directory that are looked at.
  private static let most = 4096

  init(_ reader: borrowing ByteReader, linkedAt link: Int) throws(CoderError) {
    self.link = link
    order = reader.order
    let place = Int(try reader.uint32(at: link))
    let count = Int(try reader.uint16(at: place))
    guard count <= Self.most else { throw .unsupported("a directory of \(count) tags", at: place) }
    var problem: CoderError?
    for index in 0..<count where problem == nil {
      do throws(CoderError) {
        let entry = try reader.bytes(at: place + 2 + 12 * index, count: 12)
        let tag = try reader.uint16(at: place + 2 + 12 * index)
        if entries[tag] == nil { entries[tag] = [UInt8](copying: entry) }
      } catch {
        problem = error
      }
    }
    self.problem = problem
    nextLink = place + 2 + 12 * count
    next = bytesOrZeros(at: nextLink, reader)
  }

  /// The whole numbers of a tag; none if it is not there, or of another type.
  ///
  /// - Parameter most: How many there may be.
  func numbers(_ tag: Tag, in reader: borrowing ByteReader, most: Int = 16) throws(CoderError) -> [Int] {
    try place(of: tag, in: reader, most: most).map { place throws(CoderError) in
      switch place.size {
      case 1: Int(try reader.uint8(at: place.start))
      case 2: Int(try reader.uint16(at: place.start))
      default: Int(try reader.uint32(at: place.start))
      }
    }
  }

  /// Where the numbers of a tag are in the file, and how many bytes each has.
  func place(
    of tag: Tag, in reader: borrowing ByteReader, most: Int = 16
  ) throws(CoderError) -> [(start: Int, size: Int)] {
    guard let entry = entries[tag] else { return [] }
    let own = ByteReader(entry.span.bytes, order: order)
    let type = try own.uint16(at: 2)
    let size = [1: 1, 3: 2, 4: 4, 5: 4, 13: 4][type] ?? 0
    let count = Int(try own.uint32(at: 4))
    guard size > 0, count <= most else { return [] }
    // Of a fraction, the number above the line.
    let step = type == 5 ? 8 : size
    var start = Int(try own.uint32(at: 8))
    if count * step <= 4 { start = try entryPlace(of: tag, in: reader) + 8 }
    return (0..<count).map { (start + $0 * step, size) }
  }

  private func entryPlace(of tag: Tag, in reader: borrowing ByteReader) throws(CoderError) -> Int {
    let place = Int(try reader.uint32(at: link))
    for index in 0..<Int(try reader.uint16(at: place)) {
      let entry = place + 2 + 12 * index
      if try reader.uint16(at: entry) == tag { return entry }
    }
    return place
  }

  /// Takes tags out.
  mutating func remove(_ tags: [Tag]) { for tag in tags { entries[tag] = nil } }

  /// Sets a tag to a number of 32 bits.
  mutating func set(_ tag: Tag, to value: Int) {
    entries[tag] = bytes(of: tag) + bytes(of: UInt16(4)) + bytes(of: UInt32(1)) + bytes(of: UInt32(clamping: value))
  }

  /// The directory as it is written.
  var written: [UInt8] {
    bytes(of: UInt16(clamping: entries.count)) + entries.sorted { $0.key < $1.key }.flatMap(\.value) + next
  }

  /// A number in the order of the file.
  func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: order == .littleEndian ? number.littleEndian : number.bigEndian) { Array($0) }
  }
}

/// Four bytes, which a file that ends early may not have.
private func bytesOrZeros(at place: Int, _ reader: borrowing ByteReader) -> [UInt8] {
  do throws(CoderError) {
    return [UInt8](copying: try reader.bytes(at: place, count: 4))
  } catch {
    return [0, 0, 0, 0]
  }
}
