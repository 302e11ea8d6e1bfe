// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

/// The bytes of what has no size: a pipe, a device.
package enum PipeInput {
  /// Whether input that begins so may be an image, or nil as long as more bytes are needed to say so.
  package typealias Recognition = (_ beginning: [UInt8]) -> Bool?

  /// Waits for bytes, and gives those that are there.
  ///
  /// - Returns: At most `most` bytes; none at the end; nil if a signal came first.
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  package static func next(_ descriptor: Int32, most: Int) throws(CoderError) -> [UInt8]? {
    var got = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      got = read(descriptor, buffer.baseAddress, most)
      count = max(0, got)
    }
    if got < 0, errno == EINTR { return nil }
    guard got >= 0 else { throw FileDescriptor.failure() }
    return chunk
  }

  /// Reads to the end; of what is no image, the beginning alone, for it may have no end.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that are taken, `maxMemory`.
  ///   - mayBeImage: Asked about the first 4 KiB, and again about twice as many as long as that is nil.
  ///   - isInterrupted: Asked before each wait.
  /// - Throws: ``CoderError/Code/io``, ``CoderError/Code/limitExceeded``, ``CoderError/Code/outOfMemory``,
  ///   ``CoderError/Code/cancelled``.
  package static func readAll(
    _ descriptor: Int32, limit: Int, mayBeImage: Recognition, isInterrupted: () -> Bool = { false }
  ) throws(CoderError) -> [UInt8] {
    var bytes: [UInt8] = []
    var nextQuestion = 4 << 10
    while true {
      if isInterrupted() { throw .cancelled }
      guard let chunk = try next(descriptor, most: 64 << 10) else { continue }
      guard !chunk.isEmpty else { return bytes }
      guard chunk.count <= limit - bytes.count else {
        throw .limitExceeded(
          .maxMemory, found: bytes.count + chunk.count, allowed: limit, what: "input of a pipe, in bytes, of")
      }
      try ArrayMemory.grow(&bytes, by: chunk.count, for: "input of a pipe")
      bytes.append(contentsOf: chunk)
      guard bytes.count >= nextQuestion else { continue }
      switch mayBeImage(bytes) {
      case true?: nextQuestion = .max
      case false?: return bytes
      case nil: nextQuestion = 2 * bytes.count
      }
    }
  }
}
