// SPDX-License-Identifier: Apache-2.0

/// One step of an animation, before any compositing.
public struct FrameHeader: Sendable, Equatable {
  /// The frame's rectangle on the canvas.
  public var rect: Rect
  /// The delay as stored in the file, or nil if the reader reports it in the container's properties.
  public var delay: FrameDelay?
  /// What happens to ``rect`` before the next frame is drawn.
  public var disposal: Disposal
  /// How the frame's pixels are drawn on the canvas.
  public var blend: Blend
  /// The earliest frame that has to be drawn, after a clear, to show this one, or nil to let the core compute it from
  /// rectangles, disposal, blend and alpha.
  public var dependsOn: Int?
  /// Whether some pixels of the frame may not be opaque.
  public var hasAlpha: Bool
  /// Whether the frame decodes without any other, where not all do: see ``FrameSequence/Access``.
  public var isKey: Bool

  /// Makes a description; by default of a frame that replaces its rectangle, stays there, and may have alpha.
  public init(
    rect: Rect, delay: FrameDelay? = nil, disposal: Disposal = .keep, blend: Blend = .source, dependsOn: Int? = nil,
    hasAlpha: Bool = true, isKey: Bool = false
  ) {
    self.rect = rect
    self.delay = delay
    self.disposal = disposal
    self.blend = blend
    self.dependsOn = dependsOn
    self.hasAlpha = hasAlpha
    self.isKey = isKey
  }
}
