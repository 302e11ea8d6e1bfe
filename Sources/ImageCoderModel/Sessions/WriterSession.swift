// SPDX-License-Identifier: Apache-2.0

/// One file that is being written.
///
///     open, layout, setHeader, { add metadata }, [ addThumbnail ], { add frame }, finish, released
///
/// A writer of several pages gets layout, setHeader, metadata and one frame for each, one page after the other.
///
/// - Threads: One at a time, any thread.
public protocol WriterSession: AnyObject {
  /// Says in which layout the writer takes frames: `wanted` when the format holds it without loss, else the nearest.
  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout

  /// Says what is going to be written: canvas, frames (0: not known yet), pages, orientation, loop count.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for what the format cannot hold.
  func setHeader(_ header: ImageHeader) throws(CoderError)

  /// Adds a raw payload.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when the format has no place for it.
  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError)

  /// Adds a small picture to be kept inside the file, in the layout of the frames; after the metadata, before the first
  /// frame. Only for writers with ``WriterFeatures/thumbnail``.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when the file has no place for it.
  func addThumbnail(_ pixels: PixelView) throws(CoderError)

  /// Encodes a frame. Which parts of the canvas it may cover, and how, the writer's ``WriterFeatures`` say.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a second frame in a still format.
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError)

  /// Writes what is left.
  func finish() throws(CoderError)
}

extension WriterSession {
  public func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    throw .unsupported("the format has no place for \(kind)")
  }

  public func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    throw .unsupported("the format has no place for a thumbnail")
  }
}

/// A writer in Swift: in a plugin through `PluginExport`, or in an application through ``SwiftContainer``.
public protocol ContainerWriter: WriterSession {
  /// Opens a session. Nothing is written yet.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for an option that the format cannot follow.
  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError)
}
