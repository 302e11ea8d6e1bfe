// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderEngine
import ImageCoderModel

/// What a plugin does with whole files, called through the plugin interface.
struct PluginOperations {
  let described: [OperationDescription]

  // The coder is constant memory of a library that is never unloaded.
  private let coder: UnsafePointer<imgcoder_coder>
  private let table: imgcoder_file_operations_table?
  private let transcoder: imgcoder_transcode_table?

  /// - Parameter manifest: What the manifest says. A plugin that only has the extension for transcoding says no more
  ///   itself.
  init(_ coder: UnsafePointer<imgcoder_coder>, _ described: imgcoder_coder, manifest: [OperationDescription]) {
    func `extension`(_ id: String) -> UnsafeRawPointer? {
      described.get_extension.flatMap { call in id.withCoderString { call(coder, $0) } }
    }
    self.coder = coder
    let table = `extension`(IMGCODER_EXTENSION_FILE_OPERATIONS)
      .map { imgcoder_file_operations_table_read($0.assumingMemoryBound(to: imgcoder_file_operations_table.self)) }
    self.table = table
    guard let table else {
      transcoder = `extension`(IMGCODER_EXTENSION_TRANSCODE)
        .map { imgcoder_transcode_table_read($0.assumingMemoryBound(to: imgcoder_transcode_table.self)) }
      let isThere = transcoder?.transcode != nil
      self.described = isThere ? manifest.filter { $0.name == KnownOperation.transcode.name } : []
      return
    }
    transcoder = nil
    self.described =
      table.run == nil
      ? []
      : Self.items(table.kinds, table.kind_count).compactMap { kind in
        kind.map { OperationDescription(imgcoder_operation_kind_read($0)) }
      }
  }

  func run(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in session: HostSession, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    try session.result(asksOnly: asksOnly) { (output) throws(CoderError) in
      let (host, source) = (session.host.raw, session.view.raw)
      if let call = transcoder?.transcode {
        let status = from.rawValue.withCoderString { from in
          to.rawValue.withCoderString { call(coder, host, source, from, $0, output.raw) }
        }
        return (status, Properties())
      }
      guard let call = table?.run else { throw .libraryFailure("the plugin has no run for its operations") }
      let known = described.named(operation.name, from: from, to: to)?.options ?? []
      let (status, facts) = operation.withRaw(from: from, to: to, known) { raw in
        Properties.collect(most: Self.mostSaid) { facts in
          guard asksOnly, let can = table?.can else { return call(coder, host, source, raw, output.raw, facts) }
          return can(coder, host, source, raw, facts)
        }
      }
      return (status, facts)
    }
  }

  /// Bytes of facts; a worker may send as many.
  private static let mostSaid = 1 << 16

  /// Items that a plugin describes of one kind.
  private static let mostItems: UInt64 = 1024

  fileprivate static func items<Item>(_ start: UnsafePointer<Item>?, _ count: UInt64) -> [Item] {
    Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(min(count, mostItems))))
  }
}

extension OperationDescription {
  fileprivate init(_ raw: imgcoder_operation_kind) {
    let from = PluginOperations.items(raw.from, raw.format_count).map { ImageFormat(rawValue: String($0)) }
    let to = PluginOperations.items(raw.to, raw.format_count).map { ImageFormat(rawValue: String($0)) }
    self.init(
      name: String(raw.name), text: String(raw.text),
      formats: zip(from, to.isEmpty ? from : to).map { Formats(from: $0, to: $1) },
      options: PluginOperations.items(raw.options, raw.option_count).compactMap { option in
        option.flatMap { OptionDescription(imgcoder_option_read($0)) }
      },
      blocks: PluginOperations.items(raw.blocks, raw.block_count).map { String($0) },
      takesOut: raw.flags & UInt32(IMGCODER_OPERATION_TAKES_OUT) != 0)
  }
}
