// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// Writes one file, frame by frame or page by page, from async code.
///
///     let encoder = try await registry.async.makeEncoder(as: .webP, to: .file("out.webp"))
///     for try await picture in pictures { try await encoder.add(picture, delay: .milliseconds(40)) }
///     try await encoder.finish()
///
/// What is added is encoded on threads of the library, in the order of the calls. If ``finish()`` is never called, no
/// file is left. A call that is cancelled or fails ends the file.
///
/// - Threads: May be used from any thread and task.
public final class AsyncImageEncoder: Sendable {
  private let encoder: LanedObject<ImageEncoder>

  init(_ encoder: LanedObject<ImageEncoder>) { self.encoder = encoder }

  /// Adds a still, or a frame of an animation.
  ///
  /// - Parameter delay: How long it is shown.
  /// - Throws: As ``ImageEncoder/add(_:delay:)-(PixelBuffer,_)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func add(_ pixels: PixelBuffer, delay: FrameDelay = .zero) async throws(CoderError) {
    try await encoder.use { (encoder) throws(CoderError) in try encoder.add(pixels, delay: delay) }
  }

  /// Adds a picture, or all frames of an animation.
  ///
  /// The first image that is added determines the file's metadata, colors and loop count.
  ///
  /// - Parameter delay: The delay of each frame, or nil to use the image's own delays.
  public func add(_ image: Image, delay: FrameDelay? = nil) async throws(CoderError) {
    try await encoder.use { (encoder) throws(CoderError) in try encoder.add(image, delay: delay) }
  }

  /// Adds a file: all frames of an animation, with only one at a time in memory.
  ///
  /// - Throws: What the coder of the file throws; the frames of a truncated or damaged file are added first.
  public func add(_ source: ByteSource, delay: FrameDelay? = nil) async throws(CoderError) {
    try await encoder.use { (encoder) throws(CoderError) in try encoder.add(source, delay: delay) }
  }

  /// Ends the current page; frames that are added later belong to the next page.
  public func endPage() async throws(CoderError) {
    try await encoder.use { (encoder) throws(CoderError) in try encoder.endPage() }
  }

  /// Writes the rest of the file, and gives it its name.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for a file that ``EncodeOptions/Output/maxFileSize`` does not
  ///   allow.
  @discardableResult
  public func finish() async throws(CoderError) -> EncodedFile {
    try await encoder.use { (encoder) throws(CoderError) in try encoder.finish() }
  }
}
