// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file beside the source, as it was when a coder asked for it. A picture is as it was while these are.
package struct SiblingStamp: Sendable, Hashable {
  let path: String
  /// Nil for a file that was not there.
  let version: String?

  static func version(_ status: stat) -> String {
    "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// Whether the file is still the same, or still not there.
  package var holds: Bool {
    var status = stat()
    guard path.withSystemName({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return version == nil
    }
    return version == Self.version(status)
  }
}
