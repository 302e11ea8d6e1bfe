// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import CIsolation
import Glibc
import ImageCoderEngine
import ImageCoderModel

/// One open file in a worker. What it answers is checked as a file is: it may have been taken over by one.
final class IsolatedReader: ReaderSession {
  let worker: Worker
  private let pool: WorkerPool
  private let isolation: Isolation
  let session: HostSession
  private let source: IsolatedSource
  /// Those of the manifest.
  private let formats: [ImageFormat]
  /// Whether what was said once is said again: not while bytes arrive.
  private let remembers: Bool
  private let framesAtOnce: UInt32
  private var pages: [Int: ImageHeader] = [:]
  private var frames: [Int: [Int: FrameHeader]] = [:]
  private var ahead = Ahead.nothing

  /// How long closing a file waits for a worker that goes on with it.
  private static let closingSeconds = 1

  /// What the worker goes on with by itself, because it is nearly always asked for next.
  private enum Ahead {
    /// It waits.
    case nothing
    /// The answer to a request that it guesses, or nil where nobody will make it; perhaps with its rows.
    case offer(DecodeRequest?)
    /// The rows of what it has offered, in bands of so many rows.
    case rows(DecodeOffer?, rowsOfBand: Int)
  }

  init(
    _ pool: WorkerPool, _ isolation: Isolation, formats: [ImageFormat], session: HostSession, options: OpenOptions,
    known: [OptionDescription]
  ) throws(CoderError) {
    let source = try IsolatedSource(session, isHeaderOnly: options.contains(.headerOnly))
    let worker = try pool.checkOut(for: session.limits, isolation)
    self.pool = pool
    self.isolation = isolation
    self.formats = formats
    self.session = session
    self.source = source
    self.worker = worker
    remembers = session.source?.isComplete ?? false
    let isStill = options.contains(.headerOnly) || options.contains(.firstFrameOnly)
    framesAtOnce = !remembers ? 0 : isStill ? 1 : UInt32(ISOLATION_MAX_FRAMES)
    // From here on, an error ends this object, which gives the worker back.
    var request = Worker.Request(ISOLATION_OPEN)
    request.message.words.0 = options.hints.rawValue
    request.message.words.1 = framesAtOnce
    if remembers, !options.contains(.headerOnly), let expected = session.expected {
      request.message.words.3 = 1
      request.message.words.4 = session.clearsRows ? 1 : 0
      request.message.longs.2 = UInt64(expected.pixelFormat?.rawValue ?? 0)
      request.message.longs.3 = UInt64(expected.alpha.rawValue)
    }
    let payload = source.describe(in: &request) + Self.parcel(options.values, known)
    let reply = try Worker.with(payload) { (bytes) throws(CoderError) in
      request.payload = bytes
      return try call(request, isBound: false)
    }
    if reply.hasGoneOn { ahead = .offer(nil) }
    try check(reply.status)
    guard !reply.results.isEmpty else { return }
    let header = try take(reply.results, page: 0)
    if reply.hasGoneOn { ahead = .offer(session.expected?.request(for: header)) }
  }

  /// Values of options after the file; nothing for none.
  private static func parcel(_ values: [String: OptionValue], _ known: [OptionDescription]) -> [UInt8] {
    guard !values.isEmpty else { return [] }
    var parcel = Parcel()
    OptionValue.withRaw(values, of: known) { parcel.add(values: $0) }
    return parcel.bytes
  }

  deinit {
    _ = Result { () throws(CoderError) in try abandon(within: Self.closingSeconds) }
    worker.bytes += source.filled
    pool.giveBack(worker, isolation)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    if let known = pages[page] { return known }
    var request = Worker.Request(ISOLATION_INFO)
    request.message.words.0 = UInt32(clamping: page)
    request.message.words.1 = framesAtOnce
    let reply = try call(request)
    try check(reply.status)
    return try take(reply.results, page: page)
  }

  /// A page's header, and perhaps its first frames.
  @discardableResult
  private func take(_ results: UnsafeRawBufferPointer, page: Int) throws(CoderError) -> ImageHeader {
    let size = MemoryLayout<imgcoder_info>.size
    guard results.count >= size else { throw worker.fault("a page's header of \(results.count) bytes") }
    var info = results.loadUnaligned(as: imgcoder_info.self)
    var rest = UnsafeRawBufferPointer(rebasing: results.dropFirst(size))
    let name = Worker.printable(try takeText(of: "a format's name", from: &rest))
    let pageName = try takeText(of: "a page's name", from: &rest)
    // A pointer of another process is none here.
    info.struct_size = UInt32(size)
    info.page_name = imgcoder_string(
      bytes: pageName.baseAddress?.assumingMemoryBound(to: CChar.self), length: UInt64(pageName.count))
    let parsed: Result<ImageHeader, CoderError> = name.withCoderString { text in
      info.format = text
      do throws(CoderError) { return .success(try ImageHeader(info)) } catch { return .failure(error) }
    }
    let header = try parsed.get()
    guard formats.contains(header.format) else {
      let known = formats.map(\.rawValue).joined(separator: ", ")
      throw .libraryFailure("the reader reports a file of \"\(header.format)\", its manifest lists \(known)")
    }
    if remembers { pages[page] = header }
    if remembers { takeFrames(rest, page: page, from: 0) }
    return header
  }

  /// A text after its length in 4 bytes.
  private func takeText(
    of what: StaticString, from rest: inout UnsafeRawBufferPointer
  ) throws(CoderError) -> UnsafeRawBufferPointer {
    guard rest.count >= 4 else { throw worker.fault("a page that is cut off before \(what)") }
    let length = Int(rest.loadUnaligned(as: UInt32.self))
    guard length <= rest.count - 4 else { throw worker.fault("\(what) of \(length) bytes") }
    let text = UnsafeRawBufferPointer(rebasing: rest[4..<(4 + length)])
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(4 + length))
    return text
  }

  private func takeFrames(_ results: UnsafeRawBufferPointer, page: Int, from first: Int) {
    let size = MemoryLayout<imgcoder_frame_info>.size
    for index in 0..<(results.count / size) {
      let raw = results.loadUnaligned(fromByteOffset: index * size, as: imgcoder_frame_info.self)
      // One that is wrong is asked for again when it is its turn, and is an error then.
      guard case .success(let frame) = Self.frame(raw, index: first + index) else { return }
      frames[page, default: [:]][first + index] = frame
    }
  }

  private static func frame(_ raw: imgcoder_frame_info, index: Int) -> Result<FrameHeader, CoderError> {
    // The rectangle is checked against the canvas by the caller, which knows it; here the fields alone.
    let largest = Int(UInt32.max)
    do throws(CoderError) {
      return .success(try FrameHeader(raw, index: index, canvas: Size(width: largest * 2, height: largest * 2)))
    } catch {
      return .failure(error)
    }
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    if let known = frames[page]?[index] { return known }
    var request = Worker.Request(ISOLATION_FRAME)
    request.message.words.0 = UInt32(clamping: page)
    request.message.words.1 = UInt32(clamping: index)
    // A file that does not count its frames is read no further than somebody looks.
    let isCounted = pages[page]?.sequence.isCounted ?? false
    request.message.words.2 = isCounted ? max(1, framesAtOnce) : 1
    let reply = try call(request)
    try check(reply.status)
    let size = MemoryLayout<imgcoder_frame_info>.size
    guard reply.results.count >= size else { throw worker.fault("a frame of \(reply.results.count) bytes") }
    let first = reply.results.loadUnaligned(as: imgcoder_frame_info.self)
    if remembers { takeFrames(reply.results, page: page, from: index) }
    return try Self.frame(first, index: index).get()
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    var sent = Worker.Request(ISOLATION_NEGOTIATE)
    sent.message.words.1 = remembers ? 1 : 0
    sent.message.words.2 = session.clearsRows ? 1 : 0
    let reply: Worker.Reply
    if case .offer(let expected) = ahead, expected == request {
      ahead = .nothing
      reply = try answer(nil) { (_, _) throws(CoderError) in .unknown }
    } else {
      let raw = request.raw
      reply = try withUnsafeBytes(of: raw) { (bytes) throws(CoderError) in
        sent.payload = bytes
        return try call(sent)
      }
    }
    if reply.rowsOfBand > 0 { ahead = .rows(nil, rowsOfBand: reply.rowsOfBand) }
    try check(reply.status)
    guard reply.results.count == MemoryLayout<imgcoder_offer>.size else {
      throw worker.fault("an offer of \(reply.results.count) bytes")
    }
    let offer = try DecodeOffer(reply.results.loadUnaligned(as: imgcoder_offer.self), for: request)
    if case .rows(_, let rowsOfBand) = ahead { ahead = .rows(offer, rowsOfBand: rowsOfBand) }
    return offer
  }

  /// Ends what the worker goes on with.
  ///
  /// - Parameter seconds: Of the clock, at most those of a call.
  private func abandon(within seconds: Int = .max) throws(CoderError) {
    if case .nothing = ahead { return }
    worker.cancelCall()
    // What it says of that is of no interest.
    defer { session.clearError() }
    if case .offer = ahead {
      ahead = .nothing
      let reply = try answer(nil, within: seconds) { (_, _) throws(CoderError) in .unknown }
      guard reply.rowsOfBand > 0 else { return }
    }
    ahead = .nothing
    _ = try answer(nil, within: seconds) { (message, _) throws(CoderError) in
      guard message.kind == UInt32(ISOLATION_BAND) else { return .unknown }
      guard message.longs.0 != 0 else { return .taken }
      var answer = isolation_message()
      answer.words.0 = CoderError.Code.cancelled.rawValue
      return .answer(answer)
    }
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    var request = Worker.Request(ISOLATION_DECODE)
    let rows = try IsolatedRows(offer, worker: worker, limits: session.limits, sink: sink)
    request.message.words.0 = UInt32(rows.rowsOfBand)
    request.message.words.1 = session.clearsRows ? 1 : 0
    request.message.longs.0 = UInt64(rows.rowBytes)
    request.message.longs.1 = UInt64(rows.pictureBytes)
    request.descriptor = rows.descriptor
    let take: (isolation_message, UnsafeRawBufferPointer) throws(CoderError) -> Worker.Response = {
      (message, payload) throws(CoderError) in
      switch Int(message.kind) {
      case ISOLATION_BAND: try rows.take(band: message)
      case ISOLATION_ROWS: try rows.take(payload)
      default: .unknown
      }
    }
    if case .rows(let offered, let rowsOfBand) = ahead, offered == offer {
      ahead = .nothing
      guard rowsOfBand == rows.rowsOfBand else { throw worker.fault("bands of \(rowsOfBand) rows") }
      try check(try answer(nil, handle: take).status)
      return try check(rows.refusal)
    }
    let raw = offer.raw(for: nil)
    let reply = try withUnsafeBytes(of: raw) { (bytes) throws(CoderError) in
      request.payload = bytes
      return try call(request, handle: take)
    }
    try check(reply.status)
    try check(rows.refusal)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    // What the header of a whole file does not have is not asked for.
    if remembers, let known = pages[page], kind.isAnnounced, !known.metadata.contains(kind) { return nil }
    return try metadata(kind.rawValue, page: page)
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    try metadata(block.rawValue, page: page)
  }

  private func metadata(_ kind: UInt32, page: Int) throws(CoderError) -> [UInt8]? {
    var request = Worker.Request(ISOLATION_METADATA)
    request.message.words.0 = UInt32(clamping: page)
    request.message.words.1 = kind
    let (reply, bytes) = try collect(request)
    if MetadataKind.isAbsent(reply.status, kind: kind) { return nil }
    try check(reply.status)
    guard reply.results.count == 8 else { throw worker.fault("a size of \(reply.results.count) bytes") }
    let length = reply.results.loadUnaligned(as: UInt64.self)
    guard length <= UInt64(clamping: session.limits.maxMetadata) else {
      throw .limitExceeded(
        .maxMetadata, found: length, allowed: session.limits.maxMetadata, what: "a metadata size in bytes of")
    }
    // A plugin may give no address for a block of some length, which counts as none.
    guard bytes.isEmpty || UInt64(bytes.count) == length else {
      throw worker.fault("\(bytes.count) bytes of a metadata block of \(length)")
    }
    return bytes
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var request = Worker.Request(ISOLATION_PROPERTIES)
    request.message.words.0 = UInt32(clamping: page)
    request.message.words.1 = frame.map { UInt32(clamping: $0) } ?? .max
    let (reply, bytes) = try collect(request)
    try check(reply.status)
    guard let properties = Properties(isolated: bytes) else { throw worker.fault("properties that are cut off") }
    return properties
  }

  /// A call that is answered with bytes.
  func collect(_ request: Worker.Request) throws(CoderError) -> (Worker.Reply, [UInt8]) {
    var collected: [UInt8] = []
    let limit = max(session.limits.maxMetadata, 1 << 20)
    let reply = try call(request) { (message, payload) throws(CoderError) in
      guard message.kind == UInt32(ISOLATION_CHUNK) else { return .unknown }
      guard payload.count <= limit - collected.count else {
        throw .limitExceeded(
          .maxMetadata, found: collected.count + payload.count, allowed: limit, what: "a metadata size in bytes of")
      }
      collected.append(contentsOf: payload)
      return .taken
    }
    return (reply, collected)
  }

  /// - Parameter isBound: Whether a file is open, whose newest bytes the worker is to know.
  private func call(
    _ request: Worker.Request, isBound: Bool = true,
    handle: (isolation_message, UnsafeRawBufferPointer) throws(CoderError) -> Worker.Response = { _, _ in .unknown }
  ) throws(CoderError) -> Worker.Reply {
    var request = request
    try abandon()
    if isBound {
      try source.update()
      request.message.longs.2 = UInt64(source.filled)
      request.message.longs.3 = source.shownSize
    }
    return try answer(request, handle: handle)
  }

  /// Does a call, or nil for the one with which the worker has gone on.
  private func answer(
    _ request: Worker.Request?, within seconds: Int = .max,
    handle: (isolation_message, UnsafeRawBufferPointer) throws(CoderError) -> Worker.Response
  ) throws(CoderError) -> Worker.Reply {
    let time = Worker.Time(
      processorSeconds: isolation.processorSeconds, clockSeconds: min(seconds, isolation.clockSeconds))
    return try worker.call(request, time: time, session: session) {
      (message, payload, pause) throws(CoderError) -> Worker.Response in
      switch Int(message.kind) {
      case ISOLATION_NEED: source.answer(message, &pause)
      case ISOLATION_SIBLING: source.answer(sibling: payload)
      default: try handle(message, payload)
      }
    }
  }

  func check(_ status: imgcoder_status) throws(CoderError) {
    guard status != InterfaceStatus.ok else { return }
    throw session.error(for: status)
  }
}
