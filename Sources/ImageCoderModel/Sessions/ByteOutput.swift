// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import CImageCoderStructs

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

  // Constant data of the process.
  nonisolated(unsafe) private static let nowhereTable: UnsafePointer<imgcoder_output>? = {
    var table = imgcoder_output_sized()
    table.write = { _, _, _ in InterfaceStatus.ok }
    table.patch = { _, _, _, _ in InterfaceStatus.ok }
    return UnsafePointer(imgcoder_output_keep(table))
  }()

  /// Takes all bytes and keeps none.
  package static var nowhere: ByteOutput {
    // The process ends when it has no memory for these few bytes: nobody is there to be told.
    ByteOutput(nowhereTable!)
  }

  private static func refusal(_ status: imgcoder_status) -> CoderError {
    CoderError(code: CoderError.Code(rawValue: status), message: "the output takes no more bytes")
  }
}
