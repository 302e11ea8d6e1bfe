// SPDX-License-Identifier: Apache-2.0

/// The resources that a session may use; checked before memory is allocated.
public struct Limits: Sendable, Equatable {
  /// Pixels of one canvas.
  public var maxPixels: Int
  /// Pixels, either side of a canvas.
  public var maxSide: Int
  /// Bytes of decoded pixels and working memory that one session holds at a time, including frames and checkpoints.
  public var maxMemory: Int
  /// Frames of one animation.
  public var maxFrames: Int
  /// Bytes of one metadata block, inflated.
  public var maxMetadata: Int
  /// Pages of one file.
  public var maxPages: Int
  /// Passes over one picture.
  public var maxScans: Int
  /// Pixels of an animation's frames, each as large as the canvas: the time that a small file can ask for.
  public var maxComposedPixels: Int
  /// Milliseconds that one call of a decoder may take on the clock, such as one frame or the whole image. Waiting for bytes
  /// that arrive does not count. It is looked at with each row and each read; a library that asks for neither runs on.
  public var maxMilliseconds: Int
  /// Reads of a file by one call of a decoder in this process: boxes, chunks, directories, strips and lines are one or more
  /// each.
  public var maxReads: Int
  /// Bytes that one call of a decoder may inflate: what comes out of Deflate, LZW, Zstandard, LZMA or Brotli, of pixels and of
  /// metadata. Readers count them where they can, before the work if the number is known.
  public var maxInflated: Int

  /// Makes limits; a limit that is not given is that of ``standard``.
  public init(
    maxPixels: Int = 1 << 28, maxSide: Int = 65_535, maxMemory: Int = 1 << 30, maxFrames: Int = 65_536,
    maxMetadata: Int = 64 << 20, maxPages: Int = 4_096, maxScans: Int = 500,
    maxComposedPixels: Int = 1 << 34, maxMilliseconds: Int = 600_000, maxReads: Int = 1 << 24,
    maxInflated: Int = 1 << 34
  ) {
    self.maxPixels = maxPixels
    self.maxSide = maxSide
    self.maxMemory = maxMemory
    self.maxFrames = maxFrames
    self.maxMetadata = maxMetadata
    self.maxPages = maxPages
    self.maxScans = maxScans
    self.maxComposedPixels = maxComposedPixels
    self.maxMilliseconds = maxMilliseconds
    self.maxReads = maxReads
    self.maxInflated = maxInflated
  }

  /// The limits that apply if a caller gives none. `coders help limits` shows their values.
  public static let standard = Limits()

  /// Names a limit: the property of ``Limits`` or ``EncodeOptions`` that holds it.
  public struct Name: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``Limits/maxPixels``
    public static let maxPixels = Name(rawValue: "maxPixels")
    /// ``Limits/maxSide``
    public static let maxSide = Name(rawValue: "maxSide")
    /// ``Limits/maxMemory``
    public static let maxMemory = Name(rawValue: "maxMemory")
    /// ``Limits/maxFrames``
    public static let maxFrames = Name(rawValue: "maxFrames")
    /// ``Limits/maxMetadata``
    public static let maxMetadata = Name(rawValue: "maxMetadata")
    /// ``Limits/maxPages``
    public static let maxPages = Name(rawValue: "maxPages")
    /// ``Limits/maxScans``
    public static let maxScans = Name(rawValue: "maxScans")
    /// ``Limits/maxComposedPixels``
    public static let maxComposedPixels = Name(rawValue: "maxComposedPixels")
    /// ``Limits/maxMilliseconds``
    public static let maxMilliseconds = Name(rawValue: "maxMilliseconds")
    /// ``Limits/maxReads``
    public static let maxReads = Name(rawValue: "maxReads")
    /// ``Limits/maxInflated``
    public static let maxInflated = Name(rawValue: "maxInflated")
    /// `EncodeOptions.maxFileSize`
    public static let maxFileSize = Name(rawValue: "maxFileSize")
    /// `Isolation.processorSeconds`
    public static let maxProcessorSeconds = Name(rawValue: "maxProcessorSeconds")
    /// `Isolation.clockSeconds`
    public static let maxClockSeconds = Name(rawValue: "maxClockSeconds")

    public var description: String { rawValue }
  }

  /// Checks a canvas.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for an empty canvas; ``CoderError/Code/limitExceeded`` with the limit's
  ///   name.
  public func check(canvas: Size) throws(CoderError) {
    guard !canvas.isEmpty else { throw .malformed("canvas of \(canvas), at least 1×1 is needed") }
    guard canvas.width <= maxSide, canvas.height <= maxSide else {
      throw .limitExceeded(.maxSide, found: max(canvas.width, canvas.height), allowed: maxSide, what: "a side of")
    }
    guard canvas.pixelCount <= maxPixels else {
      throw .limitExceeded(.maxPixels, found: canvas.pixelCount, allowed: maxPixels, what: "a pixel count of")
    }
  }

  /// Checks a number of frames.
  public func check(frames: Int) throws(CoderError) {
    guard frames <= maxFrames else {
      throw .limitExceeded(.maxFrames, found: frames, allowed: maxFrames, what: "a frame count of")
    }
  }

  /// Checks how many pixels are drawn before all frames of an animation are shown.
  public func check(frames: Int, of canvas: Size) throws(CoderError) {
    let (pixels, overflow) = canvas.pixelCount.multipliedReportingOverflow(by: frames)
    guard !overflow, pixels <= maxComposedPixels else {
      throw .limitExceeded(
        .maxComposedPixels, found: overflow ? .max : pixels, allowed: maxComposedPixels,
        what: "\(frames) frames of \(canvas), a pixel count of")
    }
  }

  /// Checks the size of one metadata block.
  public func check(metadata bytes: Int) throws(CoderError) {
    guard bytes <= maxMetadata else {
      throw .limitExceeded(.maxMetadata, found: bytes, allowed: maxMetadata, what: "a metadata size in bytes of")
    }
  }

  /// Checks bytes of pixels and working memory.
  public func check(memory bytes: Int) throws(CoderError) { try check(memory: bytes, of: "pixels") }

  /// Checks bytes of memory.
  ///
  /// - Parameter what: What the memory is for.
  package func check(memory bytes: Int, of what: String) throws(CoderError) {
    guard bytes <= maxMemory else {
      throw .limitExceeded(.maxMemory, found: bytes, allowed: maxMemory, what: "memory for \(what), in bytes, of")
    }
  }
}
