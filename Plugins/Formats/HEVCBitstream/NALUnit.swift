// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The header of a NAL unit (ITU-T H.265 §7.3.1.2).
public enum NALUnit {
  /// The type, or nil for a unit that no decoder of the base layer looks at.
  public static func type(of unit: RawSpan) -> UInt8? {
    guard unit.byteCount >= 2 else { return nil }
    let first = unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
    let second = unit.unsafeLoad(fromByteOffset: 1, as: UInt8.self)
    // forbidden_zero_bit, nuh_layer_id and nuh_temporal_id_plus1
    guard first & 0x81 == 0, second & 0xF8 == 0, second & 7 != 0 else { return nil }
    return first >> 1
  }

  /// What follows the header: the bits of the payload, without the bytes that prevent start codes (§7.4.2.3).
  ///
  /// - Parameter limit: More bytes of the unit are not looked at.
  static func payload(of unit: RawSpan, limit: Int = .max) -> [UInt8] {
    let end = min(unit.byteCount, limit)
    guard end > 2 else { return [] }
    var payload = [UInt8](copying: unit.extracting(2..<end))
    let kept = payload.withUnsafeMutableBufferPointer { bytes in
      var (kept, zeros) = (0, 0)
      for byte in bytes {
        if zeros >= 2, byte == 3 {
          zeros = 0
          continue
        }
        zeros = byte == 0 ? zeros &+ 1 : 0
        bytes[kept] = byte
        kept &+= 1
      }
      return kept
    }
    payload.removeLast(payload.count &- kept)
    return payload
  }
}

/// Types of NAL units that matter here (ITU-T H.265 table 7-1).
public enum NALUnitType {
  public static let videoParameters: UInt8 = 32
  public static let sequenceParameters: UInt8 = 33
  public static let pictureParameters: UInt8 = 34
  public static let parameterSets = videoParameters...pictureParameters

  /// Whether a unit is a slice of a picture; reserved types are not.
  public static func isSlice(_ type: UInt8) -> Bool { type <= 9 || isIntraRandomAccess(type) }
  /// Whether decoding can start at the picture: BLA, IDR and CRA.
  public static func isIntraRandomAccess(_ type: UInt8) -> Bool { (16...21).contains(type) }
  static func isBrokenLink(_ type: UInt8) -> Bool { (16...18).contains(type) }
  static func isInstantaneousRefresh(_ type: UInt8) -> Bool { type == 19 || type == 20 }
  /// Whether the picture leads a random access picture; such ones are skipped when decoding starts there.
  static func isSkippedLeading(_ type: UInt8) -> Bool { type == 8 || type == 9 }
  /// Whether places of later pictures do not go by this one: leading pictures, and those that no picture of their
  /// sub-layer refers to.
  static func isPassing(_ type: UInt8) -> Bool { type < 16 && type & 1 == 0 || (6...9).contains(type) }
}

/// Goes through the NAL units of a sample or an item, each of which follows its length (ISO/IEC 14496-15 §4.3.3).
///
///     var units = NALUnitPlaces(lengthBytes: configuration.lengthBytes)
///     while let place = try units.next(in: sample) { … }
public struct NALUnitPlaces {
  private let lengthBytes: Int
  private let isCut: Bool
  private let fileOffset: Int
  private var place = 0
  /// Whether the bytes ended inside the last unit, of which what is there was returned.
  public private(set) var isUnitCut = false

  /// - Parameters:
  ///   - lengthBytes: Bytes of each length.
  ///   - isCut: Whether the file ends with the bytes: then a unit may reach beyond them.
  ///   - fileOffset: Where the bytes begin in the file, for errors.
  public init(lengthBytes: Int, isCut: Bool = false, at fileOffset: Int = 0) {
    self.lengthBytes = lengthBytes
    self.isCut = isCut
    self.fileOffset = fileOffset
  }

  /// Where the next unit lies in the bytes, or nil at the end. Units that are no longer than their header are passed over.
  ///
  /// - Parameter bytes: The same each time.
  /// - Throws: ``CoderError/Code/malformed`` for a unit that reaches beyond the bytes.
  public mutating func next(in bytes: RawSpan) throws(CoderError) -> Range<Int>? {
    while place < bytes.byteCount {
      let left = bytes.byteCount &- place
      let reader = ByteReader(bytes, at: fileOffset, of: "the NAL units", isCutOff: isCut)
      let known = min(lengthBytes, left)
      let length = Int(clamping: try reader.unsigned(bytes: known, at: place, "a length"))
      guard known == lengthBytes, length <= left &- lengthBytes else {
        guard isCut else {
          throw .malformed(
            "a NAL unit of \(length) bytes, where \(left) are left with its length", at: fileOffset &+ place)
        }
        isUnitCut = true
        let first = place &+ lengthBytes
        place = bytes.byteCount
        return first &+ 2 < bytes.byteCount ? first..<bytes.byteCount : nil
      }
      let first = place &+ lengthBytes
      place = first &+ length
      if length > 2 { return first..<place }
    }
    return nil
  }
}
