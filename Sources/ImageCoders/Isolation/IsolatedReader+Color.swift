// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// What readers say that points to blocks.
extension IsolatedReader {
  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    var request = Worker.Request(ISOLATION_COLOR)
    request.message.words.0 = UInt32(clamping: page)
    let (reply, bytes) = try collect(request)
    try check(reply.status)
    return try parse(bytes) { (blocks) throws(CoderError) in
      var raw = try blocks.take(imgcoder_color.self)
      raw.struct_size = UInt32(MemoryLayout<imgcoder_color>.size)
      let length = 2 * UInt64(raw.curve_length)
      let (red, green, blue) = raw.curves
      raw.curves = (
        try blocks.block(red, length)?.assumingMemoryBound(to: UInt16.self),
        try blocks.block(green, length)?.assumingMemoryBound(to: UInt16.self),
        try blocks.block(blue, length)?.assumingMemoryBound(to: UInt16.self)
      )
      return StoredColor(raw)
    }
  }

  private func parse<Result>(
    _ bytes: [UInt8], _ body: (inout Blocks) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let result: Swift.Result<Result, CoderError> = bytes.withUnsafeBytes { bytes in
      var blocks = Blocks(bytes: bytes, worker: worker, limits: session.limits)
      do throws(CoderError) { return .success(try body(&blocks)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Structs and the blocks that they point to, one after the other.
  private struct Blocks {
    let bytes: UnsafeRawBufferPointer
    let worker: Worker
    let limits: Limits
    private var position = 0

    init(bytes: UnsafeRawBufferPointer, worker: Worker, limits: Limits) {
      self.bytes = bytes
      self.worker = worker
      self.limits = limits
    }

    mutating func take<Value: BitwiseCopyable>(_ type: Value.Type) throws(CoderError) -> Value {
      let size = MemoryLayout<Value>.size
      guard size <= bytes.count - position else { throw worker.fault("an answer that is cut off") }
      defer { position += size }
      return bytes.loadUnaligned(fromByteOffset: position, as: type)
    }

    /// The block for which `standIn` stands, or nil.
    mutating func block<Value>(
      _ standIn: UnsafePointer<Value>?, _ length: UInt64
    ) throws(CoderError) -> UnsafeRawPointer? {
      switch UInt(bitPattern: standIn) {
      case UInt(ISOLATION_BLOCK_NONE): return nil
      case UInt(ISOLATION_BLOCK_FOLLOWS):
        guard length <= UInt64(bytes.count - position) else { throw worker.fault("a block that is cut off") }
        defer { position += Int(length) }
        return bytes.baseAddress.map { $0 + position }
      case UInt(ISOLATION_BLOCK_TOO_LARGE):
        try limits.check(metadata: Int(clamping: length))
        return nil
      default: throw worker.fault("a pointer")
      }
    }
  }
}
