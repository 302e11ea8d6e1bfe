// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation

  /// An object of Core Graphics: it is equal to itself alone.
  open class CGObject: Hashable {
    package init() {}
    package func isEqual(to other: CGObject) -> Bool { self === other }
    public static func == (one: CGObject, other: CGObject) -> Bool { one.isEqual(to: other) }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// What the numbers of colors mean.
  ///
  /// Spaces are compared by what they are, as on a Mac.
  public final class CGColorSpace: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made.
    /// Its name, or nil for one that only has a profile.
    public let name: CFString?
    /// What kind of space it is.
    public let model: CGColorSpaceModel
    package let profile: [UInt8]?

    package init(named name: CFString?, _ model: CGColorSpaceModel, profile: [UInt8]? = nil) {
      (self.name, self.model, self.profile) = (name, model, profile)
    }

    /// The space of a name: one of the constants here; nil for another one.
    public convenience init?(name: CFString) {
      guard let model = Self.models[name as String] else { return nil }
      self.init(named: name, model)
    }

    /// The space of an ICC profile; nil for data that is none.
    public convenience init?(iccData: CFTypeRef) {
      guard let data = iccData as? NSData, data.length >= 128 else { return nil }
      let bytes = [UInt8](data as Data)
      // ICC.1:2022 §7.2: the signature at 36, the kind of the space at 16.
      guard Array(bytes[36..<40]) == Array("acsp".utf8) else { return nil }
      let model: CGColorSpaceModel =
        switch String(decoding: bytes[16..<20], as: UTF8.self) {
        case "GRAY": .monochrome
        case "CMYK": .cmyk
        case "Lab ": .lab
        case "XYZ ": .XYZ
        case "RGB ": .rgb
        default: .unknown
        }
      self.init(named: nil, model, profile: bytes)
    }

    /// As ``init(iccData:)``.
    public convenience init?(iccProfileData data: CFData) { self.init(iccData: data) }

    /// How many numbers a color has, without alpha.
    public var numberOfComponents: Int {
      switch model {
      case .monochrome, .indexed: 1
      case .cmyk: 4
      default: 3
      }
    }

    /// The ICC profile that it was made of, or nil.
    public func copyICCData() -> CFData? { profile.map { NSData(data: Data($0)) } }

    /// Whether it holds colors that sRGB does not have.
    public var isWideGamutRGB: Bool {
      guard model == .rgb, let name = name as String? else { return false }
      return ["P3", "2020", "2100", "Adobe", "ROMM", "ACES", "Extended"].contains { name.contains($0) }
    }

    /// Whether its colors are brighter than white.
    public var isHDR: Bool { (name as String?).map { $0.contains("PQ") || $0.contains("HLG") } ?? false }

    /// Whether pictures can be drawn in it.
    public var supportsOutput: Bool { model == .rgb || model == .monochrome }

    package override func isEqual(to other: CGObject) -> Bool {
      guard let other = other as? CGColorSpace else { return false }
      return self === other || (name == other.name && model == other.model && profile == other.profile)
    }

    public override func hash(into hasher: inout Hasher) {
      hasher.combine(name as String?)
      hasher.combine(model)
    }

    nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
    nonisolated(unsafe) public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
    nonisolated(unsafe) public static let linearSRGB: CFString = "kCGColorSpaceLinearSRGB"
    nonisolated(unsafe) public static let linearDisplayP3: CFString = "kCGColorSpaceLinearDisplayP3"
    nonisolated(unsafe) public static let extendedSRGB: CFString = "kCGColorSpaceExtendedSRGB"
    nonisolated(unsafe) public static let extendedLinearSRGB: CFString = "kCGColorSpaceExtendedLinearSRGB"
    nonisolated(unsafe) public static let extendedDisplayP3: CFString = "kCGColorSpaceExtendedDisplayP3"
    nonisolated(unsafe) public static let extendedLinearDisplayP3: CFString = "kCGColorSpaceExtendedLinearDisplayP3"
    nonisolated(unsafe) public static let adobeRGB1998: CFString = "kCGColorSpaceAdobeRGB1998"
    nonisolated(unsafe) public static let dcip3: CFString = "kCGColorSpaceDCIP3"
    nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"
    nonisolated(unsafe) public static let extendedGray: CFString = "kCGColorSpaceExtendedGray"
    nonisolated(unsafe) public static let linearGray: CFString = "kCGColorSpaceLinearGray"
    nonisolated(unsafe) public static let genericRGBLinear: CFString = "kCGColorSpaceGenericRGBLinear"
    nonisolated(unsafe) public static let genericCMYK: CFString = "kCGColorSpaceGenericCMYK"
    nonisolated(unsafe) public static let genericLab: CFString = "kCGColorSpaceGenericLab"
    nonisolated(unsafe) public static let itur_709: CFString = "kCGColorSpaceITUR_709"
    nonisolated(unsafe) public static let itur_2020: CFString = "kCGColorSpaceITUR_2020"
    nonisolated(unsafe) public static let itur_2100_PQ: CFString = "kCGColorSpaceITUR_2100_PQ"
    nonisolated(unsafe) public static let itur_2100_HLG: CFString = "kCGColorSpaceITUR_2100_HLG"
    nonisolated(unsafe) public static let displayP3_PQ: CFString = "kCGColorSpaceDisplayP3_PQ"
    nonisolated(unsafe) public static let displayP3_HLG: CFString = "kCGColorSpaceDisplayP3_HLG"
    nonisolated(unsafe) public static let rommrgb: CFString = "kCGColorSpaceROMMRGB"

    private static let models: [String: CGColorSpaceModel] = {
      let gray = [genericGrayGamma2_2, extendedGray, linearGray]
      let rgb = [
        sRGB, displayP3, linearSRGB, linearDisplayP3, extendedSRGB, extendedLinearSRGB, extendedDisplayP3,
        extendedLinearDisplayP3, adobeRGB1998, dcip3, genericRGBLinear, itur_709, itur_2020, itur_2100_PQ,
        itur_2100_HLG, displayP3_PQ, displayP3_HLG, rommrgb,
      ]
      var models: [String: CGColorSpaceModel] = [genericCMYK as String: .cmyk, genericLab as String: .lab]
      for name in gray { models[name as String] = .monochrome }
      for name in rgb { models[name as String] = .rgb }
      return models
    }()

    package static let standardRGB = CGColorSpace(named: sRGB, .rgb)
    package static let standardGray = CGColorSpace(named: genericGrayGamma2_2, .monochrome)
  }

  /// Colors of red, green and blue whose meaning is not stated: sRGB.
  public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(named: "kCGColorSpaceDeviceRGB", .rgb) }
  /// Levels of gray whose meaning is not stated.
  public func CGColorSpaceCreateDeviceGray() -> CGColorSpace {
    CGColorSpace(named: "kCGColorSpaceDeviceGray", .monochrome)
  }
  /// Inks whose meaning is not stated.
  public func CGColorSpaceCreateDeviceCMYK() -> CGColorSpace { CGColorSpace(named: "kCGColorSpaceDeviceCMYK", .cmyk) }

  /// A color: the numbers of a space, 0 to 1, and alpha after them.
  public final class CGColor: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made.
    public let colorSpace: CGColorSpace?
    private let values: [CGFloat]

    private init(_ values: [CGFloat], in space: CGColorSpace) { (colorSpace, self.values) = (space, values) }

    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
      self.init([red, green, blue, alpha], in: .standardRGB)
    }

    public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
      self.init([red, green, blue, alpha], in: .standardRGB)
    }

    public convenience init(gray: CGFloat, alpha: CGFloat) { self.init([gray, alpha], in: .standardGray) }

    public convenience init(genericGrayGamma2_2Gray gray: CGFloat, alpha: CGFloat) {
      self.init([gray, alpha], in: .standardGray)
    }

    /// - Parameter components: As many as the space has, and alpha.
    public convenience init?(colorSpace: CGColorSpace, components: UnsafePointer<CGFloat>) {
      self.init(
        Array(UnsafeBufferPointer(start: components, count: colorSpace.numberOfComponents + 1)), in: colorSpace)
    }

    /// The numbers, alpha last.
    public var components: [CGFloat]? { values }
    /// How many numbers it has, alpha among them.
    public var numberOfComponents: Int { values.count }
    public var alpha: CGFloat { values.last ?? 1 }

    /// The same color with another alpha.
    public func copy(alpha: CGFloat) -> CGColor? {
      colorSpace.map { CGColor(values.dropLast() + [alpha], in: $0) }
    }

    public static let white = CGColor(gray: 1, alpha: 1)
    public static let black = CGColor(gray: 0, alpha: 1)
    public static let clear = CGColor(gray: 0, alpha: 0)

    package override func isEqual(to other: CGObject) -> Bool {
      guard let other = other as? CGColor else { return false }
      return self === other || (values == other.values && colorSpace == other.colorSpace)
    }

    public override func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// Red, green, blue and alpha from 0 to 1.
    package var rgba: [Double] {
      let numbers = values.map { $0.isNaN ? 0 : min(max(Double($0), 0), 1) }
      switch colorSpace?.model {
      case .monochrome: return [numbers[0], numbers[0], numbers[0], numbers[1]]
      case .cmyk:
        return (0..<3).map { (1 - numbers[$0]) * (1 - numbers[3]) } + [numbers[4]]
      default: return Array((numbers + [1, 1, 1, 1]).prefix(4))
      }
    }
  }
#endif
