// SPDX-License-Identifier: Apache-2.0

/// What a writer does with options that all formats share, and which frames of an animation it takes.
public struct WriterFeatures: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Follows ``WriteOptions/quality``.
  public static let quality = WriterFeatures(rawValue: 1)
  /// Follows ``WriteOptions/isProgressive``.
  public static let progressive = WriterFeatures(rawValue: 2)
  /// Follows ``WriteOptions/subsampling``.
  public static let subsampling = WriterFeatures(rawValue: 4)
  /// Keeps ``ImageHeader/orientation`` as a tag; to others pictures come upright.
  public static let orientation = WriterFeatures(rawValue: 8)
  /// A frame may cover a part of the canvas.
  public static let parts = WriterFeatures(rawValue: 16)
  /// A part's offsets have to be even.
  public static let evenParts = WriterFeatures(rawValue: 32)
  /// A part may replace what is on the canvas: ``Blend/source``.
  public static let replaces = WriterFeatures(rawValue: 64)
  /// A part may be drawn over the canvas: ``Blend/over``.
  public static let blends = WriterFeatures(rawValue: 128)
  /// ``Disposal/restoreBackground``.
  public static let clears = WriterFeatures(rawValue: 256)
  /// ``Disposal/restorePrevious``.
  public static let restores = WriterFeatures(rawValue: 512)
  /// Pixels of an animation are opaque or wholly transparent.
  public static let binaryAlpha = WriterFeatures(rawValue: 1024)
  /// Takes a thumbnail. Not a bit of the plugin interface, where the function says it.
  public static let thumbnail = WriterFeatures(rawValue: 1 << 31)

  /// Whether the bit of an option is set.
  package func follows(_ option: CommonOption) -> Bool {
    switch option {
    case .quality: contains(.quality)
    case .progressive: contains(.progressive)
    case .subsampling: contains(.subsampling)
    }
  }

  /// The common options that the writer follows, by their names in manifests.
  public var commonNames: Set<String> {
    var names: Set<String> = []
    if contains(.quality) { names.insert("quality") }
    if contains(.progressive) { names.insert("progressive") }
    if contains(.subsampling) { names.insert("subsampling") }
    if contains(.orientation) { names.insert("orientation") }
    if contains(.thumbnail) { names.insert("thumbnail") }
    return names
  }
}
