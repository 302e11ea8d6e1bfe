// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel
import Synchronization

extension CoderRegistry {
  /// Decodes an image on a thread of the library's own, so that no thread of the cooperative pool waits for it.
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
    let wishes = options
    return try await DecodingThreads.run(cancellation) { () throws(CoderError) in
      try self.decode(source, options: wishes, coder: coder)
    }
  }

  /// Encodes an image on a thread of the library's own.
  ///
  /// - Throws: As the synchronous `encode`; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func encode(
    _ image: Image, as format: ImageFormat? = nil, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> [UInt8] {
    var options = options
    let cancellation = options.cancellation ?? Cancellation()
    options.cancellation = cancellation
    let wishes = options
    return try await DecodingThreads.run(cancellation) { () throws(CoderError) in
      try self.encode(image, as: format, options: wishes, coder: coder)
    }
  }
}
