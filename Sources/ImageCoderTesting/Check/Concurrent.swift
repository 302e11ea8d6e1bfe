// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sessions on several threads at once.
enum Concurrent {
  /// The coder is constant memory that any thread may use.
  private struct Shared: @unchecked Sendable {
    let coder: LoadedCoder
  }

  /// Readings are made by one thread and used by another after it ended.
  private struct Made: @unchecked Sendable {
    var readings: [Reading] = []
  }

  /// The first picture of a file, decoded on several threads at once, three times each.
  static func readings(of bytes: [UInt8], with coder: LoadedCoder, threads count: Int) -> [Reading] {
    let shared = Shared(coder: coder)
    let made = Mutex(Made())
    let threads = (0..<count).map { _ in
      CheckThread {
        for _ in 0..<3 {
          let one = Made(readings: [simpleReading(of: bytes, with: shared.coder)])
          made.withLock { $0.readings += one.readings }
        }
      }
    }
    for thread in threads { thread.join() }
    return made.withLock { $0 }.readings
  }

  /// The frames that ``CheckSubject/read(_:_:_:)`` decodes, without a note of what is done.
  private static func simpleReading(of bytes: [UInt8], with coder: LoadedCoder) -> Reading {
    let subject = CheckSubject(coder)
    do throws(CheckEnd) { return try subject.read(bytes, "a file on a thread") } catch {
      var reading = Reading()
      reading.failures = [
        Reading.Failure(call: "read: \(error)", status: .max, message: "", isReported: false, reportedStatus: 0)
      ]
      return reading
    }
  }
}
