// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The transcode extension of the plugin interface over a type written in Swift.
enum TranscoderCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_transcode_table>? = {
    var table = imgcoder_transcode_table_sized()
    table.transcode = { coder, host, source, from, to, output in
      guard let type = PluginExport.of(coder)?.transcoder, let host, let source, let output else {
        return InterfaceStatus.invalidArgument
      }
      return CoderHost(host).run { () throws(CoderError) in
        try type.transcode(
          SourceView(source), from: ImageFormat(rawValue: String(from)), to: ImageFormat(rawValue: String(to)),
          output: ByteOutput(output), host: CoderHost(host))
      }
    }
    return UnsafePointer(imgcoder_transcode_table_keep(table))
  }()
}
