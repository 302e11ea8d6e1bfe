// SPDX-License-Identifier: Apache-2.0

/// A kind of raw metadata payload.
public enum MetadataKind: UInt32, Sendable, CaseIterable {
  /// An ICC profile.
  case icc = 1
  /// Exif, starting at its TIFF header.
  case exif = 2
  /// An XMP packet.
  case xmp = 3
  /// IPTC-IIM data sets, which begin with 0x1C.
  case iptc = 4
  /// Content credentials: a C2PA manifest store, which is a JUMBF box. It signs the bytes of the file that it is in, so no
  /// writer takes it.
  case c2pa = 6
  /// Where a picture lies on the Earth: a TIFF file whose only directory has the tags of GeoTIFF, and those of GDAL.
  case geoTIFF = 8
  /// Comments and texts of the container itself: ``ContainerText``.
  case text = 9
  /// What follows the pictures and is none: the video of a motion photo, or bytes of which nothing is known.
  case trailer = 10
  /// Names of what programs have left in a file, and no reader gives as another kind: ``ApplicationData``. No writer takes
  /// them.
  case other = 11

  /// Those that a conversion carries over unless it is told not to.
  public static let carried = Set(allCases).subtracting([.c2pa, .other])

  /// Whether ``ImageHeader/metadata`` says if a file has it. What follows the pictures is found by looking for their end, and
  /// what programs have left by looking at all blocks of a file.
  package var isAnnounced: Bool { self != .trailer && self != .other }
}

extension MetadataKind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .icc: "ICC"
    case .exif: "Exif"
    case .xmp: "XMP"
    case .iptc: "IPTC"
    case .c2pa: "C2PA"
    case .geoTIFF: "GeoTIFF"
    case .text: "text"
    case .trailer: "trailer"
    case .other: "other"
    }
  }
}
