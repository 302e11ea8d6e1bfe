// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// Calls of a worker that writes a file.
///
/// The bytes come through two slots of shared memory, each of which is taken once. Where they go, a limit holds for them.
final class IsolatedWork {
  let worker: Worker
  private let pool: WorkerPool
  private let isolation: Isolation
  private let session: HostSession
  private let source: IsolatedSource?
  private let output: ByteOutput
  /// Bytes that the worker was given, and that it has sent.
  private var given = 0
  private var sent = 0
  /// What the worker says of an operation.
  private var said: [UInt8] = []

  /// The largest size of an output, as a multiple of the input it is made of.
  private static let mostGrowth = 4
  /// Bytes of what is said of an operation.
  private static let mostSaid = 1 << 16

  /// - Parameter takesSource: Whether the session's file is what the worker works on.
  init(
    _ pool: WorkerPool, _ isolation: Isolation, session: HostSession, output: ByteOutput, takesSource: Bool
  ) throws(CoderError) {
    let source = takesSource ? try IsolatedSource(session, isHeaderOnly: false) : nil
    let worker = try pool.checkOut(for: session.limits, isolation)
    self.pool = pool
    self.isolation = isolation
    self.session = session
    self.output = output
    self.source = source
    self.worker = worker
    guard let source else { return }
    var request = Worker.Request(ISOLATION_SOURCE)
    let payload = source.describe(in: &request)
    let reply = try Worker.with(payload) { (bytes) throws(CoderError) in
      request.payload = bytes
      return try call(request)
    }
    try check(reply.status)
  }

  deinit {
    worker.bytes += given + (source?.filled ?? 0)
    pool.giveBack(worker, isolation)
  }

  /// A call that brings texts or blocks.
  func call(_ request: Worker.Request, _ parcel: Parcel) throws(CoderError) -> Worker.Reply {
    given += parcel.bytes.count
    let mostInMessage = Int(ISOLATION_MAX_PAYLOAD)
    return try Worker.with(parcel.bytes) { (bytes) throws(CoderError) in
      var request = request
      guard bytes.count > mostInMessage else {
        request.payload = bytes
        return try call(request)
      }
      let memory = try IsolatedSource.memory(with: bytes)
      defer { IsolatedSource.close(memory) }
      request.descriptor = memory
      request.message.words.4 = 1
      request.message.longs.0 = UInt64(bytes.count)
      return try call(request)
    }
  }

  /// - Parameter picture: What the worker may ask for, or nil.
  func call(_ request: Worker.Request, _ picture: IsolatedPicture? = nil) throws(CoderError) -> Worker.Reply {
    var request = request
    if let picture { given += picture.bytes }
    if let source, request.message.kind != UInt32(ISOLATION_SOURCE) {
      try source.update()
      request.message.longs.2 = UInt64(source.filled)
      request.message.longs.3 = source.shownSize
    }
    let time = Worker.Time(
      processorSeconds: isolation.processorSeconds, clockSeconds: isolation.clockSeconds)
    let reply = try worker.call(request, time: time, session: session) {
      (message, payload, pause) throws(CoderError) in
      switch Int(message.kind) {
      case ISOLATION_OUTPUT:
        var answer = isolation_message()
        answer.words.0 = try take(
          message.longs.0, slot: message.words.0, replacing: message.words.1 == 0 ? nil : message.longs.1)
        return .answer(answer)
      case ISOLATION_WANT:
        guard let picture else { return .unknown }
        return try picture.fill(message, of: worker)
      case ISOLATION_NEED:
        guard let source else { return .unknown }
        return source.answer(message, &pause)
      case ISOLATION_SIBLING:
        guard let source else { return .unknown }
        return source.answer(sibling: payload)
      case ISOLATION_CHUNK:
        guard source != nil, payload.count <= Self.mostSaid - said.count else {
          throw worker.fault("facts of more than \(Self.mostSaid) bytes")
        }
        said.append(contentsOf: payload)
        return .taken
      default: return .unknown
      }
    }
    guard reply.outputBytes > 0 else { return reply }
    let status = try take(reply.outputBytes, slot: reply.outputSlot, replacing: nil)
    if reply.status == InterfaceStatus.ok { try check(status) }
    return reply
  }

  /// Takes bytes out of a slot.
  ///
  /// - Returns: The status for the worker. A reason is with the session.
  private func take(_ count: UInt64, slot: UInt32, replacing offset: UInt64?) throws(CoderError) -> UInt32 {
    guard slot < 2, count <= UInt64(ISOLATION_OUTPUT_BYTES) else {
      throw worker.fault("\(count) bytes of a file in slot \(slot)")
    }
    let bytes = (worker.shared + ISOLATION_OUTPUT_START + Int(slot) * ISOLATION_OUTPUT_BYTES)
      .assumingMemoryBound(to: UInt8.self)
    let raw = output.raw
    if let offset { return raw.pointee.patch(raw, offset, bytes, count) }
    sent += Int(count)
    let allowed = session.limits.maxMemory.addingReportingOverflow(
      Self.mostGrowth * (given + (source?.filled ?? 0)))
    guard allowed.overflow || sent <= allowed.partialValue else {
      let error = CoderError.limitExceeded(
        .maxMemory, found: sent, allowed: allowed.partialValue, what: "a file size in bytes of")
      session.record(error)
      return error.code.rawValue
    }
    return raw.pointee.write(raw, bytes, count)
  }

  func check(_ status: imgcoder_status) throws(CoderError) {
    guard status != InterfaceStatus.ok else { return }
    throw session.error(for: status)
  }

  /// What the worker has said of an operation.
  func facts() throws(CoderError) -> Properties {
    guard let facts = Properties(isolated: said) else { throw worker.fault("facts that are cut off") }
    return facts
  }
}

/// A picture on its way to a worker that writes it. The worker sees rows, and what is between them in memory it does not.
struct IsolatedPicture {
  let pixels: PixelView
  /// Bytes of a row.
  let rowBytes: Int
  /// Rows of a band.
  let rowsOfBand: Int

  /// Bytes of all rows.
  var bytes: Int { rowBytes * pixels.size.height }

  /// Whether the two bands, one after the other, have room for all rows.
  var fits: Bool { bytes <= 2 * ISOLATION_BAND_BYTES }

  init(_ pixels: PixelView) throws(CoderError) {
    let (bytes, overflows) = pixels.size.width.multipliedReportingOverflow(by: pixels.layout.format.bytesPerPixel)
    guard !overflows, bytes > 0, bytes <= ISOLATION_BAND_BYTES else {
      throw .unsupported("rows of \(bytes) bytes; \(ISOLATION_BAND_BYTES) are allowed in a worker")
    }
    self.pixels = pixels
    rowBytes = bytes
    rowsOfBand = max(1, ISOLATION_COPIED_BYTES / bytes)
  }

  /// Puts all rows into the bands.
  func fill(_ worker: Worker) { copy(0, pixels.size.height, to: worker.shared + ISOLATION_CONTROL_BYTES) }

  /// Puts the rows that a worker wants into one of the bands.
  func fill(_ message: isolation_message, of worker: Worker) throws(CoderError) -> Worker.Response {
    let (first, count, band) = (Int(message.words.0), Int(message.words.1), Int(message.words.2))
    guard band < 2, count > 0, count <= rowsOfBand, first < pixels.size.height, count <= pixels.size.height - first
    else {
      throw worker.fault("a wish for rows \(first) + \(count) of \(pixels.size.height) in band \(band)")
    }
    copy(first, count, to: worker.shared + ISOLATION_CONTROL_BYTES + band * ISOLATION_BAND_BYTES)
    return .answer(isolation_message())
  }

  private func copy(_ first: Int, _ count: Int, to start: UnsafeMutableRawPointer) {
    let from = pixels.base + first * pixels.stride
    guard pixels.stride != rowBytes else { return start.copyMemory(from: from, byteCount: count * rowBytes) }
    for row in 0..<count {
      (start + row * rowBytes).copyMemory(from: from + row * pixels.stride, byteCount: rowBytes)
    }
  }
}
