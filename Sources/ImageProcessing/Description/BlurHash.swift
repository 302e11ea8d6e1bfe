// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderEngine
public import ImageCoderModel

/// A placeholder in about 28 characters: Wolt's BlurHash.
public enum BlurHash {
  /// The hash of an upright picture, which is first laid over white and reduced to at most 100×100 pixels.
  ///
  /// - Parameters:
  ///   - across: Frequencies across, 1 to 9.
  ///   - down: Frequencies down, 1 to 9.
  /// - Throws: ``CoderError/Code/invalidArgument`` for other numbers of them; ``CoderError/Code/outOfMemory``.
  public static func text(of pixels: PixelBuffer, across: Int = 4, down: Int = 3) throws(CoderError) -> String {
    guard (1...9).contains(across), (1...9).contains(down) else {
      throw .invalidArgument("a BlurHash of \(across)×\(down) frequencies; 1 to 9 are allowed")
    }
    let small = try pixels.reduced(to: 100).flattened(on: .white).converted(to: PixelLayout(.rgb8, .opaque))
    let (width, height) = (small.size.width, small.size.height)
    let light = small.copyBytes().map { linear($0) }
    var factors: [(Double, Double, Double)] = []
    for j in 0..<down {
      for i in 0..<across {
        let columns = (0..<width).map { cos(.pi * Double(i) * Double($0) / Double(width)) }
        var sum = (0.0, 0.0, 0.0)
        for y in 0..<height {
          let row = cos(.pi * Double(j) * Double(y) / Double(height))
          for x in 0..<width {
            let (basis, place) = (columns[x] * row, 3 * (y * width + x))
            sum.0 += basis * light[place]
            sum.1 += basis * light[place + 1]
            sum.2 += basis * light[place + 2]
          }
        }
        let scale = (i == 0 && j == 0 ? 1.0 : 2.0) / Double(width * height)
        factors.append((sum.0 * scale, sum.1 * scale, sum.2 * scale))
      }
    }
    let mean = factors.removeFirst()
    var text = digits(across - 1 + (down - 1) * 9, 1)
    var most = 1.0
    if let largest = factors.flatMap({ [abs($0.0), abs($0.1), abs($0.2)] }).max() {
      let quantized = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
      most = Double(quantized + 1) / 166
      text += digits(quantized, 1)
    } else {
      text += digits(0, 1)
    }
    text += digits(coded(mean.0) << 16 | coded(mean.1) << 8 | coded(mean.2), 4)
    for factor in factors {
      let parts = [factor.0, factor.1, factor.2].map { value in
        let root = (abs(value) / most).squareRoot()
        return max(0, min(18, Int(((value < 0 ? -root : root) * 9 + 9.5).rounded(.down))))
      }
      text += digits(parts[0] * 361 + parts[1] * 19 + parts[2], 2)
    }
    return text
  }

  /// A sample as light, by the curve of sRGB.
  private static func linear(_ sample: UInt8) -> Double {
    let value = Double(sample) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func coded(_ light: Double) -> Int {
    let value = max(0, min(1, light))
    let code = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
    return Int(code * 255 + 0.5)
  }

  /// A number in digits of base 83.
  private static func digits(_ value: Int, _ count: Int) -> String {
    var (rest, text) = (value, "")
    for _ in 0..<count {
      text.insert(alphabet[rest % 83], at: text.startIndex)
      rest /= 83
    }
    return text
  }

  private static let alphabet = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
}
