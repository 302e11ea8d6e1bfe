// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoderModel
import TestSupport

/// usage: cache-bench FOLDER mixed ENTRIES | sizes VALUES | start ROWS
///
/// Prints lines of words: what was measured, of whom, and microseconds of processor time. `Benchmarks/disk_cache.py` reads them.
@main struct CacheBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      print("usage: cache-bench FOLDER mixed ENTRIES | sizes VALUES | start ROWS")
      exit(64)
    }
    let folder = arguments[1]
    switch arguments[2] {
    case "mixed": try mixed(folder, count)
    case "sizes": try sizes(folder, count)
    case "start": try await start(folder, count)
    default: exit(64)
    }
  }

  /// Bytes that are no runs of one value; each size begins elsewhere in them.
  private static let noise: [UInt8] = {
    var random = SplitMix(seed: 1)
    return (0..<(4 << 17)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
  }()

  private static func report(_ words: String..., microseconds: Double) {
    print(words.joined(separator: " "), (microseconds * 100).rounded() / 100)
  }

  /// Processor time of this process, in microseconds.
  private static func processorTime() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) * 1e6 + Double(now.tv_nsec) / 1e3
  }

  /// Microseconds of processor time that a call takes.
  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = processorTime()
    try body()
    return processorTime() - start
  }

  private static func cache(_ folder: String, inline: Int = 64 << 10) throws -> DiskCache {
    var options = DiskCache.Options()
    options.maxBytes = 1 << 40
    options.maxCount = 1 << 30
    options.minFreeBytes = 0
    options.maxInlineBytes = inline
    return try DiskCache(folder: folder, options: options)
  }

  // MARK: Mixed sizes

  /// Entries like those of a cache of pictures: nine of ten are 1 to 33 KiB, the tenth 64 to 512 KiB.
  private static func mixedSizes(_ count: Int) -> [Int] {
    var random = SplitMix(seed: 7)
    return (0..<count).map { _ in
      random.below(10) == 0 ? (64 + random.below(448)) << 10 : (1 << (10 + random.below(6))) + random.below(1000)
    }
  }

  private static func mixed(_ folder: String, _ count: Int) throws {
    let sizes = mixedSizes(count)
    var random = SplitMix(seed: 8)
    let order = (0..<count).map { _ in random.below(count) }
    let stores: [any Store] = [
      OwnStore(try cache("\(folder)/own")), try PlainSQLite("\(folder)/plain.sqlite"),
      PlainFiles("\(folder)/files", isSafe: false), PlainFiles("\(folder)/safe", isSafe: true),
    ]
    // In turns of a thousand: the machine is not the same all the time.
    let step = min(1000, count)
    for first in stride(from: 0, to: count - step + 1, by: step) {
      for store in stores {
        let time = try time {
          for index in first..<first + step {
            try store.put(index, noise[index % 4096..<(index % 4096 + sizes[index])])
          }
        }
        report("put", store.name, microseconds: time / Double(step))
      }
    }
    for first in stride(from: 0, to: count - step + 1, by: step) {
      for store in stores {
        let time = try time {
          for index in order[first..<first + step] {
            guard try store.get(index) == sizes[index] else { fatalError("\(store.name) has lost \(index)") }
          }
        }
        report("get", store.name, microseconds: time / Double(step))
      }
    }
  }

  // MARK: Where values lie

  /// The same value in the database and in a file, for each size.
  private static func sizes(_ folder: String, _ count: Int) throws {
    for kibibytes in [1, 4, 16, 32, 64, 128, 256, 512, 1024] {
      let size = kibibytes << 10
      let values = max(20, min(count, count * 16 / kibibytes))
      let stores = [
        ("inline", OwnStore(try cache("\(folder)/inline-\(kibibytes)", inline: 1 << 20))),
        ("file", OwnStore(try cache("\(folder)/file-\(kibibytes)", inline: 0))),
      ]
      for _ in 0..<5 {
        for (name, store) in stores {
          let put = try time { for index in 0..<values { try store.put(index, noise[index..<(index + size)]) } }
          report("put", name, "\(kibibytes)", microseconds: put / Double(values))
          let get = try time {
            for index in 0..<values {
              guard try store.get(index) == size else { fatalError("\(name) has lost \(index)") }
            }
          }
          report("get", name, "\(kibibytes)", microseconds: get / Double(values))
        }
      }
    }
  }

  // MARK: Opening

  /// Opens a cache with so many rows, some times.
  private static func start(_ folder: String, _ count: Int) async throws {
    try await fill("\(folder)/start", count)
    for _ in 0..<7 {
      let clock = ContinuousClock()
      var isThere = false
      let elapsed = try clock.measure {
        let cache = try cache("\(folder)/start")
        isThere = try cache.value(for: "https://example.org/1") != nil && cache.statistics().count >= count
      }
      guard isThere else { fatalError("the entries are not there") }
      report("open", "\(count)", microseconds: Double(elapsed.components.attoseconds) / 1e12)
    }
  }

  /// Adds small entries, many in one transaction as tasks do.
  private static func fill(_ folder: String, _ count: Int) async throws {
    let cache = try cache(folder)
    let value = Array(noise.prefix(40))
    guard try cache.statistics().count < count else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for first in 0..<64 {
        group.addTask {
          for index in stride(from: first, to: count, by: 64) {
            try await cache.async.put(value, for: "https://example.org/\(index)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
