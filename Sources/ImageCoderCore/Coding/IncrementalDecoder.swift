// SPDX-License-Identifier: Apache-2.0

/// How far an incremental decode is; the values of ImageIO's `CGImageSourceStatus`.
public enum IncrementalStatus: UInt32, Sendable {
  /// Not enough bytes to know the format.
  case unknownType = 0
  /// The format is known, the header is not there yet.
  case readingHeader = 1
  /// The header is there, pixels or frames are missing.
  case incomplete = 2
  case complete = 3
  /// The bytes ended too early.
  case unexpectedEnd = 4
  /// The bytes are not an image of the format.
  case invalid = 5
}

/// Decodes an image whose bytes arrive over time.
///
/// Bytes are handed over once. A coder without incremental decoding of its own is served by keeping the bytes and
/// decoding them once, when the last one is there; the header is reported as soon as it can be read.
///
/// - Threads: One at a time.
public final class IncrementalDecoder {
  public private(set) var status: IncrementalStatus
  /// The header, as soon as its bytes are there.
  public private(set) var header: ImageHeader?

  private let open: (OpenSource) throws(CoderError) -> ImageDecoder
  private let limits: Limits
  private var bytes: [UInt8] = []
  /// The next number of bytes at which the header is worth another try: doubled each time, so that all tries together
  /// cost no more than a constant times the bytes.
  private var nextTry = 64
  private var result: Swift.Result<Image, CoderError>?

  /// - Parameters:
  ///   - isKnownType: Whether the format is known before the first byte.
  ///   - open: Opens what has arrived so far; throws ``CoderError/Code/truncated`` while that is too little.
  package init(
    isKnownType: Bool, limits: Limits, open: @escaping (OpenSource) throws(CoderError) -> ImageDecoder
  ) {
    status = isKnownType ? .readingHeader : .unknownType
    self.limits = limits
    self.open = open
  }

  /// Hands over the next bytes.
  ///
  /// - Throws: ``CoderError/Code/outOfOrder`` after ``finish()``; ``CoderError/Code/limitExceeded``; what the header
  ///   throws when the bytes are not of the coder's format.
  public func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard result == nil else { throw .outOfOrder("bytes after the end") }
    guard bytes.count + chunk.count <= limits.maxMemory else {
      throw .limitExceeded(
        "maxMemory", found: bytes.count + chunk.count, allowed: limits.maxMemory, what: "kept bytes of")
    }
    bytes.append(contentsOf: chunk)
    if header == nil, bytes.count >= nextTry {
      nextTry = bytes.count * 2
      try readHeader()
    }
  }

  /// Says that no byte follows, and gives the image.
  ///
  /// - Returns: The image, with ``Image/problem`` when the bytes ended too early.
  /// - Throws: ``CoderError``, when not one row can be had; the same at every later call.
  public func finish() throws(CoderError) -> Image {
    if let result { return try result.get() }
    let outcome: Swift.Result<Image, CoderError>
    do throws(CoderError) {
      let image = try opened { (decoder) throws(CoderError) in try decoder.image() }
      header = image.header
      status = image.problem == nil ? .complete : .unexpectedEnd
      outcome = .success(image)
    } catch {
      status = error.code == .truncated ? .unexpectedEnd : .invalid
      outcome = .failure(error)
    }
    bytes = []
    result = outcome
    return try outcome.get()
  }

  /// Opens what has arrived so far, where it lies.
  private func opened<Value>(
    _ body: (ImageDecoder) throws(CoderError) -> Value
  ) throws(CoderError) -> Value {
    let result: Swift.Result<Value, CoderError> = bytes.withUnsafeBytes { bytes in
      Swift.Result { () throws(CoderError) in
        try body(try open(try OpenSource(.unowned(bytes), limits: limits)))
      }
    }
    return try result.get()
  }

  private func readHeader() throws(CoderError) {
    do throws(CoderError) {
      header = try opened { (decoder) throws(CoderError) in decoder.header }
      status = .incomplete
    } catch {
      // The header may still be on its way; anything else than its end is final.
      guard error.code == .truncated else {
        status = .invalid
        result = .failure(error)
        throw error
      }
    }
  }
}
