// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport

/// Reports of blocks that files have twice or in an order of their own, and of orientation that is stated twice.
extension ReportedLossTests {
  private typealias Row = ReportedLoss

  private static let owners = ["Copyright": "The first owner"]

  /// A block of Exif that says something else than ``owners``.
  private static func otherExif() throws -> [UInt8] {
    let file = try Row.registry.encode(try Row.photo(["Copyright": "The second owner"]), as: .jpeg)
    return try Row.registry.open(.bytes(file)).metadata(.exif) ?? []
  }

  /// A JPEG with a segment of an application before all of its own.
  private static func prefixed(_ file: [UInt8], _ segments: [UInt8]) -> [UInt8] { file[..<2] + segments + file[2...] }

  private static func hasOwner(_ decoder: ImageDecoder) throws -> Bool {
    try decoder.properties()["{TIFF}", "Copyright"] == .text("The first owner")
  }

  private static func isUpright(_ decoder: ImageDecoder) throws -> Bool {
    try decoder.header.displayedSize == Size(width: 48, height: 64)
      && (decoder.header.orientation != .up || decoder.properties()["{TIFF}", "Orientation"] != .integer(6))
  }

  static let repeated: [ReportedLoss] = [
    Row("libpng 634", "of two eXIf chunks, one after the pixels, the first counts, and the other is named") {
      let file = try Row.registry.encode(try Row.photo(owners), as: .png)
      let twice = file.dropLast(12) + ApplicationDataFile.chunk("eXIf", try otherExif()) + file.suffix(12)
      let made = try Row.made(Array(twice), .webP)
      return try hasOwner(try Row.registry.open(.bytes(made.bytes)))
        && made.changes.contains { $0.fact == .exif && $0.outcome == .dropped }
    },
    Row("ExifReader 583", "of several segments of Exif the first counts, and the others are named") {
      let second = ApplicationDataFile.segment(0xE1, Array("Exif\0\0".utf8) + (try otherExif()))
      let file = try Row.registry.encode(try Row.photo(owners), as: .jpeg)
      // After the first segment of Exif, which JFIF's may precede.
      let place = ReportedLossTests.end(ofExifIn: file)
      let made = try Row.made(Array(file[..<place] + second + file[place...]), .png)
      return try hasOwner(try Row.registry.open(.bytes(made.bytes)))
        && made.changes.contains { $0.fact == .exif && $0.outcome == .dropped }
    },
    Row("ExifReader 596", "IPTC is read after a broken segment of Photoshop") {
      let block = [0x1C, 2, 120, 0, 5] + Array("hello".utf8)
      let file = try Row.registry.encode(try Row.photo { $0.metadata[.iptc] = block }, as: .jpeg)
      let resource = Array("Photoshop 3.0\u{0}8BIM".utf8) + [0x04, 0x04, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2]
      let broken = prefixed(file, ApplicationDataFile.segment(0xED, resource))
      let stored = try Row.registry.open(.bytes(file)).metadata(.iptc)
      return try stored != nil && Row.registry.open(.bytes(broken)).metadata(.iptc) == stored
    },
    Row("exif_reader 5", "Exif is read after a segment of extended XMP") {
      let name = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
      let lone = name + [UInt8](repeating: 0x41, count: 32) + [0, 0, 0, 9, 0, 0, 0, 0] + Array("<x></x>..".utf8)
      let file = try Row.registry.encode(try Row.photo(owners), as: .jpeg)
      return try hasOwner(try Row.converted(prefixed(file, ApplicationDataFile.segment(0xE1, lone)), .webP))
    },
    Row("libjxl 4367", "JPEG XL that states its orientation twice is turned once, also when it is written again") {
      let stored = try Row.registry.transcode(.bytes(try Row.turned(.jpeg)), to: .jpegXL) ?? []
      return try isUpright(try Row.converted(stored, .jpegXL) { $0.allowsCopy = false })
    },
    Row("libjxl 4677", "a JPEG on its side in a JPEG XL is shown upright") {
      let stored = try Row.registry.transcode(.bytes(try Row.turned(.jpeg)), to: .jpegXL) ?? []
      return try Row.registry.open(.bytes(stored)).image().pixels.size == Size(width: 48, height: 64)
    },
    Row("hydrus 1684", "JPEG XL of a JPEG on its side becomes an upright PNG") {
      let stored = try Row.registry.transcode(.bytes(try Row.turned(.jpeg)), to: .jpegXL) ?? []
      return try Row.converted(stored, .png).header.canvas == Size(width: 48, height: 64)
    },
    Row("caesium 375", "Exif and density of TIFF and PNG are in JPEG") {
      try [ImageFormat.tiff, .png].allSatisfy { source in
        let image = try Row.photo(owners) { $0.density = Density(200) }
        let decoder = try Row.converted(try Row.registry.encode(image, as: source), .jpeg)
        return try hasOwner(decoder) && abs((decoder.header.resolution ?? 0) - 200) < 0.1
      }
    },
    Row("freefeed-server 679", "a broken thumbnail does not keep a picture from being turned") {
      // One directory with a copyright, and at 26 one of a thumbnail, 60,000 bytes at 60,000.
      let number: [UInt8] = [4, 0, 1, 0, 0, 0, 0x60, 0xEA, 0, 0]
      let exif =
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x98, 0x82, 2, 0, 4, 0, 0, 0, 0x61, 0x62, 0x63, 0, 26, 0, 0, 0]
        + [2, 0, 1, 2] + number + [2, 2] + number + [0, 0, 0, 0]
      let file = try Row.registry.encode(try Row.photo { $0.metadata[.exif] = exif }, as: .jpeg)
      let decoder = try Row.converted(file, .jpeg) { $0.edit.turns = [.right] }
      return decoder.header.displayedSize == Size(width: 48, height: 64)
        && !decoder.parts().contains { $0.kind == .thumbnail }
    },
    Row("nomacs 1511", "an edit of the metadata adds no thumbnail") {
      var edit = MetadataEdit()
      try edit.set("dc:title", to: "Harbour")
      let made = try Row.registry.editMetadata(.bytes(try Row.turned(.jpeg)), edit)
      return try !Row.registry.open(.bytes(made.bytes)).parts().contains { $0.kind == .thumbnail }
    },
    Row("jpegli 121", "a tag of orientation is reset only if the pixels are turned") {
      try [ImageFormat.png, .tiff, .webP].allSatisfy { target in
        try isUpright(try Row.converted(try Row.turned(.jpeg), target))
          && isUpright(try Row.converted(try Row.turned(.jpeg), target) { $0.preservesOrientation = true })
      }
    },
    Row("dynamic-image-transformation 578", "WebP of a JPEG on its side is upright") {
      try isUpright(try Row.converted(try Row.turned(.jpeg), .webP) { $0.maxSize = Size(width: 64, height: 64) })
    },
    Row("libheif 1685", "the gain map of HEIC is in JPEG") {
      try Row.hasMap(try Row.converted(try Row.made(try Row.ultraHDR(), .heic).bytes, .jpeg))
    },
  ]

  /// Where the segment of Exif ends.
  private static func end(ofExifIn file: [UInt8]) -> Int {
    var place = 2
    while place + 4 <= file.count {
      let end = place + 2 + Int(file[place + 2]) << 8 + Int(file[place + 3])
      if file[place + 1] == 0xE1 { return end }
      place = end
    }
    return 2
  }
}
