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
    let first = try registry.decode(.file(path))
    let worker = try #require(WorkerPool.idleProcesses(in: folder.path).first)
    var resident = try residentBytes(of: worker)
    for _ in 0..<200 where resident > Self.most {
      try await Task.sleep(for: .milliseconds(50))
      resident = try residentBytes(of: worker)
    }
    #expect(resident <= Self.most)
    let second = try registry.decode(.file(path))
    #expect(WorkerPool.idleProcesses(in: folder.path) == [worker])
    for y in 0..<first.size.height {
      #expect(second.pixels.withRow(y) { [UInt8]($0) } == first.pixels.withRow(y) { [UInt8]($0) })
    }
  }

  /// proc(5), statm: pages in all, resident, and more.
  private func residentBytes(of process: Int32) throws -> Int {
    let numbers = Command.run("cat /proc/\(process)/statm").output.split(separator: " ")
    let pages = try #require(numbers.dropFirst().first.flatMap { Int($0) })
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
