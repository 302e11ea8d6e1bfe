// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// An open image whose frames any task may ask for, in any order.
///
///     let animation = try await registry.async.open("animation.webp")
///     for try await frame in animation.frames { show(frame) }
///
/// What is asked for at the same time is decoded one after the other, on threads of the library; calls of tasks with a
/// higher priority go first. A task that is cancelled gives up its own call only.
///
/// - Threads: May be used from any thread and task.
public final class AsyncImageDecoder: Sendable {
  /// The identifier of the coder that reads the file.
  public let coderID: String
  /// The page that is decoded.
  public let page: Int
  /// The page's header.
  public let header: ImageHeader
  /// The total number of times that the animation plays: as the file states, or the container's default.
  public let loopCount: LoopCount
  /// The number of frames for ``frame(at:)``, at least 1. 1 for a still picture that the file stores in several parts.
  /// Of a file that does not count its frames (``FrameSequence/isCounted``) those that are known; ``frames`` gives all.
  public let frameCount: Int
  /// The size of every decoded frame, in pixels.
  public let outputSize: Size

  private let decoder: LanedObject<ImageDecoder>

  init(_ decoder: LanedObject<ImageDecoder>) {
    self.decoder = decoder
    coderID = decoder.constant(\.coderID)
    page = decoder.constant(\.page)
    header = decoder.constant(\.header)
    loopCount = decoder.constant(\.loopCount)
    frameCount = decoder.constant(\.knownFrameCount)
    outputSize = decoder.constant(\.outputSize)
  }

  /// The whole canvas as it is while a frame is shown, in the size and layout of the options.
  ///
  /// Frames may be asked for in any order; one after the other is fastest.
  ///
  /// - Throws: ``CoderError``, if not a single row can be decoded, otherwise ``Frame/problem`` says why rows are missing;
  ///   ``CoderError/Code/cancelled`` when the task is cancelled.
  public func frame(at index: Int) async throws(CoderError) -> Frame {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.frame(at: index) }
  }

  /// All frames, or the first, with metadata.
  ///
  /// - Throws: ``CoderError``, if not a single row of the first frame can be decoded. Damage further on ends the
  ///   animation there; ``Image/problem`` says why.
  public func image() async throws(CoderError) -> Image {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.image() }
  }

  /// A frame's place in the animation, with the delay that the file states.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that the file does not have.
  public func frameHeader(at index: Int) async throws(CoderError) -> FrameHeader {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.frameHeader(at: index) }
  }

  /// A raw metadata payload byte for byte, without the container's own prefix, or nil if the file has none.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``, ``CoderError/Code/malformed``.
  public func metadata(_ kind: MetadataKind) async throws(CoderError) -> [UInt8]? {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.metadata(kind) }
  }

  /// Properties by ImageIO's names.
  ///
  /// - Parameter frame: A frame's number, or nil for the properties of the page.
  public func properties(frame: Int? = nil) async throws(CoderError) -> Properties {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.properties(frame: frame) }
  }

  /// The auxiliary pictures of the page: gain maps, depth, mattes.
  ///
  /// - Throws: As ``ImageDecoder/auxiliaryPictures()``.
  public func auxiliaryPictures() async throws(CoderError) -> [AuxiliaryPicture] {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.auxiliaryPictures() }
  }

  /// An auxiliary picture as it is stored: in its own size and colors.
  ///
  /// - Throws: As ``ImageDecoder/decodeAuxiliary(_:)``.
  public func decodeAuxiliary(_ picture: AuxiliaryPicture) async throws(CoderError) -> Image {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.decodeAuxiliary(picture) }
  }

  /// The thumbnail that the file has of the page, as it is stored, or nil for none.
  ///
  /// - Throws: As ``ImageDecoder/embeddedThumbnail()`` and ``ImageDecoder/image()``.
  public func embeddedThumbnail() async throws(CoderError) -> Image? {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.embeddedThumbnail()?.image() }
  }

  /// The gain map of the page, or nil if there is none.
  ///
  /// - Throws: As ``ImageDecoder/gainMap()``.
  public func gainMap() async throws(CoderError) -> GainMap? {
    try await decoder.use { (decoder) throws(CoderError) in try decoder.gainMap() }
  }

  /// Another page of the same open file, with the same options.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have; any error of the reader.
  public func page(_ index: Int) async throws(CoderError) -> AsyncImageDecoder {
    AsyncImageDecoder(try await decoder.sibling { (decoder) throws(CoderError) in try decoder.page(index) })
  }

  /// The frames, one after the other, each decoded when it is asked for.
  public var frames: Frames { Frames(decoder: self) }

  /// The frames of an image, one after the other.
  public struct Frames: AsyncSequence, Sendable {
    /// A frame.
    public typealias Element = Frame
    /// As ``AsyncImageDecoder/frame(at:)``.
    public typealias Failure = CoderError

    let decoder: AsyncImageDecoder

    /// Begins with the first frame.
    public func makeAsyncIterator() -> Iterator { Iterator(decoder: decoder) }

    /// Where the loop is.
    public struct Iterator: AsyncIteratorProtocol {
      let decoder: AsyncImageDecoder
      private var index = 0

      init(decoder: AsyncImageDecoder) { self.decoder = decoder }

      /// The next frame, or nil after the last one.
      ///
      /// - Throws: As ``AsyncImageDecoder/frame(at:)``.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(CoderError) -> Frame? {
        let isCounted = decoder.header.sequence.isCounted
        guard index < decoder.frameCount || !isCounted else { return nil }
        defer { index += 1 }
        do throws(CoderError) { return try await decoder.frame(at: index) } catch {
          // Only this tells that there is no further frame.
          guard error.code == .invalidArgument, !isCounted, index > 0 else { throw error }
          return nil
        }
      }

      /// The next frame, or nil after the last one.
      ///
      /// - Throws: As ``AsyncImageDecoder/frame(at:)``.
      public mutating func next() async throws(CoderError) -> Frame? { try await next(isolation: nil) }
    }
  }
}
