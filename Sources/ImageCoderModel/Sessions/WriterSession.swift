// SPDX-License-Identifier: Apache-2.0

/// One file that is being written.
///
///     open, layout, setHeader, { add metadata }, [ addThumbnail ], { add frame }, finish, released
///
/// For several pages, the calls from layout to add frame are repeated for each page, with one frame per page.
///
/// - Threads: One at a time, any thread.
public protocol WriterSession: AnyObject {
  /// Returns the layout in which the writer takes frames: `wanted` if the format holds it without loss, else the
  /// nearest.
  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout

  /// Describes what is going to be written: canvas, frames (0: not known yet), pages, orientation, loop count.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for what the format cannot hold.
  func setHeader(_ header: ImageHeader) throws(CoderError)

  /// Adds a raw metadata payload.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the format has no place for it.
  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError)

  /// Says how bright the light of a page is; called after the metadata, before the thumbnail and the first frame, at most once
  /// for each page.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the file has no place for it.
  func setLight(_ light: LightLevels) throws(CoderError)

  /// Adds a thumbnail that is stored inside the file, in the layout of the frames; called after the metadata and before
  /// the first frame, only for writers with ``WriterFeatures/thumbnail``.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the file has no place for it.
  func addThumbnail(_ pixels: PixelView) throws(CoderError)

  /// Encodes a frame. The writer's ``WriterFeatures`` say which part of the canvas it may cover, and how it is drawn.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a second frame in a still format.
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError)

  /// Writes the rest of the file.
  func finish() throws(CoderError)
}

extension WriterSession {
  /// The default for formats without metadata: throws ``CoderError/Code/unsupported``.
  public func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    throw .unsupported("the format has no place for \(kind)")
  }

  /// The default for formats that do not say how bright light is: throws ``CoderError/Code/unsupported``.
  public func setLight(_ light: LightLevels) throws(CoderError) {
    throw .unsupported("the format has no place for light levels")
  }

  /// The default for formats without thumbnails: throws ``CoderError/Code/unsupported``.
  public func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    throw .unsupported("the format has no place for a thumbnail")
  }
}

/// A writer in Swift: in a plugin through `PluginExport`, or in an application through ``SwiftContainer``.
public protocol ContainerWriter: WriterSession {
  /// Opens a session. Nothing is written yet.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for an option that the format cannot meet.
  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError)
}
