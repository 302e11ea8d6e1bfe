// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Exif as other formats carry it: a small TIFF structure with what a page says of its picture, its Exif directory, and
/// its GPS directory.
///
/// A TIFF file has these directories in itself, so the structure is made anew, with every value byte for byte as the
/// file has it. Offsets inside of MakerNote are not followed.
///
/// - Format: Exif 2.32 §§4.5–4.6.
struct ExifBlock {
  /// The descriptive fields of the first directory.
  var main: [Field] = []
  var exif: [Field] = []
  var gps: [Field] = []
  var interoperability: [Field] = []
  /// Fields that a payload has and a TIFF file of ours does not.
  var dropped = 0

  /// Entries of one directory that are looked at.
  static let mostEntries = 1000

  /// Whether a page has an Exif or GPS directory.
  static func isPresent(in directory: TIFFDirectory) throws(CoderError) -> Bool {
    for tag in [Tag.exif, Tag.gps] where try nested(tag, of: directory) != nil { return true }
    return false
  }

  /// Whether a page says that it has one of them, without a look at it.
  static func isAnnounced(in directory: TIFFDirectory) -> Bool {
    [Tag.exif, Tag.gps].contains { directory[$0] != nil }
  }

  /// The structure for a page, or nil when it has neither of the directories.
  ///
  /// - Parameter isAlways: Whether what a page itself says of its picture is enough.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  static func read(
    _ directory: TIFFDirectory, limits: Limits, isAlways: Bool = false
  ) throws(CoderError) -> [UInt8]? {
    if !isAlways, try !isPresent(in: directory) { return nil }
    var block = ExifBlock()
    var budget = limits.maxMetadata
    block.main = try fields(of: directory, limits: limits, budget: &budget) { Tag.descriptive.contains($0) }
    let pointers: Set = [Tag.exif, Tag.gps, Tag.interoperability, Tag.subIFDs]
    if let exif = try nested(Tag.exif, of: directory) {
      block.exif = try fields(of: exif, limits: limits, budget: &budget) { !pointers.contains($0) }
      if let inner = try nested(Tag.interoperability, of: exif) {
        block.interoperability = try fields(of: inner, limits: limits, budget: &budget) { !pointers.contains($0) }
      }
    }
    if let gps = try nested(Tag.gps, of: directory) {
      block.gps = try fields(of: gps, limits: limits, budget: &budget) { !pointers.contains($0) }
    }
    let payload = try block.payload(directory.file.order)
    try limits.check(metadata: payload.count)
    return payload
  }

  /// The directory that a tag leads to; nil for a tag that leads to none.
  static func nested(_ tag: Int, of directory: TIFFDirectory) throws(CoderError) -> TIFFDirectory? {
    try ifReadable { () throws(CoderError) -> TIFFDirectory? in
      guard let place = try directory.number(tag), place >= 8, place != directory.offset else { return nil }
      return try TIFFDirectory(directory.file, at: place)
    }
  }

  private static func fields(
    of directory: TIFFDirectory, limits: Limits, budget: inout Int, where isWanted: (Int) -> Bool
  ) throws(CoderError) -> [Field] {
    var fields: [Field] = []
    for entry in directory.entries.prefix(mostEntries) {
      guard isWanted(entry.tag), entry.type <= 13, entry.length > 0, directory.isWhole(entry) else { continue }
      budget -= entry.length
      guard budget >= 0 else {
        try limits.check(metadata: .max)
        return fields
      }
      fields.append(
        Field(tag: entry.tag, type: entry.type, count: entry.count, value: try directory.bytes(of: entry)))
    }
    return fields
  }

  /// The structure as a payload, from its TIFF header on.
  func payload(_ order: ByteOrder) throws(CoderError) -> [UInt8] {
    let writer = FieldWriter(order: order, isBigTIFF: false)
    var fields = main
    // The nested directories come after the first one, whose size does not depend on where they are.
    if hasExif { fields.append(writer.long(Tag.exif, 0)) }
    if !gps.isEmpty { fields.append(writer.long(Tag.gps, 0)) }
    let start = writer.headerSize
    let exifPlace = try start + writer.directory(fields, at: start).count
    var inner = exif
    if !interoperability.isEmpty { inner.append(writer.long(Tag.interoperability, 0)) }
    let innerPlace = try exifPlace + (hasExif ? writer.directory(inner, at: exifPlace).count : 0)
    if !interoperability.isEmpty { inner[inner.count - 1] = writer.long(Tag.interoperability, innerPlace) }
    let nested = interoperability.isEmpty ? [] : try writer.directory(interoperability, at: innerPlace)
    let gpsPlace = innerPlace + nested.count
    if hasExif { fields[main.count] = writer.long(Tag.exif, exifPlace) }
    if !gps.isEmpty { fields[fields.count - 1] = writer.long(Tag.gps, gpsPlace) }
    var payload = try writer.header(firstDirectory: start) + writer.directory(fields, at: start)
    if hasExif { payload += try writer.directory(inner, at: exifPlace) }
    payload += nested
    if !gps.isEmpty { payload += try writer.directory(gps, at: gpsPlace) }
    return payload
  }

  var hasExif: Bool { !exif.isEmpty || !interoperability.isEmpty }
}
