// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// Tells when memory gets short.
///
/// - Threads: May be used from any thread, and may tell on any thread.
public protocol MemoryPressureSource: Sendable {
  /// Calls `tell` at each event, until the returned closure is called.
  func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// Pressure stall information of the kernel: tells when the processes of the control group, or of the machine, have waited
/// for memory for 200 ms within 2 s.
///
/// Linux 6.5 and later let any process ask for this. Where it is not to be had, nothing is told.
public final class SystemMemoryPressure: MemoryPressureSource {
  /// The source of this process, or nil where the kernel tells nothing.
  public static let available: SystemMemoryPressure? = SystemMemoryPressure()

  private let listeners = Mutex(Listeners())

  private struct Listeners {
    var next = 0
    var all: [Int: @Sendable () -> Void] = [:]
  }

  /// Microseconds of waiting, and of the window, in which they are counted.
  private static let trigger = "some 200000 2000000"
  /// Microseconds of waiting below which an event is not believed: the kernel tells of one that there was not, once.
  private static let threshold = 200_000

  private init?() {
    let files = MemoryBudget.groups("").map { "\($0)/memory.pressure" } + ["/proc/pressure/memory"]
    for path in files {
      let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      let trigger = Array(Self.trigger.utf8CString)
      // The zero at the end belongs to what is written.
      guard write(file, trigger, trigger.count) == trigger.count, start(file, path) else {
        close(file)
        continue
      }
      return
    }
    return nil
  }

  private func start(_ file: Int32, _ path: String) -> Bool {
    do throws(CoderError) {
      try ThreadPool.shared.start(for: "a thread that watches memory") { [self] in
        var waited = Self.waited(path)
        while true {
          var poll = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
          let count = Glibc.poll(&poll, 1, -1)
          if count < 0, errno == EINTR { continue }
          // The group is gone.
          guard count > 0, Int32(poll.revents) & POLLERR == 0 else { break }
          let now = Self.waited(path)
          if now - waited >= Self.threshold { tell() }
          waited = now
        }
        close(file)
      }
      return true
    } catch {
      return false
    }
  }

  /// Microseconds that processes have waited so far: "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234".
  private static func waited(_ path: String) -> Int {
    let line = SystemFile.text(path)?.split(separator: "\n").first { $0.hasPrefix("some ") }
    return line?.split(separator: " ").last.flatMap { Int($0.dropFirst("total=".count)) } ?? 0
  }

  private func tell() {
    for listener in listeners.withLock({ Array($0.all.values) }) { listener() }
  }

  /// Calls `tell` at each event, until the returned closure is called.
  public func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = tell
      return listeners.next
    }
    return { [weak self] in self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) } }
  }
}
