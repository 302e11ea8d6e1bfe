// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine

/// A file in which the system tells that memory is short.
struct PressureSignal: Sendable {
  enum Event {
    case pressure
    case nothing
    /// Nothing will follow.
    case gone
  }

  private enum Kind {
    /// The kernel tells when processes have waited long enough; the time in the file confirms it.
    case trigger
    /// What can be read is the event.
    case stream
    /// A number in files grows.
    case counters([String])
    /// The time that processes have waited grows.
    case waitedTime
  }

  let path: String
  private let kind: Kind
  private let files: [Int32]
  private var value: Int

  /// Microseconds of waiting, and of the window, in which they are counted.
  private static let trigger = "some 200000 2000000"
  /// Microseconds of waiting below which an event is not believed: the kernel tells of one that there was not, once.
  private static let threshold = 200_000
  /// The longest wait, in milliseconds, after which somebody may have given up; and that between two looks at a file.
  private static let (longestWait, interval): (Int32, Int32) = (30_000, 1000)

  /// The first signal that there is, or nil.
  static func first(root: String, environment: (String) -> String?) -> PressureSignal? {
    if let path = environment("MEMORY_PRESSURE_WATCH"), !path.isEmpty {
      return path == "/dev/null" ? nil : manager(path, Base64.bytes((environment("MEMORY_PRESSURE_WRITE") ?? "").utf8))
    }
    let groups = MemoryBudget.groups(root)
    let times = groups.map { "\($0)/memory.pressure" } + ["\(root)/proc/pressure/memory"]
    for path in times {
      if let signal = armed(path) { return signal }
    }
    let events = groups.map { "\($0)/memory.events" }.filter { SystemFile.text($0) != nil }
    if let first = events.first {
      let files = events.map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }.filter { $0 >= 0 }
      return PressureSignal(path: first, kind: .counters(events), files: files, value: limitsMet(events))
    }
    for path in times where SystemFile.text(path)?.hasPrefix("some ") == true {
      return PressureSignal(path: path, kind: .waitedTime, files: [], value: waited(path))
    }
    return nil
  }

  /// Pressure stall information that the kernel is asked to tell of.
  private static func armed(_ path: String) -> PressureSignal? {
    let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let trigger = Array(Self.trigger.utf8CString)
    // The zero at the end belongs to what is written. A plain file, in a test, takes it as well but tells nothing.
    guard !isPlainFile(file), write(file, trigger, trigger.count) == trigger.count else {
      Glibc.close(file)
      return nil
    }
    return PressureSignal(path: path, kind: .trigger, files: [file], value: waited(path))
  }

  /// What a service manager names.
  private static func manager(_ path: String, _ request: [UInt8]?) -> PressureSignal? {
    var status = stat()
    guard let request, stat(path, &status) == 0 else { return nil }
    let type = status.st_mode & S_IFMT
    let file: Int32
    if type == S_IFSOCK {
      file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      guard file >= 0, path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected, fcntl(file, F_SETFL, O_NONBLOCK) == 0 else {
        Glibc.close(file)
        return nil
      }
    } else {
      file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { return nil }
    }
    // What is written to a FIFO would come back.
    guard request.isEmpty || type == S_IFIFO || write(file, request, request.count) == request.count else {
      Glibc.close(file)
      return nil
    }
    let isStream = type == S_IFSOCK || type == S_IFIFO
    // Who opens a FIFO for reading waits for a writer.
    return PressureSignal(
      path: path, kind: isStream ? .stream : .trigger, files: [file], value: isStream ? 0 : waited(path))
  }

  private static func isPlainFile(_ file: Int32) -> Bool {
    var status = stat()
    // The kernel makes the text when it is read: its files have no size.
    return fstat(file, &status) != 0 || status.st_size > 0
  }

  /// Waits for news, for 30 seconds at most.
  mutating func wait() -> Event {
    let awaited = if case .stream = kind { Int16(POLLIN) } else { Int16(POLLPRI) }
    var polls = files.map { pollfd(fd: $0, events: awaited, revents: 0) }
    let time =
      switch kind {
      case .trigger, .stream: Self.longestWait
      case .counters, .waitedTime: Self.interval
      }
    let count = poll(&polls, nfds_t(polls.count), time)
    if count < 0 { return errno == EINTR ? .nothing : .gone }
    switch kind {
    case .trigger:
      // The group is gone.
      if polls.contains(where: { Int32($0.revents) & POLLERR != 0 }) { return .gone }
      guard count > 0 else { return .nothing }
      return grows(to: Self.waited(path), by: Self.threshold)
    case .stream:
      guard count > 0 else { return .nothing }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let length = read(files[0], &bytes, bytes.count)
      return length > 0 ? .pressure : length < 0 && errno == EAGAIN ? .nothing : .gone
    case .counters(let paths): return grows(to: Self.limitsMet(paths), by: 1)
    // A tenth of the time, as in the trigger.
    case .waitedTime: return grows(to: Self.waited(path), by: Self.threshold / 2)
    }
  }

  private mutating func grows(to now: Int, by threshold: Int) -> Event {
    defer { value = now }
    return now - value >= threshold ? .pressure : .nothing
  }

  func close() {
    for file in files { Glibc.close(file) }
  }

  /// Microseconds that processes have waited so far: "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234".
  private static func waited(_ path: String) -> Int {
    let line = SystemFile.text(path)?.split(separator: "\n").first { $0.hasPrefix("some ") }
    return line?.split(separator: " ").last.flatMap { Int($0.dropFirst("total=".count)) } ?? 0
  }

  /// How often a limit was met or somebody was killed for it, by all groups.
  private static func limitsMet(_ paths: [String]) -> Int {
    paths.reduce(0) { sum, path in
      ["high", "max", "oom", "oom_kill", "oom_group_kill"].reduce(sum) {
        let (total, overflow) = $0.addingReportingOverflow(SystemFile.number(path, after: $1) ?? 0)
        return overflow ? $0 : total
      }
    }
  }
}
