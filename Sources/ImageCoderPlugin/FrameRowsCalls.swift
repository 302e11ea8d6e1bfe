// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The extension for frames that come in rows over a writer written in Swift.
///
/// Rows are counted here: a writer is given all rows of a frame, and no more.
enum FrameRowsCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_frame_rows_table>? = {
    var table = imgcoder_frame_rows_table_sized()
    table.begin = { raw, frame, shape in
      guard let session = WriterCalls.Session.of(raw), let writer = session.writer as? any FrameRowsWriter, let frame,
        let shape = shape.map({ imgcoder_pixels_read($0) }), let layout = shape.layout
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        guard session.rows == nil else { throw .outOfOrder("a frame before the rows of another one have come") }
        let header = try session.header(of: imgcoder_frame_info_read(frame), size: shape.size)
        guard try writer.beginRows(header, size: shape.size, layout: layout) else {
          throw .unsupported("rows one by one; the frame is needed whole")
        }
        session.frameCount += 1
        session.rows = (layout, shape.size.width, shape.size.height)
      }
    }
    table.add = { raw, rows in
      guard let session = WriterCalls.Session.of(raw), let writer = session.writer as? any FrameRowsWriter,
        let view = rows.flatMap({ PixelView(imgcoder_pixels_read($0)) })
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        guard let frame = session.rows else { throw .outOfOrder("rows before their frame") }
        guard view.layout == frame.shape, view.size.width == frame.width, view.size.height <= frame.left else {
          throw .invalidArgument(
            "\(view.size) of \(view.layout), \(frame.left) rows of \(frame.width) of \(frame.shape) are left"
          )
        }
        session.rows?.left -= view.size.height
        try writer.add(rows: view)
      }
    }
    table.end = { raw in
      guard let session = WriterCalls.Session.of(raw), let writer = session.writer as? any FrameRowsWriter
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        guard let frame = session.rows, frame.left == 0 else {
          throw .outOfOrder("the end of a frame of which \(session.rows?.left ?? 0) rows are missing")
        }
        session.rows = nil
        try writer.endRows()
      }
    }
    return UnsafePointer(imgcoder_frame_rows_table_keep(table))
  }()
}
