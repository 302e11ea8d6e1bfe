// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoderEngine
import Synchronization

/// The names of the files that the calling thread works on, as the user typed them. Threads that work for it take them
/// over. If a plugin ends the process, the last line on standard error begins with one of them.
enum CurrentFiles {
  /// Sets the names, until the next call on this thread.
  static func set(input: String?, output: String? = nil) {
    chostsystem_set_files(input.flatMap(kept), output.flatMap(kept))
  }

  /// Names that were set, which a signal handler may read at any time. Each is kept once: there are no more of them than
  /// arguments and files that are written.
  private static let names = Mutex<[String: Name]>([:])

  private struct Name: @unchecked Sendable {
    // Unchecked: constant memory that is never freed.
    let text: UnsafePointer<CChar>?
  }

  private static func kept(_ name: String) -> UnsafePointer<CChar>? {
    names.withLock { names in
      if let name = names[name] { return name.text }
      let new = Name(text: name.withSystemName { strdup($0) }.map { UnsafePointer($0) })
      names[name] = new
      return new.text
    }
  }
}
