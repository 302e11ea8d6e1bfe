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

  /// ITU-R BT.709.
  public static let bt709 = ColorMatrix.weights(red: 0.2126, blue: 0.0722)

  /// ITU-R BT.601.
  public static let bt601 = ColorMatrix.weights(red: 0.299, blue: 0.114)

  /// What holds where a file says nothing: BT.601 in HEIF, HEIC image sequences, AVIF and JPEG 2000 alike, as in
  /// libheif, libavif and OpenJPEG.
  public static let unspecified = bt601

  /// - Parameters:
  ///   - code: MatrixCoefficients.
  ///   - primaries: ColourPrimaries of H.273, which matrix 12 is derived from.
  /// - Throws: ``CoderError/Code/unsupported`` for what is not converted, by its name.
  public init(code: UInt8, primaries: UInt8) throws(CoderError) {
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
      guard let derived = ColorPrimaries(code: primaries)?.weights else {
        throw .unsupported(
          "matrix coefficients 12 (derived from primaries) with primaries \(primaries), a reserved value")
      }
      self = .weights(red: derived.red, blue: derived.blue)
    case 16: self = .yCgCoR(extraBits: 2)
    case 17: self = .yCgCoR(extraBits: 1)
    default: throw .unsupported("matrix coefficients \(code) (\(Self.name(ofUnconverted: code)))")
    }
  }

  public init(_ points: CodingIndependentCodePoints) throws(CoderError) {
    try self.init(code: points.matrix, primaries: points.primaries)
  }

  private static func name(ofUnconverted code: UInt8) -> String {
    switch code {
    case 10: "BT.2020 constant luminance"
    case 11: "SMPTE ST 2085"
    case 13: "derived from primaries, constant luminance"
    case 14: "ICtCp"
    case 15: "IPT-C2"
    default: "a reserved value"
    }
  }
}
