// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What boxes, and messages in bitstreams that have the same fields, say of how bright the light of a picture is.
extension StoredColor {
  /// Whether something says how bright the brightest light is.
  public var statesLight: Bool { contentPeak != nil || masteringPeak != nil }

  /// Whether boxes of a type say something of light.
  public static func isLight(_ type: FourCC) -> Bool {
    type == .lightLevel || type == .masteringDisplay || type == .contentVolume
  }

  /// Takes what a box says (ISO/IEC 14496-12 §12.1.6 to §12.1.8). Boxes that are cut say nothing, as do others.
  public mutating func readLight(_ content: inout ByteReader, of type: FourCC) throws(CoderError) {
    switch type {
    case .lightLevel where content.remaining >= 4: try readLightLevels(&content)
    case .masteringDisplay where content.remaining >= 24: try readMasteringDisplay(&content)
    case .contentVolume where content.remaining >= 1: try readContentVolume(&content)
    default: return
    }
  }

  /// Reads the brightest pixel's light and the brightest frame's mean: 16 bits each, nits; 0 is not stated. So it is in
  /// `clli`, in the message 144 of HEVC, and in AV1's metadata.
  public mutating func readLightLevels(_ content: inout ByteReader) throws(CoderError) {
    contentPeak = Self.nits(Double(try content.uint16("the light level")))
    frameAveragePeak = Self.nits(Double(try content.uint16("the average light level")))
  }

  /// Reads the display that the picture was made on: three primaries and white, which are not those of the samples, then
  /// the most and the least light in 1/10,000 nit. So it is in `mdcv`, and in the message 137 of HEVC.
  public mutating func readMasteringDisplay(_ content: inout ByteReader) throws(CoderError) {
    try content.skip(16, "the primaries of a display")
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

  /// nil for what no display and no sample of PQ shows.
  static func nits(_ value: Double) -> Double? { value > 0 && value <= 10_000 ? value : nil }

  /// Puts the display's light in, where it is in other units than boxes have.
  public mutating func setMasteringDisplay(peak: Double, black: Double) {
    masteringPeak = Self.nits(peak)
    masteringBlack = Self.nits(black)
  }
}
