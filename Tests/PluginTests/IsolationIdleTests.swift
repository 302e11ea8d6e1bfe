// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// A worker that waits keeps no pages that its files have.
@Suite struct IsolationIdleTests {
  /// With the code of Swift's library and of libjpeg it has 4.5 MB.
  private static let most = 4_000_000

  /// Its own copy of the plugin, so that no other test takes its worker.
  @Test func aWorkerThatWaitsGivesPagesBack() async throws {
    let folder = TemporaryFolder()
    let copied = Command.run(
      "cp '\(StagedTree.plugins)/libJPEGCoder.so' '\(StagedTree.plugins)/jpeg.imgcoder.json' '\(folder.path)'")
    try #require(copied.status == 0, "\(copied.output)")
    let registry = IsolationWorker.registry(of: [folder.path])
    let path = "\(StagedTree.fixtures("jpeg"))/valid/baseline-420.jpg"
    let first = try await registry.async.decode(.file(path))
    // A worker that has waited for half a minute ends; on a busy machine that can be before it was looked at.
    for _ in 0..<10 {
      guard let worker = WorkerPool.idleProcesses(in: folder.path).first, let resident = await settled(worker) else {
        _ = try await registry.async.decode(.file(path))
        continue
      }
      let second = try await registry.async.decode(.file(path))
      guard WorkerPool.idleProcesses(in: folder.path) == [worker] else { continue }
      #expect(resident <= Self.most)
      for y in 0..<first.size.height {
        #expect(second.pixels.withRow(y) { [UInt8]($0) } == first.pixels.withRow(y) { [UInt8]($0) })
      }
      return
    }
    Issue.record("no worker was there for long enough")
  }

  /// Bytes that a process has when it has given pages back, or after ten seconds; nil if it has ended.
  private func settled(_ worker: Int32) async -> Int? {
    var resident: Int?
    for _ in 0..<200 {
      resident = residentBytes(of: worker)
      guard let resident, resident > Self.most else { break }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return resident
  }

  /// proc(5), statm: pages in all, resident, and more. Nil for a process that has ended.
  private func residentBytes(of process: Int32) -> Int? {
    guard let numbers = fopen("/proc/\(process)/statm", "r") else { return nil }
    defer { fclose(numbers) }
    var text = [CChar](repeating: 0, count: 200)
    guard fgets(&text, Int32(text.count), numbers) != nil else { return nil }
    let fields = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: " ")
    return fields.dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }
}
