// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension LightLevels {
  /// Takes what metadata units before a picture say of light (AV1 §5.8.3, §5.8.4). Ends where the picture begins.
  mutating func read(units reader: inout ByteReader) throws(CoderError) {
    while reader.remaining > 0 {
      let isPicture = try AV1Unit.read(&reader) { type, _, bits throws(CoderError) -> Bool in
        if type == AV1Unit.metadata { try readMetadata(&bits) }
        return AV1Unit.pictures.contains(type)
      }
      if isPicture { return }
    }
  }

  /// §6.7.1: the types that matter are numbers of one byte.
  private mutating func readMetadata(_ bits: inout BitReader) throws(CoderError) {
    switch try bits.number(8) {
    case 1:
      let peak = try bits.number(16)
      let mean = try bits.number(16)
      contentPeak = Self.nits(Double(peak))
      frameAveragePeak = Self.nits(Double(mean))
    case 2:
      // Red, green, blue and white have 16 bits after the point, light 8 and 14.
      var points: [SIMD2<Double>] = []
      for _ in 0..<4 {
        let x = Double(try bits.number(16)) / 65_536
        points.append(SIMD2(x, Double(try bits.number(16)) / 65_536))
      }
      masteringPrimaries = StoredColor.Primaries(red: points[0], green: points[1], blue: points[2], white: points[3])
      masteringPeak = Self.nits(Double(try bits.bits(32)) / 256)
      masteringBlack = Self.nits(Double(try bits.bits(32)) / 16_384)
    default: return
    }
  }
}

extension AVIFFile {
  /// How bright the light of what is shown is: by its properties, else by those of its first part, else by the bitstream
  /// of that. Nothing is waited for: of a file that arrives, what is after the boxes does not count.
  var light: LightLevels {
    do throws(CoderError) {
      return isSequence ? try trackLight() : try itemLight()
    } catch {
      // The picture is there without it.
      return LightLevels()
    }
  }

  private static let maxSteps = 8

  private func itemLight() throws(CoderError) -> LightLevels {
    guard let items, var item = items.meta.item(items.primary) else { return LightLevels() }
    for _ in 0..<Self.maxSteps {
      let stated = try ItemProperties(of: item, in: items.meta, file: bytes).light
      if stated.statesPeak { return stated }
      guard let first = items.sources(of: item.id).first, let part = items.meta.item(first) else { break }
      item = part
    }
    var stated = LightLevels()
    guard item.type == .av01, incremental == nil else { return stated }
    // Units that are in each sample may stand in the configuration instead (AV1 in ISOBMFF §2.3.4), after four bytes.
    if let box = items.property(.av1Configuration, of: item.id) {
      try bytes.read(box, as: "av1C") { reader throws(CoderError) in
        try reader.skip(4, "the profile")
        try stated.read(units: &reader)
      }
    }
    guard !stated.statesPeak else { return stated }
    try ItemBytes(of: item, in: items.meta, bytes).read { reader throws(CoderError) in
      try stated.read(units: &reader)
    }
    return stated
  }

  private func trackLight() throws(CoderError) -> LightLevels {
    guard let track else { return LightLevels() }
    var stated = LightLevels()
    for box in track.entryBoxes where LightLevels.isLight(box.type) {
      try box.read { content throws(CoderError) in try stated.read(&content, of: box.type) }
    }
    if !stated.statesPeak, let box = track.entryBoxes.first(where: { $0.type == .av1Configuration }) {
      try box.read { reader throws(CoderError) in
        try reader.skip(4, "the profile")
        try stated.read(units: &reader)
      }
    }
    guard !stated.statesPeak, incremental == nil, let place = track.firstSample,
      place.upperBound <= bytes.count
    else { return stated }
    var reader = ByteReader(bytes.bytes(in: place).bytes, at: place.lowerBound, of: "a sample")
    try stated.read(units: &reader)
    return stated
  }
}

extension FourCC {
  fileprivate static let av1Configuration = FourCC("av1C")
}
