// SPDX-License-Identifier: Apache-2.0

/// What a page is.
public enum PageKind: UInt32, Sendable, CaseIterable {
  /// A picture of its own.
  case picture = 0
  /// A part of its owner, which is the merged picture.
  case layer = 1
  /// Its owner in fewer pixels: a level of a pyramid.
  case reduced = 2
  /// A picture that was stored beside its owner.
  case preview = 3
  /// Distance: bright is far.
  case depth = 4
  /// The inverse of distance: bright is near.
  case disparity = 5
  /// Which parts of its owner show a person, skin, hair, the sky: the page's name says which.
  case matte = 6
  /// How much brighter or darker each place is on another display.
  case gainMap = 7
  /// Its owner with what lies beyond the edges that are shown.
  case overscan = 8
  /// Something else: the page's name says what.
  case other = 9
}

/// What a page is, and how it belongs to another one.
public struct PageRole: Sendable, Hashable {
  /// What the page is.
  public var kind: PageKind
  /// The name of a layer; of a depth map or a matte the file's own word for its type. May be empty; at most
  /// ``longestName`` bytes.
  public var name: String
  /// The page that it belongs to; of a ``PageKind/picture`` nothing.
  public var owner: Int
  /// The column of the owner's canvas, in pixels, at which it begins; negative to the left of it.
  public var x: Int
  /// The row of the owner's canvas, in pixels, at which it begins; negative above it.
  public var y: Int
  /// Whether it shows what its owner shows, and may be shown in its place where it is large enough.
  public var showsOwner: Bool

  /// Bytes of UTF-8 that are kept of a name; the rest is cut off.
  public static let longestName = 1_024

  /// Describes a page that belongs to another one.
  public init(
    _ kind: PageKind, name: String = "", owner: Int = 0, x: Int = 0, y: Int = 0, showsOwner: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.owner = owner
    self.x = x
    self.y = y
    self.showsOwner = showsOwner
  }

  /// A picture of its own.
  public static let picture = PageRole(.picture)
}

/// How the frames of a page play, and what it costs to decode one.
public struct FrameSequence: Sendable, Hashable {
  /// What a frame after others costs.
  public enum Access: UInt32, Sendable {
    /// Any frame costs the same.
    case anyFrame = 0
    /// Decoding begins at the key frame before it: ``FrameHeader/isKey``.
    case keyFrame = 1
    /// Decoding begins at the first frame. The host never walks back where it need not.
    case firstFrame = 2
  }

  /// Whether ``ImageHeader/frameCount`` counts all frames. If not, nobody can say how many there are without reading all of
  /// them: it is what is known so far, and the frame after the last one does not exist.
  public var isCounted: Bool
  /// How many seconds one play takes, more than 0, or nil if the file does not say so. Delays are added up then.
  public var duration: Double?
  /// The frame that stands for all of them, and that thumbnails show.
  public var posterFrame: Int
  /// What a frame after others costs.
  public var access: Access

  /// Describes frames; by default those of a file that counts them and says nothing else.
  public init(isCounted: Bool = true, duration: Double? = nil, posterFrame: Int = 0, access: Access = .anyFrame) {
    self.isCounted = isCounted
    self.duration = duration
    self.posterFrame = posterFrame
    self.access = access
  }
}

/// What belongs to a gain map, in bytes.
public enum GainMapBlock: UInt32, Sendable, CaseIterable {
  /// Its metadata as ISO 21496-1:2025, C.2 has it, from `minimum_version` on.
  case metadata = 5
  /// The ICC profile of the colors once the map is applied in full.
  case alternateProfile = 7
}
