// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How luma and chroma become colors. Each value of MatrixCoefficients (ITU-T H.273 table 4) has one answer, here, for
/// all containers.
public enum ColorMatrix: Hashable, Sendable {
  /// The planes are green, blue and red.
  case identity
  /// The weights of red and blue in luma; green has the rest.
  case weights(red: Double, blue: Double)
  case yCgCo
  /// YCgCo-Re and YCgCo-Ro: integers, with so many bits more in the planes than in the colors.
  case yCgCoR(extraBits: Int)
  /// The same weights, of light and not of samples.
  case constantLuminance(red: Double, blue: Double, Transfer)

  /// How samples become light (table 3), as far as matrices need it.
  public enum Transfer: Hashable, Sendable {
    /// BT.709 and BT.2020 alike.
    case bt2020
    case sRGB, linear, pq

    /// - Parameter code: TransferCharacteristics; 2, unspecified, counts as BT.2020's.
    init?(code: UInt8) {
      switch code {
      case 1, 2, 6, 14, 15: self = .bt2020
      case 8: self = .linear
      case 13: self = .sRGB
      case 16: self = .pq
      default: return nil
      }
    }
  }

  /// ITU-R BT.709.
  public static let bt709 = ColorMatrix.weights(red: 0.2126, blue: 0.0722)

  /// ITU-R BT.601.
  public static let bt601 = ColorMatrix.weights(red: 0.299, blue: 0.114)

  /// What holds where a file says nothing: BT.601 in HEIF, HEIC image sequences, AVIF and JPEG 2000 alike, as in
  /// libheif, libavif and OpenJPEG.
  public static let unspecified = bt601

  /// - Parameters:
  ///   - code: MatrixCoefficients.
  ///   - primaries: ColourPrimaries of H.273, which matrices 12 and 13 are derived from.
  ///   - transfer: TransferCharacteristics, which matrices 10 and 13 need.
  /// - Throws: ``CoderError/Code/unsupported`` for what is not converted, by its name.
  public init(code: UInt8, primaries: UInt8, transfer: UInt8 = 2) throws(CoderError) {
    switch code {
    case 0: self = .identity
    case 1: self = .bt709
    case 2: self = .unspecified
    case 4: self = .weights(red: 0.30, blue: 0.11)
    case 5, 6: self = .bt601
    case 7: self = .weights(red: 0.212, blue: 0.087)
    case 8: self = .yCgCo
    case 9: self = .weights(red: 0.2627, blue: 0.0593)
    case 12:
      let derived = try Self.weights(code, primaries)
      self = .weights(red: derived.red, blue: derived.blue)
    case 10, 13:
      guard let curve = Transfer(code: transfer) else {
        throw .unsupported("matrix coefficients \(code) (constant luminance) with transfer \(transfer)")
      }
      let derived = code == 10 ? (red: 0.2627, blue: 0.0593) : try Self.weights(code, primaries)
      self = .constantLuminance(red: derived.red, blue: derived.blue, curve)
    case 16: self = .yCgCoR(extraBits: 2)
    case 17: self = .yCgCoR(extraBits: 1)
    case 11, 14, 15: throw .unsupported("matrix coefficients \(code) (\(Self.name(ofUnconverted: code)))")
    // Reserved values say nothing.
    default: self = .unspecified
    }
  }

  public init(_ points: CodingIndependentCodePoints) throws(CoderError) {
    try self.init(code: points.matrix, primaries: points.primaries, transfer: points.transfer)
  }

  private static func weights(_ code: UInt8, _ primaries: UInt8) throws(CoderError) -> (red: Double, blue: Double) {
    guard let derived = ColorPrimaries(code: primaries)?.weights else {
      throw .unsupported(
        "matrix coefficients \(code) (derived from primaries) with primaries \(primaries), a reserved value")
    }
    return (derived.red, derived.blue)
  }

  private static func name(ofUnconverted code: UInt8) -> String {
    switch code {
    case 11: "SMPTE ST 2085"
    case 14: "ICtCp"
    default: "IPT-C2"
    }
  }
}
