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
  /// All options of the reader.
  var readOptions: [OptionDescription] { get }
  /// Bytes that identify files of the container.
  var signatures: [FormatSignature] { get }
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
  /// - Parameters:
  ///   - session: The caller keeps it as long as the reader.
  ///   - options: Its values have been checked against ``readOptions``.
  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession

  /// What the coder does with whole files without decoding their pixels.
  var operations: [OperationDescription] { get }

  /// Does one of ``operations``.
  ///
  /// - Parameters:
  ///   - operation: Has been checked against its description.
  ///   - asksOnly: Whether nothing is written, and the result says what would be.
  /// - Throws: ``CoderError/Code/unsupported`` if this file cannot be changed so, or not without loss.
  func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult

  /// Opens a file that is going to be written.
  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession
}

extension Container {
  package var writtenFormats: [ImageFormat] { canWrite ? formats : [] }

  package var readOptions: [OptionDescription] { [] }

  package func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? { nil }

  /// Whether the writer follows an option of common meaning.
  package func follows(_ option: CommonOption) -> Bool {
    options.contains { $0.name == option.name }
  }

  package var operations: [OperationDescription] { [] }

  package func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    throw .unsupported("\(id) has no operation \(operation.name)")
  }
}

/// A container whose reader and writer are Swift types in this process.
///
///     let qoi = AnimatedCoder(SwiftContainer(
///       id: "org.example.qoi", formats: [qoiFormat], signatures: [FormatSignature(Array("qoif".utf8))], reader:
///       QOIReader.self))
///     registry.register(qoi)
public struct SwiftContainer: Container, @unchecked Sendable {
  // Unchecked for the two metatypes below, which are constants.
  package let id: String
  package let formats: [ImageFormat]
  package let names: ContainerPropertyNames?
  package let options: [OptionDescription]
  package let readOptions: [OptionDescription]
  package let operations: [OperationDescription]
  package let signatures: [FormatSignature]

  package let writesPages: Bool
  package let writerFeatures: WriterFeatures
  package let readsIncrementally: Bool

  private let reader: (any ContainerReader.Type)?
  private let writer: (any ContainerWriter.Type)?
  private let rows: [ContainerOperation]

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
  ///   - operations: What the coder does with whole files without decoding their pixels.
  ///   - options: All options of the writer.
  ///   - readOptions: All options of the reader.
  public init(
    id: String, formats: [ImageFormat], signatures: [FormatSignature], names: ContainerPropertyNames? = nil,
    reader: (any ContainerReader.Type)? = nil, writer: (any ContainerWriter.Type)? = nil, writesPages: Bool = false,
    writerFeatures: WriterFeatures = [], readsIncrementally: Bool = false, operations: [ContainerOperation] = [],
    options: [OptionDescription] = [], readOptions: [OptionDescription] = []
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
    self.readOptions = readOptions
    rows = operations
    self.operations = operations.map(\.description)
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

  package func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    try session.result(asksOnly: asksOnly) { (output) throws(CoderError) in
      let context = OperationContext(
        session.view, from: from, to: to, output: asksOnly ? nil : output, host: session.host)
      do throws(CoderError) {
        try rows.perform(operation, context)
        return (context.isPresent ? InterfaceStatus.ok : InterfaceStatus.notPresent, context.facts)
      } catch {
        session.record(error)
        return (error.code.rawValue, context.facts)
      }
    }
  }
}
