// SPDX-License-Identifier: Apache-2.0

@_exported public import CImageCoder
import CImageCoderStructs
@_exported public import ImageCoderModel

/// Exports a coder written in Swift as the C tables of the plugin interface.
///
/// A plugin has one, in a global constant, and returns its table to the host:
///
///     private let plugin = PluginExport(
///       id: "org.example.qoi", version: "1.0.0", reader: QOIReader.self)
///
///     @c(imgcoder_plugin_describe)
///     public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
///
/// - Lifetime: As long as the process; it is never freed.
public final class PluginExport: @unchecked Sendable {
  /// What `describe` returns.
  public let table: UnsafePointer<imgcoder_coder>

  let reader: (any ContainerReader.Type)?
  let writer: (any ContainerWriter.Type)?
  let recognizer: (any FileRecognizer.Type)?
  let operations: [ContainerOperation]
  private let operationTable: UnsafePointer<imgcoder_file_operations_table>?
  let options: [OptionDescription]
  package let readOptions: [OptionDescription]
  let writerFormats: [ImageFormat]
  let writerFeatures: WriterFeatures

  /// - Parameters:
  ///   - id: Reverse-DNS, as in the manifest.
  ///   - version: The version of the plugin.
  ///   - library: The wrapped library as found at run time, `libpng 1.6.39`, or nil.
  ///   - names: The names of animation properties, for containers that hold animations.
  ///   - reader: The type of the coder's reader, or nil if it does not read.
  ///   - writer: The type of the coder's writer, or nil if it does not write.
  ///   - writerFormats: The formats that it writes, as in the manifest; others are refused before it is made.
  ///   - recognizer: Looks at files that no coder's signature agrees with, or nil.
  ///   - readsIncrementally: Whether the reader supports a file whose bytes arrive over time (``OpenOptions``).
  ///   - writesPages: Whether the writer takes more than one page.
  ///   - writerFeatures: What the writer keeps in addition to pixels, and which frames it takes.
  ///   - operations: What the coder does with whole files without decoding their pixels.
  ///   - options: All options of the writer.
  ///   - readOptions: All options of the reader.
  public init(
    id: String, version: String, library: String? = nil, names: ContainerPropertyNames? = nil,
    reader: (any ContainerReader.Type)? = nil, recognizer: (any FileRecognizer.Type)? = nil,
    readsIncrementally: Bool = false, writer: (any ContainerWriter.Type)? = nil, writerFormats: [ImageFormat] = [],
    writesPages: Bool = false,
    writerFeatures: WriterFeatures = [], operations: [ContainerOperation] = [], options: [OptionDescription] = [],
    readOptions: [OptionDescription] = []
  ) {
    self.reader = reader
    self.writer = writer
    self.recognizer = recognizer
    self.operations = operations
    operationTable = operations.isEmpty ? nil : FileOperationCalls.table(operations)
    self.options = options
    self.readOptions = readOptions
    self.writerFormats = writerFormats
    self.writerFeatures = writerFeatures
    // The process ends when it has no memory for these few bytes: nobody is there to be told.
    let coder = imgcoder_coder_keep(imgcoder_coder_sized())!
    table = UnsafePointer(coder)
    coder.pointee.id = Self.kept(id)
    coder.pointee.version = Self.kept(version)
    coder.pointee.library = Self.kept(library ?? "")
    if writesPages { coder.pointee.flags |= UInt32(IMGCODER_CODER_WRITES_PAGES) }
    if readsIncrementally { coder.pointee.flags |= UInt32(IMGCODER_CODER_READS_INCREMENTALLY) }
    if let names { coder.pointee.container = UnsafePointer(imgcoder_container_keep(names.raw)) }
    if reader != nil { coder.pointee.reader = UnsafePointer(imgcoder_reader_table_keep(ReaderCalls.table)) }
    if recognizer != nil { coder.pointee.recognize = Self.recognize }
    if writer != nil {
      coder.pointee.writer = UnsafePointer(
        imgcoder_writer_table_keep(WriterCalls.table(writerFeatures)))
    }
    if operationTable != nil { coder.pointee.get_extension = Self.extension }
    (coder.pointee.options, coder.pointee.option_count) = (Self.kept(options), UInt64(options.count))
    (coder.pointee.read_options, coder.pointee.read_option_count) = (Self.kept(readOptions), UInt64(readOptions.count))
    coder.pointee.plugin_data = Unmanaged.passRetained(self).toOpaque()
  }

  static func of(_ coder: UnsafePointer<imgcoder_coder>?) -> PluginExport? {
    guard let data = coder?.pointee.plugin_data else { return nil }
    return Unmanaged<PluginExport>.fromOpaque(data).takeUnretainedValue()
  }

  private typealias Extension = @convention(c) (UnsafePointer<imgcoder_coder>?, imgcoder_string) -> UnsafeRawPointer?

  private static let `extension`: Extension = { coder, id in
    guard IMGCODER_EXTENSION_FILE_OPERATIONS.isEqual(to: id) else { return nil }
    return UnsafeRawPointer(PluginExport.of(coder)?.operationTable)
  }

  private typealias Recognize =
    @convention(c) (
      UnsafePointer<imgcoder_coder>?, UnsafePointer<UInt8>?, UInt64, UInt64
    ) -> imgcoder_status

  private static let recognize: Recognize = { coder, prefix, length, fileSize in
    let bytes = UnsafeRawBufferPointer(start: prefix, count: prefix == nil ? 0 : Int(clamping: length))
    return RecognizerCalls.recognize(coder, prefix: bytes, fileSize: fileSize)
  }

  /// Text that lives as long as the process, as the interface's static strings do.
  static func kept(_ text: String) -> imgcoder_string { StaticText(text).keptForProcess }

  /// A list that lives as long as the process; nil for one without items.
  static func kept<Item>(_ items: [Item]) -> UnsafePointer<Item>? {
    guard !items.isEmpty else { return nil }
    let list = UnsafeMutableBufferPointer<Item>.allocate(capacity: items.count)
    _ = list.initialize(from: items)
    return UnsafePointer(list.baseAddress)
  }

  static func kept(_ options: [OptionDescription]) -> UnsafePointer<UnsafePointer<imgcoder_option>?>? {
    kept(options.map { UnsafePointer(imgcoder_option_keep($0.raw)) as UnsafePointer? })
  }
}

extension ContainerPropertyNames {
  fileprivate var raw: imgcoder_container {
    var container = imgcoder_container_sized()
    container.default_plays = defaultLoopCount.plays
    container.dictionary = PluginExport.kept(dictionary)
    container.unclamped_delay = PluginExport.kept(unclampedDelay)
    container.delay = PluginExport.kept(delay)
    container.loop_count = PluginExport.kept(loopCount)
    return container
  }
}

extension OptionDescription {
  fileprivate var raw: imgcoder_option {
    var option = imgcoder_option_sized()
    option.name = PluginExport.kept(name)
    option.text = PluginExport.kept(text)
    option.type = kind.rawType
    option.flags = isSecret ? UInt32(IMGCODER_OPTION_SECRET) : 0
    switch kind {
    case .boolean(let value):
      option.maximum = 1
      option.default_value = value ? 1 : 0
    case .integer(let range, let value):
      option.minimum = Double(range.lowerBound)
      option.maximum = Double(range.upperBound)
      option.default_value = Double(value)
    case .number(let range, let value):
      option.minimum = range.lowerBound
      option.maximum = range.upperBound
      option.default_value = value
    case .choice(let words, let value):
      option.maximum = Double(words.count - 1)
      option.default_value = Double(value)
      option.choices = PluginExport.kept(words.map { PluginExport.kept($0) })
      option.choice_count = UInt64(words.count)
    case .text(let maximum, let value):
      option.maximum = Double(maximum)
      option.default_text = PluginExport.kept(value)
    }
    return option
  }
}
