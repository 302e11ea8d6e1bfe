// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The program that has all verbs and options.
public enum WholeCommand {
  /// Where it is installed.
  ///
  /// - Parameter executable: The path of the program that runs.
  public static func place(beside executable: String) -> String { "\(Path.folder(executable))/coders-command" }
}
