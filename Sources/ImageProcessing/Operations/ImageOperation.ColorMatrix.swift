// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

extension ImageOperation {
  /// New colors as sums of the old ones. Colors are from 0 to 1, and not multiplied by alpha.
  ///
  ///     let old = ImageOperation.matrix(.sepia())
  ///     let vivid = try ImageOperation(parsing: "contrast:1.2")
  public struct ColorMatrix: Sendable, Hashable {
    /// What the new red gets of red, of green, of blue, and of white.
    public var red: SIMD4<Double>
    /// What the new green gets of each.
    public var green: SIMD4<Double>
    /// What the new blue gets of each.
    public var blue: SIMD4<Double>

    /// Makes a matrix of any finite numbers from -1000 to 1000.
    public init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Each color as it is.
    public static let identity = ColorMatrix.each(1)

    /// Each color multiplied, and the same added to each.
    private static func each(_ factor: Double, plus sum: Double = 0) -> ColorMatrix {
      ColorMatrix(red: [factor, 0, 0, sum], green: [0, factor, 0, sum], blue: [0, 0, factor, sum])
    }

    /// Multiplies the distance from middle gray: 0 is gray, 1 leaves the picture. Filter Effects Level 1, contrast().
    public static func contrast(_ factor: Double) -> ColorMatrix { each(factor, plus: 0.5 - 0.5 * factor) }

    /// The negative; 0 leaves the picture, 1 is whole. Filter Effects Level 1, invert().
    public static func invert(_ amount: Double = 1) -> ColorMatrix { each(1 - 2 * amount, plus: amount) }

    /// The tone of old photographs; 0 leaves the picture, 1 is whole. Filter Effects Level 1, sepia().
    public static func sepia(_ amount: Double = 1) -> ColorMatrix {
      func mixed(_ row: SIMD4<Double>, _ own: SIMD4<Double>) -> SIMD4<Double> { row * amount + own * (1 - amount) }
      return ColorMatrix(
        red: mixed([0.393, 0.769, 0.189, 0], identity.red), green: mixed([0.349, 0.686, 0.168, 0], identity.green),
        blue: mixed([0.272, 0.534, 0.131, 0], identity.blue))
    }

    /// Turns all hues about gray. Filter Effects Level 1, hue-rotate().
    public static func hueRotation(degrees: Double) -> ColorMatrix {
      // Whole turns leave no error.
      let radians = degrees.remainder(dividingBy: 360) * .pi / 180
      let (cosine, sine) = (cos(radians), sin(radians))
      let luma: SIMD4<Double> = [0.213, 0.715, 0.072, 0]
      return ColorMatrix(
        red: luma + cosine * ([1, 0, 0, 0] - luma) + sine * [-0.213, -0.715, 0.928, 0],
        green: luma + cosine * ([0, 1, 0, 0] - luma) + sine * [0.143, 0.140, -0.283, 0],
        blue: luma + cosine * ([0, 0, 1, 0] - luma) + sine * [-0.787, 0.715, 0.072, 0])
    }

    /// All numbers, row by row.
    var numbers: [Double] { [red, green, blue].flatMap { row in row.indices.map { row[$0] } } }

    /// Whether gray stays gray.
    var keepsGray: Bool {
      let grays = [red, green, blue].map { SIMD2($0.x + $0.y + $0.z, $0.w) }
      return grays.allSatisfy { abs($0.x - grays[0].x) < 1e-9 && abs($0.y - grays[0].y) < 1e-9 }
    }
  }
}

extension PixelBuffer {
  func mixed(by matrix: ImageOperation.ColorMatrix) throws(CoderError) -> PixelBuffer {
    guard matrix != .identity else { return self }
    let rows = [matrix.red, matrix.green, matrix.blue]
    // By columns: what each old color, and white, gives to the new ones.
    let columns = (0..<4).map { at in
      SIMD4(Float(rows[0][at]), Float(rows[1][at]), Float(rows[2][at]), 0)
    }
    let (red, green, blue, white) = (columns[0], columns[1], columns[2], columns[3])
    let (width, clamps) = (size.width, !format.isFloat)
    return try mappingRows(to: matrix.keepsGray ? layout : layout.withColor) { row, _ in
      for x in 0..<width {
        let pixel = row[x]
        var mixed = red * pixel.x + green * pixel.y + blue * pixel.z + white * pixel.w
        if clamps { mixed.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w)) }
        mixed.w = pixel.w
        row[x] = mixed
      }
    }
  }

  /// Raises each color to the power of 1 / gamma.
  func raised(gamma: Double) throws(CoderError) -> PixelBuffer {
    let (width, power) = (size.width, Float(1 / gamma))
    return try mappingRows(to: layout) { row, _ in
      for x in 0..<width {
        let color = row[x].unpremultiplied
        // Below 0 there is no power: floating point has such colors.
        var raised = SIMD4<Float>.zero
        for channel in 0..<3 { raised[channel] = pow(max(color[channel], 0), power) * row[x].w }
        raised.w = row[x].w
        row[x] = raised
      }
    }
  }

  /// Adds what a blur takes away.
  func sharpened(sigma: Double, amount: Double) throws(CoderError) -> PixelBuffer {
    let soft = try GaussianBlur.applied(to: try converted(to: wideLayout), sigma: sigma)
    let (width, clamps, share) = (size.width, !format.isFloat, Float(amount))
    let reader = RowConverter(from: soft.layout, to: soft.layout.working)
    return try mappingRows(to: layout) { row, y in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width) { buffer in
        guard let blurred = buffer.baseAddress else { return }
        reader.convert(soft.row(y), into: blurred, count: width)
        for x in 0..<width {
          let pixel = row[x]
          var sharp = pixel + (pixel - blurred[x]) * share
          if clamps { sharp.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w)) }
          sharp.w = pixel.w
          row[x] = sharp
        }
      }
    }
  }
}
