// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CIsolation
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// A container in a plugin whose code runs in workers.
///
/// Reading is isolated. What workers do not do yet (writing, and changing files without decoding them) is an error if
/// isolation is required, and runs in this process if it is preferred.
final class IsolatedContainer: Container {
  let id: String
  let formats: [ImageFormat]
  let writtenFormats: [ImageFormat]
  let signatures: [Signature]
  let names: ContainerPropertyNames?
  let options: [OptionDescription]
  let writesPages: Bool
  let writerFeatures: WriterFeatures
  let readsIncrementally: Bool
  let canRead: Bool
  let canWrite: Bool

  private let recognizes: Bool
  private let pool: WorkerPool
  private let isolation: Isolation
  private let entry: CatalogEntry
  private let inProcess = Mutex<Result<PluginContainer, SkipReason>?>(nil)

  /// - Throws: ``SkipReason`` with the name of what to change, or of the layer that cannot be had.
  init(loading entry: CatalogEntry, isolation: Isolation) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    guard entry.builtIn == nil, let path = entry.library else {
      throw SkipReason(.isolationMissing, "\(manifest.id) is built into the program, and cannot run in a worker")
    }
    if let reason = DirectoryListing.permissionProblem(path) { throw reason }
    let (pool, description) = try WorkerPool.pool(of: path, id: manifest.id, mode: isolation.mode)
    self.entry = entry
    self.pool = pool
    self.isolation = isolation
    id = manifest.id
    formats = manifest.formats.map(\.format)
    writtenFormats = manifest.writtenFormats.map(\.format)
    signatures = manifest.formats.flatMap(\.signatures)
    names = description.names
    options = manifest.options
    writesPages = description.writesPages
    writerFeatures = description.writerFeatures
    readsIncrementally = description.readsIncrementally
    canRead = description.canRead
    canWrite = description.canWrite
    recognizes = description.recognizes
  }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard canRead else { throw .unsupported("\(id) does not read") }
    // A plugin that this project does not test may report rows that it has not written, and a band holds earlier ones.
    session.clearsRows = !BundledCoders.contains(id)
    return try IsolatedReader(pool, isolation, formats: formats, session: session, options: options)
  }

  func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? {
    guard recognizes else { return nil }
    guard case .success(let status) = Result(catching: { () throws(CoderError) in try ask(prefix, fileSize) }) else {
      return .no
    }
    switch status {
    case InterfaceStatus.ok: return .yes(strength: 0)
    case InterfaceStatus.needMore where fileSize.map { $0 > prefix.count } ?? true:
      return .needMore(bytes: prefix.count * 2)
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

  // MARK: What workers do not do yet

  /// The container in this process, if isolation is not required.
  private func container(for what: String, _ session: HostSession?) throws(CoderError) -> PluginContainer {
    guard isolation.mode < .required else {
      throw CoderError(
        SkipReason(.isolationMissing, "isolation is \(isolation.mode.word), and workers do not \(what) yet"), coder: id)
    }
    let result = inProcess.withLock { known in
      if let known { return known }
      let result = Result { () throws(SkipReason) in try PluginContainer(loading: entry) }
      known = result
      return result
    }
    do throws(SkipReason) {
      let container = try result.get()
      session?.host.log("\(id) runs in this process: workers do not \(what) yet", severity: .info)
      return container
    } catch {
      throw CoderError(error, coder: id)
    }
  }

  func transcode(
    _ session: HostSession, from: ImageFormat, to: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    try container(for: "convert files", session).transcode(session, from: from, to: to, output: output)
  }

  /// The manifest does not say it: who asks for a change gets an answer, or the reason why there is none.
  var editsMetadata: Bool { withoutFile(\.editsMetadata) }
  var editsGeometry: Bool { withoutFile(\.editsGeometry) }

  private func withoutFile(_ property: (PluginContainer) -> Bool) -> Bool {
    guard isolation.mode < .required else { return true }
    guard case .success(let container) = Result(catching: { () throws(CoderError) in try container(for: "", nil) })
    else { return false }
    return property(container)
  }

  func block(_ kind: MetadataBlock, of session: HostSession, format: ImageFormat) throws(CoderError) -> [UInt8]? {
    try container(for: "read blocks of metadata", session).block(kind, of: session, format: format)
  }

  func edit(
    _ session: HostSession, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput
  ) throws(CoderError) {
    try container(for: "edit metadata", session).edit(session, format: format, edits: edits, output: output)
  }

  func write(
    _ part: Rect, of session: HostSession, format: ImageFormat, orientation: Orientation, output: ByteOutput
  ) throws(CoderError) {
    try container(for: "turn files", session)
      .write(part, of: session, format: format, orientation: orientation, output: output)
  }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    try container(for: "write files", session).openWriter(session, output: output, options: options)
  }
}
