// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoders

/// A cache whose folder someone else has written to.
enum CacheTargets {
  static let all = [
    FuzzTarget(
      name: "cache-database", about: "the database of a cache: values, totals and repair", seeds: .bytes(databases),
      structure: nil, run: use)
  ]

  private static let keys = ["a", "https://example.org/photo.webp", "c"]

  private static var options: DiskCache.Options {
    var options = DiskCache.Options()
    (options.minFreeBytes, options.busyTimeout, options.isSwept) = (0, 100, false)
    options.maxValueBytes = 1 << 20
    return options
  }

  private static func database(in folder: String) -> String { "\(folder)/v1/cache-1.sqlite" }

  /// An empty one, and one with values inside and one in a file, which is not there when it is read.
  private static let databases: [[UInt8]] = [false, true].compactMap { isFilled in
    guard let folder = Files.temporaryFolder() else { return nil }
    defer { Files.remove(folder) }
    fill(folder, isFilled)
    return Files.bytes(database(in: folder))
  }

  /// The log is in the database once no object has it open.
  private static func fill(_ folder: String, _ isFilled: Bool) {
    guard let cache = try? DiskCache(folder: folder, options: options), isFilled else { return }
    for (index, key) in keys.enumerated() {
      let value = [UInt8](repeating: UInt8(index), count: index == 2 ? 100_000 : 20)
      _ = try? cache.put(value, for: key, metadata: [1, 2, 3])
    }
  }

  private static func use(_ bytes: [UInt8]) {
    guard let folder = Files.temporaryFolder() else { return }
    defer { Files.remove(folder) }
    let root = "\(folder)/v1"
    guard mkdir(root, 0o700) == 0 else { return }
    Files.write(bytes, to: database(in: folder))
    chmod(database(in: folder), 0o600)
    guard let cache = try? DiskCache(folder: folder, options: options) else { return }
    for key in keys {
      guard let value = try? cache.value(for: key) else { continue }
      if value.count > options.maxValueBytes { FuzzTarget.broken("a value of \(value.count) bytes keeps to its limit") }
    }
    _ = try? cache.statistics()
    _ = try? cache.verify(repair: true)
    guard (try? cache.put([1, 2, 3], for: "new")) == true else { return }
    guard let value = try? cache.value(for: "new"), value.bytes == [1, 2, 3] else {
      FuzzTarget.broken("what was put into a repaired cache is in it")
    }
  }
}
