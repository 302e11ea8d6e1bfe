// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
package import ImageCoderModel

/// Where the bytes of a file go that is being written.
protocol ByteTarget: AnyObject {
  /// Bytes that it has.
  var count: Int { get }
  func append(_ bytes: UnsafeRawBufferPointer) throws(CoderError)
  /// Replaces bytes that it has.
  func patch(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CoderError)
  /// Puts the file in its place: it is whole.
  func end() throws(CoderError)
}

extension NewFile: ByteTarget {
  func end() throws(CoderError) { try commit() }
}

/// A file's bytes in memory, or their number alone.
final class MemoryTarget: ByteTarget {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  private let limits: Limits
  private let isKept: Bool

  init(limits: Limits, isKept: Bool = true) { (self.limits, self.isKept) = (limits, isKept) }

  func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard chunk.count <= limits.maxMemory - count else {
      throw .limitExceeded(
        .maxMemory, found: count + chunk.count, allowed: limits.maxMemory, what: "a file size in bytes of")
    }
    count += chunk.count
    guard isKept else { return }
    try ArrayMemory.grow(&bytes, by: chunk.count, for: "the file that is written")
    bytes.append(contentsOf: chunk)
  }

  func patch(_ chunk: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) {
    guard isKept else { return }
    bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: chunk) }
  }

  func end() {}
}

/// A target as a writer sees it.
///
/// - Lifetime: Writers hold plain pointers into it and into the session; both outlive the writer.
final class WriterOutput {
  private unowned let session: HostSession
  private let target: any ByteTarget
  private let raw = UnsafeMutablePointer<imgcoder_output>.allocate(capacity: 1)

  /// Valid as long as this object.
  var output: ByteOutput { ByteOutput(UnsafePointer(raw)) }

  init(_ target: any ByteTarget, session: HostSession) {
    self.session = session
    self.target = target
    raw.initialize(to: imgcoder_output_sized())
    raw.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    raw.pointee.write = { output, bytes, length in
      WriterOutput.run(output, bytes, count: length) { (output, chunk) throws(CoderError) in
        if output.session.isCancelled { throw .cancelled }
        try output.target.append(chunk)
      }
    }
    raw.pointee.patch = { output, offset, bytes, length in
      let offset = Int(clamping: offset)
      return WriterOutput.run(output, bytes, count: length) { (output, chunk) throws(CoderError) in
        guard offset <= output.target.count, chunk.count <= output.target.count - offset else {
          throw .invalidArgument("the writer changes \(chunk.count) bytes at \(offset) of \(output.target.count)")
        }
        try output.target.patch(chunk, at: offset)
      }
    }
  }

  deinit { raw.deallocate() }

  private static func run(
    _ output: UnsafePointer<imgcoder_output>?, _ bytes: UnsafePointer<UInt8>?, count length: UInt64,
    body: (WriterOutput, UnsafeRawBufferPointer) throws(CoderError) -> Void
  ) -> imgcoder_status {
    guard let context = output?.pointee.context, bytes != nil || length == 0 else {
      return InterfaceStatus.invalidArgument
    }
    let output = Unmanaged<WriterOutput>.fromOpaque(context).takeUnretainedValue()
    do throws(CoderError) {
      try body(output, UnsafeRawBufferPointer(start: bytes, count: Int(clamping: length)))
      return InterfaceStatus.ok
    } catch {
      output.session.record(error)
      output.session.outputFailure = output.session.outputFailure ?? error
      return error.code.rawValue
    }
  }
}

extension HostSession {
  /// The bytes that are written while `body` runs. What it opens with the output has to end before it returns.
  ///
  /// - Parameter isKept: Without it, bytes are counted and dropped.
  package func output(
    isKept: Bool = true, _ body: (ByteOutput) throws(CoderError) -> Void
  ) throws(CoderError) -> [UInt8] {
    let target = MemoryTarget(limits: limits, isKept: isKept)
    let output = WriterOutput(target, session: self)
    defer { withExtendedLifetime((self, output)) {} }
    try body(output.output)
    return target.bytes
  }
}
