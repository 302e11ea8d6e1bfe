// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Where the strips or tiles of a picture are in the file.
///
/// Raw strips may be of any height; here they are cut into lower ones, which threads share and the host gets one after
/// the other.
struct Striles {
  /// The offsets of strips or tiles, planes one after the other.
  private(set) var offsets: [UInt64]
  /// Bytes, as many numbers as offsets. 0 with an offset of 0: the file leaves it out.
  private(set) var lengths: [UInt64]
  /// Rows of a strip or tile.
  private(set) var height: Int
  /// Rows of them in one plane.
  private(set) var down: Int

  /// Bytes of raw rows that are handled at a time.
  private static let rawBytes = 128 << 10
  /// The same of an incremental file: rows are shown as soon as so many bytes are there.
  private static let incrementalBytes = 16 << 10
  /// Strips or tiles that a directory may lack.
  private static let mostMissing = 1 << 20
  /// An offset that is beyond every file's end.
  private static let nowhere = UInt64(Int64.max)

  /// - Parameters:
  ///   - rowBytes: Of a raw row of one plane, or of a row of blocks.
  ///   - rowsPerUnit: Rows that cannot be taken apart.
  init(_ picture: TIFFPicture, rowBytes: Int, rowsPerUnit: Int) throws(CoderError) {
    let directory = picture.directory
    let planes = picture.planes
    let count = try Self.count(of: picture)
    let places = directory[Tag.tileOffsets] != nil && picture.isTiled ? Tag.tileOffsets : Tag.stripOffsets
    let sizes = directory[Tag.tileByteCounts] != nil && picture.isTiled ? Tag.tileByteCounts : Tag.stripByteCounts
    guard let offsets = try directory.numbers(places, limit: count), !offsets.isEmpty else {
      throw .malformed("a directory without offsets of strips or tiles", at: directory.offset)
    }
    guard count - offsets.count <= Self.mostMissing else {
      throw .malformed("\(offsets.count) offsets of strips or tiles, \(count) are needed", at: directory.offset)
    }
    guard offsets.contains(where: { $0 != 0 }) else {
      throw .malformed("\(count) strips or tiles without any bytes", at: directory.offset)
    }
    // More strips than RowsPerStrip makes: where the planes begin is then anyone's guess.
    let stored = directory[places]?.count ?? 0
    guard planes == 1 || stored <= count else {
      throw .malformed("\(stored) strips or tiles of \(planes) planes, \(count) fit the size", at: directory.offset)
    }
    self.offsets = offsets + [UInt64](repeating: Self.nowhere, count: count - offsets.count)
    height = picture.strile.height
    down = picture.down
    if picture.compression == .none {
      lengths = []
      let stated = try directory.numbers(sizes, limit: offsets.count) ?? []
      setRawLengths(picture, stated: stated, rowBytes: rowBytes, rowsPerUnit: rowsPerUnit)
      if !picture.isTiled { cut(picture, planes: planes, rowBytes: rowBytes, rowsPerUnit: rowsPerUnit) }
      return
    }
    lengths = try directory.numbers(sizes, limit: offsets.count) ?? []
    let isUnbounded = lengths.count < offsets.count || zip(offsets, lengths).contains { $0 != 0 && $1 == 0 }
    if isUnbounded { try directory.file.waitForAll() }
    let fileSize = UInt64(directory.file.size)
    // Without a word on lengths, a codec gets all that follows and stops by itself.
    for offset in offsets[lengths.count...] { lengths.append(offset < fileSize ? fileSize - offset : 1) }
    // A length of 0 beside an offset is no length either.
    for index in lengths.indices where lengths[index] == 0 && offsets[index] != 0 {
      lengths[index] = offsets[index] < fileSize ? fileSize - offsets[index] : 1
    }
    lengths += [UInt64](repeating: 1, count: count - offsets.count)
  }

  /// Strips or tiles of all planes: how many offsets and lengths there are, for every compression.
  private static func count(of picture: TIFFPicture) throws(CoderError) -> Int {
    let (perPlane, overflow) = picture.across.multipliedReportingOverflow(by: picture.down)
    let (count, overflows) = perPlane.multipliedReportingOverflow(by: picture.planes)
    guard !overflow, !overflows, perPlane <= Int(UInt32.max) / 16 else {
      throw .unsupported("\(picture.across) × \(picture.down) strips or tiles, 2²⁸ at most")
    }
    return count
  }

  /// Old JPEG's codec finds its bytes by itself, so no place in the file is looked up.
  init(oldJPEG picture: TIFFPicture) throws(CoderError) {
    let count = try Self.count(of: picture)
    guard count <= Self.mostMissing else {
      throw .unsupported("\(count) strips or tiles of old-style JPEG, 2²⁰ at most")
    }
    offsets = [UInt64](repeating: 1, count: count)
    lengths = offsets
    height = picture.strile.height
    down = picture.down
  }

  /// Keeps some columns and rows of strips or tiles.
  mutating func keep(columns: Range<Int>, rows: Range<Int>, of picture: TIFFPicture) {
    func kept(_ numbers: [UInt64]) -> [UInt64] {
      var kept: [UInt64] = []
      kept.reserveCapacity(picture.planes * rows.count * columns.count)
      for plane in 0..<picture.planes {
        for row in rows {
          let first = (plane * down + row) * picture.across
          kept.append(contentsOf: numbers[(first + columns.lowerBound)..<(first + columns.upperBound)])
        }
      }
      return kept
    }
    (offsets, lengths) = (kept(offsets), kept(lengths))
    down = rows.count
  }

  /// Raw data is as long as it must be, or as short as the file says.
  private mutating func setRawLengths(_ picture: TIFFPicture, stated: [UInt64], rowBytes: Int, rowsPerUnit: Int) {
    lengths = offsets.indices.map { index -> UInt64 in
      guard offsets[index] != 0 else { return 0 }
      let top = (index / picture.across) % picture.down * picture.strile.height
      let rows = picture.isTiled ? picture.strile.height : min(picture.strile.height, picture.canvas.height - top)
      let units = UInt64((rows + rowsPerUnit - 1) / rowsPerUnit)
      let (bytes, overflow) = UInt64(rowBytes).multipliedReportingOverflow(by: units)
      let needed = overflow ? Self.nowhere : bytes
      return index < stated.count && stated[index] > 0 ? min(needed, stated[index]) : needed
    }
  }

  private mutating func cut(_ picture: TIFFPicture, planes: Int, rowBytes: Int, rowsPerUnit: Int) {
    guard rowBytes > 0, picture.down == 1 || picture.strile.height % rowsPerUnit == 0 else { return }
    let units = (picture.strile.height + rowsPerUnit - 1) / rowsPerUnit
    let bytesAtOnce = picture.directory.file.isComplete ? Self.rawBytes : Self.incrementalBytes
    var unitsAtOnce = min(units, max(1, bytesAtOnce / rowBytes))
    // Where there are several strips, each has to be cut into parts of the same height.
    if picture.down > 1 { while units % unitsAtOnce != 0 { unitsAtOnce -= 1 } }
    guard unitsAtOnce < units else { return }
    height = unitsAtOnce * rowsPerUnit
    down = (picture.canvas.height + height - 1) / height
    let perStrip = picture.down == 1 ? down : units / unitsAtOnce
    let bytes = UInt64(unitsAtOnce * rowBytes)
    var (places, sizes): ([UInt64], [UInt64]) = ([], [])
    places.reserveCapacity(down * planes)
    sizes.reserveCapacity(down * planes)
    for plane in 0..<planes {
      for part in 0..<down {
        let strip = plane * picture.down + part / perStrip
        let skipped = UInt64(part % perStrip) * bytes
        let (start, overflow) = offsets[strip].addingReportingOverflow(skipped)
        places.append(offsets[strip] == 0 ? 0 : overflow ? Self.nowhere : start)
        sizes.append(lengths[strip] > skipped ? min(bytes, lengths[strip] - skipped) : 0)
      }
    }
    (offsets, lengths) = (places, sizes)
  }
}
