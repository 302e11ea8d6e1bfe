// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Decodes and encodes images of some formats.
///
/// Applications meet coders through a registry and hardly ever name one. A coder of an application's own is mostly an
/// ``AnimatedCoder`` over a ``SwiftContainer``; any type can conform.
///
/// - Threads: Safe from every thread; each call works on its own.
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

  /// The container under the coder, or nil for a coder that is made of others.
  var container: ContainerAccess? { get }

  /// Opens a file for access to its header, frames and metadata.
  ///
  /// - Throws: ``CoderError``; ``CoderError/Code/wrongFormat`` lets the next coder try.
  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder

  /// Begins incremental decoding: of a file whose bytes come over time.
  func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder

  /// Whether the coder writes a format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Encodes pictures to a file's bytes.
  ///
  /// - Parameter pages: One picture or animation, or several pictures for a format that holds pages.
  /// - Throws: ``CoderError/Code/unsupported`` for what the format cannot hold; ``CoderError/Code/invalidArgument``
  ///   for an option that is unknown or out of range.
  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8]

  /// Begins a file that is written frame by frame or page by page. By default, what is added is kept and encoded at the
  /// end.
  ///
  /// - Parameter pageCount: Pages that the file will have.
  func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder
}

extension ImageCoder {
  public var container: ContainerAccess? { nil }

  public func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder {
    IncrementalDecoder(options: options) { (_) throws(CoderError) in
      nil
    } body: { (context) throws(CoderError) in
      try self.makeDecoder(context).image()
    }
  }

  /// Decodes a file: all frames, or the first.
  ///
  /// - Returns: The image. When the file is cut or damaged behind its header, what can be shown, with
  ///   ``Image/problem``.
  /// - Throws: ``CoderError`` when not one row can be had.
  public func decode(_ source: ByteSource, options: DecodeOptions = DecodeOptions()) throws(CoderError) -> Image {
    try makeDecoder(DecodeContext(try OpenSource(source, limits: options.limits), options: options)).image()
  }

  /// Encodes one picture or animation to a file's bytes.
  public func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    try encode([image], as: format, options: options)
  }

  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder {
    ImageEncoder(self, format: format, destination: destination, options: options)
  }
}
