// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc
import ImageCoderEngine
import ImageCoderModel

/// Copies rows out of memory that a worker writes. A row that has been copied cannot be changed any more.
final class IsolatedRows {
  let rowsOfBand: Int
  let rowBytes: Int
  /// Bytes of the memory for a whole picture; 0 for rows that come from the top.
  let pictureBytes: Int
  /// The file descriptor of the memory for a whole picture, or -1.
  let descriptor: Int32

  private let height: Int
  private let worker: Worker
  private let sink: RowSink
  private var picture: UnsafeMutableRawPointer?
  /// The row after the last one that came.
  private var next = 0
  /// Why rows were not taken any more, or 0. Of the last ones the worker does not hear it.
  private(set) var refusal: UInt32 = 0

  init(_ offer: DecodeOffer, worker: Worker, limits: Limits, sink: RowSink) throws(CoderError) {
    height = offer.size.height
    let (bytes, overflows) = offer.size.width.multipliedReportingOverflow(by: offer.bytesPerPixel)
    guard !overflows, bytes > 0, bytes <= ISOLATION_BAND_BYTES else {
      throw .unsupported("rows of \(bytes) bytes; \(ISOLATION_BAND_BYTES) are allowed in a worker")
    }
    rowBytes = bytes
    rowsOfBand = min(
      height, ISOLATION_BAND_BYTES / bytes, max(ISOLATION_FEWEST_ROWS, ISOLATION_COPIED_BYTES / bytes))
    self.worker = worker
    self.sink = sink
    guard offer.rowOrder == .any else {
      pictureBytes = 0
      descriptor = -1
      return
    }
    pictureBytes = bytes * height
    try limits.check(memory: pictureBytes)
    descriptor = isolation_memory(pictureBytes, 0)
    guard descriptor >= 0 else { throw .outOfMemory(bytes: pictureBytes, for: "a worker's picture") }
    let map = mmap(nil, pictureBytes, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let map, map != MAP_FAILED else { throw .outOfMemory(bytes: pictureBytes, for: "a worker's picture") }
    picture = map
  }

  deinit {
    if let picture { munmap(picture, pictureBytes) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Takes rows of one of the two bands.
  func take(band message: isolation_message) throws(CoderError) -> Worker.Response {
    let (first, count, slot) = (Int(message.words.0), Int(message.words.1), Int(message.words.3))
    let offset = Int(message.words.4)
    guard descriptor < 0, slot < 2, count > 0, first == next, count <= height - next, offset < rowsOfBand,
      count <= rowsOfBand - offset
    else {
      throw worker.fault(
        "rows \(first) + \(count) at \(offset) of band \(slot); \(next) of \(height) are done, a band has \(rowsOfBand)"
      )
    }
    next += count
    let band = worker.shared + ISOLATION_CONTROL_BYTES + slot * ISOLATION_BAND_BYTES + offset * rowBytes
    copy(band, first, count, pass: Int(message.words.2))
    guard message.longs.0 != 0 else { return .taken }
    var answer = isolation_message()
    answer.words.0 = refusal
    return .answer(answer)
  }

  /// Takes rows of the whole picture. A message names each row once at most, so that copying them takes no longer than the
  /// picture is large.
  func take(_ payload: UnsafeRawBufferPointer) throws(CoderError) -> Worker.Response {
    let size = MemoryLayout<isolation_rows>.size
    guard let picture, payload.count % size == 0 else { throw worker.fault("\(payload.count) bytes of rows") }
    var named = 0
    for index in 0..<(payload.count / size) {
      let rows = payload.loadUnaligned(fromByteOffset: index * size, as: isolation_rows.self)
      let (first, count) = (Int(rows.y), Int(rows.count))
      guard count > 0, first < height, count <= height - first else {
        throw worker.fault("rows \(first) + \(count) of \(height)")
      }
      named += count
      guard named <= height else { throw worker.fault("\(named) rows of \(height) at once") }
      copy(picture + first * rowBytes, first, count, pass: Int(rows.pass))
    }
    return .taken
  }

  /// Once the picture is not wanted any more, nothing is copied.
  private func copy(_ from: UnsafeMutableRawPointer, _ first: Int, _ count: Int, pass: Int) {
    guard refusal == 0 else { return }
    do throws(CoderError) {
      var copied = 0
      while copied < count {
        let rows = try sink.rows(at: first + copied, count: count - copied)
        let part = min(rows.count, count - copied)
        let start = from + copied * rowBytes
        if rows.stride == rowBytes {
          rows.base.copyMemory(from: start, byteCount: part * rowBytes)
        } else {
          for row in 0..<part {
            (rows.base + row * rows.stride).copyMemory(from: start + row * rowBytes, byteCount: rowBytes)
          }
        }
        try sink.done(at: first + copied, count: part, pass: pass)
        copied += part
      }
    } catch {
      // The session has the reason.
      refusal = error.code.rawValue
    }
  }
}
