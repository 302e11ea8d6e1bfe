// SPDX-License-Identifier: Apache-2.0

/// What a writer keeps beside pixels, and which frames of an animation it takes.
public struct WriterFeatures: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Keeps ``ImageHeader/orientation`` as a tag; to others pictures come upright.
  public static let orientation = WriterFeatures(rawValue: 1)
  /// A frame may cover a part of the canvas.
  public static let parts = WriterFeatures(rawValue: 2)
  /// A part's offsets have to be even.
  public static let evenParts = WriterFeatures(rawValue: 4)
  /// A part may replace what is on the canvas: ``Blend/source``.
  public static let replaces = WriterFeatures(rawValue: 8)
  /// A part may be drawn over the canvas: ``Blend/over``.
  public static let blends = WriterFeatures(rawValue: 16)
  /// ``Disposal/restoreBackground``.
  public static let clears = WriterFeatures(rawValue: 32)
  /// ``Disposal/restorePrevious``.
  public static let restores = WriterFeatures(rawValue: 64)
  /// Pixels of an animation are opaque or wholly transparent.
  public static let binaryAlpha = WriterFeatures(rawValue: 128)
  /// Takes a thumbnail. Not a bit of the plugin interface, where the function says it.
  public static let thumbnail = WriterFeatures(rawValue: 1 << 31)

  /// The names of what the writer keeps, as manifests list them among the capabilities.
  public var capabilities: [String] {
    (contains(.orientation) ? ["orientation"] : []) + (contains(.thumbnail) ? ["thumbnail"] : [])
  }
}
