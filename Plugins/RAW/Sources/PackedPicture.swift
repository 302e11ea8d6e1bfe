// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import ImageCoderPlugin

/// The picture of a DNG file whose samples LibRaw 0.20 does not find or understand: several tiles without compression, deflate,
/// JPEG XL, columns and rows by turns.
///
/// The library gets a copy of the file in which another directory leads to the same samples, unpacked, in one strip: so it
/// develops them as those of any camera ([0034](../../../docs/decisions/0034-samples-of-dng.md)).
///
/// - Format: Digital Negative Specification 1.7.1; TIFF 6.0 §14 and 15, TIFF Technical Note 3.
struct PackedPicture {
  private let directory: DNGDirectory
  private let picture: craw_packed
  private let places: [UInt64]
  private let lengths: [UInt64]
  /// Bytes of the file.
  private let fileSize: Int

  var isJXL: Bool { picture.compression == UInt32(CRAW_PACKED_JXL) }

  /// Directories that are looked at, and tiles.
  private static let mostDirectories = 32, mostTiles = 1 << 20

  /// Nil if the library reads the file as it is, or does not know it.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` for samples that neither reads, so that TIFF's coder shows a preview in their place.
  init?(in contents: UnsafeRawBufferPointer) throws(CoderError) {
    let bytes = RawSpan(_unsafeBytes: contents)
    guard let order = ExifPayload.byteOrder(of: bytes) else { return nil }
    let reader = ByteReader(bytes, order: order, of: "the file")
    guard let directory = Self.raw(in: reader) else { return nil }
    do throws(CoderError) {
      if let problem = directory.problem { throw problem }
      guard let layout = try Self.layout(of: directory, in: reader) else { return nil }
      (picture, places, lengths) = layout
    } catch {
      // The library would take samples that it does not know for damaged ones.
      let compression = (try? directory.numbers(259, in: reader).first) ?? 1
      let isOurs = [8, 32_946, 52_546].contains(compression)
      if error.code == .wrongFormat || isOurs && error.code == .truncated { throw error }
      return nil
    }
    self.directory = directory
    fileSize = contents.count
  }

  /// The directory of the sensor's samples: the first one that is neither a preview nor anything else beside them. Directories
  /// are those of the chain, each with those that it leads to.
  private static func raw(in reader: borrowing ByteReader) -> DNGDirectory? {
    var links = [4]
    var isDNG = false
    var index = 0
    while index < min(links.count, mostDirectories) {
      defer { index += 1 }
      guard let directory = try? DNGDirectory(reader, linkedAt: links[index]) else { continue }
      isDNG = isDNG || directory.entries[50_706] != nil
      let kind = (try? directory.numbers(254, in: reader)) ?? []
      let photometric = (try? directory.numbers(262, in: reader)) ?? []
      if (kind.first ?? 0) == 0, [32_803, 34_892].contains(photometric.first ?? 0) { return isDNG ? directory : nil }
      links += ((try? directory.place(of: 330, in: reader, most: mostDirectories)) ?? []).map(\.start)
      links.append(directory.nextLink)
    }
    return nil
  }

  private typealias Layout = (picture: craw_packed, places: [UInt64], lengths: [UInt64])

  private static func layout(
    of directory: DNGDirectory, in reader: borrowing ByteReader
  ) throws(CoderError) -> Layout? {
    func number(_ tag: UInt16, _ standard: Int) throws(CoderError) -> Int {
      try directory.numbers(tag, in: reader).first ?? standard
    }
    let (width, height) = (try number(256, 0), try number(257, 0))
    let isTiled = directory.entries[322] != nil
    var picture = craw_packed()
    picture.width = UInt32(width)
    picture.height = UInt32(height)
    picture.samples = UInt32(try number(277, 1))
    picture.bits = UInt32(try number(258, 1))
    picture.is_float = try number(339, 1) == 3 ? 1 : 0
    picture.is_big_endian = directory.order == .bigEndian ? 1 : 0
    picture.compression = UInt32(try number(259, 1))
    picture.tile_width = UInt32(isTiled ? try number(322, 0) : width)
    picture.tile_height = UInt32(isTiled ? try number(323, 0) : min(height, try number(278, height)))
    picture.column_fields = UInt32(try number(52_547, 1))
    picture.row_fields = UInt32(try number(50_975, 1))
    picture.white = Float(try number(50_717, 1))
    guard width > 0, height > 0, picture.tile_width > 0, picture.tile_height > 0 else { return nil }
    guard try number(284, 1) == 1 || picture.samples == 1 else {
      throw .wrongFormat("planes of samples one after the other")
    }
    let across = (width - 1) / Int(picture.tile_width) + 1
    let (count, overflow) = across.multipliedReportingOverflow(by: (height - 1) / Int(picture.tile_height) + 1)
    guard !overflow, count <= mostTiles else { return nil }
    let places = try directory.numbers(isTiled ? 324 : 273, in: reader, most: count).map { UInt64($0) }
    let lengths = try directory.numbers(isTiled ? 325 : 279, in: reader, most: count).map { UInt64($0) }
    guard places.count == count, lengths.count == count else { return nil }
    picture.tile_count = UInt64(count)
    let isWhole = count == 1 && Int(picture.tile_width) == width || !isTiled && follow(places, lengths)
    guard try isPacked(&picture, isWhole: isWhole, predictor: try number(317, 1)) else { return nil }
    let blacks = try directory.numbers(50_714, in: reader, most: 64)
    guard picture.is_float == 0 || blacks.allSatisfy({ $0 == 0 }) else {
      throw .wrongFormat("floating-point samples with a level of black")
    }
    return (picture, places, lengths)
  }

  /// Whether each strip begins where the one before ends.
  private static func follow(_ places: [UInt64], _ lengths: [UInt64]) -> Bool {
    zip(zip(places, lengths), places.dropFirst()).allSatisfy { $0.0 + $0.1 == $1 }
  }

  /// Whether the library does not read the samples, and this coder does.
  private static func isPacked(
    _ picture: inout craw_packed, isWhole: Bool, predictor: Int
  ) throws(CoderError) -> Bool {
    let isInTurns = picture.column_fields > 1 || picture.row_fields > 1
    switch Int(picture.compression) {
    // The library takes floating-point samples for whole numbers, unless it is built with Adobe's.
    case 1: guard !isWhole || isInTurns || picture.is_float != 0 else { return false }
    // Another number of the same.
    case 8, 32_946: picture.compression = UInt32(CRAW_PACKED_DEFLATE)
    case 52_546: guard craw_has_jxl() != 0 else { return false }
    default:
      guard isInTurns else { return false }
      throw .wrongFormat("columns or rows by turns in samples of compression \(picture.compression)")
    }
    let isFloat = picture.is_float != 0
    let depths = isFloat ? [16, 24, 32] : Array(8...16)
    guard (1...4).contains(picture.samples), depths.contains(Int(picture.bits)) else {
      throw .wrongFormat(
        "\(picture.samples) samples of \(picture.bits) bits\(isFloat ? " in floating point" : "")")
    }
    guard picture.compression != UInt32(CRAW_PACKED_JXL) else { return true }
    switch (predictor, isFloat) {
    case (1, _): (picture.predictor, picture.step) = (1, 1)
    case (2, false): (picture.predictor, picture.step) = (2, 1)
    case (34_892, false): (picture.predictor, picture.step) = (2, 2)
    case (34_893, false): (picture.predictor, picture.step) = (2, 4)
    case (3, true): (picture.predictor, picture.step) = (3, 1)
    case (34_894, true): (picture.predictor, picture.step) = (3, 2)
    case (34_895, true): (picture.predictor, picture.step) = (3, 4)
    default: throw .wrongFormat("predictor \(predictor) of samples of \(picture.bits) bits")
    }
    return true
  }

  /// Bytes of the samples in the copy.
  private var samplesSize: Int {
    Int(picture.width).multiplied(by: Int(picture.height)).multiplied(by: Int(picture.samples) * 2)
  }

  /// Bytes that are needed beside what the library needs, about: the copy, and a tile with what it is made of.
  var memory: Int {
    let pixels = Int(picture.tile_width).multiplied(by: Int(picture.tile_height))
    return fileSize.adding(samplesSize).adding(pixels.multiplied(by: Int(picture.samples) * 12))
  }

  /// The directory that the library gets.
  private func directory(samplesAt place: Int) -> DNGDirectory {
    var directory = directory
    directory.remove([258, 259, 273, 278, 279, 317, 322, 323, 324, 325, 339, 50_975, 52_547])
    directory.set(258, to: 16)
    directory.set(259, to: 1)
    directory.set(273, to: place)
    directory.set(278, to: Int(picture.height))
    directory.set(279, to: samplesSize)
    if picture.is_float != 0 {
      directory.set(50_717, to: 65_535)
    } else if directory.entries[50_717] == nil {
      // Of JPEG XL, values fill 8 or 16 bits.
      let bits = isJXL ? (picture.bits <= 8 ? 8 : 16) : Int(picture.bits)
      directory.set(50_717, to: 1 << bits - 1)
    }
    return directory
  }

  /// The file with another directory, and no samples: what the library needs to describe it.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a file of 4 GiB or more, with the samples.
  func described(_ contents: UnsafeRawBufferPointer) throws(CoderError) -> [UInt8] {
    try copy(of: contents, room: 0)
  }

  /// The file with another directory, and its samples unpacked.
  ///
  /// - Throws: What ``described(_:)`` throws, and what stops unpacking.
  /// - Returns: The file, and what is wrong with the samples, which are there all the same.
  func unpacked(
    _ contents: UnsafeRawBufferPointer, host: CoderHost
  ) throws(CoderError) -> (file: [UInt8], problem: CoderError?) {
    var file = try copy(of: contents, room: samplesSize)
    let start = file.count - samplesSize
    var problem: CoderError?
    do throws(CoderError) {
      try LibRaw.unpack(
        picture, places: places, lengths: lengths, of: contents, host: host, into: &file, at: start)
    } catch {
      guard error.code == .truncated || error.code == .malformed else { throw error }
      problem = error
    }
    return (file, problem)
  }

  private func copy(of contents: UnsafeRawBufferPointer, room: Int) throws(CoderError) -> [UInt8] {
    // Directories lie at even places.
    let start = contents.count + contents.count % 2
    let place = start + directory(samplesAt: 0).written.count
    guard place.adding(samplesSize) <= Int(UInt32.max) else {
      throw .unsupported("samples of \(samplesSize) bytes beside a file of \(contents.count)")
    }
    try ArrayMemory.check(bytes: place + room, for: "unpacked samples")
    var file = [UInt8](repeating: 0, count: place + room)
    file.withUnsafeMutableBytes { $0.copyMemory(from: contents) }
    file.replaceSubrange(start..<place, with: directory(samplesAt: place).written)
    file.replaceSubrange(directory.link..<directory.link + 4, with: directory.bytes(of: UInt32(start)))
    return file
  }
}

extension Int {
  /// At most `Int.max`.
  fileprivate func multiplied(by other: Int) -> Int {
    let (value, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : value
  }

  fileprivate func adding(_ other: Int) -> Int {
    let (value, overflow) = addingReportingOverflow(other)
    return overflow ? .max : value
  }
}
