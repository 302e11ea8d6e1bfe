// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes

/// Turns rows of a color model into red, green and blue.
///
/// Rows hold samples of 8 or 16 bits; results may leave that range, and the caller that stores them clamps.
struct ColorConversion {
  typealias Row = UnsafeMutablePointer<Int32>
  typealias Channels = (UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Int32>)

  private let top: Int
  private let luma: IntegerRowConverter?
  private let lab: LabConverter?

  init(_ model: ColorModel, colors: [ChannelMap.Channel], depth: Int) {
    top = 1 << depth - 1
    switch model {
    case .ycc(let weights): luma = Self.converter(weights, colors: colors, depth: depth)
    case .ycck: luma = Self.converter(.bt601, colors: colors, depth: depth)
    default: luma = nil
    }
    if case .lab(let range) = model, colors.count == 3 {
      lab = Self.converter(range, colors: colors, depth: depth)
    } else {
      lab = nil
    }
  }

  private static func converter(
    _ weights: ColorModel.Luma, colors: [ChannelMap.Channel], depth: Int
  ) -> IntegerRowConverter? {
    guard colors.count >= 3 else { return nil }
    return IntegerRowConverter(
      weights.matrix, isFullRange: weights.isFullRange, lumaBits: colors[0].bits,
      chromaBits: colors[1].bits, depth: depth)
  }

  /// ISO/IEC 15444-2 M.11.7.4.1: value = (sample - offset) × range / (2^bits - 1).
  private static func converter(
    _ range: ColorModel.LabRange, colors: [ChannelMap.Channel], depth: Int
  ) -> LabConverter {
    let top = 1 << depth - 1
    func encoding(_ index: Int) -> LabConverter.Encoding {
      let width = Double(range.ranges[index])
      let largest = Double(1 << colors[index].bits - 1)
      let half = Double(1 << colors[index].bits) / 2
      let usual = index == 0 ? 0 : index == 1 || range.ranges == [100, 255, 255] ? half : half * 0.75
      let offset = range.offsets.map { Double($0[index]) } ?? usual
      return LabConverter.Encoding(start: -offset * width / largest, scale: width / Double(top))
    }
    return LabConverter(lightness: encoding(0), a: encoding(1), b: encoding(2), top: top)
  }

  /// What a channel of a model means to its mapping.
  static func role(of channel: Int, in model: ColorModel) -> SampleMapping.Role {
    switch model {
    case .invertedGray, .cmy: .inverted
    case .ycc, .ycck: channel == 1 || channel == 2 ? .centred : channel == 3 ? .inverted : .plain
    case .cmyk: .inverted
    case .extendedRGB: .extended
    default: .plain
    }
  }

  /// Whether rows are red, green and blue, or gray, as they are.
  static func isNeeded(for model: ColorModel) -> Bool {
    switch model {
    case .ycc, .ycck, .cmyk, .lab: true
    default: false
    }
  }

  /// Converts a row.
  ///
  /// - Parameters:
  ///   - black: What the fourth ink leaves of the light, or nil.
  ///   - result: May be the same memory as the channels.
  func apply(_ channels: Channels, black: UnsafePointer<Int32>?, to result: (Row, Row, Row), count: Int) {
    luma?.convert(channels, to: result, count: count)
    lab?.convert(channels, to: result, count: count)
    guard let black else { return }
    let light: Channels =
      luma == nil ? channels : (UnsafePointer(result.0), UnsafePointer(result.1), UnsafePointer(result.2))
    multiply(light.0, by: black, to: result.0, count: count)
    multiply(light.1, by: black, to: result.1, count: count)
    multiply(light.2, by: black, to: result.2, count: count)
  }

  /// A pixel is what is left of the light under a color and black.
  private func multiply(_ light: UnsafePointer<Int32>, by black: UnsafePointer<Int32>, to result: Row, count: Int) {
    for x in 0..<count {
      let product = min(max(Int(light[x]), 0), top) &* Int(black[x]) &+ top / 2
      result[x] = Int32(truncatingIfNeeded: product / top)
    }
  }
}
