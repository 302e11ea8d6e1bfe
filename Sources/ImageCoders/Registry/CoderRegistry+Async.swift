// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// Decodes an image on a thread of the library, so that it does not block a thread of the cooperative pool.
  ///
  /// Cancelling the task cancels the decode.
  ///
  /// - Throws: As the synchronous `decode`; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func decode(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> Image {
    var options = options
    let cancellation = options.cancellation ?? Cancellation()
    options.cancellation = cancellation
    let requested = options
    return try await ThreadPool.shared.value(cancellation) { () throws(CoderError) in
      try self.decode(source, options: requested, coder: coder)
    }
  }

  /// Encodes an image on a thread of the library.
  ///
  /// - Throws: As the synchronous `encode`; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func encode(
    _ image: Image, as format: ImageFormat? = nil, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> [UInt8] {
    var options = options
    let cancellation = options.cancellation ?? Cancellation()
    options.cancellation = cancellation
    let requested = options
    return try await ThreadPool.shared.value(cancellation) { () throws(CoderError) in
      try self.encode(image, as: format, options: requested, coder: coder)
    }
  }
}

extension ThreadPool {
  /// Runs work in turn, and suspends the task until it is done.
  fileprivate func value<Value: Sendable>(
    _ cancellation: Cancellation, _ body: @escaping @Sendable () throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let result: Result<Value, CoderError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enqueue {
          continuation.resume(
            returning: Result { () throws(CoderError) in
              if cancellation.isCancelled { throw CoderError.cancelled }
              return try body()
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }
}
