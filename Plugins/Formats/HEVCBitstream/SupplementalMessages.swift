// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Supplemental enhancement information: messages beside the pictures (ITU-T H.265 §7.3.5).
public enum SupplementalMessages {
  /// NAL units of messages that come before the picture.
  public static let unitType: UInt8 = 39
  /// mastering_display_colour_volume (§D.2.28).
  public static let masteringDisplay = 137
  /// content_light_level_info (§D.2.35).
  public static let lightLevels = 144

  /// More bytes of a unit are not looked at.
  private static let limit = 4096

  /// Shows each message of a unit, without the bytes that prevent start codes. Ends at the first that is cut.
  public static func forEach(
    in unit: RawSpan, _ body: (_ type: Int, _ payload: inout ByteReader) throws(CoderError) -> Void
  ) throws(CoderError) {
    let payload = NALUnit.payload(of: unit, limit: limit)
    var place = 0
    /// §7.3.5: as many times 255 as there are bytes of all ones, and the next byte.
    func number() -> Int? {
      var value = 0
      while place < payload.count {
        let byte = Int(payload[place])
        place += 1
        value += byte
        if byte < 255 { return value }
      }
      return nil
    }
    while let type = number(), let size = number(), size <= payload.count - place {
      let content = Array(payload[place..<place + size])
      place += size
      var reader = ByteReader(content.span.bytes, of: "a message")
      try body(type, &reader)
    }
  }
}
