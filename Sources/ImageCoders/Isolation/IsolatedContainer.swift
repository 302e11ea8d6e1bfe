// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// A container in a plugin whose code runs in workers.
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
  private let isBundled: Bool
  private let pool: WorkerPool
  private let isolation: Isolation
  private let abilities: CoderDescription.Abilities

  /// - Throws: ``SkipReason`` with the name of what to change, or of the layer that is not available.
  convenience init(loading entry: CatalogEntry, isolation: Isolation) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    guard entry.builtIn == nil, let path = entry.library else {
      throw SkipReason(.isolationMissing, "\(manifest.id) is built into the program, and cannot run in a worker")
    }
    if let reason = DirectoryListing.permissionProblem(path) { throw reason }
    let (pool, description) = try WorkerPool.pool(of: path, id: manifest.id, mode: isolation.mode)
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
    abilities = description.abilities
  }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard canRead else { throw .unsupported("\(id) does not read") }
    // A plugin that this project does not test may report rows that it has not written, and a band holds earlier ones.
    session.clearsRows = !isBundled
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

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    guard canWrite else { throw .unsupported("\(id) does not write") }
    return try IsolatedWriter(
      pool, isolation, session: session, output: output, options: options, known: self.options,
      addsMetadata: abilities.contains(.addsMetadata))
  }
}

/// Changes of files without decoding them.
extension IsolatedContainer {
  func transcode(
    _ session: HostSession, from: ImageFormat, to: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    guard abilities.contains(.transcodes) else { throw .unsupported("\(id) carries no \(from) to \(to)") }
    var parcel = Parcel()
    parcel.add(from.rawValue)
    parcel.add(to.rawValue)
    try change(session, ISOLATION_TRANSCODE, parcel, output)
  }

  var editsMetadata: Bool { abilities.contains(.editsBlocks) }

  func block(_ kind: MetadataBlock, of session: HostSession, format: ImageFormat) throws(CoderError) -> [UInt8]? {
    guard abilities.contains(.readsBlocks) else { throw .unsupported("\(id) leaves this to its reader") }
    var parcel = Parcel()
    parcel.add(format.rawValue)
    var isPresent = true
    let payload = try session.output { (output) throws(CoderError) in
      let work = try IsolatedWork(pool, isolation, session: session, output: output, takesSource: true)
      var request = Worker.Request(ISOLATION_BLOCK)
      request.message.words.0 = kind.rawValue
      let status = try work.call(request, parcel).status
      isPresent = status != InterfaceStatus.notPresent
      if isPresent { try work.check(status) }
    }
    try session.limits.check(metadata: payload.count)
    return isPresent ? payload : nil
  }

  func edit(
    _ session: HostSession, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput
  ) throws(CoderError) {
    guard editsMetadata else { throw .unsupported("\(id) edits no metadata") }
    var parcel = Parcel()
    parcel.add(format.rawValue)
    parcel.add(value: edits.removed.reduce(UInt32(0)) { $0 | 1 << $1.rawValue })
    for kind in [MetadataBlock.icc, .exif, .xmp, .iptc] { parcel.add(edits.payloads[kind] ?? []) }
    try change(session, ISOLATION_EDIT, parcel, output)
  }

  var editsGeometry: Bool { abilities.contains(.turns) }

  func write(
    _ part: Rect, of session: HostSession, format: ImageFormat, orientation: Orientation, output: ByteOutput
  ) throws(CoderError) {
    guard editsGeometry else { throw .unsupported("\(id) turns no pictures without decoding them") }
    var raw = imgcoder_stored_part_sized()
    raw.orientation = UInt32(orientation.rawValue)
    (raw.x, raw.y) = (UInt32(clamping: part.x), UInt32(clamping: part.y))
    (raw.width, raw.height) = (UInt32(clamping: part.width), UInt32(clamping: part.height))
    var parcel = Parcel()
    parcel.add(format.rawValue)
    parcel.add(value: raw)
    try change(session, ISOLATION_TURN, parcel, output)
  }

  var attachesGainMaps: Bool { abilities.contains(.attaches) }

  func attach(
    _ map: GainMapParts, to session: HostSession, format: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    guard attachesGainMaps else { throw .unsupported("\(id) writes no gain maps") }
    var parcel = Parcel()
    parcel.add(format.rawValue)
    parcel.add(value: UInt32(map.xmp == nil ? 0 : 1))
    for block in [map.file, map.iso, map.xmp ?? []] { parcel.add(block) }
    try change(session, ISOLATION_ATTACH, parcel, output)
  }

  /// Takes a file to a worker, and the changed one back.
  private func change(
    _ session: HostSession, _ kind: Int, _ parcel: Parcel, _ output: ByteOutput
  ) throws(CoderError) {
    let work = try IsolatedWork(pool, isolation, session: session, output: output, takesSource: true)
    try work.check(try work.call(Worker.Request(kind), parcel).status)
  }
}
