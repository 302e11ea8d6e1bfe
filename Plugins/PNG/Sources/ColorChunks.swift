// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension LightLevels {
  /// The chunks that say so, mDCV and cLLI. A display whose colors or light are not known has none.
  var chunks: [UInt8] {
    var chunks: [UInt8] = []
    func put(_ values: [Double?], _ scale: Double, in data: inout ByteWriter) {
      for value in values { data.put(UInt32(min(max(((value ?? 0) * scale).rounded(), 0), 0x7FFF_FFFF))) }
    }
    if let primaries = masteringPrimaries, let masteringPeak {
      var data = ByteWriter()
      for point in [primaries.red, primaries.green, primaries.blue, primaries.white] {
        for value in [point.x, point.y] { data.put(UInt16(min(max((value * 50_000).rounded(), 0), 65_535))) }
      }
      put([masteringPeak, masteringBlack], 10_000, in: &data)
      chunks += LibPNG.chunk(.mdcv, data.bytes)
    }
    if contentPeak != nil || frameAveragePeak != nil {
      var data = ByteWriter()
      put([contentPeak, frameAveragePeak], 10_000, in: &data)
      chunks += LibPNG.chunk(.clli, data.bytes)
    }
    return chunks
  }
}

/// What the small chunks before the image data say of color and scale.
struct ColorChunks {
  /// gAMA: of encoding, 0.45455 for sRGB-like (PNG Third Edition §11.3.2.2).
  private(set) var gamma: Double?
  /// cICP (§11.3.2.6).
  private(set) var cicp: CodingIndependentCodePoints?
  /// sRGB: the rendering intent, 0 to 3 (§11.3.2.5).
  private(set) var renderingIntent: UInt8?
  /// cHRM: x and y of white, red, green, blue (§11.3.2.1).
  private(set) var chromaticities: [Double] = []
  /// mDCV and cLLI: of the display that the picture was made on, and of the picture (§11.3.2.7, §11.3.2.8).
  private(set) var light = LightLevels()
  /// pHYs: pixels per unit, and whether the unit is the metre (§11.3.4.3).
  private(set) var pixelsPerUnit: (x: UInt32, y: UInt32, isMetre: Bool)?
  private var backgroundData: [UInt8] = []

  static let names: Set<FourCC> = [.gama, .cicp, .srgb, .chrm, .mdcv, .clli, .draftMDCV, .draftCLLI, .phys, .bkgd]

  /// Reads a chunk's data.
  ///
  /// - Returns: Why the chunk is ignored, or nil.
  mutating func read(_ data: [UInt8], of name: FourCC) throws(CoderError) -> String? {
    var reader = ByteReader(data.span.bytes, of: "the chunk")
    switch name {
    case .gama:
      guard data.count == 4, case let value = try reader.uint32(), value > 0, value <= 0x7FFF_FFFF else {
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
      chromaticities = []
      for _ in 0..<8 { chromaticities.append(Double(try reader.uint32()) / 100_000) }
    case .draftMDCV where light.masteringPrimaries != nil: return "mDCv beside mDCV"
    case .draftCLLI where light.contentPeak != nil || light.frameAveragePeak != nil: return "cLLi beside cLLI"
    case .mdcv, .draftMDCV:
      guard data.count == 24 else { return "mDCV of \(data.count) bytes, 24 are needed" }
      var points: [SIMD2<Double>] = []
      for _ in 0..<4 {
        let x = Double(try reader.uint16()) / 50_000
        points.append(SIMD2(x, Double(try reader.uint16()) / 50_000))
      }
      light.masteringPrimaries = StoredColor.Primaries(
        red: points[0], green: points[1], blue: points[2], white: points[3])
      light.masteringPeak = LightLevels.nits(Double(try reader.uint32()) / 10_000)
      light.masteringBlack = LightLevels.nits(Double(try reader.uint32()) / 10_000)
    case .clli, .draftCLLI:
      guard data.count == 8 else { return "cLLI of \(data.count) bytes, 8 are needed" }
      light.contentPeak = LightLevels.nits(Double(try reader.uint32()) / 10_000)
      light.frameAveragePeak = LightLevels.nits(Double(try reader.uint32()) / 10_000)
    case .phys:
      guard data.count == 9 else { return "pHYs of \(data.count) bytes, 9 are needed" }
      pixelsPerUnit = (x: try reader.uint32(), y: try reader.uint32(), isMetre: try reader.uint8() == 1)
    default:
      backgroundData = data
    }
    return nil
  }

  /// What the chunks say beside code points.
  var stored: StoredColor {
    var stored = StoredColor(light: light)
    let points = stride(from: 0, to: chromaticities.count - 1, by: 2).map {
      SIMD2(chromaticities[$0], chromaticities[$0 + 1])
    }
    if points.count == 4 {
      stored.primaries = StoredColor.Primaries(red: points[1], green: points[2], blue: points[3], white: points[0])
    }
    stored.gamma = gamma.map { SIMD3(repeating: 1 / $0) }
    return stored
  }

  /// bKGD as 16-bit samples, or nil without one that fits the image (§11.3.4.1).
  func background(for header: ImageHeaderChunk, palette: [UInt8]) throws(CoderError) -> PixelColor? {
    var reader = ByteReader(backgroundData.span.bytes, of: "bKGD")
    switch header.colorType {
    case .gray, .grayAlpha:
      guard reader.count == 2 else { return nil }
      let gray = try Self.sample(&reader, bits: header.bitDepth)
      return PixelColor(red16: gray, green16: gray, blue16: gray)
    case .rgb, .rgba:
      guard reader.count == 6 else { return nil }
      let red = try Self.sample(&reader, bits: header.bitDepth)
      let green = try Self.sample(&reader, bits: header.bitDepth)
      return PixelColor(red16: red, green16: green, blue16: try Self.sample(&reader, bits: header.bitDepth))
    case .palette:
      guard reader.count == 1, case let index = Int(try reader.uint8()), palette.count / 3 > index else { return nil }
      let entry = Array(palette[(index * 3)...].prefix(3))
      return PixelColor(red: entry[0], green: entry[1], blue: entry[2])
    }
  }

  /// A sample of so many bits, stored in 16, as one of 16 bits.
  private static func sample(_ reader: inout ByteReader, bits: Int) throws(CoderError) -> UInt16 {
    let maximum = UInt32(1) << UInt32(bits) - 1
    return UInt16(truncatingIfNeeded: (UInt32(try reader.uint16()) & maximum) &* 65_535 / maximum)
  }
}
