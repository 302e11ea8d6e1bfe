// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A picture that belongs to a page and is not shown by itself.
public struct AuxiliaryItem {
  public let item: UInt32
  /// The page that it belongs to.
  public let owner: Int
  public let kind: PageKind
  /// The file's name of what it is; `tmap` of a gain map that a tone map names.
  public let type: String
  /// For a gain map that a tone map names: what the tone map says, and the colors of the picture with the map applied.
  public let toneMap: MapColors?

  /// What a tone map says of its gain map.
  public struct MapColors {
    /// As ISO 21496-1 has it.
    let metadata: [UInt8]
    /// The colors of the picture with the map applied.
    public let points: CodingIndependentCodePoints?
    /// Where the profile of those colors is.
    let profile: Range<Int>?

    /// - Throws: ``CoderError/Code/limitExceeded`` for more bytes than metadata may have.
    public func bytes(
      of block: GainMapBlock, in file: FileBytes, limits: Limits
    ) throws(CoderError) -> [UInt8]? {
      switch block {
      case .metadata:
        try limits.check(metadata: metadata.count)
        return metadata
      case .alternateProfile:
        guard let profile else { return nil }
        try limits.check(metadata: profile.count)
        return [UInt8](file.bytes(in: profile))
      }
    }
  }

  /// A gain map that a tone map names.
  ///
  /// - Parameter bytes: Of the tone map's item. Versions that are not known do not count, and the result is nil.
  public init?(_ map: ToneMap, owner: Int, in meta: MetaBox, file: FileBytes, bytes: ItemBytes?) {
    guard let metadata = bytes?.gainMapMetadata() else { return nil }
    let colors = try? ItemProperties(of: map.item, in: meta, file: file)
    (item, self.owner, kind, type) = (map.map, owner, .gainMap, "tmap")
    toneMap = MapColors(metadata: metadata, points: colors?.points, profile: colors?.profile)
  }

  /// An item that its own name says the kind of.
  ///
  /// - Parameter type: The name in its `auxC` property.
  /// - Returns: nil for alpha, which is in the pixels of its picture.
  public init?(_ item: UInt32, type: String, owner: Int) {
    guard AuxiliaryKind(type) != .alpha else { return nil }
    (self.item, self.owner, kind, self.type) = (item, owner, AuxiliaryKind(type).picture, type)
    toneMap = nil
  }

  /// A smaller version of its page (ISO/IEC 23008-12 §6.4.4).
  public init(thumbnail item: UInt32, owner: Int) {
    (self.item, self.owner, kind, type) = (item, owner, .reduced, "\(FourCC.thumbnail)")
    toneMap = nil
  }
}
