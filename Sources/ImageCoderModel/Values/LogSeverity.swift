// SPDX-License-Identifier: Apache-2.0

/// How much a log line matters. The raw values are those of the plugin interface.
public enum LogSeverity: UInt32, Sendable {
  case debug = 0
  case info = 1
  case warning = 2
}
