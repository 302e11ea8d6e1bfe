// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

extension ICCProfile {
  /// The D50-adapted colorants of sRGB, as in the profiles of HP, Google, Apple and the ICC.
  private static let colorants: [(tag: FourCC, xyz: [Double])] = [
    (FourCC("rXYZ"), [0.4361, 0.2225, 0.0139]), (FourCC("gXYZ"), [0.3851, 0.7169, 0.0971]),
    (FourCC("bXYZ"), [0.1431, 0.0606, 0.7141]),
  ]
  /// How far a colorant may be away: less than a tenth of the way to that of any other usual space.
  private static let colorantTolerance = 0.002
  /// How far the curve may be away, of 1. A plain gamma of 2.2 is off by 0.0075 at its worst.
  private static let curveTolerance = 0.002

  /// Whether a profile says what sRGB says: the same primaries and the same curve, whatever its name.
  ///
  /// - Format: ICC.1:2022 §8.3.3 (matrix and curves), §10.6, §10.18, §10.31.
  package static func isSRGB(_ profile: RawSpan) -> Bool {
    let reader = ByteReader(profile, of: "the ICC profile")
    let tags = tags(reader)
    // §8.10: tables come before matrix and curves, and may say something else.
    let others = [FourCC("A2B0"), FourCC("A2B1"), FourCC("cicp")]
    guard reader.has("RGB ", at: 16), others.allSatisfy({ tags[$0] == nil }) else { return false }
    for (tag, xyz) in colorants {
      guard let place = tags[tag]?.lowerBound, reader.has("XYZ ", at: place) else { return false }
      for (index, expected) in xyz.enumerated() {
        guard let value = fixed(at: place + 8 + index * 4, reader), abs(value - expected) < colorantTolerance else {
          return false
        }
      }
    }
    for curve in [FourCC("rTRC"), FourCC("gTRC"), FourCC("bTRC")] {
      guard let place = tags[curve]?.lowerBound, isCurveOfSRGB(at: place, reader) else { return false }
    }
    return true
  }

  private static func isCurveOfSRGB(at place: Int, _ reader: borrowing ByteReader) -> Bool {
    if reader.has("curv", at: place) {
      // One entry is a gamma.
      guard let count = try? Int(reader.uint32(at: place + 8)), (2...4096).contains(count) else { return false }
      for index in 0..<count {
        guard let entry = try? reader.uint16(at: place + 12 + index * 2) else { return false }
        let expected = linear(Double(index) / Double(count - 1))
        guard abs(Double(entry) / 65535 - expected) < curveTolerance else { return false }
      }
      return true
    }
    // §10.18: function 3 has gamma, a, b, c and d.
    guard reader.has("para", at: place), let function = try? reader.uint16(at: place + 8), function == 3 else {
      return false
    }
    for (index, expected) in [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].enumerated() {
      guard let value = fixed(at: place + 12 + index * 4, reader), abs(value - expected) < curveTolerance else {
        return false
      }
    }
    return true
  }

  /// IEC 61966-2-1: from stored values to light, 0 to 1.
  private static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// §4.6: an s15Fixed16Number.
  private static func fixed(at place: Int, _ reader: borrowing ByteReader) -> Double? {
    (try? reader.uint32(at: place)).map { Double(Int32(bitPattern: $0)) / 65536 }
  }
}
