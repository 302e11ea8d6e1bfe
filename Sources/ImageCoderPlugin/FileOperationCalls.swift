// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The extension for file operations over functions written in Swift.
enum FileOperationCalls {
  /// The table of a coder, in memory that lives as long as the process.
  static func table(_ operations: [ContainerOperation]) -> UnsafePointer<imgcoder_file_operations_table>? {
    var table = imgcoder_file_operations_table_sized()
    let kinds = PluginExport.kept(
      operations.map { UnsafePointer(imgcoder_operation_kind_keep($0.description.raw)) as UnsafePointer? })
    (table.kinds, table.kind_count) = (kinds, UInt64(operations.count))
    table.can = { coder, host, source, operation, facts in
      FileOperationCalls.call(coder, host, source: source, operation: operation, output: nil, facts: facts)
    }
    table.run = { coder, host, source, operation, output, facts in
      guard let output else { return InterfaceStatus.invalidArgument }
      return FileOperationCalls.call(
        coder, host, source: source, operation: operation, output: ByteOutput(output), facts: facts)
    }
    return UnsafePointer(imgcoder_file_operations_table_keep(table))
  }

  private static func call(
    _ coder: UnsafePointer<imgcoder_coder>?, _ host: UnsafePointer<imgcoder_host>?,
    source: UnsafePointer<imgcoder_source>?, operation: UnsafePointer<imgcoder_operation>?, output: ByteOutput?,
    facts: UnsafePointer<imgcoder_properties>?
  ) -> imgcoder_status {
    guard let export = PluginExport.of(coder), let host, let source, let operation, let facts else {
      return InterfaceStatus.invalidArgument
    }
    let raw = imgcoder_operation_read(operation)
    let context = OperationContext(
      SourceView(source), from: ImageFormat(rawValue: String(raw.from)), to: ImageFormat(rawValue: String(raw.to)),
      output: output, host: CoderHost(host))
    let status = context.host.run { () throws(CoderError) in
      try export.operations.perform(FileOperation(raw), context)
    }
    context.facts.put(into: facts)
    return status == InterfaceStatus.ok && !context.isPresent ? InterfaceStatus.notPresent : status
  }
}

extension OperationDescription {
  fileprivate var raw: imgcoder_operation_kind {
    var kind = imgcoder_operation_kind_sized()
    if takesOut { kind.flags |= UInt32(IMGCODER_OPERATION_TAKES_OUT) }
    kind.name = PluginExport.kept(name)
    kind.text = PluginExport.kept(text)
    kind.from = PluginExport.kept(formats.map { PluginExport.kept($0.from.rawValue) })
    if formats.contains(where: { $0.from != $0.to }) {
      kind.to = PluginExport.kept(formats.map { PluginExport.kept($0.to.rawValue) })
    }
    kind.format_count = UInt64(formats.count)
    (kind.options, kind.option_count) = (PluginExport.kept(options), UInt64(options.count))
    kind.blocks = PluginExport.kept(blocks.map { PluginExport.kept($0) })
    kind.block_count = UInt64(blocks.count)
    return kind
  }
}
