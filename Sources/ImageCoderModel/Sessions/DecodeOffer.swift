// SPDX-License-Identifier: Apache-2.0

/// A request to a reader.
public struct DecodeRequest: Sendable, Equatable {
  /// The page to decode, counted from 0.
  public var page: Int
  /// The frame of that page, counted from 0.
  public var frame: Int
  /// The requested size, before orientation, or nil for the frame's own. A reader that scales cheaply while it decodes
  /// offers at least this size in both directions.
  public var size: Size?
  /// The part that is wanted, in pixels of the requested size and inside it, or nil for all of it. A reader that need not
  /// decode the rest offers a part that contains this one; other readers offer the whole.
  public var part: Rect?
  /// The requested pixel format, or nil to let the reader choose.
  public var pixelFormat: PixelFormat?
  /// What is asked for instead of ``pixelFormat``, or nil: inks of a page that has them. A reader delivers them as deep as they
  /// are stored.
  public var rowFormat: RowFormat?
  /// The requested alpha mode. It applies only to pixel formats with alpha.
  public var alpha: AlphaMode
  /// The order in which rows are wanted. ``RowOrder/topDown`` if the host keeps a few rows at a time of those that come so,
  /// and else the whole picture: a reader that can deliver them in both orders offers it.
  public var rowOrder: RowOrder

  /// Whether inks are asked for.
  public var wantsInks: Bool { rowFormat?.isInks ?? false }

  /// Makes a request; by default for the first frame of the first page, in its own size.
  public init(
    page: Int = 0, frame: Int = 0, size: Size? = nil, part: Rect? = nil, pixelFormat: PixelFormat? = nil,
    rowFormat: RowFormat? = nil, alpha: AlphaMode = .straight, rowOrder: RowOrder = .any
  ) {
    self.page = page
    self.frame = frame
    self.size = size
    self.part = part
    self.pixelFormat = pixelFormat
    self.rowFormat = rowFormat
    self.alpha = alpha
    self.rowOrder = rowOrder
  }
}

extension DecodeRequest {
  /// The part that is wanted, in pixels of the whole at the scale that a reader offers; nil for all of it, and for a part
  /// that is not inside the requested size.
  ///
  /// - Parameter whole: At least ``size`` in both directions.
  public func part(in whole: Size) -> Rect? {
    guard let part, !part.isEmpty, part.isInside(size ?? whole) else { return nil }
    guard let size, size != whole else { return part }
    func scaled(from first: Int, count: Int, to side: Int, of own: Int) -> Range<Int> {
      let scale = Double(side) / Double(own)
      let last = min(side, Int((Double(first + count) * scale).rounded(.up)))
      return min(Int(Double(first) * scale), last)..<last
    }
    let columns = scaled(from: part.x, count: part.width, to: whole.width, of: size.width)
    let rows = scaled(from: part.y, count: part.height, to: whole.height, of: size.height)
    return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
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
  /// The page that was requested, counted from 0.
  public var page: Int
  /// The frame that was requested, counted from 0.
  public var frame: Int
  /// The size of the picture that reaches the sink: of ``part``.
  public var size: Size { part.size }
  /// Where that picture lies in the whole frame at the offered scale; all of it unless the reader offers a part.
  public private(set) var part: Rect
  /// The size of the whole frame at the offered scale. It is what is held against the requested size.
  public private(set) var whole: Size
  /// The pixel format of the rows that reach the sink, or that the host makes of them if there is a ``rowFormat``. If it is
  /// not the requested one, the host converts them.
  public var pixelFormat: PixelFormat
  /// The format of the rows that reach the sink where no picture in memory has it, else nil.
  public internal(set) var rowFormat: RowFormat?
  /// What alpha samples mean in those rows; ``AlphaMode/opaque`` for a format without alpha. The black of inks counts as any
  /// other ink does, which is ``AlphaMode/straight``.
  public var alpha: AlphaMode
  /// The order in which those rows arrive.
  public var rowOrder: RowOrder
  /// For the reader's own use; it is passed back unchanged.
  public var scaleCode: UInt32
  /// An estimate of the bytes that the reader and its library need while they decode.
  public var memory: Int
  /// Columns of ``whole`` that the frame covers, from the left: 20.625 of 21 for 33 columns at five eighths. More than all
  /// but the last one.
  public private(set) var coveredWidth: Double
  /// Rows of ``whole`` that the frame covers, from the top.
  public private(set) var coveredHeight: Double

  /// Makes an offer for the page and frame of a request.
  ///
  /// - Parameters:
  ///   - size: Of the whole frame, scaled.
  ///   - part: The part of it that the reader delivers, inside it and not empty; nil for all of it.
  ///   - alpha: Replaced by ``AlphaMode/opaque`` if `pixelFormat` has no alpha.
  ///   - covered: Columns and rows that the frame covers, where the last ones reach beyond it; nil for all of them. At most
  ///     all count.
  public init(
    _ request: DecodeRequest, size: Size, part: Rect? = nil, pixelFormat: PixelFormat, alpha: AlphaMode,
    rowOrder: RowOrder = .topDown, scaleCode: UInt32 = 0, memory: Int = 0,
    covered: (width: Double, height: Double)? = nil
  ) {
    self.page = request.page
    self.frame = request.frame
    self.part = part ?? Rect(covering: size)
    whole = size
    self.pixelFormat = pixelFormat
    self.alpha = pixelFormat.hasAlpha ? alpha : .opaque
    self.rowOrder = rowOrder
    self.scaleCode = scaleCode
    self.memory = memory
    coveredWidth = Self.covered(covered?.width, of: size.width)
    coveredHeight = Self.covered(covered?.height, of: size.height)
  }

  /// Makes an offer of rows in a format that no picture in memory has, for the page and frame of a request: inks, or numbers
  /// without alpha.
  ///
  /// The other parameters are those for a pixel format. Hosts of version 1.0 are given rows with alpha in their place.
  public init(
    _ request: DecodeRequest, size: Size, part: Rect? = nil, rowFormat: RowFormat, rowOrder: RowOrder = .topDown,
    scaleCode: UInt32 = 0, memory: Int = 0, covered: (width: Double, height: Double)? = nil
  ) {
    self.init(
      request, size: size, part: part, pixelFormat: rowFormat.pixelFormat,
      alpha: rowFormat.isInks ? .straight : .opaque, rowOrder: rowOrder, scaleCode: scaleCode, memory: memory,
      covered: covered)
    self.rowFormat = rowFormat
  }

  /// Bytes of one pixel of the rows that reach the sink.
  public var bytesPerPixel: Int { rowFormat?.bytesPerPixel ?? pixelFormat.bytesPerPixel }

  /// The format of the rows that reach the sink, for messages: `rgba8`, `cmyk8`.
  public var formatDescription: String { rowFormat?.description ?? pixelFormat.description }

  private static func covered(_ stated: Double?, of side: Int) -> Double {
    min(stated ?? Double(side), Double(side))
  }
}
