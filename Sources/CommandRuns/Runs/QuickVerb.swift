// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What is done in a few milliseconds, of which the whole command, with the parser of its arguments, would take most.
///
/// Only the plain ways to ask for it are understood. Everything else is for the whole command, wrong usage too: it has all
/// options, and says what is wrong.
public enum QuickVerb {
  case version
  case list(ListRun)
  case probe(ProbeRun, files: [String])
  case thumbnail(ThumbnailRun, files: [String])
  case convert(ConvertRun, input: String, output: String)

  /// - Parameter arguments: Without the program's name.
  /// - Returns: Nil for what is for the whole command.
  public init?(_ arguments: [String]) {
    switch arguments.first {
    case "--version" where arguments.count == 1: self = .version
    case "list": self.init(list: arguments.dropFirst())
    case "probe": self.init(probe: arguments.dropFirst())
    case "thumbnail": self.init(thumbnail: arguments.dropFirst())
    case "convert": self.init(convert: arguments.dropFirst())
    default: return nil
    }
  }

  private init?(list arguments: ArraySlice<String>) {
    var list = ListRun()
    switch arguments {
    case []: break
    case ["--json"]: list.isJSON = true
    case ["--quiet"]: list.coders.isQuiet = true
    default: return nil
    }
    self = .list(list)
  }

  private init?(probe arguments: ArraySlice<String>) {
    guard let words = Words(arguments, flags: ["--json", "--short", "--explain", "--quiet"]) else { return nil }
    var probe = ProbeRun()
    switch (words.has("--json"), words.has("--short")) {
    case (false, false): break
    case (true, false): probe.form = .json
    case (false, true): probe.form = .lines
    case (true, true): return nil
    }
    probe.explains = words.has("--explain")
    probe.read.coders.isQuiet = words.has("--quiet")
    self = .probe(probe, files: words.files)
  }

  private init?(thumbnail arguments: ArraySlice<String>) {
    let modes: [String: ThumbnailMode] = ["--fit": .fit, "--fill": .fill, "--stretch": .stretch]
    guard
      let words = Words(
        arguments, flags: ["--quiet", "--fast"] + modes.keys, options: ["--size", "--output", "-o", "--format"]),
      let box = words["--size"].flatMap({ PictureBox($0) }), let output = words["--output"] ?? words["-o"],
      words["--output"] == nil || words["-o"] == nil
    else { return nil }
    var thumbnails = ThumbnailRun(box: box, output: output)
    let named = modes.filter { words.has($0.key) }
    guard named.count <= 1 else { return nil }
    thumbnails.mode = named.first?.value ?? .fit
    if words.has("--fast") { thumbnails.quality = .fast }
    thumbnails.format = words["--format"]
    thumbnails.read.coders.isQuiet = words.has("--quiet")
    self = .thumbnail(thumbnails, files: words.files)
  }

  private init?(convert arguments: ArraySlice<String>) {
    guard
      let words = Words(
        arguments, flags: ["--quiet", "--reencode", "--lossless", "--progressive"],
        options: ["--format", "--quality"]),
      words.files.count == 2
    else { return nil }
    var conversion = ConvertRun()
    conversion.format = words["--format"]
    conversion.reencodes = words.has("--reencode")
    conversion.encoding.isLossless = words.has("--lossless")
    conversion.encoding.isProgressive = words.has("--progressive")
    if let word = words["--quality"] {
      guard let quality = Double(word), (0...1).contains(quality) else { return nil }
      conversion.encoding.quality = quality
    }
    conversion.read.coders.isQuiet = words.has("--quiet")
    self = .convert(conversion, input: words.files[0], output: words.files[1])
  }

  /// Does it.
  public func run(_ console: Console) -> ExitStatus {
    let failures = Failures(console)
    var status = ExitStatus.ok
    switch self {
    case .version: console.print(CommandProcess.version)
    case .list(let list): list.run(console)
    case .probe(let probe, let files): probe.run(files, kept(probe.read, console), failures, console)
    case .convert(let conversion, let input, let output):
      conversion.run(input, to: output, kept(conversion.read, console), failures, console)
    case .thumbnail(let thumbnails, let files):
      do throws(CoderError) {
        try thumbnails.run(
          files.map { InputFile(path: $0) }, isOneInput: files.count == 1, kept(thumbnails.read, console), failures,
          console)
      } catch {
        console.report(error)
        status = ExitStatus(error)
      }
    }
    return CommandProcess.finish(status == .ok ? failures.status : status, console)
  }

  /// A registry that stays until the process ends: to take it apart would cost a part of a millisecond.
  private func kept(_ settings: ReadSettings, _ console: Console) -> CoderRegistry {
    let registry = settings.registry(console)
    _ = Unmanaged.passRetained(registry)
    return registry
  }
}

/// Arguments without surprises: each option once, its value apart from it, and at least one file.
private struct Words {
  private(set) var files: [String] = []
  private var given: [String: String] = [:]

  /// - Returns: Nil if there is anything else.
  init?(_ arguments: ArraySlice<String>, flags: [String], options: [String] = []) {
    var rest = arguments
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else {
        files.append(word)
        continue
      }
      guard given[word] == nil else { return nil }
      if flags.contains(word) {
        given[word] = ""
      } else if options.contains(word), let value = rest.popFirst(), !value.hasPrefix("-") {
        given[word] = value
      } else {
        return nil
      }
    }
    if files.isEmpty { return nil }
  }

  func has(_ flag: String) -> Bool { given[flag] != nil }

  subscript(option: String) -> String? { given[option] }
}
