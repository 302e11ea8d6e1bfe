// SPDX-License-Identifier: Apache-2.0

/// A kind of raw metadata payload.
public enum MetadataKind: UInt32, Sendable, CaseIterable {
  /// An ICC profile.
  case icc = 1
  /// Exif, starting at its TIFF header.
  case exif = 2
  /// An XMP packet.
  case xmp = 3
}

extension MetadataKind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .icc: "ICC"
    case .exif: "Exif"
    case .xmp: "XMP"
    }
  }
}
