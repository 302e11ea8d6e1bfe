// SPDX-License-Identifier: Apache-2.0

public import CImageCoder

/// Where a reader puts rows: in the host's memory.
///
/// - Lifetime: During the decode call.
/// - Threads: One at a time, as the session.
public struct RowSink {
  /// The C struct, for code that passes it on to C.
  public let raw: UnsafePointer<imgcoder_sink>

  /// Wraps the host's struct, which must live as long as this value.
  public init(_ raw: UnsafePointer<imgcoder_sink>) { self.raw = raw }

  /// Memory for some rows.
  public struct Rows {
    /// The first row, its leftmost pixel.
    public let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    public let stride: Int
    /// Rows granted: at least 1.
    public let count: Int
  }

  /// Asks for the memory of rows.
  ///
  /// - Parameters:
  ///   - y: The first row. In top-down order, the row after the last one that is done.
  ///   - count: The number of rows. In top-down order fewer may be granted.
  /// - Throws: The host's error, for example ``CoderError/Code/cancelled``; pass it on at once.
  public func rows(at y: Int, count: Int = 1) throws(CoderError) -> Rows {
    var granted = imgcoder_rows()
    let status = raw.pointee.rows(raw, UInt32(clamping: y), UInt32(clamping: count), &granted)
    guard status == InterfaceStatus.ok, let base = granted.pixels else { throw Self.refusal(status) }
    return Rows(base: UnsafeMutableRawPointer(base), stride: Int(granted.stride), count: Int(granted.count))
  }

  /// Reports that rows are written.
  ///
  /// - Parameter pass: Counts from 0 for pictures that are sent more than once.
  /// - Throws: As for ``rows(at:count:)``.
  public func done(at y: Int, count: Int = 1, pass: Int = 0) throws(CoderError) {
    let status = raw.pointee.done(raw, UInt32(clamping: y), UInt32(clamping: count), UInt32(clamping: pass))
    guard status == InterfaceStatus.ok else { throw Self.refusal(status) }
  }

  private static func refusal(_ status: imgcoder_status) -> CoderError {
    status == CoderError.Code.cancelled.rawValue
      ? .cancelled : CoderError(code: CoderError.Code(rawValue: status), message: "the host takes no more rows")
  }
}
