// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Facts of a file that are no Exif, XMP or ICC profile: texts, IPTC, content credentials, density.
extension PNGFile {
  /// The texts of all text chunks, but XMP and raw profiles; a payload of ``MetadataKind/text``.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func texts(host: CoderHost) throws(CoderError) -> [UInt8]? {
    var texts: [ContainerText] = []
    var left = host.limits.maxMetadata
    for place in index.textChunks {
      let (chunk, keywordLength) = (place.chunk, place.keywordLength)
      guard let data = try data(of: chunk) else { continue }
      let text = try TextChunk(data, of: chunk.name, limit: left, host: host)
      guard let text, !text.isCut || text.text.count >= left else {
        ignore(chunk, "it is damaged")
        continue
      }
      left -= text.text.count + keywordLength
      guard left > 0 else {
        let limit = host.limits.maxMetadata
        throw .limitExceeded(.maxMetadata, found: limit + 1, allowed: limit, what: "texts with at least bytes of")
      }
      let keyword = data.prefix(keywordLength).map { Unicode.Scalar($0) }
      texts.append(ContainerText(text.string, keyword: String(String.UnicodeScalarView(keyword))))
    }
    return texts.isEmpty ? nil : ContainerText.payload(texts)
  }

  /// IPTC in text as ImageMagick and exiftool write it: an image resource, or the data sets alone.
  ///
  /// - Parameter limit: Bytes of text that are inflated at most.
  func iptc(limit: Int, host: CoderHost) throws(CoderError) -> [UInt8]? {
    for kind in ["iptc", "8bim"] {
      guard let profile = try rawProfile(kind, limit: limit, host: host) else { continue }
      let block = profile.first == 0x1C ? profile : PhotoshopResources(profile).iptc
      if let block { return block }
    }
    return nil
  }
}

extension ColorChunks {
  /// Pixels per inch from left to right, and how wide a pixel is for its height where that is not the same: pHYs.
  var density: (resolution: Double?, aspect: Double?) {
    guard let density = pixelsPerUnit, density.x > 0, density.y > 0 else { return (nil, nil) }
    let aspect = density.x == density.y ? nil : Double(density.y) / Double(density.x)
    guard (1.0 / 64...64).contains(aspect ?? 1) else { return (nil, nil) }
    return (density.isMetre ? PNGFile.dotsPerInch(density.x) : nil, aspect)
  }
}

extension LibPNG {
  /// pHYs of a header (PNG Third Edition §11.3.4.3); no bytes if it states no density, or one that has no place.
  static func densityChunk(_ header: ImageHeader) -> [UInt8] {
    let aspect = header.pixelAspect ?? 1
    guard header.resolution != nil || aspect != 1 else { return [] }
    let across = header.resolution.map { $0 / 0.0254 } ?? 10_000 / max(1, aspect)
    let sides = [across.rounded(), (across * aspect).rounded()]
    guard sides.allSatisfy({ $0 >= 1 && $0 <= 0x7FFF_FFFF }) else { return [] }
    var data = ByteWriter()
    for side in sides { data.put(UInt32(side)) }
    data.put(UInt8(header.resolution == nil ? 0 : 1))
    return chunk(.phys, data.bytes)
  }

  /// tEXt of a text that Latin-1 can spell, else iTXt (§11.3.3).
  static func textChunk(_ text: ContainerText) -> [UInt8] {
    // A keyword is of printable Latin-1, 1 to 79 bytes, without a space at either end.
    var keyword = Array((latin1(text.keyword) ?? []).filter { $0 >= 0x20 }.drop { $0 == 0x20 }.prefix(79))
    while keyword.last == 0x20 { keyword.removeLast() }
    if keyword.isEmpty { keyword = Array(ContainerText.comment.utf8) }
    guard let bytes = latin1(text.text) else { return chunk(.itxt, keyword + [0, 0, 0, 0, 0] + Array(text.text.utf8)) }
    return chunk(.text, keyword + [0] + bytes)
  }

  private static func latin1(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value),
        byte >= 0xA0 || (0x20..<0x7F).contains(byte) || (9...13).contains(byte)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
