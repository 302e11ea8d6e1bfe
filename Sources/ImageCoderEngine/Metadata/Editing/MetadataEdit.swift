// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// What an edit of a file's metadata changes; the pixels stay as they are stored.
///
///     var edit = MetadataEdit(removing: [.gps])
///     edit.values["{TIFF}", "Copyright"] = .text("© 2026 A. Author")
public struct MetadataEdit: Hashable, Sendable {
  /// A part of a file's metadata.
  public enum Part: String, CaseIterable, Sendable {
    /// All Exif, GPS and makers' notes included. The orientation stays, since the picture would be shown turned.
    case exif
    /// Where the picture was taken, in Exif and in XMP. Makers' notes are not looked into.
    case gps
    /// Where it was taken or lies, in whatever form: what ``gps`` takes out, places that XMP and IPTC name, GeoTIFF.
    case location
    /// The XMP packet.
    case xmp
    /// The IPTC-IIM block.
    case iptc
    /// Content credentials (C2PA). They go with every other change too, since they sign the bytes of the file.
    case c2pa
    /// Thumbnails in Exif and XMP.
    case thumbnail
    /// Comments, texts and times of the container itself.
    case text
    /// Whatever else does not change how the main picture looks: data of applications, previews, gain maps, bytes after
    /// the end.
    case other
    /// The color profile. Colors are shown as sRGB without it.
    case icc
  }

  /// Parts that are taken out.
  public var removed: Set<Part>
  /// Properties that are set, under the names and in the units in which ``ImageDecoder/properties(frame:)`` has them, in
  /// `{TIFF}`, `{Exif}`, `{GPS}`, `{IPTC}` and `{XMP}`. Empty text takes a property out.
  ///
  /// Values are set after parts are taken out. A negative latitude is south, a negative longitude west. A value of
  /// `{IPTC}` goes into XMP, and also into the IPTC-IIM block if the file has one.
  public var values: Properties
  /// A video that the file gets: MP4 or QuickTime. With it the file is a motion photo, and another one that it had goes.
  public var video: [UInt8]?
  /// Pictures that the file gets beside its own, as files of any format: ``PageKind/depth``, ``PageKind/disparity`` and
  /// ``PageKind/matte``, of which it has none so far. They lie as the picture is shown, and are written gray.
  public var pictures: [PageKind: [UInt8]] = [:]

  /// An edit that changes nothing, unless arguments say so.
  public init(removing removed: Set<Part> = [], setting values: Properties = Properties()) {
    self.removed = removed
    self.values = values
  }

  /// All that says something about who took the picture, where, when and with what; the color profile stays.
  public static let publishing: Set<Part> = Set(Part.allCases).subtracting([.icc])

  /// Whether nothing is changed.
  public var isEmpty: Bool { removed.isEmpty && values.isEmpty && video == nil && pictures.isEmpty }
}
