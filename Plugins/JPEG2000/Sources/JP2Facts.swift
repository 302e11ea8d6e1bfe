// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension FileHeader {
  /// Pixels per inch from left to right, and how wide a pixel is for its height where that is not the same.
  var density: (resolution: Double?, aspect: Double?) {
    guard let stated = displayResolution ?? captureResolution else { return (nil, nil) }
    // Files state whole numbers, or fractions of 16 bits that come near them.
    func perInch(_ perMetre: Double) -> Double {
      let steps = perMetre * 0.0254 < 1 ? 10_000.0 : 100
      return (perMetre * 0.0254 * steps).rounded() / steps
    }
    let (resolution, down) = (perInch(stated.x), perInch(stated.y))
    let aspect = resolution == down ? nil : down / resolution
    guard (1.0 / 64...64).contains(aspect ?? 1) else { return (nil, nil) }
    return (resolution > 0 ? resolution : nil, aspect)
  }
}

/// The density of a picture to be written, as boxes have it.
struct WrittenResolution {
  /// Pixels per metre, as a fraction of 16 bits each and a power of ten.
  private typealias Number = (number: UInt16, divisor: UInt16, power: Int)

  private let across: Number
  private let down: Number

  /// - Returns: Nil if the header states none, or one that has no place.
  init?(_ header: ImageHeader) {
    guard let resolution = header.resolution, let across = Self.number(resolution),
      let down = Self.number(resolution * (header.pixelAspect ?? 1))
    else { return nil }
    (self.across, self.down) = (across, down)
  }

  private static func number(_ value: Double) -> Number? {
    guard value >= 0.001, value <= 1e9 else { return nil }
    // Programs show the fraction and forget the power, so that it is 0 where it can be.
    let metres = value / 0.0254
    if value >= 1, metres <= 65_535 {
      let divisor = (65_535 / metres).rounded(.down)
      return (UInt16((metres * divisor).rounded(.down)), UInt16(divisor), 0)
    }
    var power = -4
    var scaled = value * 10_000
    while scaled.rounded() > 65_535 {
      scaled /= 10
      power += 1
    }
    // An inch is 254 ten-thousandths of a metre.
    return (UInt16(scaled.rounded()), 254, power + 4)
  }

  /// The resolution box with both resolutions, I.5.3.7: programs look for the one or the other.
  func write(to writer: inout ByteWriter) {
    writer.box(.resolution) { writer in
      for type in [FourCC.captureResolution, .displayResolution] {
        writer.box(type) { writer in
          for part in [down, across] {
            writer.put(part.number)
            writer.put(part.divisor)
          }
          for power in [down.power, across.power] { writer.put(UInt8(truncatingIfNeeded: power)) }
        }
      }
    }
  }
}

/// The payload of a GeoJP2 box: a TIFF file of one gray pixel, which has the tags of GeoTIFF.
enum GeoJP2 {
  /// Makes one of a payload of ``MetadataKind/geoTIFF``.
  ///
  /// - Returns: Nil for a payload that cannot be read.
  static func file(_ payload: [UInt8]) throws(CoderError) -> [UInt8]? {
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
    let reader = ByteReader(payload.span.bytes, order: order, of: "GeoTIFF")
    guard let place = try? Int(reader.uint32(at: 4)), let count = try? Int(reader.uint16(at: place)) else { return nil }
    var fields: [TIFFField] = []
    for index in 0..<min(count, 100) {
      let start = place + 2 + 12 * index
      guard let tag = try? Int(reader.uint16(at: start)), let type = try? Int(reader.uint16(at: start + 2)),
        let number = try? Int(reader.uint32(at: start + 4)), let far = try? Int(reader.uint32(at: start + 8))
      else { break }
      // The tags of pictures of this file, or those of the payload, but not both.
      guard tag >= 33_000, !fields.contains(where: { $0.tag == tag }) else { continue }
      let length = number * TIFFField.ValueType(rawValue: type).size
      guard length > 0, let bytes = try? reader.bytes(at: length <= 4 ? start + 8 : far, count: length) else {
        continue
      }
      fields.append(
        TIFFField(tag: tag, type: TIFFField.ValueType(rawValue: type), count: number, value: [UInt8](copying: bytes)))
    }
    guard !fields.isEmpty else { return nil }
    let writer = TIFFFieldWriter(order: order)
    let picture = [
      writer.long(256, 1), writer.long(257, 1), writer.shorts(258, [8]), writer.shorts(259, [1]),
      writer.shorts(262, [1]),
      writer.long(273, 8), writer.shorts(277, [1]), writer.long(278, 1), writer.long(279, 1),
    ]
    // The pixel, and a byte so that the directory begins at an even place.
    return try writer.header(firstDirectory: 10) + [0, 0] + writer.directory(picture + fields, at: 10)
  }
}
