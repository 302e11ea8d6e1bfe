// SPDX-License-Identifier: Apache-2.0

/// Reads one open file of a container.
///
/// A session knows only its container. Thumbnail arithmetic, compositing, caches, clamped delays and priorities are the
/// host's task.
///
///     open, { header, frame, offer, decode, metadata, properties }, released
///
/// - Threads: One at a time, any thread.
public protocol ReaderSession: AnyObject {
  /// Describes a page, visible or hidden. Equal calls give equal results, except while the file is incomplete.
  ///
  /// Hidden pages belong to visible ones: ``ImageHeader/hiddenPageCount`` counts them, and each says in
  /// ``ImageHeader/role`` what it is. All other calls take their numbers as those of other pages.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have.
  func header(page: Int) throws(CoderError) -> ImageHeader

  /// Describes a frame, without decoding its pixels.
  ///
  /// While the file is incomplete, a call for the frame after the last known one waits until its header has arrived.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that the file does not have.
  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader

  /// Returns what ``decode(_:into:)`` would deliver for a request.
  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer

  /// Decodes a frame's own pixels, not composited, into the host's memory.
  ///
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` after the rows that could be decoded.
  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError)

  /// A raw metadata payload byte for byte, without the container's own prefix, or nil if the file has none.
  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]?

  /// The container's properties of a page, or of one of its frames.
  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties

  /// What belongs to a page of the kind ``PageKind/gainMap``, or nil if the file does not have it.
  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]?

  /// What a page says of its colors, beside its header and its profile.
  func storedColor(page: Int) throws(CoderError) -> StoredColor
}

extension ReaderSession {
  /// A still picture's only frame: the canvas.
  public func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    guard index == 0 else { throw .invalidArgument("frame \(index) of a still picture, which has 1") }
    let header = try header(page: page)
    return FrameHeader(rect: Rect(covering: header.canvas), hasAlpha: header.alpha != .opaque)
  }

  /// The default for containers without metadata: nil.
  public func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? { nil }

  /// The default for containers without properties of their own: an empty dictionary.
  public func properties(page: Int, frame: Int?) throws(CoderError) -> Properties { Properties() }

  /// The default for containers whose headers and profiles say all: nothing.
  public func storedColor(page: Int) throws(CoderError) -> StoredColor { StoredColor() }

  /// The default for containers without gain maps: nil.
  public func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? { nil }
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
