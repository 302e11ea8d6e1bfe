// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderEngine
import ImageCoderModel

/// A container that says which library it wraps.
protocol LibraryWrapping {
  /// The wrapped library as the plugin found it, or empty.
  var library: String { get }
}

/// A container in a plugin, called through the plugin interface.
final class PluginContainer: Container, LibraryWrapping, @unchecked Sendable {
  let id: String
  let formats: [ImageFormat]
  let writtenFormats: [ImageFormat]
  let signatures: [FormatSignature]
  let names: ContainerPropertyNames?
  let options: [OptionDescription]
  let readOptions: [OptionDescription]
  /// The version of the plugin, `1.0.0`.
  let version: String
  /// The wrapped library as the plugin found it, or empty.
  let library: String
  let writesPages: Bool
  let writerFeatures: WriterFeatures
  let readsIncrementally: Bool

  private let siblings: [SiblingPattern]
  /// Whether it is one of this project's, as its place says.
  private let isBundled: Bool
  // The coder is constant memory of a library that is never unloaded.
  private let coder: UnsafePointer<imgcoder_coder>
  private let reader: imgcoder_reader_table?
  private let writer: imgcoder_writer_table?
  /// Whether the writer is built for version 1.1, whose table goes on with `set_color`.
  private let takesRGB16: Bool
  private let fileOperations: PluginOperations
  private let recognizer:
    (
      @convention(c) (
        UnsafePointer<imgcoder_coder>?, UnsafePointer<UInt8>?, UInt64, UInt64
      ) -> imgcoder_status
    )?
  private let reading: PluginCall
  private let writing: PluginCall

  /// - Parameters:
  ///   - coder: As the plugin described it.
  ///   - manifest: Lists the formats.
  ///   - isBundled: Whether it is one of this project's, as its place says.
  init(_ coder: UnsafePointer<imgcoder_coder>, _ manifest: Manifest, isBundled: Bool) {
    let described = imgcoder_coder_read(coder)
    self.coder = coder
    siblings = manifest.siblings
    formats = manifest.formats.map(\.format)
    writtenFormats = manifest.formats.filter(\.isWritten).map(\.format)
    signatures = manifest.formats.flatMap(\.signatures)
    id = String(described.id)
    self.isBundled = isBundled
    reading = PluginCall(id)
    writing = PluginCall(id, writes: true)
    version = String(described.version)
    library = String(described.library)
    readsIncrementally = described.flags & UInt32(IMGCODER_CODER_READS_INCREMENTALLY) != 0
    writesPages = described.flags & UInt32(IMGCODER_CODER_WRITES_PAGES) != 0
    names = described.container.map { ContainerPropertyNames(imgcoder_container_read($0)) }
    reader = described.reader.map { imgcoder_reader_table_read($0) }
    writer = described.writer.map { imgcoder_writer_table_read($0) }
    takesRGB16 =
      described.writer.map { writer in
        MemoryLayout.offset(of: \imgcoder_writer_table.set_color).map { $0 < Int(writer.pointee.struct_size) } ?? false
      } ?? false
    writerFeatures = writer.map(WriterFeatures.init) ?? []
    fileOperations = PluginOperations(coder, described, manifest: manifest.operations)
    recognizer = described.recognize
    options = OptionDescription.list(described.options, described.option_count)
    readOptions = OptionDescription.list(described.read_options, described.read_option_count)
  }

  /// Loads an entry's library, or takes the coder that is built in; the checks of what it describes are the same.
  ///
  /// - Parameter isFresh: Whether the answer of an earlier scan does not count.
  /// - Throws: ``SkipReason`` with the name of what to change.
  convenience init(loading entry: CatalogEntry, isFresh: Bool = false) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    if let builtIn = entry.builtIn {
      let call = PluginCall(manifest.id)
      let outer = call.enter()
      defer { call.leave(outer) }
      self.init(
        try PluginLibrary.coder(builtIn.describe, id: manifest.id, from: entry.place), manifest,
        isBundled: entry.isBundled)
      return
    }
    guard let path = entry.library else { throw SkipReason(.manifestInvalid, "there is no library") }
    // Once more, at the last moment: what was safe when it was listed may have been changed since.
    if let reason = DirectoryListing.permissionProblem(path) { throw reason }
    if let reason = entry.scan(isFresh: isFresh) { throw reason }
    let loading = PluginCall(manifest.id, loading: path)
    let outer = loading.enter()
    defer { loading.leave(outer) }
    self.init(try PluginLibrary.load(path, id: manifest.id), manifest, isBundled: entry.isBundled)
  }

  var canRead: Bool { reader != nil }
  var canWrite: Bool { writer != nil }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard let reader else { throw .unsupported("\(id) does not read") }
    // A plugin that this project does not test may report rows that it has not written.
    session.clearsRows = !isBundled
    session.allowSiblings(siblings)
    return try PluginReader(
      coder, reader, formats: formats, session: session, options: options, known: readOptions, plugin: reading)
  }

  func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? {
    guard let recognizer else { return nil }
    let outer = reading.enter()
    defer { reading.leave(outer) }
    let bytes = prefix.assumingMemoryBound(to: UInt8.self)
    let size = fileSize.map { UInt64(clamping: $0) } ?? .max
    switch recognizer(coder, bytes.baseAddress, UInt64(prefix.count), size) {
    case InterfaceStatus.ok: return .yes(strength: 0)
    case InterfaceStatus.needMore where fileSize.map { $0 > prefix.count } ?? true:
      return .needMore(bytes: max(1, prefix.count * 2))
    default: return .no
    }
  }

  var operations: [OperationDescription] { fileOperations.described }

  func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    let outer = reading.enter()
    defer { reading.leave(outer) }
    return try fileOperations.run(operation, from: from, to: to, in: session, asksOnly: asksOnly)
  }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    guard let writer else { throw .unsupported("\(id) does not write") }
    return try PluginWriter(
      coder, writer, session: session, output: output, options: options, known: self.options,
      takesRGB16: takesRGB16, plugin: writing)
  }
}

extension WriterFeatures {
  fileprivate init(_ table: imgcoder_writer_table) {
    self = WriterFeatures(rawValue: table.features).subtracting(.thumbnail)
    if table.add_thumbnail != nil { insert(.thumbnail) }
  }
}

extension ContainerPropertyNames {
  fileprivate init(_ raw: imgcoder_container) {
    self.init(
      dictionary: String(raw.dictionary), unclampedDelay: String(raw.unclamped_delay), delay: String(raw.delay),
      loopCount: String(raw.loop_count), defaultLoopCount: LoopCount(plays: raw.default_plays))
  }
}

extension OptionDescription {
  /// Those of a list of a plugin that this host knows the type of.
  fileprivate static func list(
    _ raw: UnsafePointer<UnsafePointer<imgcoder_option>?>?, _ count: UInt64
  ) -> [OptionDescription] {
    UnsafeBufferPointer(start: raw, count: raw == nil ? 0 : Int(clamping: min(count, 1024))).compactMap { option in
      option.flatMap { OptionDescription(imgcoder_option_read($0)) }
    }
  }

  /// Nil for a type that this host does not know: such an option is not offered.
  init?(_ raw: imgcoder_option) {
    let kind: Kind
    // Numbers come from a foreign library: a range that is upside down or not finite describes nothing.
    guard raw.minimum.isFinite, raw.maximum.isFinite, raw.default_value.isFinite, raw.minimum <= raw.maximum else {
      return nil
    }
    switch Int(raw.type) {
    case IMGCODER_OPTION_BOOLEAN: kind = .boolean(default: raw.default_value != 0)
    case IMGCODER_OPTION_INTEGER:
      guard let low = Int(exactly: raw.minimum), let high = Int(exactly: raw.maximum),
        let value = Int(exactly: raw.default_value)
      else { return nil }
      kind = .integer(low...high, default: value)
    case IMGCODER_OPTION_NUMBER: kind = .number(raw.minimum...raw.maximum, default: raw.default_value)
    case IMGCODER_OPTION_CHOICE:
      let words = UnsafeBufferPointer(
        start: raw.choices, count: raw.choices == nil ? 0 : Int(clamping: min(raw.choice_count, 1024)))
      guard let value = Int(exactly: raw.default_value), words.indices.contains(value) else { return nil }
      kind = .choice(words.map { String($0) }, default: value)
    case IMGCODER_OPTION_TEXT:
      guard let maximum = Int(exactly: raw.maximum), (0...Int(IMGCODER_MAX_TEXT)).contains(maximum) else { return nil }
      kind = .text(maximumBytes: maximum, default: String(raw.default_text))
    default: return nil
    }
    self.init(
      name: String(raw.name), text: String(raw.text), kind: kind,
      isSecret: kind.isText && raw.flags & UInt32(IMGCODER_OPTION_SECRET) != 0)
  }
}
