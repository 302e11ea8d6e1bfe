// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// A cache in a folder of its own, with a clock that a test sets.
final class CacheFixture: Sendable {
  let folder = TemporaryFolder()
  let clock = Atomic<Int>(1_000_000)
  private let eventList = Mutex<[DiskCache.Event]>([])

  var path: String { "\(folder.path)/cache" }
  var events: [DiskCache.Event] { eventList.withLock { $0 } }

  func open(_ change: (inout DiskCache.Options) -> Void = { _ in }) throws(CoderError) -> DiskCache {
    var options = DiskCache.Options()
    options.minFreeBytes = 0
    // What runs in the background would keep a database open that a test changes.
    options.isSwept = false
    options.now = { self.clock.load(ordering: .relaxed) }
    change(&options)
    return try DiskCache(folder: path, options: options) { event in self.eventList.withLock { $0.append(event) } }
  }

  func advance(_ seconds: Int) { clock.add(seconds, ordering: .relaxed) }

  /// The files of values.
  var files: [String] {
    (0..<256).flatMap { number in
      let folder = "\(path)/v1/files/\(number < 16 ? "0" : "")\(String(number, radix: 16))"
      return CacheFolder.names(in: folder).map { "\(folder)/\($0)" }
    }
  }

  /// Bytes that look like those of a compressed file.
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    var bytes = [UInt8](repeating: 0, count: count)
    for index in stride(from: 0, to: count, by: 8) {
      let word = random.next()
      for place in index..<min(count, index + 8) {
        bytes[place] = UInt8(truncatingIfNeeded: word >> UInt64(8 * (place - index)))
      }
    }
    return bytes
  }
}

@Suite struct DiskCacheTests {
  private let fixture = CacheFixture()

  @Test(arguments: [0, 1, 31, 4096, 64 << 10, (64 << 10) + 1, 3_000_001])
  func returnsWhatWasPut(_ count: Int) throws {
    let cache = try fixture.open()
    let bytes = CacheFixture.bytes(count, seed: 1)
    #expect(try cache.value(for: "a") == nil)
    #expect(try !cache.contains("a"))
    #expect(try cache.put(bytes, for: "a", kind: .processed, metadata: [1, 2, 3]))
    #expect(try cache.contains("a"))
    let value = try #require(try cache.value(for: "a"))
    #expect(value.bytes == bytes)
    #expect(value.count == count)
    #expect(value.kind == .processed)
    #expect(value.metadata == [1, 2, 3])
    #expect(value.storedAt == 1_000_000)
    #expect(fixture.files.count == (count > 64 << 10 ? 1 : 0))
    // Another object, which may be one of another process.
    #expect(try fixture.open().value(for: "a")?.bytes == bytes)
    #expect(fixture.events == [])
  }

  @Test func sourceSharesTheBytes() throws {
    let cache = try fixture.open()
    for count in [1000, 200_000] {
      try cache.put(CacheFixture.bytes(count, seed: 2), for: "a")
      let value = try #require(try cache.value(for: "a"))
      let source = try OpenSource(value.source, limits: .standard)
      let view = try source.view(at: 0, count: .max)
      #expect(view.count == count)
      #expect(value.withUnsafeBytes { $0.baseAddress == view.baseAddress })
    }
  }

  @Test func valuesStayAfterTheyAreReplacedAndRemoved() throws {
    let cache = try fixture.open()
    let (first, second) = (CacheFixture.bytes(100_000, seed: 1), CacheFixture.bytes(90_000, seed: 2))
    try cache.put(first, for: "a")
    let old = try #require(try cache.value(for: "a"))
    let oldFiles = fixture.files
    try cache.put(second, for: "a")
    #expect(fixture.files.count == 1)
    #expect(fixture.files != oldFiles)
    #expect(try cache.value(for: "a")?.bytes == second)
    try cache.put([1, 2, 3], for: "a")
    #expect(fixture.files == [])
    #expect(try cache.value(for: "a")?.bytes == [1, 2, 3])
    try cache.put(second, for: "a")
    #expect(try cache.remove("a"))
    #expect(try !cache.remove("a"))
    #expect(fixture.files == [])
    #expect(old.bytes == first)
    #expect(try cache.statistics().count == 0)
    #expect(try cache.statistics().bytes == 0)
  }

  @Test func statisticsAreTheSums() throws {
    let cache = try fixture.open()
    try cache.put([UInt8](repeating: 1, count: 1000), for: "one", kind: .original, metadata: [0])
    try cache.put([UInt8](repeating: 1, count: 100_000), for: "three", kind: .processed)
    try cache.put([UInt8](repeating: 1, count: 500), for: "two", kind: .processed)
    _ = try cache.value(for: "one")
    _ = try cache.value(for: "none")
    let found = try cache.statistics()
    #expect(found.count == 3)
    #expect(found.bytes == 1004 + 100_005 + 503)
    #expect(found.countByKind == [.original: 1, .processed: 2])
    #expect(found.bytesByKind == [.original: 1004, .processed: 100_508])
    #expect(found.inlineBytes == 1507)
    #expect(found.fileBytes == 100_005)
    #expect(found.databaseBytes > 16384)
    #expect((found.hits, found.misses) == (1, 1))
  }

  @Test func metadataIsReplacedAndConfirmsTheEntry() throws {
    let cache = try fixture.open { $0.maxAge = 100 }
    try cache.put([1, 2], for: "a", metadata: [1])
    fixture.advance(80)
    #expect(try cache.updateMetadata([9, 9, 9], for: "a"))
    #expect(try !cache.updateMetadata([9], for: "b"))
    fixture.advance(80)
    let value = try #require(try cache.value(for: "a"))
    #expect(value.bytes == [1, 2])
    #expect(value.metadata == [9, 9, 9])
    #expect(value.storedAt == 1_000_080)
    #expect(try cache.statistics().bytes == 2 + 1 + 3)
    fixture.advance(21)
    #expect(try !cache.contains("a"))
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.statistics().count == 0)
    #expect(fixture.events == [])
  }

  @Test func refusesWhatIsTooLarge() throws {
    let cache = try fixture.open {
      $0.maxBytes = 1000
      $0.maxValueBytes = 500
    }
    try cache.put([UInt8](repeating: 1, count: 400), for: "a")
    // The old value would be wrong from now on.
    #expect(try !cache.put([UInt8](repeating: 1, count: 501), for: "a"))
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.put([UInt8](repeating: 1, count: 500), for: "a"))
    #expect(try !cache.put([1], for: "b", metadata: [UInt8](repeating: 1, count: 999)))
    let long = String(repeating: "x", count: (64 << 10) + 1)
    #expect(throws: CoderError.invalidArgument("a key of 65537 bytes; at most 65536 are allowed")) {
      try cache.put([1], for: long)
    }
    #expect(throws: CoderError.invalidArgument("metadata of 1048577 bytes; at most 1048576 are allowed")) {
      try cache.updateMetadata([UInt8](repeating: 1, count: (1 << 20) + 1), for: "a")
    }
    #expect(throws: CoderError.invalidArgument("maxInlineBytes is 1048577; 0 to 1048576 are allowed")) {
      _ = try fixture.open { $0.maxInlineBytes = (1 << 20) + 1 }
    }
    // A value from before the limit.
    let other = try fixture.open { $0.maxValueBytes = 499 }
    #expect(try other.value(for: "a") == nil)
  }

  @Test func removesByKindAgeAndUse() throws {
    let cache = try fixture.open()
    for (number, kind) in [DiskCache.Kind.original, .processed, .original, .processed].enumerated() {
      try cache.put([UInt8](repeating: 1, count: number % 2 == 0 ? 10 : 70_000), for: "\(number)", kind: kind)
      fixture.advance(10_000)
    }
    // At 40,000: written 40,000, 30,000, 20,000 and 10,000 seconds ago.
    _ = try cache.value(for: "0")
    fixture.advance(100)
    #expect(try cache.removeAll(unusedFor: 30_000) == 1)
    #expect(try ["0", "1", "2", "3"].map { try cache.contains($0) } == [true, false, true, true])
    #expect(try cache.removeAll(kind: .original, olderThan: 30_000) == 1)
    #expect(try ["0", "2", "3"].map { try cache.contains($0) } == [false, true, true])
    #expect(try cache.removeAll() == 2)
    #expect(fixture.files == [])
    #expect(try cache.statistics().bytes == 0)
    #expect(try cache.verify().isClean)
  }

  /// Sums are written after some additions, and at once when entries go: whatever comes between, they are those of the entries.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func totalsAreTheSumsOfTheEntries(_ seed: UInt64) throws {
    let caches = [try fixture.open(), try fixture.open()]
    var random = SplitMix(seed: seed)
    var sizes: [String: Int] = [:]
    for round in 0..<600 {
      let (key, size) = ("\(random.below(150))", random.below(10) == 0 ? 70_000 : random.below(5000))
      let cache = caches[random.below(2)]
      switch random.below(8) {
      case 0:
        #expect(try cache.remove(key) == (sizes[key] != nil))
        sizes[key] = nil
      case 1:
        let metadata = [UInt8](repeating: 7, count: random.below(300))
        guard try cache.updateMetadata(metadata, for: key) else { continue }
        sizes[key] = try #require(try cache.value(for: key)).count + metadata.count
      default:
        try cache.put([UInt8](repeating: 1, count: size), for: key)
        sizes[key] = size
      }
      let found = try caches[random.below(2)].statistics()
      #expect(found.count == sizes.count, "round \(round)")
      #expect(found.bytes == sizes.reduce(0) { $0 + $1.value + $1.key.utf8.count }, "round \(round)")
    }
    #expect(try caches[0].verify().isClean)
  }

  @Test func clearingGivesTheSpaceBack() throws {
    let cache = try fixture.open()
    for number in 0..<1500 { try cache.put(CacheFixture.bytes(20_000, seed: UInt64(number)), for: "\(number)") }
    let full = try cache.statistics().databaseBytes
    #expect(full > 30_000_000)
    #expect(try cache.removeAll() == 1500)
    // A few free pages stay for what comes next.
    #expect(try cache.statistics().databaseBytes < 5_000_000)
    #expect(try cache.verify().isClean)
  }

  @Test func keepsSpaceFree() throws {
    let free = Atomic<Int>(1 << 30)
    let cache = try fixture.open {
      $0.minFreeBytes = 1 << 20
      $0.freeBytes = { _ in free.load(ordering: .relaxed) }
    }
    for number in 0..<10 { #expect(try cache.put(CacheFixture.bytes(900_000, seed: 1), for: "\(number)")) }
    free.store((1 << 20) - 1_000_000, ordering: .relaxed)
    // What is missing is evicted; the disk is no emptier then, so nothing is kept.
    var kept = true
    for number in 10..<20 where kept { kept = try cache.put(CacheFixture.bytes(900_000, seed: 1), for: "\(number)") }
    #expect(!kept)
    let bytes = try cache.statistics().bytes
    #expect(bytes < 9_000_000)
    free.store(1 << 30, ordering: .relaxed)
    #expect(try cache.put(CacheFixture.bytes(900_000, seed: 1), for: "x"))
  }

  @Test func emptyAndStrangeKeysAreDifferent() throws {
    let cache = try fixture.open()
    let keys = ["", "\0", "\0\0", "é", "e\u{301}", String(repeating: "k", count: 64 << 10)]
    for (number, key) in keys.enumerated() { try cache.put([UInt8(number)], for: key) }
    for (number, key) in keys.enumerated() { #expect(try cache.value(for: key)?.bytes == [UInt8(number)]) }
  }

  @Test func tasksAndThreadsShareAFolder() async throws {
    let caches = try [fixture.open(), fixture.open()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<40 {
        group.addTask {
          let cache = caches[task % 2]
          for round in 0..<10 {
            let key = "\((task * 7 + round) % 50)"
            let bytes = CacheFixture.bytes(round % 3 == 0 ? 80_000 : 900, seed: UInt64(task * 10 + round))
            #expect(try await cache.async.put(key.utf8 + bytes, for: key, metadata: Array(key.utf8)))
            // Whoever wrote it, it is whole and of this key.
            if let value = try await caches[(task + 1) % 2].async.value(for: key) {
              #expect(value.bytes.starts(with: key.utf8) && value.metadata == Array(key.utf8))
            }
            if round == 5 { try await cache.async.remove(key) }
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try caches[0].verify()
    #expect(found.isClean)
    #expect(found.orphanCount == 0)
    #expect(found.checkedCount == fixtureCount(caches[0]))
    #expect(fixture.events == [])
    #expect(try await caches[0].async.contains("1") == caches[0].contains("1"))
    #expect(try await caches[1].async.updateMetadata([7], for: "none") == false)
    #expect(try await caches[1].async.removeAll() == found.checkedCount)
    #expect(fixture.files == [])
  }

  private func fixtureCount(_ cache: DiskCache) -> Int { (try? cache.statistics().count) ?? -1 }

  @Test func usesAreWrittenDownWithTheNextWrite() throws {
    var cache: DiskCache? = try fixture.open()
    try cache?.put([1], for: "a")
    fixture.advance(50_000)
    _ = try cache?.value(for: "a")
    // The object's end writes them, too.
    cache = nil
    let other = try fixture.open()
    #expect(try other.removeAll(unusedFor: 1000) == 0)
    #expect(try other.removeAll(olderThan: 1000) == 1)
  }
}
