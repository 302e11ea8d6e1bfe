// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderEngine
import ImageCoderModel

/// One file that a plugin writes, called through the plugin interface.
final class PluginWriter: FrameRowsWriter {
  private let table: imgcoder_writer_table
  private let session: HostSession
  private let writer: OpaquePointer
  private let format: StaticText
  private let plugin: PluginCall
  /// The draft for frames in rows, if the plugin has it.
  private let rows: imgcoder_frame_rows_table?
  private let takesRGB16: Bool

  init(
    _ coder: UnsafePointer<imgcoder_coder>, _ table: imgcoder_writer_table, session: HostSession, output: ByteOutput,
    options: WriteOptions, known: [OptionDescription], takesRGB16: Bool, plugin: PluginCall
  ) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let open = table.open else { throw .libraryFailure("the plugin has no open") }
    var writer: OpaquePointer?
    let status = options.withRaw(known) { open(coder, session.host.raw, output.raw, $0, &writer) }
    guard status == InterfaceStatus.ok else { throw session.error(for: status) }
    guard let writer else { throw .libraryFailure("the plugin opened a session and gives no writer") }
    self.table = table
    self.session = session
    self.writer = writer
    self.format = StaticText(options.format.rawValue)
    self.plugin = plugin
    self.takesRGB16 = takesRGB16
    rows = table.get_extension
      .flatMap { call in IMGCODER_EXTENSION_FRAME_ROWS.withCoderString { call(writer, $0) } }
      .map { imgcoder_frame_rows_table_read($0.assumingMemoryBound(to: imgcoder_frame_rows_table.self)) }
  }

  deinit {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    table.close?(writer)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.negotiate else { throw .libraryFailure("the plugin has no negotiate") }
    var format: imgcoder_pixel_format = 0
    var alpha: imgcoder_alpha = 0
    let wanted = takesRGB16 ? wanted : wanted.withoutRGB16
    try check(call(writer, wanted.format.rawValue, wanted.alpha.rawValue, &format, &alpha))
    guard let accepted = PixelFormat(rawValue: format), let mode = AlphaMode(rawValue: alpha) else {
      throw .libraryFailure("the plugin accepts pixel format \(format) with alpha mode \(alpha)")
    }
    return PixelLayout(accepted, mode)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.set_info else { throw .libraryFailure("the plugin has no set_info") }
    var info = header.raw(format: format.raw)
    try check(call(writer, &info))
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.add_metadata else { throw .unsupported("the format has no place for \(kind)") }
    try check(call(writer, kind.rawValue, metadata, UInt64(metadata.count)))
  }

  func setLight(_ light: LightLevels) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.set_color else { throw .unsupported("the format has no place for light levels") }
    var raw = light.raw
    try check(call(writer, &raw))
  }

  func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.add_thumbnail else { throw .unsupported("the format has no place for a thumbnail") }
    var raw = pixels.raw
    try check(call(writer, &raw))
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.add_frame else { throw .libraryFailure("the plugin has no add_frame") }
    var raw = pixels.raw
    var header = frame.raw
    try check(call(writer, &header, &raw))
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard let begin = rows?.begin, rows?.add != nil, rows?.end != nil else { return false }
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    var shape = imgcoder_pixels(layout: layout, size: size)
    var header = frame.raw
    let status = begin(writer, &header, &shape)
    if status == CoderError.Code.unsupported.rawValue {
      // The frame is given whole then.
      session.clearError()
      return false
    }
    try check(status)
    return true
  }

  func add(rows view: PixelView) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = rows?.add else { throw .libraryFailure("the plugin has no add for rows") }
    var raw = view.raw
    try check(call(writer, &raw))
  }

  func endRows() throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = rows?.end else { throw .libraryFailure("the plugin has no end for rows") }
    try check(call(writer))
  }

  func finish() throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.finish else { throw .libraryFailure("the plugin has no finish") }
    try check(call(writer))
  }

  private func check(_ status: imgcoder_status) throws(CoderError) {
    guard status != InterfaceStatus.ok else { return }
    throw session.error(for: status)
  }
}

extension PixelLayout {
  /// What a writer of version 1.0 of the interface is asked for, which does not know `rgb16`.
  var withoutRGB16: PixelLayout { format == .rgb16 ? PixelLayout(.rgba16, .opaque) : self }
}

extension PixelView {
  fileprivate var raw: imgcoder_pixels {
    var raw = imgcoder_pixels(layout: layout, size: size)
    raw.pixels = base.assumingMemoryBound(to: UInt8.self)
    raw.stride = UInt64(stride)
    return raw
  }
}

extension imgcoder_pixels {
  /// What pixels are, without where they are.
  fileprivate init(layout: PixelLayout, size: Size) {
    self = imgcoder_pixels_sized()
    pixel_format = layout.format.rawValue
    alpha = layout.alpha.rawValue
    width = UInt32(clamping: size.width)
    height = UInt32(clamping: size.height)
  }
}
