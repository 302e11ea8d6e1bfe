// SPDX-License-Identifier: Apache-2.0

/// The wishes of whoever writes a file, as a writer sees them.
public struct WriteOptions: Sendable, Equatable {
  /// Which of the coder's formats.
  public var format: ImageFormat
  /// 0 (smallest) to 1 (best), or nil for the writer's own default.
  public var quality: Double?
  /// Every sample comes back as it was; a format that cannot throws ``CoderError/Code/unsupported``.
  public var isLossless: Bool
  /// Interlaced or progressive output.
  public var isProgressive: Bool
  /// Or nil for the writer's own default.
  public var subsampling: Subsampling?
  /// Values of the format's own options, validated.
  public var values: [String: Double]

  public init(format: ImageFormat) {
    self.format = format
    self.isLossless = false
    self.isProgressive = false
    self.values = [:]
  }
}

/// A pixel format with what its alpha means.
public struct PixelLayout: Sendable, Hashable {
  public var format: PixelFormat
  public var alpha: AlphaMode

  public init(_ format: PixelFormat, _ alpha: AlphaMode) {
    self.format = format
    self.alpha = format.hasAlpha ? alpha : .opaque
  }

  /// Whether pixels of another layout keep every sample when they are converted to this one.
  ///
  /// Alpha that is multiplied in or out is rounded, so it does not.
  func holds(_ other: PixelLayout) -> Bool {
    let (mine, theirs) = (format, other.format)
    if theirs.isFloat != mine.isFloat || theirs.bytesPerChannel > mine.bytesPerChannel { return false }
    if mine.isGray && !theirs.isGray { return false }
    return other.alpha == .opaque || (mine.hasAlpha && alpha == other.alpha)
  }

  /// A layout that pixels of this and of another one fit into.
  package func union(_ other: PixelLayout) -> PixelLayout {
    if holds(other) { return self }
    if other.holds(self) { return other }
    let mode = alpha == .opaque ? other.alpha : other.alpha == .opaque || alpha == other.alpha ? alpha : .straight
    if format.isFloat || other.format.isFloat { return PixelLayout(.rgbaFloat32, mode) }
    return PixelLayout(max(format.bytesPerChannel, other.format.bytesPerChannel) == 1 ? .rgba8 : .rgba16, mode)
  }
}

/// A whole picture in memory of the host.
public struct PixelView {
  public let layout: PixelLayout
  public let size: Size
  /// Rows top to bottom.
  public let base: UnsafeRawPointer
  /// Bytes from one row to the next.
  public let stride: Int

  public init(layout: PixelLayout, size: Size, base: UnsafeRawPointer, stride: Int) {
    self.layout = layout
    self.size = size
    self.base = base
    self.stride = stride
  }
}

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
  /// - Throws: ``CoderError/Code/unsupported`` for a wish that the format cannot meet.
  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError)
}

/// Carries files from one format to another without decoding their pixels, in a plugin through `PluginExport`.
public protocol ContainerTranscoder {
  /// Writes a file of another format that holds exactly what the source holds.
  ///
  /// - Parameters:
  ///   - from: What the source is.
  ///   - to: What is wanted.
  /// - Throws: ``CoderError/Code/unsupported`` when this file cannot be carried over without loss; nothing has been
  ///   written then.
  static func transcode(
    _ source: SourceView, from: ImageFormat, to: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError)
}

/// An option of a format's own, described so that values can be checked before the writer sees them.
public struct OptionDescription: Sendable, Equatable {
  /// What values an option takes.
  public enum Kind: Sendable, Equatable {
    case boolean(default: Bool)
    case integer(ClosedRange<Int>, default: Int)
    case number(ClosedRange<Double>, default: Double)
    /// One word of a list; the value is its index.
    case choice([String], default: Int)
  }

  /// Lower case, words joined by "-": `method`.
  public var name: String
  /// One sentence for `--help`.
  public var text: String
  public var kind: Kind

  public init(name: String, text: String, kind: Kind) {
    self.name = name
    self.text = text
    self.kind = kind
  }
}
