// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

/// The plugin that harms its process, and folders for what a run with it reads and writes.
struct UnrulyFolder {
  /// The plugin's folder.
  private static let plugin = ForeignPlugin.folder("UnrulyPlugin", "unruly")

  static let path = plugin.path
  static let library = "\(plugin.path)/libunruly.so"

  let input = Folder()
  let output = Folder()

  /// Writes a file that makes the plugin commit a fault, and gives its path.
  func file(_ act: String, name: String = "a.unruly") -> String { input.write(name, "UNRULY \(act)") }

  /// A path for a file to write.
  func out(_ name: String) -> String { "\(output.path)/\(name)" }

  /// Runs the staged command with the plugin.
  ///
  /// - Parameter act: What the plugin does that no file tells it, in the variable UNRULY.
  func run(
    _ arguments: [String], act: String = "", environment: [String: String] = [:], directory: String? = nil
  ) -> Run {
    Run.binary(
      arguments + ["--plugin-dir", Self.path],
      // What these tests are about is the process that loads the library for good.
      environment: environment.merging(["UNRULY": act, "CODERS_SCANNER": "none"]) { $1 }, directory: directory)
  }

  /// Runs the command, and sends it signals when the plugin says that it hangs.
  func run(_ arguments: [String], act: String = "", signals: [Int32]) -> Run {
    let started = "\(input.path)/started"
    return Run.binary(
      arguments + ["--plugin-dir", Self.path],
      environment: [
        "UNRULY": act, "UNRULY_STARTED": started, "SWIFT_BACKTRACE": "enable=no", "CODERS_SCANNER": "none",
      ],
      signals: Run.Signals(numbers: signals, file: started))
  }
}
