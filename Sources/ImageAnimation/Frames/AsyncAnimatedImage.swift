// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension AnimatedImage {
  /// The same for async code: `image.async.frame(at:)` beside `image.frame(at:)`.
  public var async: AsyncAnimatedImage { AsyncAnimatedImage(image: self) }
}

/// The frames of an animation for async code.
public struct AsyncAnimatedImage: Sendable {
  let image: AnimatedImage

  /// A frame as it is shown, decoded on a thread of the library.
  ///
  /// Frames that are asked for at the same time wait for each other without blocking a thread.
  ///
  /// - Throws: As ``AnimatedImage/frame(at:)``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func frame(at index: Int) async throws(CoderError) -> Frame {
    if let frame = try image.keptFrame(at: index) { return frame }
    return try await WorkQueue.shared.value(Cancellation(), in: image.lane) { [image] () throws(CoderError) in
      try image.frame(at: index)
    }
  }
}

extension AsyncAnimatedImage {
  /// As ``AnimatedImage/preload()``, on a thread of the library.
  ///
  /// - Throws: As ``AnimatedImage/preload()``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func preload() async throws(CoderError) {
    try await WorkQueue.shared.value(Cancellation(), in: image.lane) { [image] () throws(CoderError) in
      try image.preload()
    }
  }

  /// As ``AnimatedImage/fileBytes()``, on a thread of the library.
  ///
  /// - Throws: As ``AnimatedImage/fileBytes()``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func fileBytes() async throws(CoderError) -> [UInt8] {
    try await WorkQueue.shared.value(Cancellation()) { [image] () throws(CoderError) in try image.fileBytes() }
  }

  /// As ``AnimatedImage/countFrames()``, on a thread of the library.
  ///
  /// - Throws: ``CoderError/Code/cancelled``.
  public func countFrames() async throws(CoderError) {
    guard !image.isComplete else { return }
    try await WorkQueue.shared.value(Cancellation(), in: image.lane) { [image] () throws(CoderError) in
      try image.countFrames()
    }
  }
}

extension AsyncCoderRegistry {
  /// Opens a file for playing and decodes its first frame, on a thread of the library.
  ///
  /// - Parameters:
  ///   - options: How frames are decoded. A memory budget makes frames smaller, never fewer.
  ///   - delays: What is done with short delays; by default what browsers do.
  ///   - loopCount: Overrides what the file states, or nil.
  ///   - transform: What is done to each frame, or nil.
  ///   - coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: As `AnimatedImage.init`; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func animatedImage(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), delays: DelayPolicy = .browser,
    loopCount: LoopCount? = nil, transform: FrameTransform? = nil, coder: String? = nil
  ) async throws(CoderError) -> AnimatedImage {
    try await WorkQueue.shared.value(Cancellation(within: options.cancellation)) { [registry] () throws(CoderError) in
      try AnimatedImage(
        source, options: options, delays: delays, loopCount: loopCount, transform: transform, registry: registry,
        coder: coder)
    }
  }
}
