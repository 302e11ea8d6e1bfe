// SPDX-License-Identifier: Apache-2.0

import CIsolation

/// The layers of a worker's isolation. Each counts when its probe has run in that worker or its server.
package struct IsolationLayers: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ value: Int) { rawValue = UInt32(value) }

  package static let noNewPrivileges = IsolationLayers(ISOLATION_NO_NEW_PRIVILEGES)
  package static let seccomp = IsolationLayers(ISOLATION_SECCOMP)
  package static let landlock = IsolationLayers(ISOLATION_LANDLOCK)
  package static let root = IsolationLayers(ISOLATION_ROOT)
  package static let network = IsolationLayers(ISOLATION_NETWORK)
  package static let ipc = IsolationLayers(ISOLATION_IPC)
  package static let pid = IsolationLayers(ISOLATION_PID)
  package static let memory = IsolationLayers(ISOLATION_MEMORY)
  package static let limits = IsolationLayers(ISOLATION_LIMITS)
  package static let undumpable = IsolationLayers(ISOLATION_UNDUMPABLE)
  package static let descriptors = IsolationLayers(ISOLATION_DESCRIPTORS)
  package static let capabilities = IsolationLayers(ISOLATION_CAPABILITIES)

  /// All of them, with their stable names and what they do, in the order in which they are shown.
  package static let all: [(layer: IsolationLayers, name: String, text: String)] = [
    (.noNewPrivileges, "no-new-privileges", "no program can raise its rights"),
    (.capabilities, "capabilities", "none of the rights of root"),
    (.seccomp, "seccomp", "only the system calls that memory, locks and its own socket need"),
    (.landlock, "landlock", "no file can be opened"),
    (.root, "root", "own users and mounts: a root without files"),
    (.network, "network", "own network, without a way out"),
    (.ipc, "ipc", "own shared memory and names of the machine"),
    (.pid, "pid", "own processes: others cannot be seen"),
    (.memory, "memory", "a limit of memory"),
    (.limits, "limits", "limits of processor time, processes, files and descriptors; no core dumps"),
    (.undumpable, "undumpable", "no other process can look into it"),
    (.descriptors, "descriptors", "no inherited files, no environment"),
  ]

  /// What the system, and whatever confines the program, has to allow for a layer, or nil for one that is always there.
  package static func needs(of layer: IsolationLayers) -> String? {
    switch layer {
    case .capabilities: "the system call capset"
    case .seccomp: "filters of system calls (prctl or seccomp)"
    case .landlock: "landlock_create_ruleset, landlock_add_rule and landlock_restrict_self"
    case .root: "unshare with a namespace of users, mount, umount2 and pivot_root"
    case .network, .ipc, .pid: "unshare with a namespace of users"
    default: nil
    }
  }

  /// What a mode needs and these layers lack, by name; "landlock or root" for either of two.
  package func missing(for mode: Isolation.Mode) -> [String] {
    switch mode {
    case .inProcess, .preferred: return []
    case .strict: return Self.all.filter { !contains($0.layer) }.map(\.name)
    case .required:
      let optional: IsolationLayers = [.landlock, .root, .network, .ipc, .pid]
      var names = Self.all.filter { !optional.contains($0.layer) && !contains($0.layer) }.map(\.name)
      if isDisjoint(with: [.landlock, .root]) { names.append("landlock or root") }
      return names
    }
  }

  /// Layers that the variable `CODERS_ISOLATION_WITHOUT` leaves out, to see what happens on a machine that has none:
  /// names, separated by commas.
  static func leftOut(_ environment: (String) -> String? = PluginSearchPath.secureEnvironment) -> IsolationLayers {
    let names = (environment("CODERS_ISOLATION_WITHOUT") ?? "").split(separator: ",").map(String.init)
    return IsolationLayers(all.filter { names.contains($0.name) }.map(\.layer))
  }
}
