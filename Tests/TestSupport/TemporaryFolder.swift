// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder that is gone after the test.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/imagecoders-test.XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "" }
      return String(cString: made)
    }
    precondition(!path.isEmpty, "no temporary folder")
  }

  deinit { _ = Command.run("rm -rf -- '\(path)'") }

  /// Writes a file, and the folders on the way to it.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) -> String {
    let file = "\(path)/\(name)"
    if name.contains("/") { _ = Command.run("mkdir -p -- \"$(dirname -- '\(file)')\"") }
    let descriptor = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0o644)
    precondition(descriptor >= 0, "cannot write \(file)")
    defer { close(descriptor) }
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "cannot write \(file)")
    return file
  }

  @discardableResult
  package func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }
}
