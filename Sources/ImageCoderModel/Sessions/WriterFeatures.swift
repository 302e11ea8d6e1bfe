// SPDX-License-Identifier: Apache-2.0

/// What a writer keeps in addition to pixels, and which frames of an animation it takes.
public struct WriterFeatures: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Keeps ``ImageHeader/orientation`` as a tag; other writers get upright pictures.
  public static let orientation = WriterFeatures(rawValue: 1)
  /// A frame may cover a part of the canvas.
  public static let parts = WriterFeatures(rawValue: 2)
  /// A part's offsets have to be even.
  public static let evenParts = WriterFeatures(rawValue: 4)
  /// A part may replace what is on the canvas: ``FrameHeader/Blend/source``.
  public static let replaces = WriterFeatures(rawValue: 8)
  /// A part may be drawn over the canvas: ``FrameHeader/Blend/over``.
  public static let blends = WriterFeatures(rawValue: 16)
  /// Supports ``FrameHeader/Disposal/restoreBackground``.
  public static let clears = WriterFeatures(rawValue: 32)
  /// Supports ``FrameHeader/Disposal/restorePrevious``.
  public static let restores = WriterFeatures(rawValue: 64)
  /// Pixels of an animation are either opaque or fully transparent.
  public static let binaryAlpha = WriterFeatures(rawValue: 128)
  /// Takes the frames of an animation; other writers get one frame.
  public static let frames = WriterFeatures(rawValue: 256)
  /// Keeps ``ImageHeader/resolution`` and ``ImageHeader/pixelAspect``.
  public static let resolution = WriterFeatures(rawValue: 512)
  /// Takes ``MetadataKind/iptc``.
  public static let iptc = WriterFeatures(rawValue: 1024)
  /// Takes ``MetadataKind/geoTIFF``.
  public static let geoTIFF = WriterFeatures(rawValue: 2048)
  /// Takes ``MetadataKind/text``.
  public static let text = WriterFeatures(rawValue: 4096)
  /// Takes ``MetadataKind/trailer``.
  public static let trailer = WriterFeatures(rawValue: 8192)
  /// Takes a thumbnail. This is not a bit of the plugin interface, where the presence of the function says so.
  public static let thumbnail = WriterFeatures(rawValue: 1 << 31)

  /// The capabilities that a manifest lists for these features.
  public var capabilities: [String] {
    Self.names.filter { contains($0.feature) }.map(\.name)
  }

  private static let names: [(feature: WriterFeatures, name: String)] = [
    (.frames, "frames"), (.orientation, "orientation"), (.thumbnail, "thumbnail"), (.resolution, "resolution"),
    (.iptc, "iptc"), (.geoTIFF, "geotiff"), (.text, "text"), (.trailer, "trailer"),
  ]

  /// Those that ``capabilities`` may list.
  package static var named: [String] { names.map(\.name) }
}

extension MetadataKind {
  /// What a writer states that takes it; nil for one that is offered to every writer, and for one that none takes.
  package var writerFeature: WriterFeatures? {
    switch self {
    case .icc, .exif, .xmp, .c2pa, .other: nil
    case .iptc: .iptc
    case .geoTIFF: .geoTIFF
    case .text: .text
    case .trailer: .trailer
    }
  }
}
