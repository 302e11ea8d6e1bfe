// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Exif of a page: what it says of its picture, its Exif directory, and its GPS directory.
///
/// A TIFF file has these directories in itself, so the payload is made anew, with every value byte for byte as the
/// file has it. Offsets inside of MakerNote are not followed.
///
/// - Format: Exif 2.32 §§4.5–4.6.
extension ExifBlock {
  /// Entries of one directory that are looked at.
  static let mostEntries = 1000

  /// Whether a page has an Exif or GPS directory, or says itself what such a directory is read for.
  static func isPresent(in directory: TIFFDirectory) throws(CoderError) -> Bool {
    if Tag.telling.contains(where: { directory[$0] != nil }) { return true }
    for tag in [Tag.exif, Tag.gps] where try nested(tag, of: directory) != nil { return true }
    return false
  }

  /// The same without a look at the directories.
  static func isAnnounced(in directory: TIFFDirectory) -> Bool {
    Tag.telling.union([Tag.exif, Tag.gps]).contains { directory[$0] != nil }
  }

  /// The structure for a page, or nil when it has nothing for one.
  ///
  /// - Parameter isAlways: Whether what a page itself says of its picture is enough.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  static func read(
    _ directory: TIFFDirectory, limits: Limits, isAlways: Bool = false
  ) throws(CoderError) -> [UInt8]? {
    if !isAlways, try !isPresent(in: directory) { return nil }
    var block = ExifBlock()
    var budget = limits.maxMetadata
    block.main = try fields(of: directory, limits: limits, budget: &budget) {
      Tag.descriptive.contains($0) || Tag.windows.contains($0)
    }
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
  ) throws(CoderError) -> [TIFFField] {
    var fields: [TIFFField] = []
    for entry in directory.entries.prefix(mostEntries) {
      guard isWanted(entry.tag), entry.type.rawValue <= 13, entry.length > 0, directory.isWhole(entry) else { continue }
      budget -= entry.length
      guard budget >= 0 else {
        try limits.check(metadata: .max)
        return fields
      }
      fields.append(
        TIFFField(tag: entry.tag, type: entry.type, count: entry.count, value: try directory.bytes(of: entry)))
    }
    return fields
  }
}
