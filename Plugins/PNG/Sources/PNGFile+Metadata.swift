// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Raw payloads of a file.
extension PNGFile {
  /// Refuses a payload over the limit when it is asked for by itself: elsewhere it is passed over.
  func check(metadata kind: MetadataKind, limits: Limits) throws(CoderError) {
    let chunk: Chunk?
    switch kind {
    case .exif: chunk = index.exif
    case .xmp: chunk = index.xmp
    case .c2pa: chunk = index.credentials
    case .icc, .iptc, .geoTIFF, .text, .trailer, .other: chunk = nil
    }
    if let chunk { try limits.check(metadata: chunk.length) }
  }

  /// iCCP: the profile, inflated (PNG Third Edition §11.3.2.3).
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for a profile over `maxMetadata`.
  func iccProfile(host: CoderHost) throws(CoderError) -> [UInt8]? {
    guard let chunk = index.profile else { return nil }
    let limit = host.limits.maxMetadata
    guard let data = try data(of: chunk) else { return nil }
    // The profile's name, 0, and the compression method, which is 0.
    guard let nameEnd = data.prefix(80).firstIndex(of: 0), data.count > nameEnd + 2, data[nameEnd + 1] == 0 else {
      throw .malformed("iCCP without a name and compression method 0", at: chunk.dataOffset)
    }
    let inflated = try LibPNG.inflate(data[(nameEnd + 2)...], limit: limit, host: host)
    switch inflated.outcome {
    case .whole: return inflated.bytes
    case .overLimit:
      throw .limitExceeded(
        .maxMetadata, found: limit + 1, allowed: limit, what: "an ICC profile with at least bytes of")
    case .damaged: throw .malformed("iCCP is damaged after \(inflated.bytes.count) bytes", at: chunk.dataOffset)
    }
  }

  /// eXIf, or Exif in text as ImageMagick writes it; from the TIFF header on.
  ///
  /// - Parameter limit: Bytes of text that are inflated at most.
  func exif(limit: Int, host: CoderHost) throws(CoderError) -> [UInt8]? {
    if let chunk = index.exif, let data = try data(of: chunk) { return try Self.withoutPrefix(data) }
    for kind in ["exif", "APP1"] {
      if let profile = try rawProfile(kind, limit: limit, host: host) {
        let payload = try Self.withoutPrefix(profile)
        if ExifPayload.isTIFF(payload.span.bytes) { return payload }
      }
    }
    return nil
  }

  /// Text "XML:com.adobe.xmp", or XMP in text as ImageMagick writes it.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for a packet over `maxMetadata`.
  func xmp(host: CoderHost) throws(CoderError) -> [UInt8]? {
    let limit = host.limits.maxMetadata
    if let chunk = index.xmp, let data = try data(of: chunk) {
      guard let text = try TextChunk(data, of: chunk.name, limit: limit, host: host) else {
        throw .malformed("\(chunk.name) of XMP without its fields", at: chunk.dataOffset)
      }
      guard !text.isCut else {
        if text.text.count < limit {
          throw .malformed("XMP is damaged after \(text.text.count) bytes", at: chunk.dataOffset)
        }
        throw .limitExceeded(
          .maxMetadata, found: limit + 1, allowed: limit, what: "an XMP packet with at least bytes of")
      }
      return text.text
    }
    if let profile = try rawProfile("xmp", limit: limit, host: host) { return profile }
    let namespace = [UInt8]("http://ns.adobe.com/xap/1.0/\0".utf8)
    if let profile = try rawProfile("APP1", limit: limit, host: host), profile.starts(with: namespace) {
      return try ArrayMemory.copy(profile.dropFirst(namespace.count), for: "metadata")
    }
    return nil
  }

  func rawProfile(_ kind: String, limit: Int, host: CoderHost) throws(CoderError) -> [UInt8]? {
    guard let chunk = index.rawProfiles[kind], let data = try data(of: chunk) else { return nil }
    guard let text = try TextChunk(data, of: chunk.name, limit: limit, host: host), !text.isCut,
      let profile = RawProfile(text.text)
    else {
      ignore(chunk, "no raw profile of at most \(limit) bytes of text")
      return nil
    }
    return profile.payload
  }

  /// JPEG's prefix does not belong into PNG, and is there often enough.
  private static func withoutPrefix(_ exif: [UInt8]) throws(CoderError) -> [UInt8] {
    let start = ExifPayload.start(in: exif.span.bytes)
    return start == 0 ? exif : try ArrayMemory.copy(exif[start...], for: "metadata")
  }
}
