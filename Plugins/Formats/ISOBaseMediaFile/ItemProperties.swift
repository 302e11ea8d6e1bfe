// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What the properties of one item say (ISO/IEC 23008-12 §6.5).
public struct ItemProperties {
  /// The size of `ispe`.
  public var size: Size?
  /// What the item's decoder has to know: `hvcC` or `uncC`.
  public var configuration: Box?
  /// What the components of an uncompressed item are: `cmpd`.
  public var components: Box?
  /// How the units of an uncompressed item are compressed: `cmpC`.
  public var compression: Box?
  /// Where those units are in the item: `icef`.
  public var units: Box?
  /// Whether tables of a JPEG item lie beside it: `jpgC`.
  public var hasTables = false
  /// The code points of the first `colr` box of type `nclx`.
  public var points: CodingIndependentCodePoints?
  /// Where the ICC profile lies in the file.
  public var profile: Range<Int>?
  /// Bits of each channel.
  public var depths: [Int] = []
  /// In the order in which they apply.
  public var transformations: [Transformation] = []
  /// For an auxiliary picture: the name of what it is for.
  public var auxiliaryType: String?
  /// The pixel aspect ratio of `pasp`.
  public var pixelAspect: (horizontal: Int, vertical: Int)?
  /// How bright light is, of `clli`, `mdcv` and `cclv`.
  public var light = LightLevels()

  /// - Throws: For a property that is cut or breaks its rules.
  public init(of item: Item, in meta: MetaBox, file: FileBytes) throws(CoderError) {
    for index in meta.associations[item.associations] {
      let box = meta.properties[index]
      switch box.type {
      case .hevcConfiguration, .uncompressedConfiguration:
        configuration = box
        continue
      case .componentDefinition:
        components = box
        continue
      case .compressionConfiguration:
        compression = box
        continue
      case .compressedUnits:
        units = box
        continue
      case .jpegConfiguration: hasTables = true
      default: break
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
      let bits = try content.bytes(Int(try content.uint8("the number of channels")), "the bits of channels")
      depths = bits.withUnsafeBytes { $0.map(Int.init) }
    case .rotation: transformations.append(.rotation(Int(try content.uint8("the turns") & 3)))
    case .mirror: transformations.append(.mirror(leftToRight: try content.uint8("the axis") & 1 == 1))
    case .cleanAperture: transformations.append(.crop(try CleanAperture(parsing: &content)))
    case .auxiliaryType:
      _ = try content.fullBox()
      auxiliaryType = content.terminatedText()
    case .pixelAspectRatio:
      let horizontal = Int(try content.uint32("the horizontal spacing"))
      pixelAspect = (horizontal, Int(try content.uint32("the vertical spacing")))
    default: try light.read(&content, of: type)
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
public enum Transformation {
  /// By quarter turns counter-clockwise.
  case rotation(Int)
  /// Left to right, or top to bottom.
  case mirror(leftToRight: Bool)
  case crop(CleanAperture)
}
