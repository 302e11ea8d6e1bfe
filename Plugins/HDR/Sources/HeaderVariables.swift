// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the lines of a header say: `EXPOSURE=2.5`.
///
/// A line without `=` is a command that made the picture, one with `#` a comment, and one that begins with white space was
/// copied from another picture; none of them counts. A number that cannot be one of its variable is ignored.
///
/// - Format: Radiance File Formats, "Picture File Format", section "Information Header".
struct HeaderVariables {
  /// The name of the pixels' format.
  private(set) var format: String?
  /// What all pixels were multiplied by: the product of all lines.
  private(set) var exposure: Double?
  /// What red, green and blue were multiplied by besides: the product of all lines.
  private(set) var correction: SIMD3<Double>?
  /// The exponent that turns a sample into light.
  private(set) var gamma: Double?
  private(set) var primaries: StoredColor.Primaries?
  /// The height of a pixel in widths of it: the product of all lines.
  private(set) var pixelAspect: Double?
  /// The parameters of all lines.
  private(set) var view: String?
  private(set) var software: String?
  private(set) var captureDate: String?

  /// The most bytes of a text; Radiance's programs read lines of up to 2,047 bytes.
  private static let longestText = 2_047
  /// Products beyond these leave no pixel in single precision.
  private static let factors = 1e-30...1e30

  mutating func read(_ line: [UInt8]) {
    guard let first = line.first, first != UInt8(ascii: "#"), first != 0x20, first != 0x09,
      let equals = line.firstIndex(of: UInt8(ascii: "="))
    else { return }
    let value = line[(equals + 1)...].prefix(Self.longestText)
    switch String(decoding: line[..<equals], as: UTF8.self) {
    case "FORMAT": format = value.trimmed
    case "EXPOSURE": exposure = Self.product(exposure, Self.numbers(value, 1)?[0])
    case "PIXASPECT": pixelAspect = Self.product(pixelAspect, Self.numbers(value, 1)?[0])
    case "GAMMA": if let number = Self.numbers(value, 1)?[0], (0.1...10).contains(number) { gamma = number }
    case "COLORCORR":
      guard let numbers = Self.numbers(value, 3) else { return }
      let known = correction ?? SIMD3(1, 1, 1)
      let products = (0..<3).map { Self.product(known[$0], numbers[$0]) ?? 1 }
      correction = SIMD3(products[0], products[1], products[2])
    case "PRIMARIES":
      if let stated = Self.numbers(value, 8).flatMap({ StoredColor.Primaries($0) }) { primaries = stated }
    case "VIEW":
      let text = view.map { "\($0) \(value.trimmed)" } ?? value.trimmed
      view = String(text.prefix(Self.longestText))
    case "SOFTWARE": software = value.trimmed
    case "CAPDATE": captureDate = value.trimmed
    default: break
    }
  }

  /// The first numbers of a line, or nil if there are fewer.
  private static func numbers(_ value: ArraySlice<UInt8>, _ count: Int) -> [Double]? {
    let numbers = value.words.prefix(count).compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == count ? numbers : nil
  }

  /// A product that counts one factor more, or the known one if it would leave the range.
  private static func product(_ known: Double?, _ factor: Double?) -> Double? {
    guard let factor, factors.contains((known ?? 1) * factor) else { return known }
    return (known ?? 1) * factor
  }
}

extension StoredColor.Primaries {
  /// x and y of red, green, blue and white, or nil if they are none; Photoshop writes eight zeros.
  init?(_ numbers: [Double]) {
    guard numbers.count == 8 else { return nil }
    let points = (0..<4).map { SIMD2(numbers[2 * $0], numbers[2 * $0 + 1]) }
    let (first, second) = (points[1] - points[0], points[2] - points[0])
    guard points.allSatisfy({ $0.y > 0 && $0.y <= 1 && abs($0.x) <= 1 }),
      abs(first.x * second.y - first.y * second.x) > 1e-3
    else { return nil }
    self.init(red: points[0], green: points[1], blue: points[2], white: points[3])
  }

  private static let d65 = SIMD2(0.3127, 0.3290)

  /// Primaries that have a code point (ITU-T H.273 table 2): those of BT.709, BT.2020 and SMPTE EG 432-1.
  ///
  /// Radiance's own, which a file has that states none, count as those of BT.709 in both cases, as in most programs.
  private static let known: [(code: UInt8, primaries: StoredColor.Primaries)] = [
    (
      1,
      StoredColor.Primaries(
        red: SIMD2(0.640, 0.330), green: SIMD2(0.300, 0.600), blue: SIMD2(0.150, 0.060), white: d65)
    ),
    (
      1,
      StoredColor.Primaries(
        red: SIMD2(0.640, 0.330), green: SIMD2(0.290, 0.600), blue: SIMD2(0.150, 0.060), white: SIMD2(0.333, 0.333))
    ),
    (
      9,
      StoredColor.Primaries(
        red: SIMD2(0.708, 0.292), green: SIMD2(0.170, 0.797), blue: SIMD2(0.131, 0.046), white: d65)
    ),
    (
      12,
      StoredColor.Primaries(
        red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: d65)
    ),
  ]

  /// The primaries of a code point, or nil if this coder does not know it.
  static func primaries(code: UInt8) -> StoredColor.Primaries? { known.first { $0.code == code }?.primaries }

  /// The code point that says the same, or nil.
  var code: UInt8? {
    Self.known.first { zip($0.primaries.numbers, numbers).allSatisfy { abs($0 - $1) < 0.0006 } }?.code
  }

  /// x and y of red, green, blue and white.
  var numbers: [Double] { [red, green, blue, white].flatMap { [$0.x, $0.y] } }
}
