// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A container that can be read, written or both: in a plugin, or in Swift in this process.
///
/// - Threads: May be used from any thread; the sessions that it opens may not.
package protocol Container: Sendable {
  /// Reverse-DNS name of the coder.
  var id: String { get }
  var formats: [ImageFormat] { get }
  /// Names of the container's animation properties, or nil if it holds only stills.
  var names: ContainerPropertyNames? { get }
  /// All options of the writer.
  var options: [OptionDescription] { get }
  /// Bytes that identify files of the container.
  var signatures: [Signature] { get }
  var canRead: Bool { get }
  var canWrite: Bool { get }
  /// Whether the writer takes more than one page.
  var writesPages: Bool { get }
  /// What the writer keeps in addition to pixels, and which frames it takes.
  var writerFeatures: WriterFeatures { get }
  /// Those of ``formats`` that the writer writes.
  var writtenFormats: [ImageFormat] { get }
  /// Whether the reader can be opened while the file is incomplete.
  var readsIncrementally: Bool { get }

  /// Looks at the first bytes of a file that no signature of any coder knows.
  ///
  /// - Parameters:
  ///   - prefix: As many bytes as ``Recognition/needMore(bytes:)`` asked for, up to 1 MiB; at first 4 KiB. Fewer if the
  ///     file is shorter, or not all of it has arrived.
  ///   - fileSize: In bytes, or nil while the file is incomplete.
  /// - Returns: Nil if the container is known by its signatures alone, which is the default.
  func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition?

  /// Opens a file.
  ///
  /// - Parameter session: The caller keeps it as long as the reader.
  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession

  /// Converts a file to another format without decoding its pixels.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if that is not possible without loss; nothing has been written then.
  func transcode(
    _ session: HostSession, from: ImageFormat, to: ImageFormat, output: ByteOutput
  ) throws(CoderError)

  /// Whether ``edit(_:format:edits:output:)`` has a chance.
  var editsMetadata: Bool { get }

  /// The payload of a metadata block, or nil if the file has none.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a kind that the reader's `metadata` is to be asked for.
  func block(_ kind: MetadataBlock, of session: HostSession, format: ImageFormat) throws(CoderError) -> [UInt8]?

  /// Writes the whole file with other metadata, and all else byte for byte.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if that is not possible; nothing has been written then.
  func edit(
    _ session: HostSession, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput
  ) throws(CoderError)

  /// Whether ``write(_:of:format:orientation:output:)`` has a chance.
  var editsGeometry: Bool { get }

  /// Writes the whole file with a part of its picture, turned, without decoding it. Metadata is carried over as it is.
  ///
  /// - Parameters:
  ///   - part: In pixels of the stored picture.
  ///   - orientation: How the part is turned: as if it were stored so and made upright.
  /// - Throws: ``CoderError/Code/unsupported`` if that is not possible without loss; nothing has been written then.
  func write(
    _ part: Rect, of session: HostSession, format: ImageFormat, orientation: Orientation, output: ByteOutput
  ) throws(CoderError)

  /// Whether ``attach(_:to:format:output:)`` has a chance.
  var attachesGainMaps: Bool { get }

  /// Writes the whole file with a gain map.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if it has no room for one.
  func attach(
    _ map: GainMapParts, to session: HostSession, format: ImageFormat, output: ByteOutput
  ) throws(CoderError)

  /// Opens a file that is going to be written.
  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession
}

/// The container that a coder uses; only the library can access it.
public struct ContainerAccess: Sendable {
  package let container: any Container

  package init(_ container: any Container) { self.container = container }
}

extension Container {
  package var writtenFormats: [ImageFormat] { canWrite ? formats : [] }

  package func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? { nil }

  /// Whether the writer follows an option of common meaning.
  package func follows(_ option: CommonOption) -> Bool {
    options.contains { $0.name == option.name }
  }

  package func transcode(
    _ session: HostSession, from: ImageFormat, to: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    throw .unsupported("\(id) carries no \(from) to \(to)")
  }

  package var editsMetadata: Bool { false }

  package func block(
    _ kind: MetadataBlock, of session: HostSession, format: ImageFormat
  ) throws(CoderError) -> [UInt8]? {
    throw .unsupported("\(id) leaves this to its reader")
  }

  package func edit(
    _ session: HostSession, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput
  ) throws(CoderError) {
    throw .unsupported("\(id) edits no metadata")
  }

  package var editsGeometry: Bool { false }

  package func write(
    _ part: Rect, of session: HostSession, format: ImageFormat, orientation: Orientation, output: ByteOutput
  ) throws(CoderError) {
    throw .unsupported("\(id) turns no pictures without decoding them")
  }

  package var attachesGainMaps: Bool { false }

  package func attach(
    _ map: GainMapParts, to session: HostSession, format: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    throw .unsupported("\(id) writes no gain maps")
  }
}

/// A container whose reader and writer are Swift types in this process.
///
///     let qoi = AnimatedCoder(SwiftContainer(
///       id: "org.example.qoi", formats: [qoiFormat], signatures: [Signature(Array("qoif".utf8))], reader:
///       QOIReader.self))
///     registry.register(qoi)
public struct SwiftContainer: Container, @unchecked Sendable {
  // Unchecked for the two metatypes below, which are constants.
  package let id: String
  package let formats: [ImageFormat]
  package let names: ContainerPropertyNames?
  package let options: [OptionDescription]
  package let signatures: [Signature]

  package let writesPages: Bool
  package let writerFeatures: WriterFeatures
  package let readsIncrementally: Bool

  private let reader: (any ContainerReader.Type)?
  private let writer: (any ContainerWriter.Type)?

  /// Describes a container; nothing is opened.
  ///
  /// - Parameters:
  ///   - id: Reverse-DNS name of the coder.
  ///   - formats: Those that the reader reads or the writer writes.
  ///   - signatures: Identify files; any one of them is enough.
  ///   - names: Of animation properties, or nil if the container holds only stills.
  ///   - reader: Nil if files cannot be read.
  ///   - writer: Nil if files cannot be written.
  ///   - writesPages: Whether the writer takes more than one page.
  ///   - writerFeatures: What the writer keeps in addition to pixels, and which frames it takes.
  ///   - readsIncrementally: Whether the reader can be opened while the file is incomplete.
  ///   - options: All options of the writer.
  public init(
    id: String, formats: [ImageFormat], signatures: [Signature], names: ContainerPropertyNames? = nil,
    reader: (any ContainerReader.Type)? = nil, writer: (any ContainerWriter.Type)? = nil, writesPages: Bool = false,
    writerFeatures: WriterFeatures = [], readsIncrementally: Bool = false, options: [OptionDescription] = []
  ) {
    self.id = id
    self.formats = formats
    self.signatures = signatures
    self.names = names
    self.reader = reader
    self.writer = writer
    self.writesPages = writesPages
    self.writerFeatures = writerFeatures
    self.readsIncrementally = readsIncrementally
    self.options = options
  }

  package var canRead: Bool { reader != nil }
  package var canWrite: Bool { writer != nil }

  package func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard let reader else { throw .unsupported("\(id) does not read") }
    return try reader.init(session.view, host: session.host, options: options)
  }

  package func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    guard let writer else { throw .unsupported("\(id) does not write") }
    return try writer.init(output, host: session.host, options: options)
  }
}
