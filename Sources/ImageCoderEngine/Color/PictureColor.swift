// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The colors of a file's picture, and which part of the file says so. `docs/color.md` has the order.
package struct PictureColor: Sendable {
  /// What states the colors.
  package enum Origin: String, Sendable {
    case icc = "ICC"
    case cicp = "CICP"
    case exif = "Exif"
    /// The chunk `sRGB` of PNG.
    case chunk = "sRGB chunk"
    case chromaticities
    case untagged
  }

  /// What a file says of colors, as far as it is looked at.
  package struct Statements {
    package var profile: [UInt8]?
    package var exif: [UInt8]?
    package var properties = Properties()
    package var stored = StoredColor()

    package init() {}
  }

  package private(set) var space: ColorSpace
  package private(set) var origin: Origin
  /// Why a profile is not used, or nil.
  package private(set) var refusal: String?
  /// The brightest light that the file states, nits, where its samples are absolute.
  package private(set) var statedPeak: Double?

  /// Whether Exif has a say: cameras write Adobe RGB there, and leave the profile out.
  static func usesExif(_ header: ImageHeader) -> Bool {
    (header.format == .jpeg || header.format == .tiff) && header.metadata.contains(.exif) && header.cicp == nil
  }

  package init(_ header: ImageHeader, _ statements: Statements) {
    let isGray = header.pixelFormat.isGray
    if header.cicp?.transfer == 16 {
      statedPeak = statements.stored.light.contentPeak ?? statements.stored.light.masteringPeak
    }
    space = header.pixelFormat.isFloat && header.cicp == nil ? .linearSRGB : .sRGB
    origin = .untagged
    let stated = header.cicp.flatMap { ColorSpace($0) }
    // Code points of HDR say more than a profile can; in PNG they come first in any case.
    if let stated, stated.isHDR || header.format == .png {
      (space, origin) = (stated, .cicp)
      return
    }
    if header.hasInks { space = .press }
    if let profile = statements.profile {
      do throws(CoderError) {
        space = try ICCColorReader.space(profile, isGray: isGray, isInks: header.hasInks)
        origin = .icc
        return
      } catch {
        refusal = error.message
      }
    }
    guard !header.hasInks else { return }
    if let stated {
      (space, origin) = (stated, .cicp)
    } else if let exif = statements.exif, let found = Self.space(exif: exif) {
      (space, origin) = (found, .exif)
    } else if statements.properties["{PNG}", "sRGBIntent"] != nil {
      (space, origin) = (.sRGB, .chunk)
    } else if let found = Self.space(header, statements) {
      (space, origin) = (found, .chromaticities)
    }
  }

  /// In words: "Display P3, ICC", "BT.2100 PQ, CICP", "sRGB, untagged".
  package var words: String {
    switch origin {
    case .icc, .cicp, .exif, .chunk, .untagged: "\(space.name), \(origin.rawValue)"
    case .chromaticities: space.name
    }
  }

  /// Exif 2.32 §4.6.5 ColorSpace, and §4.6.3 InteroperabilityIndex: DCF 2.0 §4.4.4 has "R03" for Adobe RGB.
  private static func space(exif: [UInt8]) -> ColorSpace? {
    let properties = ExifProperties.read(exif.span.bytes)
    let index = ExifProperties.interoperabilityIndex(exif.span.bytes)
    switch properties["{Exif}", "ColorSpace"]?.integer {
    case 1: return .sRGB
    case 2: return .adobeRGB
    case 65_535, nil: return index == "R03" ? .adobeRGB : index == "R98" ? .sRGB : nil
    default: return nil
    }
  }

  /// Primaries and curves, each of which may be missing.
  private static func space(_ header: ImageHeader, _ statements: Statements) -> ColorSpace? {
    let stored = statements.stored
    let stated = stored.primaries.map {
      Chromaticities(red: $0.red, green: $0.green, blue: $0.blue, white: $0.white)
    }
    let primaries = stated?.toXYZ == nil ? nil : stated
    var curves: [ToneCurve] = stored.curves.map { .table($0) }
    if curves.isEmpty, let gamma = stored.gamma, gamma.x != gamma.y || gamma.x != gamma.z {
      curves = [.gamma(gamma.x), .gamma(gamma.y), .gamma(gamma.z)]
    }
    guard curves.count == 3, !header.pixelFormat.isGray, let toXYZ = (primaries ?? .sRGB).toXYZ else {
      return space(gamma: stored.gamma.map { 1 / $0.y } ?? header.gamma, primaries)
    }
    let name = primaries.map { isNearSRGB($0) } ?? true ? "primaries of sRGB" : "own primaries"
    return ColorSpace("\(name), own curves", .rgb(toXYZ: toXYZ, curves: curves))
  }

  /// The space of an exponent and primaries, either of which may be missing.
  private static func space(gamma: Double?, _ primaries: Chromaticities?) -> ColorSpace? {
    guard gamma != nil || primaries != nil else { return nil }
    let exponent = gamma.map { 1 / $0 }
    if let exponent, !(0.1...10).contains(exponent) { return nil }
    let isUsual = primaries.map { isNearSRGB($0) } ?? true
    // 45455 stands for the curve of sRGB, which has no exponent.
    let curve = exponent.map { abs($0 - 2.2) < 0.005 && isUsual ? .sRGB : ToneCurve.gamma($0) } ?? .sRGB
    if isUsual, curve == .sRGB { return ColorSpace("sRGB, chromaticities", ColorSpace.sRGB.model) }
    var words = primaries == nil ? "primaries of sRGB" : isUsual ? "primaries of sRGB" : "own primaries"
    if case .gamma(let gamma) = curve { words += ", gamma \((gamma * 100).rounded() / 100)" }
    return ColorSpace(words, primaries ?? .sRGB, curve)
  }

  private static func isNearSRGB(_ primaries: Chromaticities) -> Bool {
    let usual = Chromaticities.sRGB
    return zip(
      [primaries.red, primaries.green, primaries.blue, primaries.white],
      [usual.red, usual.green, usual.blue, usual.white]
    ).allSatisfy { abs($0.x - $1.x) < 0.001 && abs($0.y - $1.y) < 0.001 }
  }
}
