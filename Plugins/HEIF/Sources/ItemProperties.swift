// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What the properties of one item say (ISO/IEC 23008-12 §6.5).
struct ItemProperties {
  var size: Size?
  var configuration: FileBox?
  var points: CodingIndependentCodePoints?
  var profile: Range<Int>?
  /// Bits of each channel.
  var depths: [Int] = []
  /// In the order in which they apply.
  var transformations: [Transformation] = []
  var auxiliaryType: String?
  var pixelAspect: (horizontal: Int, vertical: Int)?
  var lightLevel: (maximum: Int, average: Int)?

  /// - Throws: For a property that is cut or breaks its rules.
  init(of item: Item, in meta: MetaBox, file: FileBytes) throws(CoderError) {
    for index in meta.associations[item.associations] {
      let box = meta.properties[index]
      var bytes = FileBoxReader(file, in: box.payload)
      switch box.type {
      case .imageSize:
        _ = try bytes.fullBox("ispe")
        let width = try bytes.uint32("ispe")
        size = Size(width: Int(width), height: Int(try bytes.uint32("ispe")))
      case .hevcConfiguration: configuration = box
      case .color: try readColor(&bytes)
      case .pixelInformation:
        _ = try bytes.fullBox("pixi")
        let count = try bytes.uint8("pixi")
        depths.removeAll()
        for _ in 0..<count { depths.append(try bytes.uint8("pixi")) }
      case .rotation: transformations.append(.rotation(try bytes.uint8("irot") & 3))
      case .mirror: transformations.append(.mirror(leftToRight: try bytes.uint8("imir") & 1 == 1))
      case .cleanAperture: transformations.append(.crop(try CleanAperture(&bytes)))
      case .auxiliaryType:
        _ = try bytes.fullBox("auxC")
        auxiliaryType = bytes.text()
      case .pixelAspectRatio:
        let horizontal = Int(try bytes.uint32("pasp"))
        pixelAspect = (horizontal, Int(try bytes.uint32("pasp")))
      case .lightLevel:
        let maximum = try bytes.uint16("clli")
        lightLevel = (maximum, try bytes.uint16("clli"))
      default: continue
      }
    }
  }

  /// ISO/IEC 14496-12 §12.1.5. The first box of each kind counts.
  private mutating func readColor(_ bytes: inout FileBoxReader) throws(CoderError) {
    switch try bytes.fourCC("colr") {
    case .nclx where points == nil:
      let primaries = try bytes.uint16("nclx")
      let transfer = try bytes.uint16("nclx")
      let matrix = try bytes.uint16("nclx")
      let isFullRange = try bytes.uint8("nclx") & 0x80 != 0
      points = CodingIndependentCodePoints(
        primaries: UInt8(clamping: primaries), transfer: UInt8(clamping: transfer), matrix: UInt8(clamping: matrix),
        isFullRange: isFullRange)
    case .profile, .restrictedProfile:
      if profile == nil, bytes.left > 0 { profile = bytes.offset..<bytes.end }
    default: return
    }
  }
}

/// A transformation that an item's properties state (ISO/IEC 23008-12 §6.5.9, §6.5.10, §6.5.12).
enum Transformation {
  /// By quarter turns counter-clockwise.
  case rotation(Int)
  /// Left to right, or top to bottom.
  case mirror(leftToRight: Bool)
  case crop(CleanAperture)
}

/// A clean aperture (ISO/IEC 14496-12 §12.1.4.1): a width, a height and a center, as fractions.
struct CleanAperture {
  private let width: Fraction
  private let height: Fraction
  private let horizontal: Fraction
  private let vertical: Fraction

  private struct Fraction {
    let numerator: Int
    let denominator: Int
  }

  init(_ bytes: inout FileBoxReader) throws(CoderError) {
    func fraction(isSigned: Bool) throws(CoderError) -> Fraction {
      let numerator = try bytes.uint32("clap")
      let denominator = try bytes.uint32("clap")
      guard denominator > 0, denominator <= Int32.max else {
        throw .malformed("a clean aperture with the denominator \(denominator)", at: bytes.offset)
      }
      let value = isSigned ? Int(Int32(bitPattern: numerator)) : Int(numerator)
      return Fraction(numerator: value, denominator: Int(denominator))
    }
    width = try fraction(isSigned: false)
    height = try fraction(isSigned: false)
    horizontal = try fraction(isSigned: true)
    vertical = try fraction(isSigned: true)
  }

  /// The rectangle of a picture that is kept, whole pixels.
  ///
  /// - Throws: ``CoderError/Code/malformed`` when it lies outside the picture.
  func rect(in size: Size) throws(CoderError) -> Rect {
    let columns = Self.side(width, of: size.width)
    let rows = Self.side(height, of: size.height)
    let x = Self.start(horizontal, of: columns, in: size.width)
    let y = Self.start(vertical, of: rows, in: size.height)
    let left = max(x, 0)
    let top = max(y, 0)
    let rect = Rect(
      x: left, y: top, width: min(x + columns, size.width) - left, height: min(y + rows, size.height) - top)
    guard !rect.isEmpty else {
      throw .malformed("a clean aperture of \(columns)×\(rows) at \(x),\(y) of a picture of \(size)")
    }
    return rect
  }

  /// To the nearest whole pixel.
  private static func side(_ fraction: Fraction, of side: Int) -> Int {
    min((fraction.numerator + fraction.denominator / 2) / fraction.denominator, side)
  }

  /// The first pixel of `count` around a center that is `offset` away from the middle: offset + (side − count) / 2.
  private static func start(_ offset: Fraction, of count: Int, in side: Int) -> Int {
    // At most 2³¹ × 2 + 2³¹ × 2³²: inside 64 bits.
    let doubled = 2 * offset.numerator + (side - count) * offset.denominator
    let divisor = 2 * offset.denominator
    return Int((Double(doubled) / Double(divisor)).rounded(.down))
  }
}
