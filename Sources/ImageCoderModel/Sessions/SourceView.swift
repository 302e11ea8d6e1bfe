// SPDX-License-Identifier: Apache-2.0

public import CImageCoder

/// The bytes of a file, as a reader sees them.
///
/// - Lifetime: As long as the session.
/// - Threads: One at a time, as the session.
public struct SourceView: @unchecked Sendable {
  /// The C struct, for code that passes it on to C.
  public let raw: UnsafePointer<imgcoder_source>

  /// Wraps the host's struct, which must live as long as this value.
  public init(_ raw: UnsafePointer<imgcoder_source>) { self.raw = raw }

  /// The total number of bytes, or the largest integer while bytes are still arriving and the end is unknown.
  public var size: Int { Int(clamping: raw.pointee.size) }

  /// Returns bytes at an offset: exactly `count`, or the rest of the source, which may be empty.
  ///
  /// - Returns: Bytes that are valid until the next call that returns bytes of this source.
  /// - Throws: ``CoderError/Code/io``.
  public func view(at offset: Int, count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    var bytes: UnsafePointer<UInt8>?
    var length: UInt64 = 0
    let status = raw.pointee.view(raw, UInt64(clamping: offset), UInt64(clamping: count), &bytes, &length)
    guard status == InterfaceStatus.ok else { throw Self.refusal(status, at: offset) }
    return UnsafeRawBufferPointer(start: bytes, count: Int(length))
  }

  /// Returns bytes at an offset: at least `least`, at most `most`, or the rest of the source. While the file is
  /// incomplete, the call waits for `least` bytes.
  ///
  /// - Returns: Bytes that are valid until the next call that returns bytes of this source.
  /// - Throws: ``CoderError/Code/io``; ``CoderError/Code/cancelled``.
  public func view(at offset: Int, least: Int, most: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    var bytes: UnsafePointer<UInt8>?
    var length: UInt64 = 0
    let status = imgcoder_source_view_available(
      raw, UInt64(clamping: offset), UInt64(clamping: min(least, most)), UInt64(clamping: most), &bytes, &length)
    guard status == InterfaceStatus.ok else { throw Self.refusal(status, at: offset) }
    return UnsafeRawBufferPointer(start: bytes, count: Int(length))
  }

  /// Returns bytes at an offset: exactly `count`, or the rest of the source, which may be empty.
  ///
  /// - Returns: Bytes that are valid until the next call that returns bytes of this source.
  /// - Throws: ``CoderError/Code/io``.
  @_lifetime(borrow self)
  public func bytes(at offset: Int, count: Int) throws(CoderError) -> RawSpan {
    _overrideLifetime(RawSpan(_unsafeBytes: try view(at: offset, count: count)), borrowing: self)
  }

  /// Returns bytes at an offset: at least `least`, at most `most`, or the rest of the source. While the file is
  /// incomplete, the call waits for `least` bytes.
  ///
  /// - Returns: Bytes that are valid until the next call that returns bytes of this source.
  /// - Throws: ``CoderError/Code/io``; ``CoderError/Code/cancelled``.
  @_lifetime(borrow self)
  public func bytes(at offset: Int, least: Int, most: Int) throws(CoderError) -> RawSpan {
    _overrideLifetime(RawSpan(_unsafeBytes: try view(at: offset, least: least, most: most)), borrowing: self)
  }

  /// A reader of bytes at an offset: exactly `count`, or the rest of the source.
  @_lifetime(borrow self)
  public func reader(
    at offset: Int, count: Int, order: ByteOrder = .bigEndian, of name: StaticString = "the file"
  ) throws(CoderError) -> ByteReader {
    ByteReader(try bytes(at: offset, count: count), order: order, at: offset, of: name)
  }

  /// A reader of a structure in a range of the file, such as a segment or the content of a box.
  ///
  /// A field that extends beyond the range is ``CoderError/Code/truncated`` when the file ends inside the range, else
  /// ``CoderError/Code/malformed``.
  @_lifetime(borrow self)
  public func reader(
    in range: Range<Int>, order: ByteOrder = .bigEndian, of name: StaticString
  ) throws(CoderError) -> ByteReader {
    let bytes = try bytes(at: range.lowerBound, count: range.count)
    return ByteReader(
      bytes, order: order, at: range.lowerBound, of: name, isCutOff: bytes.byteCount < range.count)
  }

  private static func refusal(_ status: imgcoder_status, at offset: Int) -> CoderError {
    status == CoderError.Code.cancelled.rawValue
      ? .cancelled
      : CoderError(code: CoderError.Code(rawValue: status), message: "the source has no bytes at \(offset)")
  }

  /// Returns the whole source, valid until the session is closed.
  ///
  /// - Throws: ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``.
  public func contents() throws(CoderError) -> UnsafeRawBufferPointer { try view(at: 0, count: .max) }

  /// Copies exactly `count` bytes.
  ///
  /// - Parameter what: The name of the bytes for the error, such as `the image header`.
  /// - Throws: ``CoderError/Code/truncated`` if the source ends too early.
  public func bytes(at offset: Int, count: Int, of what: String) throws(CoderError) -> [UInt8] {
    let shown = try view(at: offset, count: count)
    guard shown.count == count else {
      throw .truncated("\(what) needs \(count) bytes, \(shown.count) are left", at: offset + shown.count)
    }
    return try ArrayMemory.copy(shown, for: what)
  }
}
