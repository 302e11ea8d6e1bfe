// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What the properties of one item say (ISO/IEC 23008-12 §6.5).
struct ItemProperties {
  var size: Size?
  var configuration: Box?
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
      guard box.type != .hevcConfiguration else {
        configuration = box
        continue
      }
      try file.read(box, as: "a property") { content throws(CoderError) in try read(&content, of: box.type) }
    }
  }

  private mutating func read(_ content: inout ByteReader, of type: FourCC) throws(CoderError) {
    switch type {
    case .imageSize:
      _ = try content.fullBox()
      let width = try content.uint32("the width")
      size = Size(width: Int(width), height: Int(try content.uint32("the height")))
    case .color: try readColor(&content)
    case .pixelInformation:
      _ = try content.fullBox()
      depths = try content.array(Int(try content.uint8("the number of channels")), "the bits of channels").map(Int.init)
    case .rotation: transformations.append(.rotation(Int(try content.uint8("the turns") & 3)))
    case .mirror: transformations.append(.mirror(leftToRight: try content.uint8("the axis") & 1 == 1))
    case .cleanAperture: transformations.append(.crop(try CleanAperture(parsing: &content)))
    case .auxiliaryType:
      _ = try content.fullBox()
      auxiliaryType = content.terminatedText()
    case .pixelAspectRatio:
      let horizontal = Int(try content.uint32("the horizontal spacing"))
      pixelAspect = (horizontal, Int(try content.uint32("the vertical spacing")))
    case .lightLevel:
      let maximum = Int(try content.uint16("the light level"))
      lightLevel = (maximum, Int(try content.uint16("the average light level")))
    default: return
    }
  }

  /// ISO/IEC 14496-12 §12.1.5. The first box of each kind counts.
  private mutating func readColor(_ content: inout ByteReader) throws(CoderError) {
    switch try content.fourCC("the type of colors") {
    case .nclx where points == nil:
      let primaries = try content.uint16("the primaries")
      let transfer = try content.uint16("the transfer function")
      let matrix = try content.uint16("the matrix")
      let isFullRange = try content.uint8("the range") & 0x80 != 0
      points = CodingIndependentCodePoints(
        primaries: UInt8(clamping: primaries), transfer: UInt8(clamping: transfer), matrix: UInt8(clamping: matrix),
        isFullRange: isFullRange)
    case .profile, .restrictedProfile:
      if profile == nil, content.remaining > 0 { profile = content.offset..<content.offset + content.remaining }
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

  init(parsing content: inout ByteReader) throws(CoderError) {
    width = try Self.fraction(&content, isSigned: false)
    height = try Self.fraction(&content, isSigned: false)
    horizontal = try Self.fraction(&content, isSigned: true)
    vertical = try Self.fraction(&content, isSigned: true)
  }

  private static func fraction(_ content: inout ByteReader, isSigned: Bool) throws(CoderError) -> Fraction {
    let numerator = try content.uint32("a numerator")
    let denominator = try content.uint32("a denominator")
    guard denominator > 0, denominator <= Int32.max else {
      throw content.malformed("a clean aperture with the denominator \(denominator)")
    }
    let value = isSigned ? Int(Int32(bitPattern: numerator)) : Int(numerator)
    return Fraction(numerator: value, denominator: Int(denominator))
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
