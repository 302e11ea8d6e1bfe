// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The writer functions of the plugin interface over a writer written in Swift.
enum WriterCalls {
  /// One file that is being written.
  final class Session {
    let writer: any ContainerWriter
    let host: CoderHost
    let features: WriterFeatures
    var canvas = Size(width: 0, height: 0)
    /// The number of frames of the page that is being written.
    var frameCount = 0
    /// The frame whose rows come, and how many are still to come, or nil.
    var rows: (shape: PixelLayout, width: Int, left: Int)?

    init(writer: any ContainerWriter, host: CoderHost, features: WriterFeatures) {
      self.writer = writer
      self.host = host
      self.features = features
    }

    static func of(_ raw: OpaquePointer?) -> Session? {
      raw.map { Unmanaged<Session>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    /// A frame that comes next.
    func header(of frame: imgcoder_frame_info, size: Size) throws(CoderError) -> FrameHeader {
      guard frameCount == 0 || features.contains(.frames) else {
        throw .unsupported("a second frame; the coder writes one for each page")
      }
      let header = try FrameHeader(frame, index: .max, canvas: canvas)
      guard size == header.rect.size else {
        throw .invalidArgument("a frame of \(header.rect.size) with pixels of \(size)")
      }
      return header
    }
  }

  static func table(_ features: WriterFeatures) -> imgcoder_writer_table {
    var table = table
    table.features = features.subtracting(.thumbnail).rawValue
    if !features.contains(.thumbnail) { table.add_thumbnail = nil }
    return table
  }

  private static let table: imgcoder_writer_table = {
    var table = imgcoder_writer_table_sized()
    table.open = { coder, host, output, options, result in
      guard let plugin = PluginExport.of(coder), let type = plugin.writer, let host, let output, let options, let result
      else {
        return InterfaceStatus.invalidArgument
      }
      let session = CoderHost(host)
      return session.run { () throws(CoderError) in
        var requested = WriteOptions(imgcoder_write_options_read(options))
        guard plugin.writerFormats.isEmpty || plugin.writerFormats.contains(requested.format) else {
          let known = plugin.writerFormats.map(\.rawValue).joined(separator: ", ")
          throw .unsupported("the format \(requested.format.rawValue.prefix(80)); the coder writes \(known)")
        }
        requested.values = try OptionDescription.checked(
          requested.values, for: plugin.options, writing: requested.format)
        let writer = try type.init(ByteOutput(output), host: session, options: requested)
        let opened = Session(writer: writer, host: session, features: plugin.writerFeatures)
        result.pointee = OpaquePointer(Unmanaged.passRetained(opened).toOpaque())
      }
    }
    table.negotiate = { raw, format, alpha, accepted, acceptedAlpha in
      guard let session = Session.of(raw), let accepted, let acceptedAlpha, let format = PixelFormat(rawValue: format),
        let alpha = AlphaMode(rawValue: alpha)
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        // A host of version 1.0 does not know formats of later ones, and may only ask whether they are refused.
        guard session.host.minorVersion >= 1 || format != .rgb16 else {
          throw .unsupported("pixel format \(format.rawValue), of a version that the host does not know")
        }
        let layout = try session.writer.layout(for: PixelLayout(format, alpha))
        accepted.pointee = layout.format.rawValue
        acceptedAlpha.pointee = layout.alpha.rawValue
      }
    }
    table.set_info = { raw, info in
      guard let session = Session.of(raw), let info else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        var info = imgcoder_info_read(info)
        // What comes after the last field of version 1.0 means something to later hosts alone.
        if session.host.minorVersion < 1 { info = imgcoder_info_first(info) }
        var header = try ImageHeader(info)
        header.frameCount = Int(info.frame_count)
        session.canvas = header.canvas
        session.frameCount = 0
        try session.writer.setHeader(header)
      }
    }
    table.add_metadata = { raw, kind, bytes, length in
      guard let session = Session.of(raw), let kind = MetadataKind(rawValue: kind) else {
        return InterfaceStatus.invalidArgument
      }
      return session.host.run { () throws(CoderError) in
        // A writer that keeps whatever it gets is not asked for what it does not state.
        guard kind != .c2pa, kind.writerFeature.map({ session.features.contains($0) }) ?? true else {
          throw .unsupported("the format has no place for \(kind)")
        }
        let payload = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(clamping: length))
        try session.writer.add(try ArrayMemory.copy(payload, for: "metadata"), as: kind)
      }
    }
    table.set_color = { raw, color in
      guard let session = Session.of(raw), let color else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        try session.writer.setLight(StoredColor(imgcoder_color_read(color)).light)
      }
    }
    table.add_thumbnail = { raw, pixels in
      guard let session = Session.of(raw), let view = pixels.flatMap({ PixelView(imgcoder_pixels_read($0)) })
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in try session.writer.addThumbnail(view) }
    }
    table.add_frame = { raw, frame, pixels in
      guard let session = Session.of(raw), let frame,
        let view = pixels.flatMap({ PixelView(imgcoder_pixels_read($0)) })
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        let header = try session.header(of: imgcoder_frame_info_read(frame), size: view.size)
        session.frameCount += 1
        try session.writer.add(view, frame: header)
      }
    }
    table.finish = { raw in
      guard let session = Session.of(raw) else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in try session.writer.finish() }
    }
    table.get_extension = { raw, id in
      guard let session = Session.of(raw) else { return nil }
      switch String(id) {
      case IMGCODER_EXTENSION_FRAME_ROWS where session.writer is any FrameRowsWriter:
        return UnsafeRawPointer(FrameRowsCalls.table)
      default: return nil
      }
    }
    table.close = { raw in
      guard let raw else { return }
      Unmanaged<Session>.fromOpaque(UnsafeRawPointer(raw)).release()
    }
    return table
  }()
}

extension PixelView {
  /// Nil for pixels that are not there, or of a format that this side does not know.
  init?(_ raw: imgcoder_pixels) {
    guard let base = raw.pixels, let layout = raw.layout else { return nil }
    self.init(layout: layout, size: raw.size, base: UnsafeRawPointer(base), stride: Int(clamping: raw.stride))
  }
}

extension imgcoder_pixels {
  /// Nil for a format that this side does not know.
  var layout: PixelLayout? {
    guard let format = PixelFormat(rawValue: pixel_format), let alpha = AlphaMode(rawValue: alpha) else { return nil }
    return PixelLayout(format, alpha)
  }

  var size: Size { Size(width: Int(width), height: Int(height)) }
}
