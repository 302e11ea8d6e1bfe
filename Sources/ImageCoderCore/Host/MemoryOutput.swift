// SPDX-License-Identifier: Apache-2.0

import CImageCoder

/// Collects the bytes of a file that is written.
final class MemoryOutput {
  private(set) var bytes: [UInt8] = []

  private unowned let session: HostSession
  private let raw = UnsafeMutablePointer<imgcoder_output>.allocate(capacity: 1)

  /// The output as a writer sees it; lives as long as this object.
  var output: ByteOutput { ByteOutput(UnsafePointer(raw)) }

  init(session: HostSession) {
    self.session = session
    raw.initialize(to: imgcoder_output())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_output>.size)
    raw.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    raw.pointee.write = { output, bytes, length in
      guard let context = output?.pointee.context, bytes != nil || length == 0 else {
        return InterfaceStatus.invalidArgument
      }
      return Unmanaged<MemoryOutput>.fromOpaque(context).takeUnretainedValue()
        .append(UnsafeBufferPointer(start: bytes, count: Int(clamping: length)))
    }
    raw.pointee.patch = { output, offset, bytes, length in
      guard let context = output?.pointee.context, bytes != nil || length == 0 else {
        return InterfaceStatus.invalidArgument
      }
      return Unmanaged<MemoryOutput>.fromOpaque(context).takeUnretainedValue()
        .patch(UnsafeBufferPointer(start: bytes, count: Int(clamping: length)), at: Int(clamping: offset))
    }
  }

  deinit { raw.deallocate() }

  private func append(_ chunk: UnsafeBufferPointer<UInt8>) -> imgcoder_status {
    if session.isCancelled { return CoderError.Code.cancelled.rawValue }
    guard chunk.count <= session.limits.maxMemory - bytes.count else {
      session.record(
        .limitExceeded(
          "maxMemory", found: bytes.count, allowed: session.limits.maxMemory, what: "a file size in bytes of"))
      return CoderError.Code.limitExceeded.rawValue
    }
    bytes.append(contentsOf: chunk)
    return InterfaceStatus.ok
  }

  private func patch(_ chunk: UnsafeBufferPointer<UInt8>, at offset: Int) -> imgcoder_status {
    guard offset >= 0, offset <= bytes.count, chunk.count <= bytes.count - offset else {
      session.record(.library("the writer changes \(chunk.count) bytes at \(offset) of \(bytes.count)"))
      return CoderError.Code.invalidArgument.rawValue
    }
    for (index, byte) in chunk.enumerated() { bytes[offset + index] = byte }
    return InterfaceStatus.ok
  }
}

extension HostSession {
  /// The bytes that are written while `body` runs. What it opens with the output has to end before it returns.
  package func output(_ body: (ByteOutput) throws(CoderError) -> Void) throws(CoderError) -> [UInt8] {
    let output = MemoryOutput(session: self)
    // Writers hold plain pointers into both.
    defer { withExtendedLifetime((self, output)) {} }
    try body(output.output)
    return output.bytes
  }
}
