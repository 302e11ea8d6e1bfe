// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Decodes and encodes images of some formats.
///
/// Applications normally use coders through a registry. An application can add its own coder, usually an
/// ``AnimatedCoder`` with a ``SwiftContainer``; any type can conform.
///
/// - Threads: May be used from any thread; calls are independent.
public protocol ImageCoder: Sendable {
  /// Reverse-DNS name: `org.imagecoders.png`.
  var id: String { get }

  /// Formats that the coder reads or writes.
  var formats: [ImageFormat] { get }

  /// Says whether the first bytes of a file are of a format that this coder reads.
  ///
  /// - Parameters:
  ///   - prefix: From the start of the file.
  ///   - isComplete: Whether no byte follows.
  func canDecode(_ prefix: UnsafeRawBufferPointer, isComplete: Bool) -> Recognition

  /// The container that the coder uses, or nil for a coder that wraps other coders.
  var container: ContainerAccess? { get }

  /// Opens a file for access to its header, frames and metadata.
  ///
  /// - Throws: ``CoderError``; ``CoderError/Code/wrongFormat`` lets the next coder try.
  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder

  /// Begins incremental decoding of a file whose bytes arrive over time.
  func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder

  /// Whether the coder writes a format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Encodes pictures to a file's bytes.
  ///
  /// - Parameter pages: One picture or animation, or several pictures for a format that holds pages.
  /// - Throws: ``CoderError/Code/unsupported`` for what the format cannot hold; ``CoderError/Code/invalidArgument``
  ///   for an option that is unknown or out of range.
  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8]

  /// Begins a file that is written frame by frame or page by page. The default implementation keeps the frames and
  /// encodes them at the end.
  ///
  /// - Parameter pageCount: The number of pages that the file will have.
  func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder
}

extension ImageCoder {
  /// The default for a coder that wraps other coders: nil.
  public var container: ContainerAccess? { nil }

  /// The default: runs ``makeDecoder(_:)`` on the decoder's own thread and decodes the image.
  public func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder {
    IncrementalDecoder(options: options) { (_) throws(CoderError) in
      nil
    } body: { (context) throws(CoderError) in
      try self.makeDecoder(context).image()
    }
  }

  /// Decodes a file: all frames, or the first.
  ///
  /// - Returns: The image. If the file is truncated or damaged after its header, the part that can be decoded, with
  ///   ``Image/problem``.
  /// - Throws: ``CoderError`` if not a single row can be decoded.
  public func decode(_ source: ByteSource, options: DecodeOptions = DecodeOptions()) throws(CoderError) -> Image {
    try makeDecoder(DecodeContext(try OpenSource(source, limits: options.limits), options: options)).image()
  }

  /// Encodes one picture or animation to a file's bytes.
  public func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    try encode([image], as: format, options: options)
  }

  /// The default: keeps the frames, and encodes them with ``encode(_:as:options:)`` when the file is finished.
  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder {
    ImageEncoder(coder: id, destination: destination, options: options) { (pages) throws(CoderError) in
      let bytes = try self.encode(pages, as: format, options: options)
      return EncodedFile(
        format: format, bytes: bytes, byteCount: bytes.count, frameCount: pages.reduce(0) { $0 + $1.frames.count },
        quality: options.quality)
    }
  }
}
