// SPDX-License-Identifier: Apache-2.0

package import CImageCoder

extension AuxiliaryPicture {
  /// Checks and copies what a reader says of an auxiliary picture.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for metadata or a profile that is too large.
  package init(_ raw: imgcoder_auxiliary, limits: Limits) throws(CoderError) {
    self.init(
      Kind(rawValue: raw.kind) ?? .other, typeName: String(raw.type), page: Int(raw.page), owner: Int(raw.owner))
    gainMapMetadata = try Self.copy(raw.gain_map, raw.gain_map_length, limits)
    alternateProfile = try Self.copy(raw.alternate_icc, raw.alternate_icc_length, limits)
    let points = raw.alternate_cicp
    if points.primaries != 0 || points.transfer != 0 {
      alternateColors = CodingIndependentCodePoints(
        primaries: points.primaries, transfer: points.transfer, matrix: points.matrix,
        isFullRange: points.full_range != 0)
    }
  }

  private static func copy(
    _ bytes: UnsafePointer<UInt8>?, _ length: UInt64, _ limits: Limits
  ) throws(CoderError) -> [UInt8]? {
    guard let bytes else { return nil }
    try limits.check(metadata: Int(clamping: length))
    return [UInt8](UnsafeBufferPointer(start: bytes, count: Int(clamping: length)))
  }
}
