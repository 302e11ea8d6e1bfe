// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Rows of pixels in memory, top to bottom.
///
/// New memory is not cleared: the code that creates a buffer writes every row. Large buffers are aligned to 2 MiB and ask
/// the kernel for huge pages, which saves a third of the time of a fast decode.
///
/// - Threads: Several threads may read at the same time. While one thread writes, no other may read or write. A decoder
///   writes only before it returns the buffer.
public final class PixelBuffer: @unchecked Sendable {
  /// Columns and rows; both sides are at least 1.
  public let size: Size
  /// Channels and samples of each pixel.
  public let format: PixelFormat
  /// What alpha samples mean. A format without alpha is always opaque.
  public let alpha: AlphaMode
  /// Bytes from the start of one row to the next, at least `size.width × format.bytesPerPixel`.
  public let stride: Int
  /// The first row. `size.height × stride` bytes, valid as long as the buffer.
  package let base: UnsafeMutableRawPointer

  private let memory: PixelMemory

  /// Makes a buffer in new memory, or in memory of a pool.
  ///
  /// - Parameters:
  ///   - size: Pixels; both sides must be at least 1.
  ///   - pool: The pool that memory is taken from and returned to, or nil for the system.
  /// - Throws: ``CoderError/Code/invalidArgument`` for an empty size; ``CoderError/Code/outOfMemory`` if the number of
  ///   bytes overflows an integer or the machine has no memory.
  public init(size: Size, format: PixelFormat, alpha: AlphaMode, pool: PixelPool? = nil) throws(CoderError) {
    guard !size.isEmpty else { throw .invalidArgument("a pixel buffer of \(size) has no pixels") }
    let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: size.height)
    guard !rowOverflow, !overflow else { throw .outOfMemory(bytes: size.pixelCount, for: "pixels") }
    self.memory = try PixelMemory(bytes: bytes, pool: pool)
    self.size = size
    self.format = format
    self.alpha = format.hasAlpha ? alpha : .opaque
    self.stride = rowBytes
    self.base = memory.base
  }

  /// Wraps the caller's memory.
  ///
  /// - Parameters:
  ///   - memory: At least `(height - 1) × stride + width × bytesPerPixel` bytes, aligned to the format's sample size.
  ///   - stride: Bytes from one row to the next.
  ///   - owner: Kept alive as long as the buffer.
  /// - Throws: ``CoderError/Code/invalidArgument`` if the memory is too small or the stride shorter than a row.
  public init(
    wrapping memory: UnsafeMutableRawBufferPointer, size: Size, format: PixelFormat, alpha: AlphaMode, stride: Int,
    owner: AnyObject? = nil
  ) throws(CoderError) {
    guard !size.isEmpty, let base = memory.baseAddress else {
      throw .invalidArgument("a pixel buffer of \(size) has no pixels")
    }
    let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    let (upper, overflow) = stride.multipliedReportingOverflow(by: size.height - 1)
    guard !rowOverflow, !overflow, stride >= rowBytes, memory.count >= rowBytes, memory.count - rowBytes >= upper else {
      throw .invalidArgument("\(memory.count) bytes with a stride of \(stride) do not hold \(size) pixels of \(format)")
    }
    self.memory = PixelMemory(wrapping: base, bytes: memory.count, owner: owner)
    self.size = size
    self.format = format
    self.alpha = format.hasAlpha ? alpha : .opaque
    self.stride = stride
    self.base = base
  }

  /// Bytes of pixels in one row, without the padding that the stride adds.
  public var rowBytes: Int { size.width * format.bytesPerPixel }

  /// Bytes of all rows.
  public var byteCount: Int { size.height * stride }

  /// The start of row `y`, which must be in `0 ..< size.height`.
  package func row(_ y: Int) -> UnsafeMutableRawPointer {
    precondition(y >= 0 && y < size.height, "row \(y) of \(size.height)")
    return base + y * stride
  }

  /// Sets rows to zero: transparent black, or black in a format without alpha.
  package func clear(rows: Range<Int>) {
    for y in rows { row(y).initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes) }
  }

  /// Calls `body` with the ``rowBytes`` bytes of row `y`, for writing. No other thread may read the buffer meanwhile.
  package func withMutableRow<Result, Failure: Error>(
    _ y: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: row(y), count: rowBytes))
  }

  /// Calls `body` with the ``rowBytes`` bytes of row `y`.
  package func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: row(y), count: rowBytes))
  }
}
