// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs

/// An open file of the plugin that is checked: one call of its table each.
final class ReaderProbe {
  /// How the source behaves.
  struct Source {
    /// Bytes arrive in pieces of this size when they are asked for; 0 if all are there.
    var chunk: UInt64 = 0
    /// Which call fails, from 1; 0 for none.
    var failedCall: UInt64 = 0
    /// How many bytes arrive before the source answers CANCELLED; 0 for all.
    var cancelledAt: UInt64 = 0
  }

  /// How a sink behaves.
  struct Sink {
    /// Bytes between rows.
    var padding: UInt32 = 0
    /// Rows granted at once, at most; 0 for as many as are asked for.
    var grant: UInt32 = 0
    /// What new rows hold.
    var fill: UInt32 = 0x33
    /// Rows begin where a page begins, instead of ending where one ends.
    var isAtStart = false
    /// Which call of rows or done returns ``stopStatus``, from 1; 0 for none.
    var stoppedCall: UInt64 = 0
    var stopStatus = Status.cancelled
  }

  /// What one decode delivered.
  struct Picture {
    var status: UInt32
    var offer: imgcoder_offer
    var rowsDone = 0
    /// Tight rows; those that are not done are zero.
    var pixels: [UInt8] = []
    /// For each row, whether it is done.
    var done: [UInt8] = []
    var calls: UInt64 = 0
    var callsAfterStop: UInt64 = 0
    var arrivedAtFirstRow: UInt64 = 0
    var heldAtFirstRow: UInt64 = 0

    var isWhole: Bool { rowsDone == Int(offer.height) }
    var rowBytes: Int { Int(offer.width) * Int(checking_bytes_per_pixel(offer.pixel_format)) }
  }

  let session: HostSessionProbe
  let source: UnsafeMutablePointer<checking_source>
  private let table: imgcoder_reader_table
  private let coder: LoadedCoder
  private(set) var reader: OpaquePointer?
  /// Bytes of malloc before the session, or nil if they are not known any more.
  private var baseline: UInt64?

  init(_ coder: LoadedCoder, _ bytes: [UInt8], session: HostSessionProbe, source: Source = Source()) {
    self.coder = coder
    self.session = session
    table = coder.reader!
    self.source = checking_source_new(session.session, bytes, UInt64(bytes.count), source.chunk)
    baseline = checking_malloc_bytes()
    self.source.pointee.fail_at = source.failedCall
    self.source.pointee.cancel_at = source.cancelledAt
  }

  deinit {
    close()
    checking_source_end(source)
  }

  /// - Parameters:
  ///   - flags: Nil to give no options.
  ///   - values: Those of options to read.
  func open(flags: UInt32? = 0, values: [TestValue] = []) -> UInt32 {
    checking_session_clear(session.session)
    guard let flags else { return table.open(coder.raw, session.host, source.pointee.source, nil, &reader) }
    let arguments = CallArguments(session)
    return withExtendedLifetime(arguments) {
      arguments.values(values).withUnsafeBufferPointer { list in
        var options = imgcoder_open_options_sized()
        options.flags = flags
        if !list.isEmpty { (options.values, options.value_count) = (list.baseAddress, UInt64(list.count)) }
        return session.with(&options, "imgcoder_open_options") {
          table.open(coder.raw, session.host, source.pointee.source, $0, &reader)
        }
      }
    }
  }

  func close() {
    guard let open = reader else { return }
    reader = nil
    table.close(open)
  }

  func info(_ page: UInt32) -> (status: UInt32, info: imgcoder_info) {
    checking_session_clear(session.session)
    var info = imgcoder_info()
    return (session.with(&info, "imgcoder_info") { table.info(reader, page, $0) }, info)
  }

  func frameInfo(_ page: UInt32, _ frame: UInt32) -> (status: UInt32, info: imgcoder_frame_info) {
    checking_session_clear(session.session)
    var info = imgcoder_frame_info()
    return (session.with(&info, "imgcoder_frame_info") { table.frame_info(reader, page, frame, $0) }, info)
  }

  /// What version 1.0 requests of a frame as it is.
  static func request(
    _ page: UInt32, _ frame: UInt32, width: UInt32 = 0, height: UInt32 = 0, format: UInt32 = 0, alpha: UInt32 = 1
  ) -> imgcoder_request {
    var request = imgcoder_request_sized()
    (request.page, request.frame) = (page, frame)
    (request.width, request.height) = (width, height)
    (request.pixel_format, request.alpha) = (format, alpha)
    return request
  }

  func negotiate(_ request: imgcoder_request) -> (status: UInt32, offer: imgcoder_offer) {
    checking_session_clear(session.session)
    var (request, offer) = (request, imgcoder_offer())
    let status = session.with(&request, "imgcoder_request") { request in
      session.with(&offer, "imgcoder_offer") { table.negotiate(reader, request, $0) }
    }
    // The host sets these, whatever the reader writes.
    offer.page = request.page
    offer.frame = request.frame
    return (status, offer)
  }

  /// Decodes into memory of its own, or returns nil for an offer that no memory can be made for.
  func decode(_ offer: imgcoder_offer, _ settings: Sink = Sink()) -> Picture? {
    checking_session_clear(session.session)
    var offer = offer
    let held = checking_malloc_bytes()
    guard
      let sink = checking_sink_new(
        session.session, &offer, settings.padding, settings.grant, settings.fill, settings.isAtStart ? 1 : 0)
    else { return nil }
    defer { checking_sink_end(sink) }
    // What the session held before counts too.
    if let baseline, held > baseline { sink.pointee.baseline &-= held - baseline }
    baseline = nil
    sink.pointee.stop_at = settings.stoppedCall
    sink.pointee.stop_status = settings.stopStatus
    sink.pointee.source = source
    let stated = offer
    let status = session.with(&offer, "imgcoder_offer") { table.decode(reader, $0, sink.pointee.sink) }
    var picture = Picture(status: status, offer: stated)
    let height = Int(stated.height)
    picture.rowsDone = Int(sink.pointee.rows_done)
    picture.pixels = Array(UnsafeBufferPointer(start: sink.pointee.picture, count: picture.rowBytes * height))
    picture.done = Array(UnsafeBufferPointer(start: sink.pointee.done, count: height))
    picture.calls = sink.pointee.calls
    picture.callsAfterStop = sink.pointee.calls_after_stop
    picture.arrivedAtFirstRow = sink.pointee.source_at_first_row
    picture.heldAtFirstRow = sink.pointee.held_at_first_row
    return picture
  }

  /// A payload, copied; nil bytes when the call is missing.
  func metadata(_ page: UInt32, _ kind: UInt32) -> (status: UInt32, bytes: UnsafeBufferPointer<UInt8>)? {
    guard let call = table.metadata else { return nil }
    checking_session_clear(session.session)
    var bytes: UnsafePointer<UInt8>?
    var length: UInt64 = 0
    let status = call(reader, page, kind, &bytes, &length)
    return (status, UnsafeBufferPointer(start: bytes, count: Int(clamping: length)))
  }

  /// The properties as text, or nil when the call is missing.
  func properties(_ page: UInt32, _ frame: UInt32) -> (status: UInt32, text: [UInt8], depth: Int)? {
    guard let call = table.properties else { return nil }
    checking_session_clear(session.session)
    let properties = checking_properties_new(session.session)!
    defer { checking_properties_end(properties) }
    let status = call(reader, page, frame, properties.pointee.properties)
    let bytes = UnsafeBufferPointer(start: properties.pointee.text, count: Int(properties.pointee.length))
    return (status, bytes.map { UInt8(bitPattern: $0) }, Int(properties.pointee.depth))
  }

  /// Numbers of hidden pages, which calls take as those of others.
  var hiddenPages: Range<UInt32> {
    let first = info(0).info
    let (end, overflow) = first.page_count.addingReportingOverflow(first.hidden_page_count)
    return first.page_count..<(overflow ? .max : end)
  }

  func hasExtension(_ id: String) -> Bool {
    guard let call = table.get_extension else { return false }
    return id.withCheckedString { call(reader, $0) } != nil
  }
}

extension String {
  /// The text as the interface hands it over, without a byte after its end.
  func withCheckedString<Result>(_ body: (imgcoder_string) -> Result) -> Result {
    let bytes = utf8.map { CChar(bitPattern: $0) }
    return bytes.withUnsafeBufferPointer {
      body(imgcoder_string(bytes: $0.baseAddress, length: UInt64($0.count)))
    }
  }
}
