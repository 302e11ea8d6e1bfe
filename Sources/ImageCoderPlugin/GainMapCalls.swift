// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The draft extension for gain maps over a type written in Swift.
enum GainMapCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_gain_map_files_table>? = {
    var table = imgcoder_gain_map_files_table_sized()
    table.attach = { coder, host, source, format, map, output in
      guard let type = PluginExport.of(coder)?.gainMapWriter, let host, let source, let output, let map else {
        return InterfaceStatus.invalidArgument
      }
      let raw = imgcoder_gain_map_parts_read(map)
      return CoderHost(host).run { () throws(CoderError) in
        let parts = GainMapParts(
          file: copy(raw.file, raw.file_length), iso: copy(raw.iso, raw.iso_length),
          xmp: raw.xmp == nil ? nil : copy(raw.xmp, raw.xmp_length))
        try type.attach(
          parts, to: SourceView(source), format: ImageFormat(rawValue: String(format)), output: ByteOutput(output),
          host: CoderHost(host))
      }
    }
    return UnsafePointer(imgcoder_gain_map_files_table_keep(table))
  }()

  private static func copy(_ bytes: UnsafePointer<UInt8>?, _ length: UInt64) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(clamping: length)))
  }
}
