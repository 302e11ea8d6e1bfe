// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// Turns rows of a colour model into red, green and blue.
///
/// Rows hold samples of 8 or 16 bits; results may leave that range, and whoever stores them clamps.
struct ColourConversion {
  typealias Row = UnsafeMutablePointer<Int32>
  typealias Channels = (UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Int32>)

  private let depth: Int
  private let top: Int
  private let matrix: Matrix?
  private let lab: LabConverter?

  /// Weights of colour differences in 16.16 fixed point.
  private struct Matrix {
    let luma: Int
    let black: Int
    let redFromCr: Int
    let greenFromCb: Int
    let greenFromCr: Int
    let blueFromCb: Int

    /// ITU-T H.273 §8.3, equations 38 to 40, with the ranges of equations 20 to 25.
    init(_ weights: ColourModel.Luma, depth: Int) {
      let green = 1 - weights.red - weights.blue
      let one = 65_536.0
      let scale = weights.isFullRange ? 1 : 255.0 / 224
      luma = Int((one * (weights.isFullRange ? 1 : 255.0 / 219)).rounded())
      black = weights.isFullRange ? 0 : 16 * ((1 << depth) - 1) / 255
      redFromCr = Int((one * scale * 2 * (1 - weights.red)).rounded())
      blueFromCb = Int((one * scale * 2 * (1 - weights.blue)).rounded())
      greenFromCb = Int((one * scale * 2 * (1 - weights.blue) * weights.blue / green).rounded())
      greenFromCr = Int((one * scale * 2 * (1 - weights.red) * weights.red / green).rounded())
    }
  }

  init(_ model: ColourModel, colours: [ChannelMap.Channel], depth: Int) {
    self.depth = depth
    top = 1 << depth - 1
    switch model {
    case .ycc(let weights): matrix = Matrix(weights, depth: depth)
    case .ycck: matrix = Matrix(.bt601, depth: depth)
    default: matrix = nil
    }
    if case .lab(let range) = model, colours.count == 3 {
      lab = LabConverter(range, bits: colours.map(\.bits), depth: depth)
    } else {
      lab = nil
    }
  }

  /// What a channel of a model means to its mapping.
  static func role(of channel: Int, in model: ColourModel) -> SampleMapping.Role {
    switch model {
    case .invertedGray, .cmy: .inverted
    case .ycc, .ycck: channel == 1 || channel == 2 ? .centred : channel == 3 ? .inverted : .plain
    case .cmyk: .inverted
    case .extendedRGB: .extended
    default: .plain
    }
  }

  /// Whether rows are red, green and blue, or gray, as they are.
  static func isNeeded(for model: ColourModel) -> Bool {
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
    if let matrix { apply(matrix, channels, to: result, count: count) }
    if let lab { lab.apply(channels, to: result, count: count) }
    guard let black else { return }
    let light: Channels =
      matrix == nil ? channels : (UnsafePointer(result.0), UnsafePointer(result.1), UnsafePointer(result.2))
    multiply(light.0, by: black, to: result.0, count: count)
    multiply(light.1, by: black, to: result.1, count: count)
    multiply(light.2, by: black, to: result.2, count: count)
  }

  /// A pixel is what is left of the light behind a colour and black.
  private func multiply(_ light: UnsafePointer<Int32>, by black: UnsafePointer<Int32>, to result: Row, count: Int) {
    for x in 0..<count {
      let product = min(max(Int(light[x]), 0), top) &* Int(black[x]) &+ top / 2
      result[x] = Int32(truncatingIfNeeded: product / top)
    }
  }

  private func apply(_ matrix: Matrix, _ channels: Channels, to result: (Row, Row, Row), count: Int) {
    let middle = 1 << (depth - 1)
    for x in 0..<count {
      // Samples have 16 bits at most, and weights 18: products stay far inside 64.
      let y = (Int(channels.0[x]) &- matrix.black) &* matrix.luma &+ 32_768
      let cb = Int(channels.1[x]) &- middle
      let cr = Int(channels.2[x]) &- middle
      result.0[x] = Int32(truncatingIfNeeded: (y &+ cr &* matrix.redFromCr) >> 16)
      result.1[x] = Int32(truncatingIfNeeded: (y &- cb &* matrix.greenFromCb &- cr &* matrix.greenFromCr) >> 16)
      result.2[x] = Int32(truncatingIfNeeded: (y &+ cb &* matrix.blueFromCb) >> 16)
    }
  }
}

/// CIELab under D50 as sRGB.
private struct LabConverter {
  private let scales: [Double]
  private let offsets: [Double]
  /// sRGB's encoding of 4,096 steps of light and one more.
  private let encoded: [Int32]

  private static let steps = 4096

  init(_ range: ColourModel.LabRange, bits: [Int], depth: Int) {
    let top = Double(1 << depth - 1)
    // ISO/IEC 15444-2 M.11.7.4.1: value = (sample - offset) × range / (2^bits - 1).
    var scales: [Double] = []
    var offsets: [Double] = []
    for index in 0..<3 {
      let width = Double(range.ranges[index])
      let largest = Double(1 << bits[index] - 1)
      let half = Double(1 << bits[index]) / 2
      let usual = index == 0 ? 0 : index == 1 || range.ranges == [100, 255, 255] ? half : half * 0.75
      let offset = range.offsets.map { Double($0[index]) } ?? usual
      scales.append(width / top)
      offsets.append(offset * width / largest)
    }
    self.scales = scales
    self.offsets = offsets
    // IEC 61966-2-1 §5.2.
    encoded = (0...Self.steps).map { step in
      let light = Double(step) / Double(Self.steps)
      let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
      return Int32((value * top).rounded())
    }
  }

  func apply(
    _ channels: ColourConversion.Channels,
    to result: (ColourConversion.Row, ColourConversion.Row, ColourConversion.Row), count: Int
  ) {
    for x in 0..<count {
      let lightness = Double(channels.0[x]) * scales[0] - offsets[0]
      let f = (lightness + 16) / 116
      // White of D50, ICC.1:2022 §6.3.4.3; then to sRGB's primaries, adapted to D50.
      let red = (Double(channels.1[x]) * scales[1] - offsets[1]) / 500
      let blue = (Double(channels.2[x]) * scales[2] - offsets[2]) / 200
      let (cx, cy, cz) = (0.9642 * Self.cube(f + red), Self.cube(f), 0.8249 * Self.cube(f - blue))
      result.0[x] = encode(3.1338561 * cx - 1.6168667 * cy - 0.4906146 * cz)
      result.1[x] = encode(-0.9787684 * cx + 1.9161415 * cy + 0.0334540 * cz)
      result.2[x] = encode(0.0719453 * cx - 0.2289914 * cy + 1.4052427 * cz)
    }
  }

  /// The inverse of CIE 15 §8.2.1's function.
  private static func cube(_ value: Double) -> Double {
    value > 6.0 / 29 ? value * value * value : 3 * (6.0 / 29) * (6.0 / 29) * (value - 4.0 / 29)
  }

  private func encode(_ light: Double) -> Int32 {
    // Ranges are 32 bits wide, so light may be anything but not a number.
    let place = min(max(light, 0), 1) * Double(Self.steps)
    let index = min(Int(place), Self.steps - 1)
    let (low, high) = (Double(encoded[index]), Double(encoded[index + 1]))
    return Int32(low + (high - low) * (place - Double(index)) + 0.5)
  }
}
