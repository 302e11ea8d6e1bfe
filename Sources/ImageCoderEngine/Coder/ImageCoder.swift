// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Decodes and encodes images of some formats.
///
/// Applications use coders through a registry, which knows no more of them than this. A coder of an application's own is
/// an ``AnimatedCoder`` with a ``SwiftContainer``, which gets thumbnails, composed frames and incremental decoding for a
/// reader of rows; or any other type that conforms. Such a type has an identifier, its formats and
/// ``makeDecoder(_:)``, and ``canDecode(_:fileSize:)`` or ``signatures``; a type that writes has ``canEncode(_:)`` and
/// ``encode(_:as:options:)`` too. All else has a default.
///
///     find, { decode or open }, or encode
///
/// - Threads: May be used from any thread; calls are independent.
public protocol ImageCoder: Sendable {
  /// Reverse-DNS name: `org.imagecoders.png`.
  var id: String { get }

  /// Formats that the coder reads or writes.
  var formats: [ImageFormat] { get }

  // MARK: Reading

  /// Whether the coder reads files. The default is true.
  var canRead: Bool { get }

  /// Bytes that identify files; any one of them is enough. The default is none.
  ///
  /// A registry looks at these first. It asks ``canDecode(_:fileSize:)`` of a coder of the application about files that no
  /// coder's signature agrees with.
  var signatures: [FormatSignature] { get }

  /// Says whether the first bytes of a file are of a format that this coder reads. The default compares the
  /// ``signatures``.
  ///
  /// - Parameters:
  ///   - prefix: From the start of the file. A registry gives 4 KiB at first, and as many as
  ///     ``Recognition/needMore(bytes:)`` asks for, up to 1 MiB; fewer if the file is shorter, or has not arrived.
  ///   - fileSize: In bytes, or nil while it is not known.
  func canDecode(_ prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition

  /// Opens a file for access to its header, frames and metadata.
  ///
  /// - Throws: ``CoderError``; ``CoderError/Code/wrongFormat`` lets the next coder try.
  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder

  /// What a file says of the page that the options mean. The default opens it with ``makeDecoder(_:)``.
  ///
  /// - Throws: As ``makeDecoder(_:)``.
  func header(of context: DecodeContext) throws(CoderError) -> ImageHeader

  /// Begins incremental decoding of a file whose bytes arrive over time. The default runs ``makeDecoder(_:)`` on the
  /// decoder's own thread and decodes the image.
  func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder

  /// All options of the reader. The default is none.
  ///
  /// A registry checks ``DecodeOptions/Output/values`` against them before it calls ``makeDecoder(_:)``.
  var readOptions: [OptionDescription] { get }

  /// What the coder does with whole files without decoding their pixels.
  var operations: [OperationDescription] { get }

  /// Does one of ``operations``.
  ///
  /// - Parameters:
  ///   - from: The format of the file.
  ///   - to: The format of the new file.
  ///   - asksOnly: Whether nothing is written, and the result says what would be.
  /// - Throws: ``CoderError/Code/unsupported`` if the coder has no such operation, or cannot change this file so;
  ///   ``CoderError/Code/invalidArgument`` for a value or a block that the operation does not take.
  func apply(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in context: DecodeContext, asksOnly: Bool
  ) throws(CoderError) -> OperationResult

  // MARK: Writing

  /// Whether the coder writes a format. The default is false.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Whether files may have several pages. The default is false.
  var writesPages: Bool { get }

  /// What is written in addition to pixels, and which frames. The default is nothing, and one frame.
  var writerFeatures: WriterFeatures { get }

  /// All options of the writer. The default is none.
  var options: [OptionDescription] { get }

  /// Encodes pictures to a file's bytes. The default throws ``CoderError/Code/unsupported``.
  ///
  /// The pictures are as the caller has them: ``EncodeOptions/applied(to:as:)`` gives them the size, the colors and the
  /// orientation that the options ask for.
  ///
  /// - Parameter pages: One picture or animation, or several pictures for a format that holds pages.
  /// - Throws: ``CoderError/Code/unsupported`` for what the format cannot hold; ``CoderError/Code/invalidArgument``
  ///   for an option that is unknown or out of range.
  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8]

  /// Begins a file that is written frame by frame or page by page. The default keeps the frames, and encodes them with
  /// ``encode(_:as:options:)`` when the file is finished.
  ///
  /// - Parameter pageCount: The number of pages that the file will have.
  func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder
}

extension ImageCoder {
  /// The default: true.
  public var canRead: Bool { true }

  /// The default: none.
  public var signatures: [FormatSignature] { [] }

  /// The default: compares the ``signatures``.
  public func canDecode(_ prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition {
    var answer = Recognition.no
    for signature in signatures { answer.merge(signature.matches(prefix, isComplete: prefix.count == fileSize)) }
    return answer
  }

  /// The default: none.
  public var readOptions: [OptionDescription] { [] }

  /// The default: the header of ``makeDecoder(_:)``.
  public func header(of context: DecodeContext) throws(CoderError) -> ImageHeader { try makeDecoder(context).header }

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

  /// The default: false.
  public func canEncode(_ format: ImageFormat) -> Bool { false }

  /// The default: false.
  public var writesPages: Bool { false }

  /// The default: nothing, and one frame.
  public var writerFeatures: WriterFeatures { [] }

  /// The default: none.
  public var options: [OptionDescription] { [] }

  /// The default: throws ``CoderError/Code/unsupported``.
  public func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    throw .unsupported("\(id) does not write")
  }

  /// Encodes one picture or animation to a file's bytes.
  public func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    try encode([image], as: format, options: options)
  }

  /// The default: keeps the frames, and encodes them with ``encode(_:as:options:)`` when the file is finished.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for several pages where ``writesPages`` is false.
  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) -> ImageEncoder {
    guard pageCount == 1 || writesPages else {
      throw .unsupported("\(format) holds 1 page, \(pageCount) were given")
    }
    guard options.look == nil else { throw .unsupported("a look; \(id) encodes whole files by itself") }
    return ImageEncoder(coder: id, destination: destination, options: options) { (pages) throws(CoderError) in
      let bytes = try self.encode(pages, as: format, options: options)
      if let allowed = options.maxFileSize, bytes.count > allowed {
        throw .limitExceeded(.maxFileSize, found: bytes.count, allowed: allowed, what: "\(format) has bytes:")
      }
      return EncodedFile(
        format: format, bytes: bytes, byteCount: bytes.count, frameCount: pages.reduce(0) { $0 + $1.frames.count },
        quality: options.quality)
    }
  }
}
