// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// The application segments that hold metadata, as bytes of a file.
struct ApplicationSegments {
  /// A JPEG stream that becomes a part of Exif.
  var thumbnail: [UInt8]?

  /// Raw payloads as they were given.
  private var payloads: [MetadataKind: [UInt8]] = [:]

  /// Checks that a payload fits and keeps it; of two of a kind, the later one is written.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` when it is too large.
  mutating func add(_ payload: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard payload.count <= kind.largestPayload else {
      throw .invalidArgument(
        "\(kind) payload of \(payload.count) bytes; a JPEG file holds \(kind.largestPayload) at most")
    }
    if kind == .text {
      for text in ContainerText.texts(in: payload) where text.line.utf8.count > MetadataKind.segment {
        throw .invalidArgument(
          "a text of \(text.line.utf8.count) bytes; a comment of a JPEG file holds \(MetadataKind.segment) at most")
      }
    }
    payloads[kind] = payload
  }

  /// Whether there is an ICC profile.
  var hasProfile: Bool { payloads[.icc]?.isEmpty == false }

  /// Bytes that a thumbnail may have beside the Exif that was given, or nil where it cannot be put.
  func roomForThumbnail(orientation: Orientation) -> Int? {
    guard let exif = payloads[.exif] else {
      return MetadataKind.exifPart - ExifOrientation.payload(orientation).count - ExifThumbnail.overhead
    }
    return ExifThumbnail.removing(from: exif).map {
      MetadataKind.exifPart - turned($0, orientation).payload.count - ExifThumbnail.overhead
    }
  }

  /// The segments in the order of the file: Exif, XMP, ICC, IPTC, comments.
  ///
  /// The orientation is written into Exif, which is made up when there is none and the picture is to be turned.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func bytes(orientation: Orientation, host: CoderHost) throws(CoderError) -> [UInt8] {
    try bytes(exif: exif(orientation: orientation, host: host))
  }

  /// The segments with payloads as they were given.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func bytes() throws(CoderError) -> [UInt8] { try bytes(exif: payloads[.exif]) }

  private func bytes(exif: [UInt8]?) throws(CoderError) -> [UInt8] {
    var writer = ByteWriter()
    // A segment has at most 64 KiB, and a name and numbers of less than 128 bytes.
    let count = [MetadataKind.xmp, .icc, .iptc, .text].reduce(exif?.count ?? 0) { $0 + (payloads[$1]?.count ?? 0) }
    try writer.reserve(count + count / 256 + 2048, for: "metadata")
    for part in exif.map(Self.parts) ?? [] {
      writer.segment(0xE1) {
        $0.put(ExifPayload.prefix)
        $0.put(Array(part))
      }
    }
    if let xmp = payloads[.xmp].map(ExtendedXMP.init) {
      writer.segment(0xE1) {
        $0.put(FileHeader.Prefix.xmp)
        $0.put(xmp.standard)
      }
      for part in xmp.extensions { writer.segment(0xE1) { $0.put(part) } }
    }
    if let profile = payloads[.icc], !profile.isEmpty {
      let size = MetadataKind.profilePart
      let count = profile.count.dividedUp(by: size)
      for index in 0..<count {
        writer.segment(0xE2) {
          $0.put(FileHeader.Prefix.icc)
          $0.put([UInt8(index + 1), UInt8(count)])
          $0.put([UInt8](profile[index * size..<min(profile.count, (index + 1) * size)]))
        }
      }
    }
    if let block = payloads[.iptc], !block.isEmpty {
      var resources = PhotoshopResources([])
      resources.apply(MetadataBlockEdits(removed: [.iptc], payloads: [.iptc: block]))
      writer.put(PhotoshopSegments.bytes(resources))
    }
    for text in ContainerText.texts(in: payloads[.text] ?? []) {
      writer.segment(0xFE) { $0.put(Array(text.line.utf8)) }
    }
    return writer.bytes
  }

  /// Exif as segments hold it. One that goes on with another does not begin like a TIFF header, which would begin a block.
  private static func parts(of exif: [UInt8]) -> [ArraySlice<UInt8>] {
    var (parts, rest) = ([ArraySlice<UInt8>](), exif[...])
    repeat {
      var count = MetadataKind.exifPart
      while rest.count > count, beginsLikeTIFF(exif[(rest.startIndex + count)...]) { count -= 1 }
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    } while !rest.isEmpty
    return parts
  }

  private static func beginsLikeTIFF(_ bytes: ArraySlice<UInt8>) -> Bool {
    let start = Array(bytes.prefix(4))
    return ExifPayload.isTIFF(start.span.bytes)
  }

  private func exif(orientation: Orientation, host: CoderHost) -> [UInt8]? {
    guard var exif = payloads[.exif] else {
      if thumbnail == nil, orientation == .up { return nil }
      let made = ExifOrientation.payload(orientation)
      return thumbnail.flatMap { ExifThumbnail.adding($0, to: made) } ?? made
    }
    if thumbnail != nil { exif = ExifThumbnail.removing(from: exif) ?? exif }
    let (payload, isTurned) = turned(exif, orientation)
    if !isTurned {
      host.log("orientation \(orientation.rawValue) has no place in the Exif payload", severity: .warning)
    }
    return thumbnail.flatMap { ExifThumbnail.adding($0, to: payload) } ?? payload
  }

  /// A payload that states an orientation, as far as it has a place for one.
  private func turned(_ payload: [UInt8], _ orientation: Orientation) -> (payload: [UInt8], isTurned: Bool) {
    var payload = payload
    if ExifOrientation.set(orientation, in: &payload) || orientation == .up { return (payload, true) }
    guard let longer = ExifOrientation.adding(orientation, to: payload) else { return (payload, false) }
    return (longer, true)
  }
}

extension MetadataKind {
  /// Bytes of a segment's payload: its length counts itself and has 16 bits, T.81 B.1.1.4.
  fileprivate static let segment = 65_533

  /// Bytes of a profile in one segment, after the prefix, a number and a count.
  fileprivate static let profilePart = segment - FileHeader.Prefix.icc.utf8CodeUnitCount - 2

  /// Bytes of Exif in one segment.
  fileprivate static let exifPart = segment - ExifPayload.prefix.count

  fileprivate var largestPayload: Int {
    switch self {
    case .xmp: ExtendedXMP.largest
    case .icc: Self.profilePart * 255  // Parts are counted in one byte.
    case .exif, .iptc, .text: .max
    case .c2pa, .geoTIFF, .trailer, .other: 0
    }
  }
}

extension ByteWriter {
  /// A marker, the length of what `body` puts, and that; at most 65,533 bytes.
  mutating func segment(_ marker: UInt8, _ body: (inout ByteWriter) -> Void) {
    put([0xFF, marker])
    let place = count
    put(UInt16(0))
    body(&self)
    replace(UInt16(truncatingIfNeeded: count - place), at: place)
  }
}
