// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc

/// What is said of a worker, and by it.
extension Worker {
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
