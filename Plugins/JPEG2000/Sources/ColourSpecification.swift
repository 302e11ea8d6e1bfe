// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes

/// How channels become colours.
enum ColourModel: Equatable {
  case gray
  /// Black is the largest sample.
  case invertedGray
  case rgb
  /// Luma and two colour differences.
  case ycc(Luma)
  /// Inks, 0 for none.
  case cmy
  case cmyk
  /// What is left of the light as luma and colour differences, and black ink.
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
struct ColourSpecification {
  /// An enumerated colour space, or nil.
  private(set) var enumerated: Int?
  /// Where an ICC profile is.
  private(set) var profile: Range<Int>?
  private(set) var model: ColourModel?

  /// Reads a box.
  ///
  /// - Returns: nil for a method that is not known, which readers pass over.
  init?(parsing box: Box, in source: SourceView) throws(CoderError) {
    let bytes = try source.view(at: box.payload, count: min(64, box.end - box.payload))
    guard bytes.count >= 3 else { return nil }
    switch bytes[0] {
    case 1:
      guard bytes.count >= 7 else { return nil }
      let space = bytes.uint32(at: 3)
      enumerated = space
      model = Self.model(of: space, parameters: Array(bytes[7...]))
    case 2, 3:
      guard box.end - box.payload > 3 else { return nil }
      profile = box.payload + 3..<box.end
      // ICC.1:2022 §7.2.6: the data colour space's signature.
      guard bytes.count >= 23 else { return }
      model = Self.spaces[UInt32(truncatingIfNeeded: bytes.uint32(at: 19))]
    default: return nil
    }
  }

  private static let spaces: [UInt32: ColourModel] = [
    Box.type("GRAY"): .gray, Box.type("RGB "): .rgb, Box.type("CMYK"): .cmyk, Box.type("CMY "): .cmy,
    Box.type("YCbr"): .ycc(.bt601),
    Box.type("Lab "): .lab(ColourModel.LabRange(ranges: [100, 255, 255], offsets: nil)),
  ]

  /// Table I.10, and table M.25 of 15444-2.
  private static func model(of space: Int, parameters: [UInt8]) -> ColourModel? {
    switch space {
    case 0: .invertedGray
    case 15, 17: .gray
    case 1: .ycc(.bt709Video)
    case 3, 18, 24: .ycc(.bt601)
    case 4: .ycc(.bt601Video)
    case 11: .cmy
    case 12: .cmyk
    case 13: .ycck
    case 14: .lab(labRange(parameters))
    case 16, 21: .rgb
    case 20: .extendedRGB
    default: nil
    }
  }

  private static func labRange(_ parameters: [UInt8]) -> ColourModel.LabRange {
    // M.11.7.4.1: the defaults hold when there are no parameters.
    guard parameters.count >= 24 else { return ColourModel.LabRange(ranges: [100, 170, 200], offsets: nil) }
    return ColourModel.LabRange(
      ranges: [0, 8, 16].map { parameters.uint32(at: $0) }, offsets: [4, 12, 20].map { parameters.uint32(at: $0) })
  }
}
