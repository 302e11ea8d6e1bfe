// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc

/// What is said of a worker, and by it.
extension Worker {
  /// What comes back from a call.
  struct Reply {
    let status: UInt32
    /// Valid until the next call.
    let results: UnsafeRawBufferPointer
    /// Bytes of a file that is written.
    let outputBytes: UInt64
    /// A word whose meaning is that of the call.
    fileprivate let word: UInt32

    /// The slot of the shared memory that bytes of a written file are said to be in.
    var outputSlot: UInt32 { word }
    /// After opening: whether the worker goes on with the offer that is expected.
    var hasGoneOn: Bool { word != 0 }
    /// After a negotiation: the rows of a band with which the worker goes on, or 0.
    var rowsOfBand: Int { Int(word) }

    init(status: UInt32, results: UnsafeRawBufferPointer, outputBytes: UInt64, word: UInt32) {
      self.status = status
      self.results = results
      self.outputBytes = outputBytes
      self.word = word
    }
  }

  /// What a call sends along.
  struct Request {
    var message = isolation_message()
    var payload = UnsafeRawBufferPointer(start: nil, count: 0)
    var descriptor: Int32 = -1

    init(_ kind: Int) { message.kind = UInt32(kind) }

    init(_ message: isolation_message, kind: UInt8) {
      self.message = message
      self.message.kind = UInt32(kind)
    }
  }

  /// What becomes of a message of a call.
  enum Response {
    /// It is none of this call.
    case unknown
    /// The worker does not wait.
    case taken
    /// The worker waits for this, whose kind the table says.
    case answer(isolation_message)
    /// The worker waits for this, and gets memory along, which this process gives back.
    case handOver(isolation_message, memory: Int32)
  }

  /// Text of a worker: valid, and nothing that a terminal would obey.
  static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? " " : $0 }))
  }

  /// Which system call the filter refused, if a worker ended for that, as the worker says.
  func refusedCall(_ status: Int32) -> String? {
    guard status == ISOLATION_STATUS_REFUSED_CALL,
      let place = MemoryLayout<isolation_control>.offset(of: \.refused_call),
      case let number = shared.load(fromByteOffset: place, as: UInt32.self), number > 0
    else { return nil }
    let name = isolation_call_name(number - 1).map { String(cString: $0) } ?? "system call \(number - 1)"
    return "SIGSYS: \(name), which a worker may not call"
  }
}
