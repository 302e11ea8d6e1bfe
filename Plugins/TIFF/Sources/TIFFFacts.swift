// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Facts of a page that are no Exif, XMP or ICC profile: IPTC, content credentials, where it lies on the Earth, density.
extension TIFFDirectory {
  // MARK: IPTC

  /// Whether there is an IPTC-IIM block. Photoshop's resources are looked into once all bytes are there.
  func hasIPTC() throws(CoderError) -> Bool {
    if let entry = self[Tag.iptc], entry.length > 0, isWhole(entry) { return true }
    guard file.isComplete, let entry = self[Tag.imageResources], entry.length > 0, isWhole(entry) else { return false }
    let reader = try file.source.reader(at: entry.place, count: entry.length, of: "image resources")
    let places = PhotoshopResources.places(of: [PhotoshopResources.iptc], in: reader)
    return places.values.contains { !$0.isEmpty }
  }

  /// The IPTC-IIM block, or nil.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func iptc(limits: Limits) throws(CoderError) -> [UInt8]? {
    if var bytes = try payload(Tag.iptc, limits: limits) {
      // Some writers store the bytes as numbers of 32 bits, in the order of their machine.
      if bytes.count % 4 == 0, bytes.first != 0x1C, bytes.count > 3, bytes[3] == 0x1C {
        for start in stride(from: 0, to: bytes.count, by: 4) {
          bytes.replaceSubrange(start..<start + 4, with: bytes[start..<start + 4].reversed())
        }
      }
      return bytes
    }
    return try payload(Tag.imageResources, limits: limits).flatMap { PhotoshopResources($0).iptc }
  }

  /// The bytes of a tag, or nil for one that is missing, empty, or reaches beyond the file.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func payload(_ tag: Int, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let entry = self[tag], entry.length > 0, isWhole(entry) else { return nil }
    try limits.check(metadata: entry.length)
    // Of an incremental file, it is known only now whether all of it is there.
    guard try file.hasBytes(at: entry.place, count: entry.length) else { return nil }
    return try bytes(of: entry)
  }

  // MARK: Where it lies on the Earth

  var hasGeoTIFF: Bool { !geoEntries.isEmpty }

  private var geoEntries: [Entry] {
    entries.filter { Tag.geographic.contains($0.tag) && $0.type.rawValue <= 13 && $0.length > 0 && isWhole($0) }
  }

  /// A TIFF structure of the tags that say where the picture lies, or nil.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func geoTIFF(limits: Limits) throws(CoderError) -> [UInt8]? {
    let entries = geoEntries
    let (count, overflow) = entries.reduce((0, false)) { sum, entry in
      let (count, overflow) = sum.0.addingReportingOverflow(entry.length)
      return (count, sum.1 || overflow)
    }
    try limits.check(metadata: overflow ? .max : count)
    var found: [TIFFField] = []
    for entry in entries where try file.hasBytes(at: entry.place, count: entry.length) {
      found.append(TIFFField(tag: entry.tag, type: entry.type, count: entry.count, value: try bytes(of: entry)))
    }
    guard !found.isEmpty else { return nil }
    let writer = TIFFFieldWriter(order: file.order)
    return try writer.header(firstDirectory: writer.headerSize) + writer.directory(found, at: writer.headerSize)
  }

  // MARK: Data of programs

  /// Tags that no picture depends on, and that have no class of their own.
  var ownTags: [Int] { entries.map(\.tag).filter { !Tag.needed.contains($0) } }

  /// Names of the tags of programs, and of Photoshop's resources.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func applicationData(limits: Limits) throws(CoderError) -> [UInt8]? {
    var data = ApplicationData()
    // How a camera's samples are developed is no matter of other files.
    for tag in ownTags where tag != Tag.credentials && !Tag.raw.contains(tag) {
      switch tag {
      case Tag.imageSourceData: data.add("Photoshop layers (tag \(tag))")
      case Tag.printImageMatching: data.add("print image matching (tag \(tag))")
      default: data.add("tag \(tag)")
      }
    }
    if let resources = try payload(Tag.imageResources, limits: limits) {
      try PhotoshopResources.name(all: ByteReader(resources.span.bytes, of: "image resources"), in: &data)
    }
    return data.payload
  }

  // MARK: Density

  /// Pixels per inch from left to right, and how wide a pixel is for its height where that is not the same: TIFF 6.0 §8.
  func density() throws(CoderError) -> (resolution: Double?, aspect: Double?) {
    // Values that are not there yet are not waited for.
    guard file.isComplete, let across = try reals(Tag.xResolution, limit: 1)?.first,
      let down = try reals(Tag.yResolution, limit: 1)?.first, across > 0, down > 0, across.isFinite, down.isFinite
    else { return (nil, nil) }
    let aspect = across == down ? nil : down / across
    guard (1.0 / 64...64).contains(aspect ?? 1) else { return (nil, nil) }
    let unit = try ifReadable { () throws(CoderError) in try number(Tag.resolutionUnit) } ?? 2
    switch unit {
    case 2: return (across, aspect)
    case 3: return (across * 2.54, aspect)
    default: return (nil, aspect)
    }
  }
}

extension TIFFFieldWriter {
  /// The density of a header; none if it states none.
  func density(_ header: ImageHeader) -> [TIFFField] {
    let aspect = header.pixelAspect ?? 1
    guard header.resolution != nil || aspect != 1 else { return [] }
    let across = header.resolution ?? 1
    guard let first = rationals(Tag.xResolution, [Float(across)]),
      let second = rationals(Tag.yResolution, [Float(across * aspect)])
    else { return [] }
    return [first, second, shorts(Tag.resolutionUnit, [header.resolution == nil ? 1 : 2])]
  }
}

extension Tag {
  /// Where the picture lies on the Earth: OGC GeoTIFF 1.1 §7.2, and GDAL's metadata and value of no data.
  static let geographic: Set<Int> = [33550, 33922, 34264, 34735, 34736, 34737, 42112, 42113]
  /// A manifest store of C2PA, its specification's Annex A.
  static let credentials = 0xCD41
  /// Texts of the container, under the names that ``ContainerText`` has for them.
  static let texts = ["DocumentName": documentName, "PageName": pageName]
  /// How samples of a camera's raw file are developed: DNG 1.7, "DNG Tags". Readers would take the file for one.
  static let raw = 50_706...52_552
  /// Titles, comments and the like as Windows has them, and ratings.
  static let windows: Set<Int> = [18246, 18249, 40091, 40092, 40093, 40094, 40095]

  /// Tags that pixels, colors, and the order of pages depend on, and those with a class of their own: what is none of them
  /// can go without a change of any picture.
  static let needed: Set<Int> =
    Set(254...259).union(262...266).union([273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 290, 291, 292, 293])
    .union([296, 297, 300, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 330, 332, 333, 334])
    .union([336, 338, 339, 340, 341, 342, 346, 347, 400, 401, 402, 403, 404, 405, 433, 434, 435]).union(512...521)
    .union(529...532).union([559, 32995, 32996, 32997, 32998, 33421, 33422, 37439, 50674])
    // Each has a class of its own.
    .union(descriptive).union(geographic).union(windows)
    .union([documentName, pageName, xmp, iptc, imageResources, exif, iccProfile, gps, interoperability])
}
