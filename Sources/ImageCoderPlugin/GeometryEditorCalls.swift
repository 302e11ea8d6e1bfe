// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The draft extension for stored geometry over a type written in Swift.
enum GeometryEditorCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_stored_geometry_table>? = {
    var table = imgcoder_stored_geometry_table_sized()
    table.write = { coder, host, source, format, part, output in
      guard let type = PluginExport.of(coder)?.geometryEditor, let host, let source, let output, let part else {
        return InterfaceStatus.invalidArgument
      }
      let raw = imgcoder_stored_part_read(part)
      guard let orientation = Orientation(rawValue: Int(raw.orientation)) else {
        return InterfaceStatus.invalidArgument
      }
      return CoderHost(host).run { () throws(CoderError) in
        try type.write(
          Rect(x: Int(raw.x), y: Int(raw.y), width: Int(raw.width), height: Int(raw.height)), of: SourceView(source),
          format: ImageFormat(rawValue: String(format)), orientation: orientation, output: ByteOutput(output),
          host: CoderHost(host))
      }
    }
    return UnsafePointer(imgcoder_stored_geometry_table_keep(table))
  }()
}
