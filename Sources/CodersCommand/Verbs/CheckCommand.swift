// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderTesting
import ImageCoders

/// `coders check`: tests a plugin against the rules of the interface.
struct CheckCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Test plugins against the rules of the plugin interface.",
    discussion: """
      For authors of plugins. Runs each check in a process of its own, so that a plugin that crashes, exits or hangs \
      fails that check only. A plugin is a library, a manifest, or every manifest of a directory. The files are samples; \
      those that have no extension of the plugin are files that it has to refuse. Without files, those of the folder \
      "samples" beside the manifest are used, or else pictures that the plugin itself wrote.

      Each failure names the rule (R1 to R16 of imgcoder/plugin.h), what was found and expected, and the command that \
      repeats it. What the plugin makes of its samples has to be the same in a worker; doctor says why there can be none. \
      The exit status is 0 if no check failed, otherwise 1. docs/checking.md describes every check.

      Examples:
        coders check libqoi.so picture.qoi
        coders check --only decode,writing.bounds qoi.imgcoder.json
        coders check --fuzz 60s --seed 7 libqoi.so *.qoi
        coders check --json build/plugins
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "List the checks, or with --json print them, and run none.")
  var list = false

  @Option(
    help: ArgumentHelp("Run only these groups and checks, separated by commas.", valueName: "group[.name],..."))
  var only: String?

  @Option(help: ArgumentHelp("Seed the random generator.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Decode changed samples for this long: 60s, 5m.", valueName: "time"), transform: Self.seconds)
  var fuzz: Double?

  @Option(help: ArgumentHelp("Run this many checks at once.", valueName: "n"))
  var jobs = 1

  @Option(help: ArgumentHelp("End a check after this many seconds.", valueName: "seconds"))
  var timeout = 20.0

  @Option(help: ArgumentHelp("Spend this many seconds on the variations of one check.", valueName: "seconds"))
  var effort = 3.0

  @Option(help: ArgumentHelp("Bytes of address space for one check; 0 for any number.", valueName: "bytes"))
  var memory: UInt64 = 8 << 30

  @Flag(
    inversion: .prefixedNo,
    help: "Check the plugin in a worker, too, or not; without either, where a worker is available.")
  var isolated: Bool?

  @Flag(help: "Print only failures and the last line.")
  var quiet = false

  @Option(name: .customLong("run-one"), help: .hidden)
  var child: String?

  @Argument(help: ArgumentHelp("A library, a manifest or a directory.", valueName: "plugin"))
  var plugin: String?

  @Argument(help: ArgumentHelp("Samples.", valueName: "files"))
  var files: [String] = []

  mutating func validate() throws {
    guard (1...256).contains(jobs) else { throw ValidationError("--jobs \(jobs): 1 to 256 are allowed") }
    for (name, value) in [("--timeout", timeout), ("--effort", effort)] {
      guard value > 0, value <= 86_400 else { throw ValidationError("\(name) \(value): up to 86400 s are allowed") }
    }
    guard plugin != nil || list else { throw ValidationError("Missing expected argument '<plugin>'") }
    if let unknown = PluginCheck.selection(words).unknown {
      throw ValidationError("--only \(unknown): there is no such group or check; coders check --list shows them")
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    var settings = CheckRun.Settings()
    (settings.seed, settings.timeout, settings.effort) = (seed, timeout, effort)
    (settings.fuzzing, settings.memory, settings.jobs) = (fuzz, memory, jobs)
    let checks = (only == nil ? PluginCheck.all : PluginCheck.selection(words).checks).filter {
      list || ($0.group != .fuzz || fuzz != nil) && ($0.group != .isolated || isolated != false)
    }
    if list {
      console.print(json ? CheckReport.json(checks).printed : CheckReport.lines(checks).joined(separator: "\n"))
      return .ok
    }
    let plugins = try CheckedPlugin.find(plugin ?? "", files: files.map { CheckedPlugin.absolute($0) })
    if let child, let plugin = plugins.first { CheckChild.run(child, plugin, settings) }
    if isolated == true { try demandWorker(plugins) }
    var report = CheckReport(checks: checks, arguments: arguments)
    for plugin in plugins {
      let results = CheckRun(settings).results(
        of: plugin, checks, cancellation: console.cancellation)
      report.add(plugin, results)
      if !json { for line in report.lines(plugin, results, console.style, isQuiet: quiet) { console.print(line) } }
    }
    console.print(json ? report.json.printed : report.summary)
    return report.failureCount == 0 ? .ok : ExitStatus(rawValue: 1)
  }

  /// Fails with what this machine or the installation lacks for a worker. What a plugin lacks, its checks say.
  private func demandWorker(_ plugins: [CheckedPlugin]) throws(CoderError) {
    for plugin in plugins {
      if case .failure(let reason) = plugin.isolated, reason.code == .isolationMissing {
        throw .pluginRejected("isolation_missing: \(reason.message)")
      }
    }
  }

  private var words: [String] { only?.split(separator: ",").map(String.init) ?? [] }

  /// The arguments that repeat this run for one check, without the plugin.
  private var arguments: [String] {
    ["--seed", "\(seed)"] + (fuzz.map { ["--fuzz", "\(Int($0))s"] } ?? [])
      + (timeout == 20 ? [] : ["--timeout", "\(timeout)"])
  }

  @Sendable private static func seconds(_ text: String) throws -> Double {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    let unit = text.last.flatMap { units[$0] }
    guard let value = Double(unit == nil ? text : String(text.dropLast())), value > 0, value * (unit ?? 1) <= 86_400
    else {
      throw ValidationError("\(text) is no time; 60s, 5m and 1h are")
    }
    return value * (unit ?? 1)
  }
}
