// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Names of the signals that end a process.
enum SignalName {
  private static let names: [Int32: String] = [
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGSEGV: "SIGSEGV", SIGTRAP: "SIGTRAP",
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGXCPU: "SIGXCPU", SIGPIPE: "SIGPIPE",
  ]

  static func of(_ number: Int32) -> String { names[number] ?? "signal \(number)" }
}
