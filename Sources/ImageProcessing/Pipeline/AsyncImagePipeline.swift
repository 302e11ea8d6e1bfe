// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension ImagePipeline {
  /// The same calls for async code: `pipeline.async.applied(to:)` beside `pipeline.applied(to:)`.
  public var async: AsyncImagePipeline { AsyncImagePipeline(pipeline: self) }
}

/// The calls of a pipeline for async code. Each waits for a thread of the library, and blocks none of the cooperative pool;
/// cancelling the task takes it out of the queue, or ends it before the next operation.
public struct AsyncImagePipeline: Sendable {
  let pipeline: ImagePipeline

  /// The changed picture.
  ///
  /// - Throws: As ``ImagePipeline/applied(to:limits:)-(PixelBuffer,_)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func applied(to pixels: PixelBuffer, limits: Limits = .standard) async throws(CoderError) -> PixelBuffer {
    let cancellation = Cancellation()
    return try await WorkQueue.shared.value(cancellation, kind: .continues) { [pipeline] () throws(CoderError) in
      try pipeline.applied(to: pixels, limits: limits, stoppedBy: cancellation)
    }
  }

  /// The changed image: every frame of an animation.
  ///
  /// - Throws: As ``ImagePipeline/applied(to:limits:)-(Image,_)``; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func applied(to image: Image, limits: Limits = .standard) async throws(CoderError) -> Image {
    let cancellation = Cancellation()
    return try await WorkQueue.shared.value(cancellation, kind: .continues) { [pipeline] () throws(CoderError) in
      try pipeline.applied(to: image, limits: limits, stoppedBy: cancellation)
    }
  }
}
