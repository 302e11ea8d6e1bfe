// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What of XMP depends on the picture.
package enum XMPFacts {
  /// Properties by the fact that they state; a name that ends with `*` is all of its namespace.
  ///
  /// - Format: XMP part 2 §3.1 (thumbnails); MWG Guidelines 2.0 §5.9 and Microsoft's People Tagging (regions); Google's
  ///   Photo Sphere, Depth map and Motion photo 1.0.
  static let names: [(fact: Fact, names: [String])] = [
    (.thumbnail, ["xmp:Thumbnails"]),
    (.regions, ["mwg-rs:Regions", "MP:RegionInfo"]),
    (.panorama, ["GPano:*"]),
    (.auxiliaries, ["GDepth:*", "GImage:*"]),
    (
      .video,
      [
        "GCamera:MotionPhoto", "GCamera:MotionPhotoVersion", "GCamera:MotionPhotoPresentationTimestampUs",
        "GCamera:MicroVideo", "GCamera:MicroVideoVersion", "GCamera:MicroVideoOffset",
        "GCamera:MicroVideoPresentationTimestampUs", "Container:Directory",
      ]
    ),
  ]

  /// What says where a picture was taken, or what it shows: IPTC Photo Metadata 2023.2.
  static let places = [
    "photoshop:City", "photoshop:State", "photoshop:Country", "Iptc4xmpCore:Location", "Iptc4xmpCore:CountryCode",
    "Iptc4xmpExt:LocationCreated", "Iptc4xmpExt:LocationShown",
  ]

  /// What has to be changed of a packet to be as true of the new picture as it was of the source.
  ///
  /// - Parameters:
  ///   - values: What the packet says.
  ///   - part: The part of the source that is left.
  ///   - hasVideo: Whether what follows the picture goes along.
  /// - Returns: Properties with their new values, or empty text for those that go; and what goes with them.
  package static func edits(
    _ values: Properties, changes: PictureChanges, orientation: Orientation, size: Size, part: Rect, hasVideo: Bool
  ) -> (values: [(name: String, value: PropertyValue)], gone: [Fact]) {
    var edits: [(name: String, value: PropertyValue)] = []
    var gone: [Fact] = []
    func rule(_ fact: Fact) -> FactRule { fact.rules.rule(for: changes) }
    for (fact, names) in names {
      let goes =
        switch fact {
        case .video: !hasVideo
        // Those in XMP are as large as a picture, and show all of it.
        case .auxiliaries: rule(.thumbnail) == .goes
        default: rule(fact) == .goes
        }
      guard goes else { continue }
      let found = values.sorted.map(\.0).filter { name in names.contains { matches($0, name) } }
      // A directory alone may be that of a gain map.
      guard found.contains(where: { $0 != "Container:Directory" }) else { continue }
      edits += found.map { ($0, .text("")) }
      gone.append(fact)
    }
    edits += changed(
      values, orientation: orientation, size: rule(.dimensions) == .follows ? size : nil,
      panorama: rule(.panorama) == .follows ? (part, size) : nil)
    return (edits, gone)
  }

  /// What a property states that changes along with the picture.
  package static func changing(_ name: String) -> Fact? {
    switch name {
    case "tiff:Orientation": .orientation
    case "exif:PixelXDimension", "exif:PixelYDimension", "tiff:ImageWidth", "tiff:ImageLength": .dimensions
    default: name.hasPrefix("GPano:") ? .panorama : nil
    }
  }

  /// Whether a property is one of some.
  static func contains(_ names: [String], namespace: String, local: String) -> Bool {
    let name = XMPNamespaces.name(XMLReader.Name(namespace: namespace, local: local))
    return names.contains { matches($0, name) }
  }

  private static func matches(_ pattern: String, _ name: String) -> Bool {
    pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
  }

  /// The properties that have to be changed to be true of the new picture.
  ///
  /// - Parameters:
  ///   - orientation: That of the new file.
  ///   - size: That of the new picture, where it is another one.
  ///   - panorama: The part of the source that is left, and the size that it has now.
  private static func changed(
    _ values: Properties, orientation: Orientation, size: Size?, panorama: (part: Rect, size: Size)?
  ) -> [(name: String, value: PropertyValue)] {
    var changed: [(name: String, value: PropertyValue)] = []
    func number(_ name: String) -> Double? {
      guard case .text(let text)? = values[name] else { return nil }
      return Double(text)
    }
    func set(_ name: String, _ value: Int) {
      guard let old = number(name), old != Double(value) else { return }
      changed.append((name, .integer(Int64(value))))
    }
    set("tiff:Orientation", orientation.rawValue)
    if let size {
      for name in ["exif:PixelXDimension", "tiff:ImageWidth"] { set(name, size.width) }
      for name in ["exif:PixelYDimension", "tiff:ImageLength"] { set(name, size.height) }
    }
    if let (part, size) = panorama, part.width > 0, part.height > 0 {
      let scales = (Double(size.width) / Double(part.width), Double(size.height) / Double(part.height))
      func scaled(_ name: String, _ scale: Double, plus offset: Int = 0) {
        guard let old = number(name), let value = Int(exactly: ((old + Double(offset)) * scale).rounded()) else {
          return
        }
        set(name, value)
      }
      scaled("GPano:FullPanoWidthPixels", scales.0)
      scaled("GPano:FullPanoHeightPixels", scales.1)
      scaled("GPano:CroppedAreaLeftPixels", scales.0, plus: part.x)
      scaled("GPano:CroppedAreaTopPixels", scales.1, plus: part.y)
      set("GPano:CroppedAreaImageWidthPixels", size.width)
      set("GPano:CroppedAreaImageHeightPixels", size.height)
    }
    return changed
  }
}
