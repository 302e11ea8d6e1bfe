// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the small chunks before the image data say of colour and scale.
struct ColourChunks {
  /// gAMA: of encoding, 0.45455 for sRGB-like (PNG Third Edition §11.3.2.2).
  private(set) var gamma: Double?
  /// cICP (§11.3.2.6).
  private(set) var cicp: CodingIndependentCodePoints?
  /// sRGB: the rendering intent, 0 to 3 (§11.3.2.5).
  private(set) var renderingIntent: UInt8?
  /// cHRM: x and y of white, red, green, blue (§11.3.2.1).
  private(set) var chromaticities: [Double] = []
  /// pHYs: pixels per unit, and whether the unit is the metre (§11.3.4.3).
  private(set) var pixelsPerUnit: (x: UInt32, y: UInt32, isMetre: Bool)?
  private var backgroundData: [UInt8] = []

  static let names: Set<ChunkName> = [.gama, .cicp, .srgb, .chrm, .phys, .bkgd]

  /// - Returns: Why the chunk is ignored, or nil.
  mutating func read(_ data: [UInt8], of name: ChunkName) -> String? {
    switch name {
    case .gama:
      guard data.count == 4, let value = data.bigEndian32(at: 0), value > 0, value <= 0x7FFF_FFFF else {
        return "gAMA of \(data.count) bytes: \(data), 4 bytes above 0 are needed"
      }
      gamma = Double(value) / 100_000
    case .cicp:
      // RGB images have no matrix.
      guard data.count == 4, data[2] == 0, data[3] <= 1 else {
        return "cICP of \(data.count) bytes: \(data.prefix(4)), 4 bytes with matrix 0 and range 0 or 1 are needed"
      }
      cicp = CodingIndependentCodePoints(
        primaries: data[0], transfer: data[1], matrix: data[2], isFullRange: data[3] == 1)
    case .srgb:
      guard data.count == 1, data[0] <= 3 else { return "sRGB of \(data.count) bytes: \(data.prefix(1)), 0 to 3" }
      renderingIntent = data[0]
    case .chrm:
      guard data.count == 32 else { return "cHRM of \(data.count) bytes, 32 are needed" }
      chromaticities = stride(from: 0, to: 32, by: 4).map { Double(data.bigEndian32(at: $0) ?? 0) / 100_000 }
    case .phys:
      guard data.count == 9, let x = data.bigEndian32(at: 0), let y = data.bigEndian32(at: 4) else {
        return "pHYs of \(data.count) bytes, 9 are needed"
      }
      pixelsPerUnit = (x, y, data[8] == 1)
    default:
      backgroundData = data
    }
    return nil
  }

  /// bKGD as 16-bit samples, or nil without one that fits the image (§11.3.4.1).
  func background(for header: ImageHeaderChunk, palette: [UInt8]) -> Background? {
    func sample(_ index: Int) -> UInt16? {
      guard let value = backgroundData.bigEndian16(at: index * 2) else { return nil }
      let maximum = UInt32(1) << UInt32(header.bitDepth) - 1
      return UInt16(truncatingIfNeeded: (UInt32(value) & maximum) &* 65_535 / maximum)
    }
    switch header.colourType {
    case .gray, .grayAlpha:
      guard backgroundData.count == 2, let gray = sample(0) else { return nil }
      return Background(red: gray, green: gray, blue: gray)
    case .rgb, .rgba:
      guard backgroundData.count == 6, let red = sample(0), let green = sample(1), let blue = sample(2) else {
        return nil
      }
      return Background(red: red, green: green, blue: blue)
    case .palette:
      guard backgroundData.count == 1, palette.count / 3 > Int(backgroundData[0]) else { return nil }
      let entry = palette[(Int(backgroundData[0]) * 3)...].prefix(3).map { UInt16($0) * 257 }
      return Background(red: entry[0], green: entry[1], blue: entry[2])
    }
  }
}
