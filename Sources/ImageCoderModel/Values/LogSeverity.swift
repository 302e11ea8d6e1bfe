// SPDX-License-Identifier: Apache-2.0

/// How much a log line matters. The raw values are those of the plugin interface.
public enum LogSeverity: UInt32, Sendable {
  /// For developers of a coder, such as a wrapped library's own messages.
  case debug = 0
  /// A decision of the coder that does not change the result.
  case info = 1
  /// The result differs from what the file contains or the caller requested.
  case warning = 2
}
