// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// What was changed, cut or lost on the disk is never served, and never stops the cache.
@Suite struct DiskCacheDamageTests {
  private let fixture = CacheFixture()
  private var database: String { "\(fixture.path)/v1/cache-1.sqlite" }

  private func contents(_ path: String) throws -> [UInt8] {
    try OpenSource(.file(path), limits: .standard).contents()
  }

  private func write(_ bytes: some Collection<UInt8>, to path: String) {
    let bytes = Array(bytes)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "cannot write \(path)")
    close(descriptor)
  }

  /// The kinds of damage to a value's file.
  @Test(arguments: ["bit", "shorter", "longer", "zeros", "gone", "link"])
  func damagedFilesAreMisses(_ damage: String) throws {
    let cache = try fixture.open()
    let bytes = CacheFixture.bytes(100_000, seed: 1)
    try cache.put(bytes, for: "a")
    try cache.put([5], for: "b")
    let file = try #require(fixture.files.first)
    switch damage {
    case "bit":
      var changed = bytes
      changed[54_321] ^= 1
      write(changed, to: file)
    case "shorter": write(bytes.dropLast(), to: file)
    case "longer": write(bytes + [0], to: file)
    // What a file that was not synced may be after the power was lost.
    case "zeros": write([UInt8](repeating: 0, count: 100_000), to: file)
    case "link":
      rename(file, "\(file)x")
      symlink("\(file)x", file)
    default: unlink(file)
    }
    #expect(try cache.contains("a"))
    #expect(try cache.value(for: "a") == nil)
    #expect(try !cache.contains("a"))
    let reason =
      ["bit", "zeros"].contains(damage) ? "the value has not its checksum" : "its file is gone or has another length"
    #expect(fixture.events == [.removedEntry(key: "a", reason: reason)])
    #expect(fixture.files.filter { $0 == file } == [])
    #expect(try cache.value(for: "b")?.bytes == [5])
    #expect(try cache.put(bytes, for: "a"))
    #expect(try cache.value(for: "a")?.bytes == bytes)
  }

  /// The parts of an entry in the database, found by their bytes.
  @Test(arguments: ["value", "metadata", "key"])
  func damagedRowsAreMisses(_ part: String) throws {
    let (bytes, metadata) = (CacheFixture.bytes(2000, seed: 1), CacheFixture.bytes(100, seed: 2))
    var cache: DiskCache? = try fixture.open()
    try cache?.put(bytes, for: "https://example.org/key", metadata: metadata)
    cache = nil
    var file = try contents(database)
    let text = part == "value" ? bytes : part == "metadata" ? metadata : Array("https://example.org/key".utf8)
    let place = try #require(file.firstRange(of: text)).lowerBound
    file[place + 10] ^= 4
    write(file, to: database)
    let damaged = try fixture.open()
    #expect(try damaged.verify().damagedKeys.count == 1)
    #expect(try damaged.value(for: "https://example.org/key") == nil)
    #expect(try damaged.verify().isClean)
    #expect(try damaged.statistics().count == 0)
    #expect(fixture.events.count == 1)
  }

  @Test func aDamagedDatabaseIsSetAside() throws {
    for round in 1...3 {
      var cache: DiskCache? = try fixture.open()
      #expect(try cache?.statistics().count == 0)
      try cache?.put(CacheFixture.bytes(70_000, seed: 1), for: "a")
      cache = nil
      let path = "\(fixture.path)/v1/cache-\(round).sqlite"
      var file = try contents(path)
      // The header, the first table, and the text of a trigger.
      let place =
        try round == 1 ? 0 : round == 2 ? 100 : #require(file.firstRange(of: Array("count - 1".utf8))).lowerBound + 8
      file[place] ^= 8
      write(file, to: path)
    }
    let cache = try fixture.open()
    #expect(fixture.events.count == 3)
    guard case .beganAnew(let damaged, let reason) = try #require(fixture.events.last) else { return }
    #expect(damaged == "\(cache.folder)/v1/cache-3.sqlite")
    #expect(reason == "a table or trigger is not as it was made (11)")
    let names = CacheFolder.names(in: "\(fixture.path)/v1").filter { $0.hasSuffix(".sqlite") }
    #expect(names.sorted() == ["cache-3.sqlite", "cache-4.sqlite"])
    // Files of the lost entries are orphans.
    #expect(fixture.files.count == 3)
    #expect(try cache.verify().isClean)
  }

  @Test func othersFollowToTheNewDatabase() throws {
    let (first, second) = (try fixture.open(), try fixture.open())
    try first.put([1], for: "a")
    #expect(try second.value(for: "a")?.bytes == [1])
    // As another process that has found it damaged.
    fixture.folder.write([], to: "cache/v1/cache-2.sqlite")
    try first.put([2], for: "b")
    try second.put([3], for: "c")
    #expect(try first.value(for: "c")?.bytes == [3])
    #expect(try second.value(for: "b")?.bytes == [2])
    #expect(try first.value(for: "a") == nil)
  }

  @Test func aRemovedFolderIsMadeAgain() throws {
    let cache = try fixture.open()
    try cache.put([1], for: "a")
    _ = Command.run("rm -rf '\(fixture.path)'/*")
    #expect(try cache.put(CacheFixture.bytes(100_000, seed: 1), for: "b"))
    #expect(try cache.put([2], for: "c"))
    #expect(try fixture.open().value(for: "b")?.count == 100_000)
    #expect(try fixture.open().value(for: "c")?.bytes == [2])
  }

  @Test func orphansAreSweptAndCounted() throws {
    let cache = try fixture.open()
    try cache.put(CacheFixture.bytes(100_000, seed: 1), for: "a")
    for (name, age) in [("0123456789abcdef", 7200), ("01ffffffffffffff", 0), ("01-no-value", 7200)] {
      let path = fixture.folder.write([1], to: "cache/v1/files/01/\(name)")
      var times = [timespec(tv_sec: time(nil) - age, tv_nsec: 0), timespec(tv_sec: time(nil) - age, tv_nsec: 0)]
      utimensat(AT_FDCWD, path, &times, 0)
    }
    #expect(try cache.verify().orphanCount == 1)
    #expect(try cache.verify().isClean)
    #expect(try cache.sweepOrphans(1, olderThan: 3600) == 1)
    #expect(fixture.files.count == 3)
    #expect(try cache.value(for: "a") != nil)
  }

  @Test func verifyRepairs() throws {
    let cache = try fixture.open()
    for number in 0..<5 { try cache.put(CacheFixture.bytes(70_000, seed: UInt64(number)), for: "\(number)") }
    for number in 5..<8 { try cache.put([UInt8](repeating: 1, count: number), for: "\(number)") }
    write([1], to: fixture.files[0])
    unlink(fixture.files[1])
    let found = try cache.verify()
    #expect(found.damagedKeys.count == 2 && found.checkedCount == 8 && found.problems == [])
    #expect(!found.isClean && !found.isRepaired)
    #expect(try cache.verify(repair: true).damagedKeys == found.damagedKeys)
    let clean = try cache.verify()
    #expect(clean.isClean && clean.checkedCount == 6 && clean.orphanCount == 0)
    #expect(try cache.statistics().count == 6)
  }

  /// The write-ahead log ends in the middle, or its end is something else: the transactions before that count.
  @Test func lostPowerLosesTheLastWrites() throws {
    let cache = try fixture.open()
    for number in 0..<30 {
      try cache.put(CacheFixture.bytes(number % 3 == 0 ? 80_000 : 3000, seed: UInt64(number)), for: "\(number)")
    }
    let whole = try contents("\(database)-wal")
    var random = SplitMix(seed: 5)
    for round in 0..<60 {
      let copy = CacheFixture()
      _ = Command.run("cp -r '\(fixture.path)' '\(copy.path)' && rm -f '\(copy.path)/v1/cache-1.sqlite-shm'")
      let cut = 32 + random.below(whole.count - 32)
      let rest = round % 2 == 0 ? [] : CacheFixture.bytes(whole.count - cut, seed: UInt64(round))
      write(whole[..<cut] + rest, to: "\(copy.path)/v1/cache-1.sqlite-wal")
      // Files that were not synced.
      for file in copy.files where random.below(3) == 0 { write(CacheFixture.bytes(80_000, seed: 0), to: file) }
      let other = try copy.open()
      var isLost = false
      for number in 0..<30 {
        let value = try other.value(for: "\(number)")
        if let value {
          #expect(value.bytes == CacheFixture.bytes(number % 3 == 0 ? 80_000 : 3000, seed: UInt64(number)))
          #expect(!isLost, "\(number) is there, but not one before it")
        } else if number % 3 != 0 {
          isLost = true
        }
      }
      #expect(try other.verify().isClean)
    }
  }

  /// Changes anywhere in the database and in files: a value is right or missing, and the cache goes on.
  @Test func mutationsNeverServeAWrongValue() throws {
    var cache: DiskCache? = try fixture.open()
    let sizes = (0..<24).map { $0 % 6 == 0 ? 66_000 : $0 * 977 }
    for (number, size) in sizes.enumerated() {
      try cache?.put(CacheFixture.bytes(size, seed: UInt64(number)), for: "\(number)", metadata: [UInt8(number)])
    }
    cache = nil
    let truth = sizes.enumerated().map { CacheFixture.bytes($1, seed: UInt64($0)) }
    let whole = try contents(database)
    var random = SplitMix(seed: 77)
    let values = try fixture.files.map { (path: $0, bytes: try contents($0)) }
    var served = 0
    for round in 0..<1000 {
      // As it was, but for the changes.
      for name in CacheFolder.names(in: "\(fixture.path)/v1") where name.hasPrefix("cache-") {
        unlink("\(fixture.path)/v1/\(name)")
      }
      for (path, bytes) in values { write(bytes, to: path) }
      var file = whole
      for _ in 0...random.below(4) {
        // Most of it are values; what holds it together is in the first bytes of pages.
        let page = random.below(file.count / 16384 + 1) * 16384
        let place = random.below(2) == 0 ? random.below(file.count) : min(page + random.below(300), file.count - 1)
        switch random.below(4) {
        case 0: file[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: file[place] ^= 1 << UInt8(random.below(8))
        case 2: for index in place..<min(file.count, place + random.below(600)) { file[index] = 0 }
        default: if random.below(8) == 0 { file.removeLast(random.below(file.count - 512)) }
        }
      }
      write(file, to: database)
      if round % 3 == 0 {
        var (path, value) = values[random.below(values.count)]
        value[random.below(value.count)] ^= 1 << UInt8(random.below(8))
        write(value, to: path)
      }
      let other = try fixture.open()
      for number in sizes.indices {
        guard let value = try other.value(for: "\(number)") else { continue }
        served += 1
        #expect(value.bytes == truth[number] && value.metadata == [UInt8(number)], "round \(round)")
      }
      #expect(try other.put([1, 2, 3], for: "new"), "round \(round)")
      #expect(try other.value(for: "new")?.bytes == [1, 2, 3], "round \(round)")
    }
    // Else the test would say nothing.
    #expect(served > 8000)
  }
}
