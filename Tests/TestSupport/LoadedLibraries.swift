// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The libraries that this process has loaded.
public enum LoadedLibraries {
  /// Whether a library is among them.
  ///
  /// - Parameter path: The end of its path.
  public static func contain(_ path: String) -> Bool {
    // The kernel states no size for this file, so it is read to its end.
    guard let file = fopen("/proc/self/maps", "r") else { fatalError("/proc/self/maps cannot be read") }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0 {
      if let line, String(cString: line).hasSuffix("\(path)\n") { return true }
    }
    return false
  }
}
