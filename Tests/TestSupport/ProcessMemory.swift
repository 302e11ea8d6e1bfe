// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of this process. Other tests use some, too: to measure it, a test needs a process of its own.
package enum ProcessMemory {
  /// Bytes that are in memory now: `VmRSS` of `/proc/self/status`.
  package static var resident: Int { value(of: "VmRSS:") }

  /// The most bytes that have been in memory: `VmHWM`.
  package static var mostResident: Int { value(of: "VmHWM:") }

  /// Bytes that are left in memory: those of the last work are given back a moment after it, and are waited for.
  ///
  /// - Parameter bound: As soon as there are no more than this, nothing is waited for.
  package static func residentLeft(atMost bound: Int) -> Int {
    for _ in 0..<100 where resident > bound { usleep(100_000) }
    return resident
  }

  private static func value(of name: String) -> Int {
    guard let file = fopen("/proc/self/status", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split { $0 == " " || $0 == "\t" }
      // "VmRSS:     1234 kB"
      if let first = words.first, first == name, let kilobytes = Int(words[1]) { return kilobytes << 10 }
    }
    return 0
  }
}
