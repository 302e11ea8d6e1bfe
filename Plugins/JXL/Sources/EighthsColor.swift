// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import ImageCoderPlugin

/// Turns samples of XYB or YCbCr into those that libjxl would deliver.
struct EighthsColor {
  /// Rows of a matrix from the cubes of XYB to linear light; one row for gray.
  private var matrix: [SIMD3<Float>] = []
  private var curve: TransferTable?

  /// For samples that are stored as YCbCr, in the file's own colors.
  init() {}

  /// For samples that are stored as XYB.
  ///
  /// - Parameters:
  ///   - encoding: The file's own, or nil for sRGB.
  /// - Returns: nil for encodings that are libjxl's alone.
  init?(_ encoding: JxlColorEncoding?, info: JxlBasicInfo) throws(CoderError) {
    let transfer = encoding?.transfer_function ?? JXL_TRANSFER_FUNCTION_SRGB
    guard let function = Self.function(transfer, gamma: encoding?.gamma ?? 0) else { return nil }
    // §L.2: 1 is 255 cd/m² before it is scaled, and 10,000 cd/m² for PQ.
    let peak = transfer == JXL_TRANSFER_FUNCTION_PQ ? 10_000 : info.intensity_target
    guard peak.isFinite, peak > 0 else { return nil }
    var rows: [SIMD3<Double>] = [
      SIMD3(11.031566901960783, -9.866943921568629, -0.16462299647058826),
      SIMD3(-3.254147380392157, 4.418770392156863, -0.16462299647058826),
      SIMD3(-3.6588512862745097, 2.7129230470588235, 1.9459282392156863),
    ]
    if info.num_color_channels == 1 {
      rows = [rows[0] * 0.2126 + rows[1] * 0.7152 + rows[2] * 0.0722]
    } else if let encoding, encoding.primaries != JXL_PRIMARIES_SRGB || encoding.white_point != JXL_WHITE_POINT_D65 {
      guard let change = Self.fromSRGB(to: encoding) else { return nil }
      rows = change.map { rows[0] * $0.x + rows[1] * $0.y + rows[2] * $0.z }
    }
    matrix = rows.map { SIMD3<Float>($0 * (255 / Double(peak))) }
    curve = try TransferTable(function)
  }

  /// Writes a row.
  ///
  /// - Parameters:
  ///   - planes: X, Y, B or Cb, Y, Cr.
  ///   - format: Of 8 or 16 bits, gray or not, with or without alpha, which is opaque.
  func write(
    _ planes: [UnsafePointer<Float>], count: Int, to row: UnsafeMutableRawPointer, format: PixelFormat
  ) {
    if format.bytesPerChannel == 1 {
      writeSamples(planes, count: count, to: row.assumingMemoryBound(to: UInt8.self), format: format)
    } else {
      writeSamples(planes, count: count, to: row.assumingMemoryBound(to: UInt16.self), format: format)
    }
  }

  private func writeSamples<Sample: FixedWidthInteger & UnsignedInteger>(
    _ planes: [UnsafePointer<Float>], count: Int, to row: UnsafeMutablePointer<Sample>, format: PixelFormat
  ) {
    let (x, y, b) = (planes[0], planes[1], planes[2])
    let channels = format.channelCount
    if let curve {
      let isGray = format.isGray || matrix.count < 3
      let (first, second, third) = (matrix[0], isGray ? matrix[0] : matrix[1], isGray ? matrix[0] : matrix[2])
      for column in 0..<count {
        let cubes = Self.cubes(x: x[column], y: y[column], b: b[column])
        let pixel = row + column &* channels
        pixel[0] = Self.sample(curve[(first * cubes).sum()])
        if !isGray {
          pixel[1] = Self.sample(curve[(second * cubes).sum()])
          pixel[2] = Self.sample(curve[(third * cubes).sum()])
        }
        if format.hasAlpha { pixel[channels &- 1] = .max }
      }
      return
    }
    let isGray = format.isGray
    for column in 0..<count {
      let pixel = row + column &* channels
      let (blue, luma, red) = (x[column], y[column] + 128 / 255, b[column])
      if isGray {
        pixel[0] = Self.sample(luma)
      } else {
        // §L.3: the full range of ITU-R BT.601.
        pixel[0] = Self.sample(luma + 1.402 * red)
        pixel[1] = Self.sample(luma - 0.344136286 * blue - 0.714136286 * red)
        pixel[2] = Self.sample(luma + 1.772 * blue)
      }
      if format.hasAlpha { pixel[channels &- 1] = .max }
    }
  }

  /// Linear mixtures of XYB (§L.2.2).
  @inline(__always)
  private static func cubes(x: Float, y: Float, b: Float) -> SIMD3<Float> {
    let bias: Float = 0.0037930732552754493
    let root: Float = 0.15595420054924863
    let mixed = SIMD3(y + x, y - x, b) + root
    return mixed * mixed * mixed - bias
  }

  /// The number that stands for a value of 0 to 1; what is no number is 0.
  @inline(__always)
  private static func sample<Sample: FixedWidthInteger>(_ value: Float) -> Sample {
    let scaled = max(0, min(value * Float(Sample.max) + 0.5, Float(Sample.max)))
    return Sample(truncatingIfNeeded: Int32(scaled))
  }
}

extension EighthsColor {
  private static func function(_ transfer: JxlTransferFunction, gamma: Double) -> ((Double) -> Double)? {
    switch transfer {
    case JXL_TRANSFER_FUNCTION_SRGB: { $0 <= 0.0031308 ? 12.92 * $0 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    case JXL_TRANSFER_FUNCTION_709: { $0 <= 0.018 ? 4.5 * $0 : 1.099 * pow($0, 0.45) - 0.099 }
    case JXL_TRANSFER_FUNCTION_LINEAR: { $0 }
    case JXL_TRANSFER_FUNCTION_DCI: { pow($0, 1 / 2.6) }
    case JXL_TRANSFER_FUNCTION_GAMMA where gamma > 0 && gamma <= 1: { pow($0, gamma) }
    case JXL_TRANSFER_FUNCTION_PQ:
      {
        // SMPTE ST 2084.
        let power = pow($0, 2610.0 / 16_384)
        return pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
      }
    default: nil
    }
  }

  /// Rows of the matrix from linear light of sRGB to that of other primaries with the same white.
  private static func fromSRGB(to encoding: JxlColorEncoding) -> [SIMD3<Double>]? {
    guard encoding.white_point == JXL_WHITE_POINT_D65 else { return nil }
    func point(_ xy: (Double, Double)) -> SIMD3<Double> { SIMD3(xy.0, xy.1, 1 - xy.0 - xy.1) }
    let own: [SIMD3<Double>]
    switch encoding.primaries {
    case JXL_PRIMARIES_P3: own = [point((0.680, 0.320)), point((0.265, 0.690)), point((0.150, 0.060))]
    case JXL_PRIMARIES_2100: own = [point((0.708, 0.292)), point((0.170, 0.797)), point((0.131, 0.046))]
    case JXL_PRIMARIES_CUSTOM:
      own = [
        point(encoding.primaries_red_xy), point(encoding.primaries_green_xy), point(encoding.primaries_blue_xy),
      ]
    default: return nil
    }
    let sRGB = [point((0.640, 0.330)), point((0.300, 0.600)), point((0.150, 0.060))]
    let white = point((0.3127, 0.3290)) / 0.3290
    guard let toXYZ = columns(sRGB, white: white), let ownColumns = columns(own, white: white),
      let fromXYZ = inverse(ownColumns)
    else { return nil }
    return fromXYZ.map { row in SIMD3((row * toXYZ[0]).sum(), (row * toXYZ[1]).sum(), (row * toXYZ[2]).sum()) }
  }

  /// Columns of the matrix to XYZ: primaries as bright as it takes to make white.
  private static func columns(_ primaries: [SIMD3<Double>], white: SIMD3<Double>) -> [SIMD3<Double>]? {
    inverse(primaries).map { rows in zip(primaries, rows).map { $0 * ($1 * white).sum() } }
  }

  /// Rows of the inverse of a matrix of columns.
  private static func inverse(_ columns: [SIMD3<Double>]) -> [SIMD3<Double>]? {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let rows = [cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])]
    let determinant = (columns[0] * rows[0]).sum()
    guard determinant.isFinite, determinant.magnitude > 1e-9 else { return nil }
    return rows.map { $0 / determinant }
  }
}

/// A transfer function at 256 places of each power of two from 2^-32 to 2^2, and straight lines between them.
struct TransferTable {
  private let memory: PlainBuffer<Float>
  private let base: UnsafeMutablePointer<Float>

  private static let lowest: UInt32 = (127 - 32) << 8
  private static let count: UInt32 = 34 << 8
  private static let least = Float(sign: .plus, exponent: -32, significand: 1)

  init(_ function: (Double) -> Double) throws(CoderError) {
    memory = try PlainBuffer(count: Int(Self.count) + 1, for: "a transfer function")
    base = memory.base
    for index in 0...Self.count {
      base[Int(index)] = Float(function(Double(Float(bitPattern: (Self.lowest + index) << 15))))
    }
  }

  /// The value for linear light; 0 for less than 0, and that of 4 for more.
  @inline(__always)
  subscript(_ light: Float) -> Float {
    guard light >= Self.least else { return light > 0 ? base[0] * (light / Self.least) : 0 }
    let bits = min(light, 3.99).bitPattern
    let index = Int(truncatingIfNeeded: bits &>> 15 &- Self.lowest)
    let rest = Float(bits & 0x7fff) * (1 / 32_768)
    return base[index] + (base[index &+ 1] - base[index]) * rest
  }
}
