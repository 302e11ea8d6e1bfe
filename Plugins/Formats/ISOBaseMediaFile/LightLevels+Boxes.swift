// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What boxes, and messages in bitstreams that have the same fields, say of how bright the light of a picture is.
extension LightLevels {
  /// Whether boxes of a type say something of light.
  public static func isLight(_ type: FourCC) -> Bool {
    type == .lightLevel || type == .masteringDisplay || type == .contentVolume
  }

  /// Takes what a box says (ISO/IEC 14496-12 §12.1.6 to §12.1.8). Boxes that are cut say nothing, as do others.
  public mutating func read(_ content: inout ByteReader, of type: FourCC) throws(CoderError) {
    switch type {
    case .lightLevel where content.remaining >= 4: try readLevels(&content)
    case .masteringDisplay where content.remaining >= 24: try readMasteringDisplay(&content)
    case .contentVolume where content.remaining >= 1: try readContentVolume(&content)
    default: return
    }
  }

  /// Reads the brightest pixel's light and the brightest frame's mean: 16 bits each, nits; 0 is not stated. So it is in
  /// `clli`, in the message 144 of HEVC, and in AV1's metadata.
  public mutating func readLevels(_ content: inout ByteReader) throws(CoderError) {
    contentPeak = Self.nits(Double(try content.uint16("the light level")))
    frameAveragePeak = Self.nits(Double(try content.uint16("the average light level")))
  }

  /// Reads the display that the picture was made on: its green, blue, red and white in 1/50,000, then the most and the
  /// least light in 1/10,000 nit. So it is in `mdcv`, and in the message 137 of HEVC (ITU-T H.265 §D.3.28).
  public mutating func readMasteringDisplay(_ content: inout ByteReader) throws(CoderError) {
    var points: [SIMD2<Double>] = []
    for _ in 0..<4 {
      let x = Double(try content.uint16("a color of a display")) / 50_000
      points.append(SIMD2(x, Double(try content.uint16("a color of a display")) / 50_000))
    }
    masteringPrimaries = StoredColor.Primaries(red: points[2], green: points[0], blue: points[1], white: points[3])
    masteringPeak = Self.nits(Double(try content.uint32("the most light of a display")) / 10_000)
    masteringBlack = Self.nits(Double(try content.uint32("the least light of a display")) / 10_000)
  }

  /// Reads `cclv`: flags, primaries, then the least, the most and the mean light in 10⁻⁷ nit, each where a flag says so.
  /// `clli` counts before it.
  private mutating func readContentVolume(_ content: inout ByteReader) throws(CoderError) {
    let flags = try content.uint8("the flags of a volume of colors")
    let fields = (flags >> 5 & 1) * 24 + (flags >> 4 & 1) * 4 + (flags >> 3 & 1) * 4
    guard flags & 8 != 0, content.remaining >= Int(fields) else { return }
    try content.skip(Int(fields) - 4, "the primaries and the least light")
    let peak = Self.nits(Double(try content.uint32("the most light")) / 1e7)
    contentPeak = contentPeak ?? peak
  }

  /// The boxes that say so: `clli` and `mdcv`. A display whose colors or light are not known has none.
  public var boxes: [[UInt8]] {
    var boxes: [[UInt8]] = []
    if contentPeak != nil || frameAveragePeak != nil {
      var writer = ByteWriter()
      writer.box(.lightLevel) { writer in
        for value in [contentPeak, frameAveragePeak] {
          writer.put(UInt16(min(max((value ?? 0).rounded(.up), 0), 65_535)))
        }
      }
      boxes.append(writer.bytes)
    }
    if let primaries = masteringPrimaries, let peak = masteringPeak {
      var writer = ByteWriter()
      writer.box(.masteringDisplay) { writer in
        for point in [primaries.green, primaries.blue, primaries.red, primaries.white] {
          for value in [point.x, point.y] { writer.put(UInt16(min(max((value * 50_000).rounded(), 0), 65_535))) }
        }
        for value in [peak, masteringBlack ?? 0] {
          writer.put(UInt32(min(max((value * 10_000).rounded(), 0), 100_000_000)))
        }
      }
      boxes.append(writer.bytes)
    }
    return boxes
  }
}
