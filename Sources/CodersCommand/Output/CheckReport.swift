// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import ImageCoders

/// The results of `coders check`.
struct CheckReport {
  /// Those that were asked for.
  let checks: [PluginCheck]
  /// What repeats a check besides the plugin and its name.
  let arguments: [String]
  private var plugins: [(plugin: CheckedPlugin, results: [CheckResult])] = []

  init(checks: [PluginCheck], arguments: [String]) {
    self.checks = checks
    self.arguments = arguments
  }

  mutating func add(_ plugin: CheckedPlugin, _ results: [CheckResult]) { plugins.append((plugin, results)) }

  var failureCount: Int { plugins.flatMap(\.results).count { $0.outcome == .fail } }

  var summary: String {
    let count = plugins.flatMap(\.results).count { $0.outcome != .skipped }
    return failureCount == 0 ? "check: pass" : "check: \(failureCount) of \(count) checks failed"
  }

  /// The results of one plugin: a line for each group, then the failures and warnings.
  func lines(_ plugin: CheckedPlugin, _ results: [CheckResult], _ style: Style, isQuiet: Bool) -> [String] {
    var lines: [String] = []
    if !isQuiet {
      lines.append(style.title(plugin.name.printable))
      var table = Table(["group", "pass", "fail", "warn", "skipped", "time", ""], rightAligned: [1, 2, 3, 4, 5])
      for group in PluginCheck.Group.allCases {
        let own = results.filter { $0.check.hasPrefix("\(group.rawValue).") }
        guard !own.isEmpty else { continue }
        let counts = CheckResult.Outcome.allCases.map { outcome in "\(own.count { $0.outcome == outcome })" }
        let milliseconds = own.reduce(0) { $0 + $1.milliseconds }
        // One reason says it all if nothing of the group applies.
        let isSkipped = own.allSatisfy { $0.outcome == .skipped && $0.note == own[0].note }
        table.add([group.rawValue] + counts + [seconds(milliseconds), isSkipped ? own[0].note ?? "" : ""])
      }
      lines += table.lines(style) + [""]
    }
    for result in results { lines += self.lines(result, plugin, style, isQuiet: isQuiet) }
    return lines
  }

  private func lines(_ result: CheckResult, _ plugin: CheckedPlugin, _ style: Style, isQuiet: Bool) -> [String] {
    if result.outcome == .warn, !isQuiet {
      return ["\(style.title("WARN"))  \(result.check): \((result.note ?? "").printable)", ""]
    }
    if let waiver = result.waiver, !isQuiet {
      return ["\(style.title("WAIVED"))  \(result.check), \(result.rule.rawValue): \(waiver.printable)", ""]
    }
    guard let failure = result.failure, result.outcome == .fail else { return [] }
    var lines = [
      "\(style.bad("FAIL"))  \(result.check)",
      "  rule      \(result.rule.rawValue): \(result.rule.text)",
      "  in        \(failure.what.printable)",
      "  expected  \(failure.expected.printable)",
      "  found     \(failure.found.printable)",
    ]
    if let file = result.file { lines.append("  input     \(file.printable)") }
    return lines + ["  repeat    \(command(result, plugin))", ""]
  }

  private func command(_ result: CheckResult, _ plugin: CheckedPlugin) -> String {
    let path = plugin.manifest ?? plugin.library ?? ""
    let words = ["coders", "check", path] + plugin.ownFiles(result.check) + ["--only", result.check] + arguments
    return words.map { word in
      let isPlain = word.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x2B...0x3A).contains(byte) || byte == 0x5F || byte == 0x40
      }
      return isPlain
        ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }.joined(separator: " ").printable
  }

  private func seconds(_ milliseconds: Int) -> String { "\(milliseconds / 1000).\(milliseconds / 100 % 10) s" }

  var json: JSONValue {
    .object([
      "schema": .integer(1),
      "failed": .integer(failureCount),
      "plugins": .list(
        plugins.map { plugin, results in
          .object([
            "name": .text(plugin.name), "manifest": .optional(plugin.manifest), "library": .optional(plugin.library),
            "results": .list(results.map { json($0, plugin) }),
          ])
        }),
    ])
  }

  private func json(_ result: CheckResult, _ plugin: CheckedPlugin) -> JSONValue {
    var members: [String: JSONValue] = [
      "check": .text(result.check), "rule": .text(result.rule.rawValue), "outcome": .text(result.outcome.rawValue),
      "note": .optional(result.note), "milliseconds": .integer(result.milliseconds),
    ]
    if let failure = result.failure {
      members["what"] = .text(failure.what)
      members["expected"] = .text(failure.expected)
      members["found"] = .text(failure.found)
      members["rule_text"] = .text(result.rule.text)
      members["repeat"] = .text(command(result, plugin))
    }
    if let waiver = result.waiver { members["waiver"] = .text(waiver) }
    if let file = result.file { members["file"] = .text(file) }
    return .object(members)
  }

  /// The checks as the table of `docs/checking.md`.
  static func lines(_ checks: [PluginCheck]) -> [String] {
    ["| check | rule | what holds |", "|---|---|---|"]
      + checks.map { "| `\($0.id)` | \($0.rule.rawValue) | \($0.sentence) |" }
  }

  static func json(_ checks: [PluginCheck]) -> JSONValue {
    .object([
      "schema": .integer(1),
      "checks": .list(
        checks.map {
          .object([
            "check": .text($0.id), "rule": .text($0.rule.rawValue), "rule_text": .text($0.rule.text),
            "sentence": .text($0.sentence), "runs_code": .boolean(!$0.isStatic),
          ])
        }),
    ])
  }
}
