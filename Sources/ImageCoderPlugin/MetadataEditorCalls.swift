// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The draft extension for metadata blocks over a type written in Swift.
enum MetadataEditorCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_metadata_blocks_table>? = {
    var table = imgcoder_metadata_blocks_table_sized()
    table.read = { coder, host, source, format, kind, output in
      guard let type = PluginExport.of(coder)?.metadataEditor, let host, let source, let output,
        let kind = MetadataBlock(rawValue: kind)
      else { return InterfaceStatus.invalidArgument }
      var isPresent = false
      let status = CoderHost(host).run { () throws(CoderError) in
        let payload = try type.block(
          kind, of: SourceView(source), format: ImageFormat(rawValue: String(format)), host: CoderHost(host))
        guard let payload else { return }
        isPresent = true
        try ByteOutput(output).write(payload)
      }
      return status == InterfaceStatus.ok && !isPresent ? InterfaceStatus.notPresent : status
    }
    table.edit = { coder, host, source, format, edits, output in
      guard let type = PluginExport.of(coder)?.metadataEditor, let host, let source, let output, let edits else {
        return InterfaceStatus.invalidArgument
      }
      return CoderHost(host).run { () throws(CoderError) in
        try type.edit(
          SourceView(source), format: ImageFormat(rawValue: String(format)),
          edits: MetadataBlockEdits(imgcoder_block_edits_read(edits)), output: ByteOutput(output), host: CoderHost(host)
        )
      }
    }
    return UnsafePointer(imgcoder_metadata_blocks_table_keep(table))
  }()
}

extension MetadataBlockEdits {
  fileprivate init(_ raw: imgcoder_block_edits) {
    self.init(removed: Set(MetadataBlock.allCases.filter { raw.kinds & (1 << $0.rawValue) != 0 }))
    for (kind, block) in [
      (MetadataBlock.icc, raw.icc), (.exif, raw.exif), (.xmp, raw.xmp), (.iptc, raw.iptc),
    ] where removed.contains(kind) && block.length > 0 {
      payloads[kind] = [UInt8](UnsafeBufferPointer(start: block.bytes, count: Int(clamping: block.length)))
    }
  }
}
