// SPDX-License-Identifier: Apache-2.0

/// A picture that belongs to a page and is not shown by itself: a gain map, depth, a matte.
public struct AuxiliaryPicture: Sendable, Hashable {
  /// What an auxiliary picture is.
  public enum Kind: UInt32, Sendable, CaseIterable {
    /// Something else: ``AuxiliaryPicture/typeName`` says what.
    case other = 0
    /// Distance: bright is far.
    case depth = 1
    /// The inverse of distance: bright is near.
    case disparity = 2
    /// Which part of the page shows a person, skin, hair, sky: ``AuxiliaryPicture/typeName`` says which.
    case matte = 3
    /// How much brighter or darker each place is on another display.
    case gainMap = 4
    /// The page again, smaller.
    case preview = 5
  }

  /// What it is.
  public var kind: Kind
  /// The file's own name of what it is, `urn:com:apple:photo:2020:aux:hdrgainmap`; may be empty.
  public var typeName: String
  /// Its own page: the file's page count or more, and different for each picture.
  public var page: Int
  /// The page that it belongs to.
  public var owner: Int
  /// Its size as stored, in pixels; nil in a reader, and for a picture whose header cannot be read.
  public var size: Size?
  /// Of a gain map: its metadata as ISO 21496-1 has it, from `minimum_version` on, or nil if the file has it otherwise.
  ///
  /// Without it the host looks into the XMP of ``page``, and into the Exif of ``owner``.
  public var gainMapMetadata: [UInt8]?
  /// For a gain map: the colors once it is applied in full, or nil for those of the page.
  public var alternateColors: CodingIndependentCodePoints?
  /// For a gain map: the profile of those colors, or nil for that of the page.
  public var alternateProfile: [UInt8]?

  /// Makes the description of a picture.
  ///
  /// - Parameters:
  ///   - page: Its own page: the file's page count or more.
  ///   - owner: The page that it belongs to.
  public init(_ kind: Kind, typeName: String = "", page: Int, owner: Int = 0) {
    self.kind = kind
    self.typeName = typeName
    self.page = page
    self.owner = owner
  }
}
