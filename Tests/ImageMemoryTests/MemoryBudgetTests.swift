// SPDX-License-Identifier: Apache-2.0

import ImageMemory
import TestSupport
import Testing

/// What the machine and control groups allow, read from made-up trees.
@Suite struct MemoryBudgetTests {
  private static let gibibyte = 1 << 30

  /// Makes files by their paths, and a machine of 16 GiB of which 10 are free.
  private static func budget(_ files: [String: String], group: String = "0::/\n") -> MemoryBudget {
    let folder = TemporaryFolder()
    let machine = ["proc/meminfo": "MemTotal:       16777216 kB\nMemFree:  12 kB\nMemAvailable:   10485760 kB\n"]
    let all = machine.merging(["proc/self/cgroup": group]) { $1 }.merging(files) { $1 }
    for (path, text) in all {
      let result = Command.run(
        "mkdir -p '\(folder.path)/\(path)' && rmdir '\(folder.path)/\(path)' && printf '%s' '\(text)' >'\(folder.path)/\(path)'"
      )
      precondition(result.status == 0, result.output)
    }
    return MemoryBudget(root: folder.path)
  }

  @Test func theMachineIsTheLimitWithoutGroups() {
    let budget = Self.budget([:])
    #expect(budget.total == 16 * Self.gibibyte)
    #expect(budget.free == 10 * Self.gibibyte)
    // A fifth would be 3.2 GiB.
    #expect(budget.bytes == 512 << 20)
  }

  @Test func theTightestLimitOfAllLevelsCounts() {
    let budget = Self.budget(
      [
        "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.high": "1073741824\n",
        "sys/fs/cgroup/a/b/memory.current": "943718400\n",
        "sys/fs/cgroup/a/b/memory.stat": "anon 5\ninactive_file 52428800\nactive_file 7\n",
        "sys/fs/cgroup/a/memory.max": "2147483648\n", "sys/fs/cgroup/a/memory.current": "2097152000\n",
      ], group: "0::/a/b\n")
    #expect(budget.total == Self.gibibyte)
    // 1 GiB − 900 MiB + 50 MiB = 174 MiB at the inner level; 2 GiB − 2000 MiB = 48 MiB at the outer one.
    #expect(budget.free == 48 << 20)
    #expect(budget.bytes == (48 << 20) / 5 * 3)
  }

  @Test func versionOneIsReadToo() {
    let budget = Self.budget(
      [
        "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "536870912\n",
        "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "104857600\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      ], group: "12:cpu,cpuacct:/y\n5:memory:/x\n0::/z\n")
    #expect(budget.total == 512 << 20)
    #expect(budget.free == 412 << 20)
    #expect(budget.bytes == (512 << 20) / 5)
  }

  @Test func thereIsAlwaysALittle() {
    let budget = Self.budget(
      ["sys/fs/cgroup/memory.max": "1048576\n", "sys/fs/cgroup/memory.current": "2000000\n"])
    #expect(budget.free == 0)
    #expect(budget.bytes == 16 << 20)
  }

  @Test func thisProcessHasABudget() {
    #expect(MemoryBudget.standard >= 16 << 20)
    #expect(MemoryBudget.standard <= 512 << 20)
  }
}
