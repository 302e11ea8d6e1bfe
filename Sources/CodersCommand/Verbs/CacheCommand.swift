// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageCaching
import ImageCoderEngine
import ImageCoders

/// `coders cache`: what a cache on disk holds, and how to make it smaller or check it.
struct CacheCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Show, trim, clear or verify a cache of pictures on disk.",
    discussion: """
      Programs that use the product ImageCaching keep files from servers and thumbnails in a folder. This works on such a \
      folder, also while programs use it:

        stats   print how many entries there are, and their bytes
        trim    evict what matters least (--max-bytes, --max-entries)
        clear   remove all, or some (--kind, --older-than, --unused-for)
        verify  compare every value with its checksum (--repair removes damage)

      The exit status of verify is 1 if something was damaged, also if it was repaired. Files that a killed process has \
      left without an entry are no damage: they are counted, and --repair removes them.

      Examples:
        coders cache stats
        coders cache trim --max-bytes 100MiB --dir ~/.cache/viewer
        coders cache clear --kind processed --unused-for 604800
        coders cache verify --json
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable {
    case stats, trim, clear, verify
  }

  enum KindArgument: String, ExpressibleByArgument, CaseIterable {
    case original, processed

    var kind: DiskCache.Kind { self == .original ? .original : .processed }
  }

  @Argument(help: "What to do.")
  var action: Action

  @Option(
    help: ArgumentHelp(
      "The cache's folder. (default: $XDG_CACHE_HOME/coders, or ~/.cache/coders)", valueName: "folder"))
  var dir: String?

  @Option(
    help: ArgumentHelp("With trim: leave at most this many bytes: 200000, 200k, 64MiB.", valueName: "n"),
    transform: ByteCountArgument.parsed)
  var maxBytes: ByteCountArgument?

  @Option(help: ArgumentHelp("With trim: leave at most this many entries.", valueName: "n"))
  var maxEntries: Int?

  @Option(help: ArgumentHelp("With clear: only entries of this kind.", valueName: "kind"))
  var kind: KindArgument?

  @Option(
    help: ArgumentHelp(
      "With clear: only entries that were written or confirmed at least so many seconds ago.", valueName: "seconds"))
  var olderThan: Int?

  @Option(
    help: ArgumentHelp(
      "With clear: only entries that were last used at least so many seconds ago.", valueName: "seconds")
  )
  var unusedFor: Int?

  @Flag(help: "With verify: remove what is damaged and what no entry has.")
  var repair = false

  @Flag(name: [.short, .long], help: "Print errors only.")
  var quiet = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    let others: [(name: String, isGiven: Bool, action: Action)] = [
      ("--max-bytes", maxBytes != nil, .trim), ("--max-entries", maxEntries != nil, .trim),
      ("--kind", kind != nil, .clear), ("--older-than", olderThan != nil, .clear),
      ("--unused-for", unusedFor != nil, .clear), ("--repair", repair, .verify),
    ]
    for option in others where option.isGiven && option.action != action {
      throw ValidationError("\(option.name) is for `coders cache \(option.action.rawValue)`")
    }
    if action == .trim, maxBytes == nil, maxEntries == nil {
      throw ValidationError("trim needs --max-bytes or --max-entries")
    }
    for (name, value) in [("--max-entries", maxEntries), ("--older-than", olderThan), ("--unused-for", unusedFor)] {
      if let value, value < 0 { throw ValidationError("\(name) is \(value), it must be at least 0") }
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    guard let folder = dir.map(console.location) ?? DiskCache.defaultFolder(environment: console.environment) else {
      throw .invalidArgument("there is no home directory; name the folder with --dir")
    }
    // Asking about a cache makes none.
    guard "\(folder)/v1".withSystemName({ access($0, F_OK) }) == 0 else {
      throw CoderError.io("there is no cache in this folder").annotated(file: folder)
    }
    let cache = try DiskCache(folder: folder, options: .unlimited) { event in
      if let text = event.text { console.warn(text, file: folder) }
    }
    var (removed, verification): (Int?, DiskCache.Verification?)
    switch action {
    case .stats: break
    case .trim: removed = try cache.trim(toBytes: maxBytes?.bytes, count: maxEntries)
    case .clear: removed = try cache.removeAll(kind: kind?.kind, olderThan: olderThan, unusedFor: unusedFor)
    case .verify: verification = try cache.verify(repair: repair)
    }
    let report = CacheReport(
      folder: folder, action: action.rawValue, removed: removed, verification: verification,
      statistics: try cache.statistics())
    if json {
      console.print(report.json.printed)
    } else if !quiet {
      for line in report.lines { console.print(line) }
    }
    return verification?.isClean ?? true ? .ok : ExitStatus(.checksumMismatch(""))
  }
}

extension DiskCache.Options {
  /// The limits are those of the programs that use the cache.
  fileprivate static var unlimited: DiskCache.Options {
    var options = DiskCache.Options()
    options.maxBytes = .max
    options.maxCount = .max
    options.maxValueBytes = .max
    options.minFreeBytes = 0
    return options
  }
}

extension DiskCache.Event {
  fileprivate var text: String? {
    switch self {
    case .beganAnew(let damaged, let reason): "the database was damaged and a new one begun: \(reason); see \(damaged)"
    // It is in the report.
    case .removedEntry: nil
    case .failure(let error): error.description
    }
  }
}
