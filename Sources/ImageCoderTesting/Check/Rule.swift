// SPDX-License-Identifier: Apache-2.0

/// A rule of the plugin interface that a check tests.
package enum Rule: String, Sendable, Codable, CaseIterable {
  case r1 = "R1"
  case r2 = "R2"
  case r3 = "R3"
  case r4 = "R4"
  case r5 = "R5"
  case r6 = "R6"
  case r7 = "R7"
  case r8 = "R8"
  case r9 = "R9"
  case r10 = "R10"
  case r11 = "R11"
  case r12 = "R12"
  case r13 = "R13"
  case r14 = "R14"
  case r15 = "R15"
  case r16 = "R16"
  case manifest
  case options

  /// The rule with a number of `plugin.h`, or nil.
  init?(number: UInt32) { self.init(rawValue: "R\(number)") }

  /// The rule as `plugin.h` words it, or as `docs/registry.md` and `docs/conformance-kit.md` do.
  package var text: String {
    switch self {
    case .r1: "No code runs before `describe` is called: no constructors, no static initializers with effects."
    case .r2:
      "No exit, abort, signal, longjmp, exception or trap crosses the boundary, whatever the input bytes are."
    case .r3:
      """
      The plugin does not change the working directory, the locale, the environment, signal handlers or the umask, and \
      writes nothing to standard output or standard error.
      """
    case .r4:
      "The plugin uses no threads except through parallel_for, whose bodies call only functions marked [any]."
    case .r5:
      "The plugin exports one symbol, imgcoder_entry_v1. Everything else is local to the library."
    case .r6: "The library works with all its symbols bound at load time (RTLD_NOW), and is never unloaded."
    case .r7:
      """
      Limits are checked before memory is allocated; before the first row a session holds at most 16 MiB plus 8 times \
      the size of the source plus the `memory` that its offer stated.
      """
    case .r8:
      "Every byte of a row is defined before the row is done, and no byte outside it is written."
    case .r9: "A truncated file delivers its complete rows and then reports TRUNCATED."
    case .r10: "The same bytes give the same pixels, every time, on every thread."
    case .r11:
      """
      The plugin reads only its source, files beside it that the host opens for it (siblings.h), and the resources that \
      its manifest names: no other file, no network.
      """
    case .r12: "Sessions are independent; sessions on different threads may run at the same time."
    case .r13:
      "Memory is freed by the side that allocated it; ownership of memory is never passed across the boundary."
    case .r14: "Every failure says, through host->fail, what was found and what was allowed."
    case .r15: "The library is what its manifest says: identifier, formats, capabilities, options."
    case .r16:
      """
      Every callback that is not marked `null` is there; what is not known (a struct's later fields, an unknown kind, \
      format or extension) is answered with a status or null, never with a crash.
      """
    case .manifest: "The manifest and the files beside it are as docs/registry.md describes them."
    case .options: "Every described option is taken within its range, does no harm beyond it, and changes some file."
    }
  }
}
