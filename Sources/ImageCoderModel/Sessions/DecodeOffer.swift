// SPDX-License-Identifier: Apache-2.0

/// A request to a reader.
public struct DecodeRequest: Sendable, Equatable {
  public var page: Int
  public var frame: Int
  /// The requested size, before orientation, or nil for the frame's own. A reader that scales cheaply while it decodes
  /// offers at least this size in both directions.
  public var size: Size?
  /// The requested pixel format, or nil to let the reader choose.
  public var pixelFormat: PixelFormat?
  public var alpha: AlphaMode

  public init(
    page: Int = 0, frame: Int = 0, size: Size? = nil, pixelFormat: PixelFormat? = nil, alpha: AlphaMode = .straight
  ) {
    self.page = page
    self.frame = frame
    self.size = size
    self.pixelFormat = pixelFormat
    self.alpha = alpha
  }
}

/// The order in which rows reach the sink.
public enum RowOrder: UInt32, Sendable {
  /// Each row once, from the top.
  case topDown = 0
  /// Passes, bottom up, tiles, or all at once.
  case any = 1
}

/// What a reader will deliver.
public struct DecodeOffer: Sendable, Equatable {
  public var page: Int
  public var frame: Int
  /// The size of the picture that reaches the sink.
  public var size: Size
  public var pixelFormat: PixelFormat
  public var alpha: AlphaMode
  public var rowOrder: RowOrder
  /// For the reader's own use; it is passed back unchanged.
  public var scaleCode: UInt32
  /// An estimate of the bytes that the reader and its library need while they decode.
  public var memory: Int

  public init(
    _ request: DecodeRequest, size: Size, pixelFormat: PixelFormat, alpha: AlphaMode, rowOrder: RowOrder = .topDown,
    scaleCode: UInt32 = 0, memory: Int = 0
  ) {
    self.page = request.page
    self.frame = request.frame
    self.size = size
    self.pixelFormat = pixelFormat
    self.alpha = pixelFormat.hasAlpha ? alpha : .opaque
    self.rowOrder = rowOrder
    self.scaleCode = scaleCode
    self.memory = memory
  }
}
