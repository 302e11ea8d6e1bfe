// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

// The metadata as Ultra HDR, Adobe and Apple have it in XMP.
extension GainMapParameters {
  /// Reads the properties `hdrgm` of an XMP packet.
  ///
  /// - Format: Adobe's "Gain map", 1.0, and Android's "Ultra HDR image format", 1.1.
  /// - Returns: Nil for a packet without them.
  /// - Throws: ``CoderError/Code/malformed`` for a number that is none, or that no light can be computed with;
  ///   ``CoderError/Code/unsupported`` for a version above 1.
  package init?(xmp packet: [UInt8]) throws(CoderError) {
    guard case .dictionary(let values)? = XMPProperties.read(packet)["{XMP}"],
      case .text(let version)? = values["hdrgm:Version"]
    else { return nil }
    // The packet of the base has the version alone.
    guard values["hdrgm:GainMapMax"] != nil || values["hdrgm:HDRCapacityMax"] != nil else { return nil }
    guard version.hasPrefix("1.") || version == "1" else {
      throw .unsupported("a gain map of version \(version.prefix(16)) in XMP; version 1 is supported")
    }
    let minimum = try Self.numbers(values, "hdrgm:GainMapMin", usual: 0)
    let maximum = try Self.numbers(values, "hdrgm:GainMapMax", usual: nil)
    let gamma = try Self.numbers(values, "hdrgm:Gamma", usual: 1)
    let dark = try Self.numbers(values, "hdrgm:OffsetSDR", usual: 1.0 / 64)
    let bright = try Self.numbers(values, "hdrgm:OffsetHDR", usual: 1.0 / 64)
    let least = try Self.numbers(values, "hdrgm:HDRCapacityMin", usual: 0)[0]
    let most = try Self.numbers(values, "hdrgm:HDRCapacityMax", usual: nil)[0]
    let isHDR = if case .text(let word)? = values["hdrgm:BaseRenditionIsHDR"] { word == "True" } else { false }
    let channels = (0..<3).map {
      Channel(
        minimum: minimum[$0], maximum: maximum[$0], gamma: gamma[$0], baseOffset: isHDR ? bright[$0] : dark[$0],
        alternateOffset: isHDR ? dark[$0] : bright[$0])
    }
    self = try GainMapParameters(
      channels, baseHeadroom: isHDR ? most : least, alternateHeadroom: isHDR ? least : most, usesBaseColors: true
    ).checked()
  }

  /// The attributes of `rdf:Description`, or elements where channels differ, for the packet of a map.
  ///
  /// The properties cannot say that gains are of light in the primaries of the other rendition.
  package var xmpPacket: [UInt8] {
    let isHDR = alternateHeadroom < baseHeadroom
    let (first, last) = isHDR ? (alternateHeadroom, baseHeadroom) : (baseHeadroom, alternateHeadroom)
    var attributes = "hdrgm:Version=\"1.0\" hdrgm:HDRCapacityMin=\"\(first)\" hdrgm:HDRCapacityMax=\"\(last)\""
    attributes += " hdrgm:BaseRenditionIsHDR=\"\(isHDR ? "True" : "False")\""
    var elements = ""
    let dark: (Channel) -> Double = { isHDR ? $0.alternateOffset : $0.baseOffset }
    let bright: (Channel) -> Double = { isHDR ? $0.baseOffset : $0.alternateOffset }
    let fields: [(String, (Channel) -> Double)] = [
      ("GainMapMin", \.minimum), ("GainMapMax", \.maximum), ("Gamma", \.gamma), ("OffsetSDR", dark),
      ("OffsetHDR", bright),
    ]
    for (name, value) in fields {
      let numbers = channels.map(value)
      if numbers[0] == numbers[1], numbers[1] == numbers[2] {
        attributes += " hdrgm:\(name)=\"\(numbers[0])\""
      } else {
        let items = numbers.map { "<rdf:li>\($0)</rdf:li>" }.joined()
        elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
      }
    }
    return Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \(attributes)>\(elements)\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// A number for each channel: one for all, or three.
  ///
  /// - Parameter usual: What counts without the property; nil where it has to be there.
  private static func numbers(
    _ values: Properties, _ name: String, usual: Double?
  ) throws(CoderError) -> [Double] {
    var found: [Double] = []
    switch values[name] {
    case nil:
      guard let usual else { throw .malformed("the XMP of the gain map has no \(name)") }
      found = [usual]
    case .text(let text)?: found = [try number(text, name)]
    case .list(let items)?:
      guard items.count == 1 || items.count == 3 else {
        throw .malformed("\(name) has \(items.count) values, 1 or 3 are allowed")
      }
      for item in items {
        guard case .text(let text) = item else { throw .malformed("\(name) has a value that is no number") }
        found.append(try number(text, name))
      }
    default: throw .malformed("\(name) is no number")
    }
    return found.count == 1 ? [found[0], found[0], found[0]] : found
  }

  /// A decimal number; "nan", "inf" and hexadecimal ones are none.
  static func number(_ text: String, _ name: String) throws(CoderError) -> Double {
    let trimmed = text.utf8.filter { !(0x09...0x0D).contains($0) && $0 != 0x20 }
    let isPlain = trimmed.allSatisfy { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
    guard isPlain, trimmed.count <= 64, let number = Double(String(decoding: trimmed, as: UTF8.self)), number.isFinite
    else { throw .malformed("\(name) is \"\(text.prefix(32))\", a decimal number is needed") }
    return number
  }
}

/// Apple's gain map, which has a curve of its own and says in one number how bright it is.
package struct AppleGainMap {
  /// What light is multiplied by where the map is brightest: above 1.
  package let headroom: Double

  /// - Parameters:
  ///   - xmp: Of the map.
  ///   - exif: Of the page that it belongs to.
  /// - Returns: Nil for what is no map of Apple's, or one that changes nothing.
  /// - Throws: ``CoderError/Code/malformed`` for a headroom that is no number, or beyond 65,536.
  package init?(xmp: [UInt8]?, exif: [UInt8]?) throws(CoderError) {
    var stated: Double?
    if let xmp, case .dictionary(let values)? = XMPProperties.read(xmp)["{XMP}"],
      case .text(let text)? = values["HDRGainMap:HDRGainMapHeadroom"]
    {
      stated = try GainMapParameters.number(text, "HDRGainMapHeadroom")
    }
    if stated == nil, let exif { stated = AppleMakerNote(exif: exif)?.stops.map { exp2($0) } }
    guard let stated, stated > 1 else { return nil }
    guard stated <= 65_536 else { throw .malformed("HDRGainMapHeadroom is \(stated), up to 65536 is allowed") }
    headroom = stated
  }

  /// What map values mean once they are rewritten by ``table``.
  package var parameters: GainMapParameters {
    let stops = log2(headroom)
    return GainMapParameters(
      GainMapParameters.Channel(minimum: 0, maximum: stops, gamma: 1, baseOffset: 0, alternateOffset: 0),
      alternateHeadroom: stops)
  }

  /// For each value, the one with the same gain in the curve of the standard.
  package var table: [UInt8] {
    (0..<256).map { value in
      let light = ToneCurve.rec709.light(Double(value) / 255)
      return UInt8((log2(1 + (headroom - 1) * light) / log2(headroom) * 255).rounded())
    }
  }
}
