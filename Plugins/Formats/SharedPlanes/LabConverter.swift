// SPDX-License-Identifier: Apache-2.0

import CSharedPlanes

/// Turns rows of CIELab under D50 (X 0.9642, Z 0.8249: ICC.1:2022 §7.2.16) into sRGB.
///
/// - Threads: Any number; nothing changes after it is made.
public struct LabConverter: Sendable {
  /// How one channel is stored: L*, a* or b* = start + scale × sample.
  public struct Encoding: Sendable {
    public let start: Double
    public let scale: Double

    public init(start: Double, scale: Double) {
      self.start = start
      self.scale = scale
    }
  }

  private let encodings: (lightness: Encoding, a: Encoding, b: Encoding)
  private let curve: [Float]

  /// - Parameter top: The largest sample that comes out, 255 or 65,535.
  public init(lightness: Encoding, a: Encoding, b: Encoding, top: Int) {
    encodings = (lightness, a, b)
    var curve = [Float](repeating: 0, count: Int(LAB_CURVE_COUNT))
    lab_prepare_curve(UInt32(clamping: top), &curve)
    self.curve = curve
  }

  /// Converts a row; colors that sRGB does not have are clamped.
  ///
  /// - Parameters:
  ///   - samples: `count` of L*, a* and b* each.
  ///   - colors: Room for as many of red, green and blue; may be the same memory.
  public func convert(_ samples: ConstantRows, to colors: Rows, count: Int) {
    curve.withUnsafeBufferPointer { curve in
      var conversion = lab_conversion()
      conversion.start = (Float(encodings.lightness.start), Float(encodings.a.start), Float(encodings.b.start))
      conversion.scale = (Float(encodings.lightness.scale), Float(encodings.a.scale), Float(encodings.b.scale))
      conversion.curve = curve.baseAddress
      withRows(samples, colors) { samples, colors in lab_read(&conversion, samples, max(count, 0), colors) }
    }
  }
}
