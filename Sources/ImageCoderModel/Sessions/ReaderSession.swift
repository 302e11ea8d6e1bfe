// SPDX-License-Identifier: Apache-2.0

/// What a reader is opened for, so that it can spare itself work.
public struct OpenOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Header and metadata will be asked for, pixels not.
  public static let headerOnly = OpenOptions(rawValue: 1)
  /// Frames behind the first will not be asked for, and need not be counted.
  public static let firstFrameOnly = OpenOptions(rawValue: 2)
  /// Bytes arrive over time: ask for none before it is needed, and count no frames ahead.
  public static let incremental = OpenOptions(rawValue: 4)
}

/// One open file, read by its container's rules.
///
/// A session knows its container and nothing of thumbnail arithmetic, compositing, caches, clamped delays or
/// priorities.
///
///     open, { header, frame, offer, decode, metadata, properties }, released
///
/// - Threads: One at a time, any thread.
public protocol ReaderSession: AnyObject {
  /// Describes a page. The same question has the same answer.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have.
  func header(page: Int) throws(CoderError) -> ImageHeader

  /// Describes a frame. No pixels are decoded for it.
  ///
  /// Of a header that is growing, the frame behind the last known one waits until it is there.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that the file does not have.
  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader

  /// Says what ``decode(_:into:)`` would deliver for a request.
  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer

  /// Decodes a frame's own pixels, not composited, into host memory.
  ///
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` after the rows that could be had.
  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError)

  /// A raw payload byte for byte, without the container's own prefix, or nil when the file has none.
  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]?

  /// The container's properties of a page, or of one of its frames.
  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties
}

extension ReaderSession {
  /// A still picture's only frame: the canvas.
  public func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    guard index == 0 else { throw .invalidArgument("frame \(index) of a still picture, which has 1") }
    let header = try header(page: page)
    return FrameHeader(rect: Rect(covering: header.canvas), hasAlpha: header.alpha != .opaque)
  }

  public func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? { nil }

  public func properties(page: Int, frame: Int?) throws(CoderError) -> Properties { Properties() }
}

/// A reader written in Swift: in a plugin through `PluginExport`, or in an application through ``SwiftContainer``.
public protocol ContainerReader: ReaderSession {
  /// Opens a file: reads and checks its header, and allocates no pixels.
  ///
  /// - Parameters:
  ///   - source: Kept as long as the session.
  ///   - host: Kept as long as the session; its limits are checked here.
  /// - Throws: ``CoderError/Code/wrongFormat``, so that the next coder may try; ``CoderError/Code/truncated``;
  ///   ``CoderError/Code/malformed``; ``CoderError/Code/unsupported``; ``CoderError/Code/limitExceeded``.
  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError)
}
