// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders

/// The output of `coders policy`: each setting, who made it, and why.
struct PolicyListing {
  private let policy: SecurityPolicy
  private let finding: SecurityPolicy.Finding
  private let catalog: Catalog

  /// A line of the table.
  private struct Row {
    let name: String
    /// For one format alone, or nil in general.
    var format: ImageFormat?
    let value: JSONValue
    /// The value for people.
    let shown: String
    /// Who set it, or nil if nobody did.
    var origin: SecurityPolicy.Origin?
    var reason: String?
  }

  init(_ registry: CoderRegistry, _ finding: SecurityPolicy.Finding) {
    policy = registry.policy
    catalog = registry.catalog
    self.finding = finding
  }

  private var rows: [Row] {
    var rows = [
      row(
        "formats", policy.formats, unset: .null, "all", value: { .texts($0.map(\.rawValue).sorted()) },
        shown: { $0.map(\.rawValue).sorted().joined(separator: " ") }),
      row(
        "coders", policy.coders, unset: .null, "all", value: { .texts($0.sorted()) },
        shown: { $0.sorted().joined(separator: " ") }),
    ]
    for limit in Limits.table {
      let standard = Limits.standard[keyPath: limit.property]
      rows.append(
        row(
          limit.name.rawValue, policy.limits[limit.name], unset: .integer(standard), "\(standard)",
          value: { .integer($0) },
          shown: { "\($0)" }))
    }
    rows.append(isolation("isolation", policy.isolation))
    rows.append(isolation("isolationOfPureSwift", policy.isolationOfPureSwift ?? policy.isolation))
    rows.append(flag("freshWorkers", policy.usesFreshWorkers, unset: false))
    rows.append(flag("metadata", policy.readsMetadata, unset: true))
    rows.append(
      row(
        "readOptions", policy.readOptions, unset: .null, "all", value: { .texts($0.sorted()) },
        shown: { $0.isEmpty ? "none" : $0.sorted().joined(separator: " ") }))
    rows.append(
      row(
        "siblings", policy.siblings, unset: .text("named"), "named", value: { .text($0.word) }, shown: \.word))
    rows.append(
      row(
        "advisories", policy.advisories, unset: .text("ignore"), "ignore", value: { .text($0.rawValue) },
        shown: \.rawValue))
    for (format, rules) in policy.formatRules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for name in Limits.table.map(\.name) {
        guard let limit = rules.limits[name] else { continue }
        var row = row(name.rawValue, limit, unset: .null, "", value: { .integer($0) }, shown: { "\($0)" })
        row.format = format
        rows.append(row)
      }
      if let mode = rules.isolation {
        var row = isolation("isolation", mode)
        row.format = format
        rows.append(row)
      }
    }
    return rows
  }

  private func isolation(_ name: String, _ setting: SecurityPolicy.Rule<Isolation.Mode>?) -> Row {
    row(name, setting, unset: .text("off"), "off", value: { .text($0.word) }, shown: \.word)
  }

  private func flag(_ name: String, _ setting: SecurityPolicy.Rule<Bool>?, unset: Bool) -> Row {
    row(
      name, setting, unset: .boolean(unset), unset ? "yes" : "no", value: { .boolean($0) }, shown: { $0 ? "yes" : "no" }
    )
  }

  private func row<Value>(
    _ name: String, _ setting: SecurityPolicy.Rule<Value>?, unset: JSONValue, _ unsetShown: String,
    value: (Value) -> JSONValue,
    shown: (Value) -> String
  ) -> Row {
    guard let setting else { return Row(name: name, value: unset, shown: unsetShown) }
    return Row(
      name: name, value: value(setting.value), shown: shown(setting.value), origin: setting.origin,
      reason: setting.reason)
  }

  /// Formats of the policy that no installed coder has: perhaps misspelt.
  private var unknownFormats: [String] {
    let named = Set(policy.formatRules.keys).union(policy.formats?.value ?? [])
    return named.filter { catalog.formats(named: $0.rawValue).isEmpty }.map(\.rawValue).sorted()
  }

  private var foundBy: (word: String, file: String?, shown: String) {
    switch finding {
    case .argument: ("argument", nil, "--policy")
    case .variable: ("variable", nil, "CODERS_POLICY")
    case .file(let path): ("file", path, path)
    case .nothing: ("default", nil, "no policy is set")
    }
  }

  /// The table.
  func lines(_ style: Style) -> [String] {
    var table = Table(["SETTING", "FORMAT", "VALUE", "SET BY", "REASON"])
    for row in rows {
      table.add([
        row.name, row.format.map { catalog.name(of: $0) } ?? "", row.shown, row.origin?.description ?? "",
        row.reason ?? "",
      ])
    }
    let unknown = unknownFormats.map { "no installed coder knows the format \($0.printable)" }
    return [style.title(policy.name.printable) + "  (\(foundBy.shown.printable))", ""] + table.lines(style)
      + (unknown.isEmpty ? [] : [""] + unknown)
  }

  /// The output of `coders policy --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1), "policy": .text(policy.name), "found": .text(foundBy.word),
      "file": .optional(foundBy.file), "unknownFormats": .texts(unknownFormats),
      "pureSwiftReaders": .object(SecurityPolicy.pureSwiftReaders.mapValues { .text($0) }),
      "settings": .list(
        rows.map { row in
          .object([
            "name": .text(row.name), "format": .optional(row.format?.rawValue), "value": row.value,
            "origin": origin(row.origin), "reason": .optional(row.reason),
          ])
        }),
    ])
  }

  private func origin(_ origin: SecurityPolicy.Origin?) -> JSONValue {
    switch origin {
    case .preset(let name): .object(["kind": .text("preset"), "name": .text(name), "line": .null])
    case .file(let path, let line): .object(["kind": .text("file"), "name": .text(path), "line": .integer(line)])
    case .program: .object(["kind": .text("program"), "name": .null, "line": .null])
    case nil: .null
    }
  }
}
