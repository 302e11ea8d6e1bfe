// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// A container in a plugin or in the program, whose code runs in workers.
final class IsolatedContainer: Container, LibraryWrapping {
  let id: String
  let formats: [ImageFormat]
  let writtenFormats: [ImageFormat]
  let signatures: [FormatSignature]
  let names: ContainerPropertyNames?
  let options: [OptionDescription]
  let readOptions: [OptionDescription]
  let writesPages: Bool
  let writerFeatures: WriterFeatures
  let readsIncrementally: Bool
  let canRead: Bool
  let canWrite: Bool
  let operations: [OperationDescription]
  let library: String

  private let recognizes: Bool
  private let siblings: [SiblingPattern]
  private let isBundled: Bool
  private let pool: WorkerPool
  private let isolation: Isolation
  private let addsMetadata: Bool
  private let takesRGB16: Bool

  /// - Throws: ``SkipReason`` with the name of what to change, or of the layer that is not available.
  convenience init(loading entry: CatalogEntry, isolation: Isolation) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    let (pool, description) = try WorkerPool.pool(
      of: try WorkerCode.entry(entry, id: manifest.id), id: manifest.id, needs: manifest.needs, mode: isolation.mode)
    self.init(manifest, description, pool, isolation, isBundled: entry.isBundled)
  }

  /// - Parameters:
  ///   - description: What the server of the pool says of its plugin.
  ///   - isBundled: Whether it is one of this project's, as its place says.
  init(
    _ manifest: Manifest, _ description: CoderDescription, _ pool: WorkerPool, _ isolation: Isolation,
    isBundled: Bool = false
  ) {
    self.pool = pool
    self.isBundled = isBundled
    self.isolation = isolation
    id = manifest.id
    library = description.library
    siblings = manifest.siblings
    formats = manifest.formats.map(\.format)
    writtenFormats = manifest.writtenFormats.map(\.format)
    signatures = manifest.formats.flatMap(\.signatures)
    names = description.names
    options = manifest.options
    readOptions = manifest.readOptions
    writesPages = description.writesPages
    writerFeatures = description.writerFeatures
    readsIncrementally = description.readsIncrementally
    canRead = description.canRead
    canWrite = description.canWrite
    recognizes = description.recognizes
    addsMetadata = description.addsMetadata
    takesRGB16 = description.takesRGB16
    operations = manifest.operations
  }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard canRead else { throw .unsupported("\(id) does not read") }
    // A plugin that this project does not test may report rows that it has not written, and a band holds earlier ones.
    session.clearsRows = !isBundled
    session.allowSiblings(siblings)
    return try IsolatedReader(
      pool, isolation, formats: formats, session: session, options: options, known: readOptions)
  }

  func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? {
    guard recognizes else { return nil }
    guard case .success(let status) = Result(catching: { () throws(CoderError) in try ask(prefix, fileSize) }) else {
      return .no
    }
    switch status {
    case InterfaceStatus.ok: return .yes(strength: 0)
    case InterfaceStatus.needMore where fileSize.map { $0 > prefix.count } ?? true:
      return .needMore(bytes: max(1, prefix.count * 2))
    default: return .no
    }
  }

  private func ask(_ prefix: UnsafeRawBufferPointer, _ fileSize: Int?) throws(CoderError) -> UInt32 {
    let memory = try IsolatedSource.memory(with: prefix)
    defer { IsolatedSource.close(memory) }
    let worker = try pool.checkOut(for: .standard, isolation)
    defer { pool.giveBack(worker, isolation) }
    var request = Worker.Request(ISOLATION_RECOGNIZE)
    request.message.longs.0 = UInt64(prefix.count)
    request.message.longs.1 = fileSize.map { UInt64(clamping: $0) } ?? .max
    request.descriptor = memory
    let time = Worker.Time(processorSeconds: isolation.processorSeconds, clockSeconds: isolation.clockSeconds)
    return try worker.call(request, time: time, session: HostSession(source: nil, limits: .standard)).status
  }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    guard canWrite else { throw .unsupported("\(id) does not write") }
    return try IsolatedWriter(
      pool, isolation, session: session, output: output, options: options, known: self.options,
      addsMetadata: addsMetadata, takesRGB16: takesRGB16)
  }

  func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    let known = operations.first { $0.name == operation.name }?.options ?? []
    var parcel = Parcel()
    parcel.add(value: UInt32(asksOnly ? 1 : 0))
    for text in [operation.name, from.rawValue, to.rawValue] { parcel.add(text) }
    OptionValue.withRaw(operation.values, of: known) { parcel.add(values: $0) }
    parcel.add(value: UInt32(operation.blocks.count))
    for (name, block) in operation.blocks.sorted(by: { $0.key < $1.key }) {
      parcel.add(name)
      parcel.add(block)
    }
    return try session.result(asksOnly: asksOnly) { (output) throws(CoderError) in
      let work = try IsolatedWork(pool, isolation, session: session, output: output, takesSource: true)
      let status = try work.call(Worker.Request(ISOLATION_OPERATE), parcel).status
      return (status, try work.facts())
    }
  }
}
