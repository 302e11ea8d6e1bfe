// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension ICCProfile {
  /// A profile for a space of primaries and curves, of version 4; its bytes depend on nothing else.
  ///
  /// - Format: ICC.1:2022 §7, §8.3.3, §8.3.4.
  /// - Parameter isGray: Whether it is for the grays of the space alone.
  /// - Returns: Nil for a space of tables.
  package static func bytes(of space: ColorSpace, isGray: Bool = false) -> [UInt8]? {
    let curves: [ToneCurve]
    var tags: [(name: String, bytes: [UInt8])] = [
      ("desc", text(space.name)), ("cprt", text("No copyright")), ("wtpt", xyz(Chromaticities.d50)),
    ]
    switch space.model {
    case .tables, .inks, .press: return nil
    case .gray(let curve): curves = [curve]
    case .rgb(let toXYZ, let own):
      curves = isGray ? [own[1]] : own
      if !isGray {
        for (name, color) in [("rXYZ", toXYZ.first), ("gXYZ", toXYZ.second), ("bXYZ", toXYZ.third)] {
          tags.append((name, xyz(color)))
        }
      }
    }
    for (name, curve) in zip(curves.count == 1 ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"], curves) {
      tags.append((name, bytes(of: curve)))
    }
    if let points = space.cicp, !isGray {
      tags.append(
        ("cicp", Array("cicp".utf8) + [0, 0, 0, 0, points.primaries, points.transfer, 0, 1]))
    }
    return file(tags, isGray: curves.count == 1)
  }

  /// The profile for pixels of a format: of gray for colors, one of colors with the same curve.
  static func fitting(_ profile: [UInt8], _ format: PixelFormat) -> [UInt8] {
    guard !format.isGray, model(of: profile) == "GRAY", let space = try? ICCColorReader.space(profile, isGray: false)
    else {
      return profile
    }
    return bytes(of: space) ?? profile
  }

  private static func file(_ tags: [(name: String, bytes: [UInt8])], isGray: Bool) -> [UInt8] {
    var table = number(tags.count)
    var data: [UInt8] = []
    var places: [[UInt8]: Int] = [:]
    for (name, bytes) in tags {
      // Equal curves are stored once.
      let place = places[bytes] ?? 132 + tags.count * 12 + data.count
      table += Array(name.utf8) + number(place) + number(bytes.count)
      guard places[bytes] == nil else { continue }
      places[bytes] = place
      data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    var header = [UInt8](repeating: 0, count: 128)
    func put(_ bytes: some Sequence<UInt8>, at place: Int) {
      for (index, byte) in bytes.enumerated() { header[place + index] = byte }
    }
    put(number(128 + table.count + data.count), at: 0)
    put([4, 0x40, 0, 0], at: 8)
    put(Array("mntr\(isGray ? "GRAY" : "RGB ")XYZ ".utf8), at: 12)
    // §7.2.8: the date is needed, and tells nothing.
    put([0x07, 0xEA, 0, 1, 0, 1], at: 24)
    put(Array("acsp".utf8), at: 36)
    put(number(1), at: 64)
    put([0xF6, 0xD6], at: 70)
    put([0, 1, 0, 0], at: 72)
    put([0xD3, 0x2D], at: 78)
    return header + table + data
  }

  private static func bytes(of curve: ToneCurve) -> [UInt8] {
    let start = Array("para".utf8) + [0, 0, 0, 0]
    switch curve {
    case .linear: return Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
    case .gamma(let gamma): return start + [0, 0, 0, 0] + fixed(gamma)
    case .parametric(let power) where power.e == 0 && power.f == 0:
      return start + [0, 3, 0, 0] + [power.g, power.a, power.b, power.c, power.d].flatMap(fixed)
    case .parametric(let power):
      return start + [0, 4, 0, 0]
        + [power.g, power.a, power.b, power.c, power.d, power.e, power.f].flatMap(fixed)
    case .table(let entries): return table(entries)
    case .pq, .hlg:
      // For programs that do not know the tag cicp: up to the white of an SDR picture.
      return table((0..<4096).map { UInt16(min(max(curve.light(Double($0) / 4095), 0), 1) * 65_535) })
    }
  }

  private static func table(_ entries: [UInt16]) -> [UInt8] {
    Array("curv".utf8) + [0, 0, 0, 0] + number(entries.count)
      + entries.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

  /// §10.15: one record, in English.
  private static func text(_ words: String) -> [UInt8] {
    let units = words.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    return Array("mluc".utf8) + [0, 0, 0, 0] + number(1) + number(12) + Array("enUS".utf8) + number(units.count)
      + number(28) + units
  }

  private static func xyz(_ color: SIMD3<Double>) -> [UInt8] {
    Array("XYZ ".utf8) + [0, 0, 0, 0] + [color.x, color.y, color.z].flatMap(fixed)
  }

  private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65_536).rounded())) }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }
}
