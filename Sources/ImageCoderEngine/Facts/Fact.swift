// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Something that a file states about its picture, or carries beside it.
///
/// What becomes of each in a conversion is a row of its rules: a new fact without one does not compile.
public enum Fact: String, CaseIterable, Sendable {
  /// How the picture has to be turned, in Exif, XMP and the container.
  case orientation
  /// Sizes in pixels that Exif and XMP state.
  case dimensions
  /// Small copies of the picture in Exif and XMP.
  case thumbnail
  /// Pixels per inch.
  case density
  /// A profile, code points or a gamma.
  case colors
  /// How bright the light of an HDR picture is.
  case light = "light levels"
  /// Exif, apart from what has a row of its own.
  case exif = "Exif"
  /// XMP, apart from what has a row of its own.
  case xmp = "XMP"
  /// IPTC-IIM data sets.
  case iptc = "IPTC"
  /// Comments and texts of the container itself.
  case texts
  /// Parts of the picture that Exif and XMP name by their place: faces, the subject.
  case regions
  /// Where a panorama lies in the whole of it, in pixels.
  case panorama
  /// Where the picture lies on the Earth.
  case georeference = "GeoTIFF"
  /// Content credentials, which sign the bytes of a file.
  case credentials = "C2PA"
  /// The video of a motion photo, and other bytes after the picture.
  case video
  /// Gains that make an HDR picture of an SDR one.
  case gainMap = "gain map"
  /// Depth, mattes, and other pictures that belong to one.
  case auxiliaries = "auxiliary pictures"
  /// Frames of an animation, with their delays and the loop count.
  case frames
  /// Further pictures of the file.
  case pages
  /// The JPEG file that a JPEG XL stores, to be restored byte for byte.
  case storedJPEG = "stored JPEG"
  /// Where a cursor points.
  case hotSpot = "hot spot"
  /// Photoshop's mark that a picture is protected, and the address where its rights are stated.
  case rights = "copyright mark"
  /// What programs have left in a file, and nobody else knows.
  case applicationData = "application data"
}

/// What was done to the picture of a file before it was written anew.
public struct PictureChanges: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It has another size.
  public static let scaled = PictureChanges(rawValue: 1)
  /// A part of it was cut out.
  public static let cropped = PictureChanges(rawValue: 2)
  /// It was turned or mirrored, also to be upright.
  public static let turned = PictureChanges(rawValue: 4)
  /// Pixels show something else: blurred, covered, drawn on.
  public static let drawn = PictureChanges(rawValue: 8)
  /// Its colors were converted.
  public static let recolored = PictureChanges(rawValue: 16)
  /// It is one frame, or one page, of several.
  public static let picked = PictureChanges(rawValue: 32)
}

/// What an operation does to a fact.
package enum FactRule: String, Sendable {
  /// It is as true as before.
  case stays
  /// It is changed along with the picture.
  case follows
  /// It would be false, or show what is not to be seen: it goes.
  case goes
}

/// What becomes of a fact, by what is done to the picture.
package struct FactRules: Sendable {
  /// The file is written anew, from the same pixels.
  package let encoded: FactRule
  package let scaled: FactRule
  package let cropped: FactRule
  package let turned: FactRule
  package let drawn: FactRule
  package let recolored: FactRule
  package let picked: FactRule
  /// Whether a person would miss it: that it goes is a warning, else it is in the report alone.
  package let isMissed: Bool

  private init(
    _ encoded: FactRule, scaled: FactRule, cropped: FactRule, turned: FactRule, drawn: FactRule, recolored: FactRule,
    picked: FactRule, isMissed: Bool
  ) {
    (self.encoded, self.scaled, self.cropped, self.turned) = (encoded, scaled, cropped, turned)
    (self.drawn, self.recolored, self.picked, self.isMissed) = (drawn, recolored, picked, isMissed)
  }

  /// What holds of all changes together: the strongest of their rules.
  package func rule(for changes: PictureChanges) -> FactRule {
    let parts: [(PictureChanges, FactRule)] = [
      (.scaled, scaled), (.cropped, cropped), (.turned, turned), (.drawn, drawn), (.recolored, recolored),
      (.picked, picked),
    ]
    let rules = [encoded] + parts.filter { changes.contains($0.0) }.map(\.1)
    return rules.contains(.goes) ? .goes : rules.contains(.follows) ? .follows : .stays
  }

  fileprivate static func row(
    encoded: FactRule = .stays, scaled: FactRule, cropped: FactRule, turned: FactRule, drawn: FactRule,
    recolored: FactRule = .stays, picked: FactRule = .stays, isMissed: Bool = false
  ) -> FactRules {
    FactRules(
      encoded, scaled: scaled, cropped: cropped, turned: turned, drawn: drawn, recolored: recolored, picked: picked,
      isMissed: isMissed)
  }
}

extension Fact {
  /// The row of the table: `docs/fidelity.md` has the same one.
  package var rules: FactRules {
    switch self {
    case .orientation: .row(scaled: .stays, cropped: .stays, turned: .follows, drawn: .stays)
    case .dimensions: .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .stays)
    case .thumbnail: .row(scaled: .stays, cropped: .goes, turned: .goes, drawn: .goes, picked: .goes)
    case .density: .row(scaled: .stays, cropped: .stays, turned: .follows, drawn: .stays)
    case .colors:
      .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, recolored: .follows, isMissed: true)
    case .light: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, recolored: .follows)
    case .exif: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, isMissed: true)
    case .xmp: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, isMissed: true)
    case .iptc: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, isMissed: true)
    case .texts: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, isMissed: true)
    case .regions: .row(scaled: .stays, cropped: .goes, turned: .goes, drawn: .stays, picked: .goes, isMissed: true)
    case .panorama: .row(scaled: .follows, cropped: .follows, turned: .goes, drawn: .stays, isMissed: true)
    case .georeference:
      .row(scaled: .follows, cropped: .follows, turned: .goes, drawn: .stays, picked: .goes, isMissed: true)
    case .credentials:
      .row(
        encoded: .goes, scaled: .goes, cropped: .goes, turned: .goes, drawn: .goes, recolored: .goes, picked: .goes,
        isMissed: true)
    case .video: .row(scaled: .stays, cropped: .goes, turned: .goes, drawn: .goes, picked: .goes, isMissed: true)
    case .gainMap:
      .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .goes, recolored: .goes, isMissed: true)
    case .auxiliaries: .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .goes, isMissed: true)
    case .frames: .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .follows, isMissed: true)
    case .pages: .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .follows, isMissed: true)
    case .storedJPEG:
      .row(
        encoded: .goes, scaled: .goes, cropped: .goes, turned: .goes, drawn: .goes, recolored: .goes, picked: .goes,
        isMissed: true)
    case .hotSpot: .row(scaled: .follows, cropped: .follows, turned: .follows, drawn: .stays)
    case .rights: .row(scaled: .stays, cropped: .stays, turned: .stays, drawn: .stays, isMissed: true)
    case .applicationData:
      .row(encoded: .goes, scaled: .goes, cropped: .goes, turned: .goes, drawn: .goes, recolored: .goes, picked: .goes)
    }
  }
}

/// What a conversion did to a fact: what is not named stayed as it was.
public struct FactChange: Sendable, Hashable {
  /// What became of it.
  public enum Outcome: String, Sendable {
    /// It was changed along with the picture.
    case changed
    /// It is in another place of the new file.
    case moved
    /// The new file does not have it.
    case dropped
  }

  /// What the source states.
  public var fact: Fact
  /// What became of it.
  public var outcome: Outcome
  /// Why, in a few words.
  public var reason: String

  package init(_ fact: Fact, _ outcome: Outcome, because reason: String) {
    (self.fact, self.outcome, self.reason) = (fact, outcome, reason)
  }

  /// Whether a person would miss what is not there any more.
  package var isMissed: Bool { outcome == .dropped && fact.rules.isMissed }

  /// As a warning says it.
  package var message: String {
    [.frames, .pages].contains(fact)
      ? reason : "\(fact.rawValue) \(outcome == .dropped ? "left out" : outcome.rawValue): \(reason)"
  }
}

extension Fact {
  /// Kinds of pictures that are ``auxiliaries``; a gain map has a row of its own, and a preview is a thumbnail.
  package static let auxiliaryKinds: Set<PageKind> = [.depth, .disparity, .matte, .other]
}

extension MetadataKind {
  /// What a payload states, as a whole.
  var fact: Fact {
    switch self {
    case .icc: .colors
    case .exif: .exif
    case .xmp: .xmp
    case .iptc: .iptc
    case .c2pa: .credentials
    case .geoTIFF: .georeference
    case .text: .texts
    case .trailer: .video
    case .other: .applicationData
    }
  }
}
