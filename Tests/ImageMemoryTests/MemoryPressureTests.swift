// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageMemory
import Synchronization
import TestSupport
import Testing

/// What the system tells of memory, in made-up trees.
@Suite struct MemoryPressureTests {
  /// A tree in which the process is in the group `/a/b`.
  private static func tree(_ files: [String: String]) -> TemporaryFolder {
    let folder = TemporaryFolder()
    for (path, text) in files.merging(["proc/self/cgroup": "0::/a/b\n"], uniquingKeysWith: { $1 }) {
      write(text, to: "\(folder.path)/\(path)")
    }
    return folder
  }

  private static func write(_ text: String, to path: String) {
    let result = Command.run(
      "mkdir -p \"$(dirname '\(path)')\" && [ -d '\(path)' ] && rmdir '\(path)'; printf '%s' '\(text)' >'\(path)'")
    precondition(result.status == 0, result.output)
  }

  /// Counts what is told, until the count is as large as wanted or 20 seconds have passed.
  private static func events(
    of source: SystemMemoryPressure, atLeast wanted: Int, after body: () throws -> Void
  ) async throws -> Int {
    let count = Mutex(0)
    let end = source.watch { count.withLock { $0 += 1 } }
    defer { end() }
    // The thread has to have looked once.
    try await Task.sleep(for: .milliseconds(200))
    try body()
    for _ in 0..<200 where count.withLock({ $0 }) < wanted { try await Task.sleep(for: .milliseconds(100)) }
    return count.withLock { $0 }
  }

  @Test func limitsThatAreMetAreHeardOfInAllGroups() async throws {
    let zero = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n"
    let folder = Self.tree(["sys/fs/cgroup/a/b/memory.events": zero, "sys/fs/cgroup/a/memory.events": zero])
    let source = try #require(SystemMemoryPressure(root: folder.path) { _ in nil })
    #expect(source.path == "\(folder.path)/sys/fs/cgroup/a/b/memory.events")
    let inner = try await Self.events(of: source, atLeast: 1) {
      Self.write("low 3\nhigh 7\nmax 0\noom 0\noom_kill 0\n", to: "\(folder.path)/sys/fs/cgroup/a/b/memory.events")
    }
    #expect(inner == 1)
    let outer = try await Self.events(of: source, atLeast: 1) {
      Self.write("low 0\nhigh 0\nmax 1\noom 0\noom_kill 0\n", to: "\(folder.path)/sys/fs/cgroup/a/memory.events")
    }
    #expect(outer == 1)
  }

  @Test func whatIsProtectedIsNoPressure() async throws {
    let path = "sys/fs/cgroup/a/b/memory.events"
    let folder = Self.tree([path: "low 0\nhigh 0\nmax 0\n"])
    let source = try #require(SystemMemoryPressure(root: folder.path) { _ in nil })
    let count = try await Self.events(of: source, atLeast: 1) {
      // Two looks at the file, and no event between them.
      Self.write("low 9\nhigh 0\nmax 0\n", to: "\(folder.path)/\(path)")
      sleep(2)
      Self.write("low 9\nhigh 0\nmax 1\n", to: "\(folder.path)/\(path)")
    }
    #expect(count == 1)
  }

  @Test func theTimeOfWaitingIsReadWhereNobodyMayAsk() async throws {
    func text(_ microseconds: Int) -> String {
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(microseconds)\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    }
    let folder = Self.tree(["proc/pressure/memory": text(5_000_000)])
    let path = "\(folder.path)/proc/pressure/memory"
    let source = try #require(SystemMemoryPressure(root: folder.path) { _ in nil })
    #expect(source.path == path)
    let count = try await Self.events(of: source, atLeast: 1) {
      // Less than a tenth of a second in a second is none.
      Self.write(text(5_050_000), to: path)
      sleep(2)
      Self.write(text(5_250_000), to: path)
    }
    #expect(count == 1)
  }

  @Test func aServiceManagersFIFOIsHeard() async throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/pressure"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    let source = try #require(
      SystemMemoryPressure(root: folder.path) { ["MEMORY_PRESSURE_WATCH": path][$0] })
    #expect(source.path == path)
    let count = try await Self.events(of: source, atLeast: 1) { #expect(Glibc.write(reader, "x", 1) == 1) }
    #expect(count == 1)
  }

  @Test func aServiceManagersSocketIsAskedAndHeard() async throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/socket"
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    #expect(isListening && listen(server, 1) == 0)
    let variables = ["MEMORY_PRESSURE_WATCH": path, "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA="]
    let source = try #require(SystemMemoryPressure(root: folder.path) { variables[$0] })
    let client = accept(server, nil, nil)
    defer { close(client) }
    var request = [UInt8](repeating: 0, count: 64)
    let length = read(client, &request, request.count)
    #expect(Array(request[..<max(length, 0)]) == Array("some 200000 2000000".utf8CString.map { UInt8($0) }))
    let count = try await Self.events(of: source, atLeast: 1) { #expect(Glibc.write(client, "x", 1) == 1) }
    #expect(count == 1)
  }

  @Test(arguments: [
    ["MEMORY_PRESSURE_WATCH": "/dev/null"], ["MEMORY_PRESSURE_WATCH": "/nowhere/pressure"],
    ["MEMORY_PRESSURE_WATCH": "/proc/self/status", "MEMORY_PRESSURE_WRITE": "no base64!"],
  ]) func whatCannotBeWatchedIsNone(_ variables: [String: String]) {
    // Also if there would be another source: the service manager's word counts.
    #expect(SystemMemoryPressure(root: "") { variables[$0] } == nil)
  }

  @Test func anEmptyTreeTellsNothing() {
    #expect(SystemMemoryPressure(root: Self.tree([:]).path) { _ in nil } == nil)
  }
}
