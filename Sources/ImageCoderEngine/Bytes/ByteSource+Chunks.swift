// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

extension ByteSource {
  /// Bytes that arrive in pieces, when all are there. Each byte is copied once, if their number is known.
  ///
  ///     let upload = try await ByteSource.collecting(request.body.map(\.readableBytesView), maxBytes: 32 << 20)
  ///
  /// - Parameters:
  ///   - chunks: Pieces of any size.
  ///   - maxBytes: How many bytes may come.
  ///   - expected: How many are announced, or 0. It saves copies, and promises nothing.
  /// - Throws: ``CoderError/Code/limitExceeded`` as soon as more have come; what the chunks throw.
  public static func collecting<Chunks: AsyncSequence>(
    _ chunks: Chunks, maxBytes: Int, expected: Int = 0
  ) async throws -> ByteSource where Chunks.Element: Collection<UInt8> {
    let collected = CollectedBytes()
    try collected.reserve(min(expected, maxBytes))
    for try await chunk in chunks {
      let count = collected.count + chunk.count
      guard count <= maxBytes else {
        throw CoderError.limitExceeded(.maxFileSize, found: count, allowed: maxBytes, what: "a body of at least")
      }
      try collected.append(chunk)
    }
    return .unowned(collected.bytes, owner: collected)
  }
}

/// Memory that grows, which one task fills before anybody reads it.
private final class CollectedBytes {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0

  deinit { free(base) }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count) }

  func reserve(_ wanted: Int) throws(CoderError) {
    guard wanted > capacity else { return }
    guard let larger = realloc(base, wanted) else { throw .outOfMemory(bytes: wanted, for: "a body") }
    (base, capacity) = (larger, wanted)
  }

  func append(_ chunk: some Collection<UInt8>) throws(CoderError) {
    let end = count + chunk.count
    if end > capacity { try reserve(max(end, capacity + capacity / 2)) }
    UnsafeMutableRawBufferPointer(start: base.map { $0 + count }, count: chunk.count).copyBytes(from: chunk)
    count = end
  }
}
