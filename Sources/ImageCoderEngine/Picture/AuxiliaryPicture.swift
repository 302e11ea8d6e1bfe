// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A picture that belongs to a page and is not shown by itself: a gain map, depth, a matte. It is a hidden page.
public struct AuxiliaryPicture: Sendable, Hashable {
  /// What it is: never a ``PageKind/picture``.
  public var kind: PageKind
  /// The file's own name of what it is, `urn:com:apple:photo:2020:aux:hdrgainmap`; may be empty.
  public var typeName: String
  /// Its own page: the file's page count or more, and different for each picture.
  public var page: Int
  /// The page that it belongs to.
  public var owner: Int
  /// Its size as stored, in pixels; nil for a picture whose header cannot be read.
  public var size: Size?
  /// Of a gain map: its metadata as ISO 21496-1 has it, from `minimum_version` on, or nil if the file has it otherwise.
  ///
  /// Without it the host looks into the XMP of ``page``, and into the Exif of ``owner``.
  public var gainMapMetadata: [UInt8]?
  /// For a gain map: the colors once it is applied in full, or nil for those of the page.
  public var alternateColors: CodingIndependentCodePoints?
  /// For a gain map: the profile of those colors, or nil for that of the page.
  public var alternateProfile: [UInt8]?

  package init(_ kind: PageKind, typeName: String = "", page: Int, owner: Int = 0) {
    self.kind = kind
    self.typeName = typeName
    self.page = page
    self.owner = owner
  }
}
