// SPDX-License-Identifier: Apache-2.0

/// How much memory a process may take for frames: a fifth of what it may have in all, three fifths of what is free, at least
/// 16 MiB and at most 512 MiB.
///
/// What it may have and what is free is the least that the machine and each control group that it is in allow.
package struct MemoryBudget {
  /// What the process may have in all, in bytes.
  package let total: Int
  /// What is free, in bytes.
  package let free: Int

  /// The budget of this process, as it was when it was first asked for.
  package static let standard = MemoryBudget().bytes

  /// The budget, in bytes.
  package var bytes: Int { min(max(min(total / 5, free / 5 * 3), 16 << 20), 512 << 20) }

  /// - Parameter root: The folder in which `proc` and `sys` are.
  package init(root: String = "") {
    let information = "\(root)/proc/meminfo"
    var total = (SystemFile.number(information, after: "MemTotal") ?? 1 << 20) << 10
    var free = (SystemFile.number(information, after: "MemAvailable") ?? 1 << 18) << 10
    for group in Self.groups(root) {
      // Version 2, then version 1, in which a huge number means no limit.
      let limits = ["memory.max", "memory.high", "memory.limit_in_bytes"].compactMap {
        SystemFile.number("\(group)/\($0)")
      }
      guard let limit = limits.min(), limit < 1 << 60 else { continue }
      let current =
        SystemFile.number("\(group)/memory.current") ?? SystemFile.number("\(group)/memory.usage_in_bytes") ?? 0
      // Files that nobody uses now give way.
      let files = SystemFile.number("\(group)/memory.stat", after: "inactive_file") ?? 0
      total = min(total, limit)
      free = min(free, max(0, limit - current + files))
    }
    self.total = total
    self.free = free
  }

  /// The folders of the control groups for memory that the process is in, from its own to the outermost.
  static func groups(_ root: String) -> [String] {
    var folders: [String] = []
    for line in SystemFile.text("\(root)/proc/self/cgroup")?.split(separator: "\n") ?? [] {
      // "0::/user.slice", or with version 1 "5:memory:/user.slice".
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let mount: String
      if parts[0] == "0", parts[1].isEmpty {
        mount = "\(root)/sys/fs/cgroup"
      } else if parts[1].split(separator: ",").contains("memory") {
        mount = "\(root)/sys/fs/cgroup/memory"
      } else {
        continue
      }
      // In a container the path may be that of the host: then only the root of the mount is there.
      var names = parts[2].split(separator: "/")
      while true {
        folders.append(names.reduce(mount) { "\($0)/\($1)" })
        guard !names.isEmpty else { break }
        names.removeLast()
      }
    }
    return folders
  }
}
