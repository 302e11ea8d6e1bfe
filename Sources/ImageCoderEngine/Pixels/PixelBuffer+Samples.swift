// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// What applications see of samples: spans, whose every access is checked, and copies.
extension PixelBuffer {
  /// Makes a buffer of samples, which are copied.
  ///
  /// - Parameters:
  ///   - samples: The bytes of all rows from top to bottom, `size.height × stride` of them; the last row may end with
  ///     its last pixel. Samples of more than one byte are in the machine's byte order.
  ///   - stride: Bytes from one row to the next, or nil for rows without padding.
  /// - Throws: ``CoderError/Code/invalidArgument`` if there are too few bytes, or the stride is shorter than a row;
  ///   as ``init(size:format:alpha:pool:)``.
  public convenience init(
    copying samples: some Collection<UInt8>, size: Size, format: PixelFormat, alpha: AlphaMode = .straight,
    stride: Int? = nil
  ) throws(CoderError) {
    try self.init(size: size, format: format, alpha: alpha)
    let bytes = Array(samples)
    let from = stride ?? rowBytes
    let (upper, overflow) = from.multipliedReportingOverflow(by: size.height - 1)
    guard !overflow, from >= rowBytes, bytes.count >= rowBytes, bytes.count - rowBytes >= upper else {
      throw .invalidArgument("\(bytes.count) bytes with a stride of \(from) do not hold \(size) pixels of \(format)")
    }
    bytes.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        withMutableRow(y) {
          $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(y * from)...].prefix(rowBytes)))
        }
      }
    }
  }

  /// The samples of a row, channel by channel, pixel by pixel: `row[x × channels + channel]`.
  ///
  ///     let row = pixels.samples(inRow: 0)
  ///     print(row[0], row[1], row[2])  // red, green and blue of the first pixel of an `rgb8` picture
  ///
  /// - Parameters:
  ///   - y: Must be in `0 ..< size.height`.
  ///   - type: The format's type of samples: `UInt16` for `rgb16`, `Float` for `rgb32Float`. Any other type shows the
  ///     same bytes.
  @_lifetime(borrow self)
  public func samples<Sample: BitwiseCopyable>(
    inRow y: Int, as type: Sample.Type = UInt8.self
  ) -> Span<Sample> {
    let row = UnsafeRawPointer(row(y)).assumingMemoryBound(to: Sample.self)
    return _overrideLifetime(
      UnsafeBufferPointer(start: row, count: rowBytes / MemoryLayout<Sample>.stride).span, borrowing: self)
  }

  /// Calls `body` with the bytes of a row, to change them. No other thread may read the buffer meanwhile.
  ///
  /// - Parameter y: Must be in `0 ..< size.height`.
  public func withMutableSamples<Result, Failure: Error>(
    inRow y: Int, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withMutableSamples(inRow: y, as: UInt8.self, body)
  }

  /// Calls `body` with the samples of a row, to change them. No other thread may read the buffer meanwhile.
  ///
  /// - Parameters:
  ///   - y: Must be in `0 ..< size.height`.
  ///   - type: As for ``samples(inRow:as:)``.
  public func withMutableSamples<Sample: BitwiseCopyable, Result, Failure: Error>(
    inRow y: Int, as type: Sample.Type, _ body: (inout MutableSpan<Sample>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let row = row(y).assumingMemoryBound(to: Sample.self)
    var samples = UnsafeMutableBufferPointer(start: row, count: rowBytes / MemoryLayout<Sample>.stride).mutableSpan
    return try body(&samples)
  }

  /// A copy of the bytes of all rows, without padding.
  public func copyBytes() -> [UInt8] {
    Array(unsafeUninitializedCapacity: rowBytes * size.height) { target, count in
      for y in 0..<size.height {
        withRow(y) {
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[(y * rowBytes)...]).copyMemory(
            from: $0)
        }
      }
      count = rowBytes * size.height
    }
  }
}
