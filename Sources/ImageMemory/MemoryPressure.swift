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

/// What the system tells of memory, from the first of these that there is:
///
/// 1. `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE` of the environment, by which a service manager names a file, a FIFO
///    or a socket (systemd's memory pressure protocol); `/dev/null` there means that nothing is to be watched;
/// 2. pressure stall information of a control group that the process is in, from the inside out: processes have waited for
///    memory for 200 ms within 2 s;
/// 3. the same for the machine;
/// 4. `memory.events` of these groups, in which a limit that was met is counted;
/// 5. the time that processes have waited, read every second where nobody may ask to be told.
///
/// Linux 6.5 and later let any process ask for 2 and 3. Where none is available, nothing is told.
public final class SystemMemoryPressure: MemoryPressureSource {
  /// The source of this process, or nil where the system tells nothing.
  public static let available: SystemMemoryPressure? = SystemMemoryPressure(root: "") { name in
    getenv(name).map { String(cString: $0) }
  }

  /// Where it hears of pressure: the path of a file, FIFO or socket.
  package let path: String

  private let listeners = Lock(Listeners())
  private let isOver = Over()

  private struct Listeners {
    var next = 0
    var all: [Int: @Sendable () -> Void] = [:]
  }

  private final class Over: Sendable {
    let flag = Atomic<Bool>(false)
  }

  /// - Parameters:
  ///   - root: The folder in which `proc` and `sys` are.
  ///   - environment: A variable of the environment, or nil.
  package init?(root: String, environment: (String) -> String?) {
    guard let signal = PressureSignal.first(root: root, environment: environment) else { return nil }
    path = signal.path
    do throws(CoderError) {
      try ThreadPool.shared.start(for: "a thread that watches memory") { [weak self, isOver] in
        var signal = signal
        while !isOver.flag.load(ordering: .relaxed) {
          switch signal.wait() {
          case .pressure: self?.tell()
          case .nothing: break
          case .gone:
            signal.close()
            return
          }
        }
        signal.close()
      }
    } catch {
      signal.close()
      return nil
    }
  }

  deinit { isOver.flag.store(true, ordering: .relaxed) }

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
