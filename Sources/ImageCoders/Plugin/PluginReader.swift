// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderEngine
import ImageCoderModel

/// One open file in a plugin, called through the plugin interface. The plugin's results are checked before they are
/// used.
final class PluginReader: ReaderSession {
  private let table: imgcoder_reader_table
  private let session: HostSession
  private let reader: OpaquePointer
  /// Those of the manifest.
  private let formats: [ImageFormat]
  private let plugin: PluginCall

  init(
    _ coder: UnsafePointer<imgcoder_coder>, _ table: imgcoder_reader_table, formats: [ImageFormat],
    session: HostSession, options: OpenOptions, known: [OptionDescription], plugin: PluginCall
  ) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let open = table.open else { throw .libraryFailure("the plugin has no open") }
    var reader: OpaquePointer?
    let status = options.withRaw(known) { open(coder, session.host.raw, session.view.raw, $0, &reader) }
    guard status == InterfaceStatus.ok else { throw session.error(for: status) }
    guard let reader else { throw .libraryFailure("the plugin opened a file and gives no reader") }
    self.table = table
    self.formats = formats
    self.session = session
    self.reader = reader
    self.plugin = plugin
  }

  deinit {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    table.close?(reader)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    var info = imgcoder_info_sized()
    guard let call = table.info else { throw .libraryFailure("the plugin has no info") }
    try check(call(reader, UInt32(clamping: page), &info))
    guard let format = formats.first(where: { $0.rawValue.isEqual(to: info.format) }) else {
      let known = formats.map(\.rawValue).joined(separator: ", ")
      throw .libraryFailure("the reader reports a file of \"\(String(info.format))\", its manifest lists \(known)")
    }
    return try ImageHeader(info, format: format)
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    var frame = imgcoder_frame_info_sized()
    guard let call = table.frame_info else { throw .libraryFailure("the plugin has no frame_info") }
    try check(call(reader, UInt32(clamping: page), UInt32(clamping: index), &frame))
    // The rectangle is checked against the canvas by the caller, which knows it; here the fields alone.
    let largest = Int(UInt32.max)
    return try FrameHeader(frame, index: index, canvas: Size(width: largest * 2, height: largest * 2))
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    var raw = request.raw
    var offer = imgcoder_offer_sized()
    guard let call = table.negotiate else { throw .libraryFailure("the plugin has no negotiate") }
    try check(call(reader, &raw, &offer))
    return try DecodeOffer(offer, for: request)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    var raw = offer.raw(for: nil)
    guard let call = table.decode else { throw .libraryFailure("the plugin has no decode") }
    try check(call(reader, &raw, sink.raw))
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    try metadata(kind.rawValue, page: page)
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    try metadata(block.rawValue, page: page)
  }

  private func metadata(_ kind: UInt32, page: Int) throws(CoderError) -> [UInt8]? {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.metadata else { return nil }
    var bytes: UnsafePointer<UInt8>?
    var length: UInt64 = 0
    let status = call(reader, UInt32(clamping: page), kind, &bytes, &length)
    if MetadataKind.isAbsent(status, kind: kind) { return nil }
    try check(status)
    guard length <= UInt64(clamping: session.limits.maxMetadata) else {
      throw .limitExceeded(
        .maxMetadata, found: length, allowed: session.limits.maxMetadata, what: "a metadata size in bytes of")
    }
    guard let bytes else { return [] }
    try session.limits.check(memory: Int(clamping: length), of: "metadata")
    return try ArrayMemory.copy(UnsafeRawBufferPointer(start: bytes, count: Int(length)), for: "metadata")
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.properties else { return Properties() }
    let (status, properties) = Properties.collect {
      call(reader, UInt32(clamping: page), frame.map { UInt32(clamping: $0) } ?? .max, $0)
    }
    try check(status)
    return properties
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    let outer = plugin.enter()
    defer { plugin.leave(outer) }
    guard let call = table.color else { return StoredColor() }
    var raw = imgcoder_color_sized()
    try check(call(reader, UInt32(clamping: page), &raw))
    return StoredColor(raw)
  }

  private func check(_ status: imgcoder_status) throws(CoderError) {
    guard status != InterfaceStatus.ok else { return }
    throw session.error(for: status)
  }
}

extension MetadataKind {
  /// Whether a reader has no metadata of a kind: the file has none, or the reader is of version 1.0 of the interface, which
  /// ended with XMP, and refuses what it does not know.
  static func isAbsent(_ status: imgcoder_status, kind: UInt32) -> Bool {
    status == InterfaceStatus.notPresent || (status == InterfaceStatus.invalidArgument && kind > xmp.rawValue)
  }
}
