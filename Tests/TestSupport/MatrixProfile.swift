// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An ICC profile of version 2 with primaries and curves, as cameras and editors embed.
package struct MatrixProfile {
  /// How stored values become light.
  package enum Curve {
    /// The function of IEC 61966-2-1.
    case functionOfSRGB
    /// The same as a table.
    case tableOfSRGB(Int)
    /// A plain exponent.
    case gamma(Double)
    /// The same as a table of 1024.
    case tableOfGamma(Double)
  }

  package var name: String
  /// X, Y and Z of red, green and blue, adapted to D50.
  package var colorants: [[Double]]
  package var curve: Curve
  /// Further tags.
  package var others: [(tag: String, bytes: [UInt8])] = []

  package static let sRGB = MatrixProfile(
    name: "sRGB IEC61966-2.1",
    colorants: [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410]],
    curve: .tableOfSRGB(1024))
  package static let displayP3 = MatrixProfile(
    name: "Display P3",
    colorants: [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]],
    curve: .functionOfSRGB)
  package static let adobeRGB = MatrixProfile(
    name: "Adobe RGB (1998)",
    colorants: [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]],
    curve: .gamma(2.19922))

  /// The profile's file.
  package var bytes: [UInt8] {
    var tags: [(tag: String, bytes: [UInt8])] = [
      ("desc", Array("desc".utf8) + [0, 0, 0, 0] + Self.number(name.utf8.count + 1) + Array(name.utf8) + [0])
    ]
    for (tag, xyz) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants) {
      tags.append((tag, Array("XYZ ".utf8) + [0, 0, 0, 0] + xyz.flatMap(Self.fixed)))
    }
    for tag in ["rTRC", "gTRC", "bTRC"] { tags.append((tag, curveBytes)) }
    tags += others
    var table = Self.number(tags.count)
    var data: [UInt8] = []
    for (tag, bytes) in tags {
      table += Array(tag.utf8) + Self.number(132 + tags.count * 12 + data.count) + Self.number(bytes.count)
      data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    var header = [UInt8](repeating: 0, count: 128)
    header.replaceSubrange(0..<4, with: Self.number(128 + table.count + data.count))
    header.replaceSubrange(8..<12, with: [2, 0x40, 0, 0])
    header.replaceSubrange(12..<24, with: "mntrRGB XYZ ".utf8)
    header.replaceSubrange(36..<40, with: "acsp".utf8)
    return header + table + data
  }

  private var curveBytes: [UInt8] {
    switch curve {
    case .functionOfSRGB:
      return Array("para".utf8) + [0, 0, 0, 0, 0, 3, 0, 0]
        + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(Self.fixed)
    case .tableOfSRGB(let count):
      return Self.table(count) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    case .tableOfGamma(let gamma):
      return Self.table(1024) { pow($0, gamma) }
    case .gamma(let gamma):
      return Array("curv".utf8) + [0, 0, 0, 0] + Self.number(1) + Self.number(Int((gamma * 256).rounded())).suffix(2)
    }
  }

  private static func table(_ count: Int, _ light: (Double) -> Double) -> [UInt8] {
    Array("curv".utf8) + [0, 0, 0, 0] + number(count)
      + (0..<count).flatMap { index in
        number(Int((light(Double(index) / Double(count - 1)) * 65535).rounded())).suffix(2)
      }
  }

  private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65536).rounded())) }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }
}
