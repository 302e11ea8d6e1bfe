// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// The metadata of a JPEG file that a JPEG XL file stores: what is taken out has to be gone from there too.
///
/// - Format: ITU-T T.81 §B.1; Exif 2.32 §4.7.2; XMP part 3 §1.1.3; ISO/IEC 19566-5 §D.2.
struct StoredJPEG {
  private struct Segment {
    let marker: UInt8
    /// With its marker.
    let bytes: Range<Int>
    let payload: Range<Int>
    var kinds: Set<MetadataBlock> = []
  }

  private let file: [UInt8]
  private var segments: [Segment] = []
  /// Where the first scan begins.
  private var scan = 2

  private static let xmp: StaticString = "http://ns.adobe.com/xap/1.0/\0"
  private static let extendedXMP: StaticString = "http://ns.adobe.com/xmp/extension/\0"
  private static let photoshop: StaticString = "Photoshop 3.0\0"
  /// Bytes of a segment after its length, T.81 §B.1.1.4.
  private static let mostBytes = 65_533

  /// - Throws: ``CoderError`` for a file whose segments cannot be followed to its first scan.
  init(parsing file: [UInt8]) throws(CoderError) {
    self.file = file
    let reader = ByteReader(file.span.bytes, of: "the stored JPEG")
    var stores: Set<UInt16> = []
    while true {
      let start = scan
      var place = start
      guard try reader.uint8(at: place) == 0xFF else { throw .malformed("no marker where one belongs", at: place) }
      while try reader.uint8(at: place) == 0xFF { place += 1 }
      let marker = try reader.uint8(at: place)
      guard marker != 0xDA else { break }
      guard marker != 0xD9 else { throw .malformed("a stored JPEG without a scan", at: place) }
      let hasNoLength = marker == 0x01 || (0xD0...0xD8).contains(marker)
      let length = hasNoLength ? 0 : max(2, Int(try reader.uint16(at: place + 1)))
      scan = place + 1 + length
      let payload = hasNoLength ? scan..<scan : place + 3..<scan
      _ = try reader.bytes(at: payload.lowerBound, count: payload.count)
      segments.append(
        Segment(
          marker: marker, bytes: start..<scan, payload: payload,
          kinds: Self.kinds(marker, reader, at: payload.lowerBound)))
      if marker == 0xEB, reader.has("JP", at: payload.lowerBound), payload.count > 8 {
        let box = try reader.bytes(at: payload.lowerBound + 8, count: payload.count - 8)
        if ContentCredentials.isStore(box) { stores.insert(try reader.uint16(at: payload.lowerBound + 2)) }
      }
    }
    // A box goes on in further segments, which do not say what it is.
    for index in segments.indices where segments[index].marker == 0xEB {
      let place = segments[index].payload.lowerBound
      guard reader.has("JP", at: place), let box = try? reader.uint16(at: place + 2), stores.contains(box) else {
        continue
      }
      segments[index].kinds.insert(.c2pa)
    }
  }

  private static func kinds(_ marker: UInt8, _ reader: borrowing ByteReader, at place: Int) -> Set<MetadataBlock> {
    switch marker {
    case 0xFE: [.text]
    // JFIF's own segment, profiles, and how colors are stored, T.872 §6.5.3.
    case 0xE0 where reader.has("JFIF\0", at: place): []
    case 0xE2 where reader.has("ICC_PROFILE\0", at: place): []
    case 0xEE where reader.has("Adobe", at: place): []
    case 0xE1 where reader.has("Exif\0\0", at: place): [.exif]
    case 0xE1 where reader.has(xmp, at: place) || reader.has(extendedXMP, at: place): [.xmp]
    case 0xED where reader.has(photoshop, at: place): []
    case 0xE0...0xEF: [.other]
    default: []
    }
  }

  /// The file with edits made. How the picture is turned stays, in Exif of its own: the codestream is turned by that.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for new metadata that a segment has no room for.
  func edited(_ edits: MetadataBlockEdits) throws(CoderError) -> [UInt8] {
    var added: [UInt8] = []
    if let exif = edits.payloads[.exif] ?? turn(edits) { added += try Self.segment(0xE1, ExifPayload.prefix + exif) }
    if let packet = edits.payloads[.xmp] { added += try Self.segment(0xE1, [UInt8](copying: Self.xmp) + packet) }
    let resources = photoshopSegments
    let changed = try self.resources(edits)
    if let changed { added += changed }
    var result = Array(file[..<2])
    var isAdded = false
    for segment in segments {
      // JFIF's own segment comes first, T.871 §10.1.
      if !isAdded, segment.marker != 0xE0 {
        result += added
        isAdded = true
      }
      if !segment.kinds.isDisjoint(with: edits.removed) { continue }
      if changed != nil, resources.contains(where: { $0.bytes == segment.bytes }) { continue }
      result += file[segment.bytes]
    }
    if !isAdded { result += added }
    return result + file[scan..<(edits.removed.contains(.other) ? endOfPicture : file.count)]
  }

  /// Exif of nothing but the orientation, if Exif is taken out that turns the picture.
  private func turn(_ edits: MetadataBlockEdits) -> [UInt8]? {
    guard edits.removed.contains(.exif), let exif = segments.first(where: { $0.kinds.contains(.exif) }) else {
      return nil
    }
    let orientation = ExifOrientation.read(Array(file[exif.payload].dropFirst(ExifPayload.prefix.count)))
    return orientation == .up ? nil : ExifOrientation.payload(orientation)
  }

  private var photoshopSegments: [Segment] {
    let reader = ByteReader(file.span.bytes)
    return segments.filter { $0.marker == 0xED && reader.has(Self.photoshop, at: $0.payload.lowerBound) }
  }

  /// The segments of Photoshop's resources if edits change them, or nil.
  private func resources(_ edits: MetadataBlockEdits) throws(CoderError) -> [UInt8]? {
    let lead = Self.photoshop.utf8CodeUnitCount
    let stored = photoshopSegments.flatMap { file[$0.payload].dropFirst(lead) }
    guard !stored.isEmpty, !edits.removed.isDisjoint(with: [.iptc, .other]) else { return nil }
    var resources = PhotoshopResources(stored)
    resources.apply(MetadataBlockEdits(removed: edits.removed))
    let left = resources.bytes
    guard left != stored else { return nil }
    var segments: [UInt8] = []
    for start in stride(from: 0, to: left.count, by: Self.mostBytes - lead) {
      segments += try Self.segment(
        0xED, [UInt8](copying: Self.photoshop) + left[start..<min(left.count, start + Self.mostBytes - lead)])
    }
    return segments
  }

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) throws(CoderError) -> [UInt8] {
    guard payload.count <= mostBytes else {
      throw .unsupported("metadata of \(payload.count) bytes in the stored JPEG, whose segments hold \(mostBytes)")
    }
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
  }

  /// Where the picture ends, with its EOI marker; the end of the file if there is none.
  private var endOfPicture: Int {
    let reader = ByteReader(file.span.bytes)
    var place = scan
    while let byte = try? reader.uint8(at: place) {
      guard byte == 0xFF, let marker = try? reader.uint8(at: place + 1) else {
        place += 1
        continue
      }
      switch marker {
      case 0xD9: return place + 2
      case 0xFF: place += 1
      // A byte of the picture, and markers without a length.
      case 0x00, 0x01, 0xD0...0xD8: place += 2
      default: place += 2 + max(2, (try? Int(reader.uint16(at: place + 2))) ?? 2)
      }
    }
    return file.count
  }
}

extension [UInt8] {
  fileprivate init(copying text: StaticString) { self = text.withUTF8Buffer { Array($0) } }
}
