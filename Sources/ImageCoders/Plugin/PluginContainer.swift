// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderEngine
import ImageCoderModel

/// A container in a plugin, called through the plugin interface.
final class PluginContainer: Container, @unchecked Sendable {
  let id: String
  let formats: [ImageFormat]
  let writtenFormats: [ImageFormat]
  let signatures: [Signature]
  let names: ContainerPropertyNames?
  let options: [OptionDescription]
  /// Of the plugin, `1.0.0`.
  let version: String
  /// The wrapped library as the plugin found it, or empty.
  let library: String
  let writesPages: Bool
  let writerFeatures: WriterFeatures
  let readsIncrementally: Bool

  // The coder is constant memory of a library that is never unloaded.
  private let coder: UnsafePointer<imgcoder_coder>
  private let reader: imgcoder_reader_table?
  private let writer: imgcoder_writer_table?
  private let transcoder: imgcoder_transcode_table?

  /// - Parameters:
  ///   - coder: As the plugin described it.
  ///   - formats: As the manifest lists them.
  init(_ coder: UnsafePointer<imgcoder_coder>, formats: [Manifest.Format]) {
    let described = imgcoder_coder_read(coder)
    self.coder = coder
    self.formats = formats.map(\.format)
    writtenFormats = formats.filter(\.isWritten).map(\.format)
    signatures = formats.flatMap(\.signatures)
    id = String(described.id)
    version = String(described.version)
    library = String(described.library)
    readsIncrementally = described.flags & UInt32(IMGCODER_CODER_READS_INCREMENTALLY) != 0
    writesPages = described.flags & UInt32(IMGCODER_CODER_WRITES_PAGES) != 0
    names = described.container.map { ContainerPropertyNames(imgcoder_container_read($0)) }
    reader = described.reader.map { imgcoder_reader_table_read($0) }
    writer = described.writer.map { imgcoder_writer_table_read($0) }
    writerFeatures = writer.map(WriterFeatures.init) ?? []
    transcoder = Self.extension(IMGCODER_EXTENSION_TRANSCODE, of: coder, described)
      .map { imgcoder_transcode_table_read($0.assumingMemoryBound(to: imgcoder_transcode_table.self)) }
    let count = described.options == nil ? 0 : Int(clamping: min(described.option_count, 1024))
    options = UnsafeBufferPointer(start: described.options, count: count).compactMap { option in
      option.flatMap { OptionDescription(imgcoder_option_read($0)) }
    }
  }

  /// Loads an entry's library.
  ///
  /// - Throws: ``SkipReason`` with the name of what to change.
  convenience init(loading entry: CatalogEntry) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest, let path = entry.library else {
      throw SkipReason(.manifestInvalid, "there is no manifest")
    }
    // Once more, at the last moment: what was safe when it was listed may have been changed since.
    if let reason = DirectoryListing.permissionProblem(path) { throw reason }
    self.init(
      try PluginLibrary.load(path, id: manifest.id), formats: manifest.formats)
  }

  var canRead: Bool { reader != nil }
  var canWrite: Bool { writer != nil }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    guard let reader else { throw .unsupported("\(id) does not read") }
    return try PluginReader(coder, reader, session: session, options: options)
  }

  /// The coder's extension table with an identifier, in constant memory of its library.
  private static func `extension`(
    _ id: String, of coder: UnsafePointer<imgcoder_coder>, _ described: imgcoder_coder
  ) -> UnsafeRawPointer? {
    guard let call = described.get_extension else { return nil }
    return id.withCoderString { call(coder, $0) }
  }

  func transcode(
    _ session: HostSession, from: ImageFormat, to: ImageFormat, output: ByteOutput
  ) throws(CoderError) {
    guard let call = transcoder?.transcode else { throw .unsupported("\(id) carries no \(from) to \(to)") }
    let status = from.rawValue.withCoderString { from in
      to.rawValue.withCoderString { call(coder, session.host.raw, session.view.raw, from, $0, output.raw) }
    }
    guard status == InterfaceStatus.ok else { throw session.error(for: status) }
  }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    guard let writer else { throw .unsupported("\(id) does not write") }
    return try PluginWriter(coder, writer, session: session, output: output, options: options)
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
  /// Nil for a type that this host does not know: such an option is not offered.
  fileprivate init?(_ raw: imgcoder_option) {
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
    default: return nil
    }
    self.init(name: String(raw.name), text: String(raw.text), kind: kind)
  }
}
