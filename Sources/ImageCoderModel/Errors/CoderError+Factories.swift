// SPDX-License-Identifier: Apache-2.0

extension CoderError {
  /// The bytes are not of this format.
  public static func wrongFormat(_ message: String, at offset: Int? = nil) -> CoderError {
    CoderError(code: .wrongFormat, message: message, offset: offset)
  }

  /// The bytes end too early.
  public static func truncated(_ message: String, at offset: Int? = nil) -> CoderError {
    CoderError(code: .truncated, message: message, offset: offset)
  }

  /// The bytes break the format's rules.
  public static func malformed(_ message: String, at offset: Int? = nil) -> CoderError {
    CoderError(code: .malformed, message: message, offset: offset)
  }

  /// A checksum in the file is wrong.
  public static func checksumMismatch(_ message: String, at offset: Int? = nil) -> CoderError {
    CoderError(code: .checksumMismatch, message: message, offset: offset)
  }

  /// A feature of the format that is not supported, or a value above the format's own maximum.
  public static func unsupported(_ message: String, at offset: Int? = nil) -> CoderError {
    CoderError(code: .unsupported, message: message, offset: offset)
  }

  /// No registered coder accepts the bytes or the format.
  package static func noCoder(_ message: String) -> CoderError {
    CoderError(code: .noCoder, message: message)
  }

  /// One of the caller's limits was exceeded.
  ///
  /// - Parameters:
  ///   - limit: Which limit.
  ///   - found: The value found.
  ///   - allowed: The value allowed.
  public static func limitExceeded(
    _ limit: Limits.Name, found: some BinaryInteger, allowed: some BinaryInteger, what: String
  ) -> CoderError {
    CoderError(
      code: .limitExceeded, message: "\(what) \(found) is over the limit \(limit) of \(allowed)", limit: limit,
      found: Int(clamping: found), allowed: Int(clamping: allowed))
  }

  /// The caller passed an invalid argument.
  public static func invalidArgument(_ message: String) -> CoderError {
    CoderError(code: .invalidArgument, message: message)
  }

  /// The caller asked for a page or frame that the file does not have.
  ///
  /// - Parameters:
  ///   - what: `page` or `frame`.
  ///   - index: Counted from 0, as the caller does; the message says so, since people count from 1.
  ///   - count: How many there are.
  package static func missing(_ what: String, index: Int, count: Int) -> CoderError {
    .invalidArgument(
      "\(what) index \(index); the file has "
        + (count == 1 ? "1 \(what), of index 0" : "\(count) \(what)s, of index 0 to \(count - 1)"))
  }

  /// The caller made calls in the wrong order.
  public static func outOfOrder(_ message: String) -> CoderError {
    CoderError(code: .outOfOrder, message: message)
  }

  /// Reading or writing bytes failed.
  public static func io(_ message: String) -> CoderError {
    CoderError(code: .io, message: message)
  }

  /// The machine or the session's budget has not enough memory.
  public static func outOfMemory(bytes: some BinaryInteger, for purpose: String) -> CoderError {
    CoderError(code: .outOfMemory, message: "no memory for \(bytes) bytes of \(purpose)")
  }

  /// A wrapped library failed.
  public static func libraryFailure(_ message: String) -> CoderError {
    CoderError(code: .libraryFailure, message: message)
  }

  /// A plugin or its manifest was refused.
  package static func pluginRejected(_ message: String) -> CoderError {
    CoderError(code: .pluginRejected, message: message)
  }

  /// The queue takes no more work.
  package static func overloaded(_ message: String) -> CoderError {
    CoderError(code: .overloaded, message: message)
  }

  /// The work was cancelled.
  public static let cancelled = CoderError(code: .cancelled, message: "cancelled by the caller")
}
