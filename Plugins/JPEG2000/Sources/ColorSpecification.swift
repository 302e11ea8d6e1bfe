// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes

/// How channels become colors.
enum ColorModel: Equatable {
  case gray
  /// Black is the largest sample.
  case invertedGray
  case rgb
  /// Luma and two color differences.
  case ycc(Luma)
  /// Inks, 0 for none.
  case cmy
  case cmyk
  /// What is left of the light as luma and color differences, and black ink.
  case ycck
  case lab(LabRange)
  /// RGB whose range goes beyond 0 and 1.
  case extendedRGB

  /// How luma and color differences become colors, and their range.
  struct Luma: Equatable {
    let matrix: ColorMatrix
    let isFullRange: Bool

    static let bt601 = Luma(matrix: .bt601, isFullRange: true)
    static let bt601Video = Luma(matrix: .bt601, isFullRange: false)
    static let bt709Video = Luma(matrix: .bt709, isFullRange: false)
  }

  /// Ranges and offsets of CIELab samples, as a box gives them (ISO/IEC 15444-2 M.11.7.4.1).
  struct LabRange: Equatable {
    var ranges: [Int]
    /// nil where the default holds, which depends on the bits of the samples.
    var offsets: [Int]?
  }

  var channelCount: Int {
    switch self {
    case .gray, .invertedGray: 1
    case .cmyk, .ycck: 4
    default: 3
    }
  }

  var isGray: Bool { channelCount == 1 }

  /// ImageIO's name.
  var name: String {
    switch self {
    case .gray, .invertedGray: "Gray"
    case .cmy, .cmyk, .ycck: "CMYK"
    case .lab: "Lab"
    default: "RGB"
    }
  }
}

/// A `colr` box (ISO/IEC 15444-1 I.5.3.3, 15444-2 M.11.7.3).
struct ColorSpecification {
  /// An enumerated color space, or nil.
  private(set) var enumerated: Int?
  /// Where an ICC profile is.
  private(set) var profile: Range<Int>?
  private(set) var model: ColorModel?

  /// - Parameter reader: At the box's content.
  /// - Returns: nil for a method that is not known, which readers pass over.
  init?(parsing reader: inout ByteReader) throws(CoderError) {
    // A box that is too short says nothing.
    guard reader.remaining >= 3 else { return nil }
    let method = try reader.uint8("the method")
    try reader.skip(2, "precedence and approximation")
    switch method {
    case 1:
      guard reader.remaining >= 4 else { return nil }
      let space = Int(try reader.uint32("the color space"))
      enumerated = space
      model = try Self.model(of: space, parsing: &reader)
    case 2, 3:
      guard !reader.isAtEnd else { return nil }
      profile = reader.offset..<(reader.offset + reader.remaining)
      guard reader.remaining >= 20 else { return }
      // ICC.1:2022 §7.2.6: the data color space's signature.
      try reader.skip(16, "the start of the profile")
      model = Self.spaces[try reader.fourCC("the profile's color space")]
    default: return nil
    }
  }

  private static let spaces: [FourCC: ColorModel] = [
    FourCC("GRAY"): .gray, FourCC("RGB "): .rgb, FourCC("CMYK"): .cmyk, FourCC("CMY "): .cmy,
    FourCC("YCbr"): .ycc(.bt601),
    FourCC("Lab "): .lab(ColorModel.LabRange(ranges: [100, 255, 255], offsets: nil)),
  ]

  /// Table I.10, and table M.25 of 15444-2.
  private static func model(of space: Int, parsing reader: inout ByteReader) throws(CoderError) -> ColorModel? {
    switch space {
    case 0: .invertedGray
    case 15, 17: .gray
    case 1: .ycc(.bt709Video)
    case 3, 18, 24: .ycc(.bt601)
    case 4: .ycc(.bt601Video)
    case 11: .cmy
    case 12: .cmyk
    case 13: .ycck
    case 14: .lab(try labRange(parsing: &reader))
    case 16, 21: .rgb
    case 20: .extendedRGB
    default: nil
    }
  }

  private static func labRange(parsing reader: inout ByteReader) throws(CoderError) -> ColorModel.LabRange {
    // M.11.7.4.1: the defaults hold when there are no parameters.
    guard reader.remaining >= 24 else { return ColorModel.LabRange(ranges: [100, 170, 200], offsets: nil) }
    var (ranges, offsets): ([Int], [Int]) = ([], [])
    for _ in 0..<3 {
      ranges.append(Int(try reader.uint32("a range of Lab")))
      offsets.append(Int(try reader.uint32("an offset of Lab")))
    }
    return ColorModel.LabRange(ranges: ranges, offsets: offsets)
  }
}
