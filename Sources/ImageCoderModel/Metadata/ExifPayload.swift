// SPDX-License-Identifier: Apache-2.0

/// Finds where Exif begins in the bytes that a file has for it.
///
/// Exif is a TIFF structure (Exif 2.32 §4.5.2), and formats put something before it: JPEG the prefix "Exif" and two
/// zeros (§4.7.2), which some writers also use in other formats; HEIF, AVIF and JPEG XL the distance to the TIFF header
/// in four bytes (ISO/IEC 23008-12 Annex A.2.1, ISO/IEC 18181-2 §9.6).
public enum ExifPayload {
  /// "Exif" and two zeros.
  public static let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]

  /// The byte order of a TIFF structure (TIFF 6.0 §2), or nil if the bytes do not begin like one.
  public static func byteOrder(of bytes: RawSpan) -> ByteOrder? { byteOrder(in: ByteReader(bytes), at: 0) }

  private static func byteOrder(in reader: ByteReader, at place: Int) -> ByteOrder? {
    if reader.has("MM\0*", at: place) { return .bigEndian }
    return reader.has("II*\0", at: place) ? .littleEndian : nil
  }

  /// Whether bytes begin like a TIFF structure.
  public static func isTIFF(_ bytes: RawSpan) -> Bool { byteOrder(of: bytes) != nil }

  /// Where the TIFF structure begins: after ``prefix`` if the bytes begin with it, else at 0.
  public static func start(in bytes: RawSpan) -> Int {
    ByteReader(bytes).has("Exif\0\0", at: 0) ? prefix.count : 0
  }

  /// Where the TIFF structure begins in bytes that begin with the distance to it, counted from the fifth byte on.
  ///
  /// Some writers count from another place, insert ``prefix`` without counting it, or leave the distance out: the first
  /// place with a TIFF header is used.
  ///
  /// - Returns: Where the TIFF structure begins. If no TIFF header is found, the place that the distance states, or nil
  ///   if that is outside the bytes.
  public static func start(afterDistanceIn bytes: RawSpan) -> Int? {
    let reader = ByteReader(bytes)
    guard let distance = try? reader.uint32(at: 0) else { return nil }  // fewer than four bytes
    let stated = 4 &+ Int(distance)
    for place in [stated, 4, 4 + prefix.count, 0, prefix.count] where byteOrder(in: reader, at: place) != nil {
      return place
    }
    return stated < bytes.byteCount ? stated : nil
  }
}
