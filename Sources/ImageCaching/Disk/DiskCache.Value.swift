// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine

extension DiskCache {
  /// A value as it was put, with its checksum verified.
  ///
  /// The bytes are in memory of their own: they stay the same whatever happens to the cache.
  public struct Value: Sendable {
    /// What it is.
    public let kind: Kind
    /// What was put beside the value.
    public let metadata: [UInt8]
    /// When the entry was written or confirmed, in seconds since 1970.
    public let storedAt: Int
    let memory: ValueMemory

    /// Bytes of the value.
    public var count: Int { memory.bytes.count }

    /// The bytes as a source to decode, which shares them: nothing is copied.
    public var source: ByteSource { .unowned(memory.bytes, owner: memory) }

    /// A copy of the bytes.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the bytes, which are valid until it returns.
    public func withUnsafeBytes<Result, Failure: Error>(
      _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try withExtendedLifetime(memory) { () throws(Failure) in try body(memory.bytes) }
    }
  }
}
