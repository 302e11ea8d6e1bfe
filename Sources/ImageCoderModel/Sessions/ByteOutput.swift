// SPDX-License-Identifier: Apache-2.0

public import CImageCoder

/// Where a writer puts the bytes of a file.
///
/// - Lifetime: As long as the session.
/// - Threads: One at a time, as the session.
public struct ByteOutput: @unchecked Sendable {
  /// The C struct, for code that passes it on to C.
  public let raw: UnsafePointer<imgcoder_output>

  /// Wraps the host's struct, which must live as long as this value.
  public init(_ raw: UnsafePointer<imgcoder_output>) { self.raw = raw }

  /// Appends bytes.
  ///
  /// - Throws: The host's error; pass it on at once.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    let status = raw.pointee.write(raw, bytes.bindMemory(to: UInt8.self).baseAddress, UInt64(bytes.count))
    guard status == InterfaceStatus.ok else { throw Self.refusal(status) }
  }

  /// Appends bytes.
  public func write(_ bytes: [UInt8]) throws(CoderError) {
    var failure: CoderError?
    bytes.withUnsafeBytes { buffer in
      do throws(CoderError) { try write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Replaces bytes that were written before.
  ///
  /// - Parameter offset: The offset from the start of the file; the bytes must lie within what was written.
  public func patch(_ bytes: [UInt8], at offset: Int) throws(CoderError) {
    let status = raw.pointee.patch(raw, UInt64(clamping: offset), bytes, UInt64(bytes.count))
    guard status == InterfaceStatus.ok else { throw Self.refusal(status) }
  }

  private static func refusal(_ status: imgcoder_status) -> CoderError {
    CoderError(code: CoderError.Code(rawValue: status), message: "the output takes no more bytes")
  }
}
