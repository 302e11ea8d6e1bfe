// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The channels of a picture as they are stored: one after the other, rows from the top.
protocol StoredPlanes: AnyObject {
  /// Reads rows of a channel. The rows of each channel are asked for from the top, each once.
  ///
  /// - Parameter target: Room for all of them, one after the other.
  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows

  /// What is wrong although every row is there.
  var checksumProblem: CoderError? { get }
}

extension StoredPlanes {
  var checksumProblem: CoderError? { nil }
}

/// How many rows could be read, and why no more.
struct ReadRows {
  var count: Int
  var problem: CoderError?
}

/// Channels that are not compressed.
final class RawPlanes: StoredPlanes {
  private let file: PSDFile
  private let source: SourceView

  init(_ file: PSDFile, in source: SourceView) {
    self.file = file
    self.source = source
  }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    let rowBytes = file.header.rowBytes
    let start = file.data + file.offset(ofPlane: plane) + rows.lowerBound * rowBytes
    let bytes = try source.view(at: start, count: rows.count * rowBytes)
    if let base = bytes.baseAddress {
      target.update(from: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
    let count = bytes.count / rowBytes
    return ReadRows(count: count, problem: count < rows.count ? Self.truncated(plane, source) : nil)
  }

  static func truncated(_ plane: Int, _ source: SourceView) -> CoderError {
    .truncated("the file ends in channel \(plane + 1) of the merged picture", at: source.size)
  }
}

/// Channels whose rows are packed one by one, after a table of their lengths.
final class PackedPlanes: StoredPlanes {
  private let file: PSDFile
  private let source: SourceView
  /// Where the next row of each channel begins.
  private var next: [Int] = []
  /// Where the last channel that is read ends.
  private(set) var end = 0

  private var entryBytes: Int { file.header.isLarge ? 4 : 2 }

  /// - Throws: ``CoderError/Code/truncated`` when the file ends in the table.
  init(_ file: PSDFile, in source: SourceView) throws(CoderError) {
    self.file = file
    self.source = source
    let height = file.header.canvas.height
    var place = file.data + file.header.channels * height * entryBytes
    for plane in 0..<file.planes {
      next.append(place)
      var first = 0
      while first < height {
        let count = min(height - first, 16_384)
        place += try lengths(first..<(first + count), of: plane).reduce(0, +)
        first += count
      }
    }
    end = place
  }

  private func lengths(_ rows: Range<Int>, of plane: Int) throws(CoderError) -> [Int] {
    let place = file.data + (plane * file.header.canvas.height + rows.lowerBound) * entryBytes
    var reader = try source.reader(at: place, count: rows.count * entryBytes, of: "the lengths of rows")
    var lengths: [Int] = []
    lengths.reserveCapacity(rows.count)
    for _ in rows {
      lengths.append(Int(entryBytes == 2 ? UInt32(try reader.uint16("a length")) : try reader.uint32("a length")))
    }
    return lengths
  }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    let lengths = try lengths(rows, of: plane)
    let (start, rowBytes) = (next[plane], file.header.rowBytes)
    let bytes = try source.view(at: start, count: lengths.reduce(0, +))
    var place = 0
    for (index, length) in lengths.enumerated() {
      guard length <= bytes.count - place else {
        return ReadRows(count: index, problem: RawPlanes.truncated(plane, source))
      }
      let packed = UnsafeRawBufferPointer(rebasing: bytes[place..<(place + length)])
      let found = PackBits.unpack(packed, to: target + index * rowBytes, count: rowBytes)
      guard found == rowBytes else {
        let message = "row \(rows.lowerBound + index) of channel \(plane + 1) has \(found) of \(rowBytes) bytes"
        return ReadRows(count: index, problem: .malformed(message, at: start + place))
      }
      place += length
    }
    next[plane] = start + place
    return ReadRows(count: lengths.count)
  }
}
