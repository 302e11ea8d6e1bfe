// SPDX-License-Identifier: Apache-2.0

import CacheTraces
import ImageAnimation
import ImageCaching
import Synchronization
import Testing

@Suite struct MemoryCacheTests {
  /// Tells when it is let go of.
  private final class Witness: Sendable {
    let name: Int
    private let log: Log

    init(_ name: Int, _ log: Log) {
      self.name = name
      self.log = log
    }

    deinit { log.names.withLock { $0.append(name) } }
  }

  private final class Log: Sendable {
    let names = Mutex<[Int]>([])
  }

  private static func cache<Value: Sendable>(
    _ type: Value.Type = Int.self, bytes: Int, count: Int? = nil, split: Int = 2 << 20
  ) -> MemoryCache<Value> {
    var options = MemoryCacheOptions()
    options.maxBytes = bytes
    options.maxCount = count
    options.splitBytes = split
    return MemoryCache(options: options, arbiter: nil)
  }

  private static func key(_ name: Int) -> CacheKey { CacheKey("picture \(name)") }

  // MARK: Which values go

  @Test(arguments: CacheTrace.Kind.allCases) func evictsWhatAPlainCacheEvicts(_ kind: CacheTrace.Kind) {
    let trace = CacheTrace(kind, exponent: 0.9, objects: 400, requests: 12_000)
    let limit = trace.totalBytes / 10
    let log = Log()
    let cache = Self.cache(Witness.self, bytes: limit)
    var plain = PlainCache(limit: limit, split: 2 << 20)
    for name in trace.requests {
      let isThere = cache.value(for: Self.key(name)) != nil
      #expect(isThere == plain.find(name))
      guard !isThere else { continue }
      let time = trace.time(name)
      #expect(
        cache.put(
          Witness(name, log), for: Self.key(name), bytes: trace.bytes[name], remakeTime: .nanoseconds(time)))
      plain.put(name, trace.bytes[name], time)
      #expect(log.names.withLock { $0 } == plain.evicted)
      guard log.names.withLock({ $0 }) == plain.evicted else { return }
    }
    #expect(plain.evicted.count > 1000)
    #expect(plain.share != 5000)
    #expect(cache.byteCount == plain.parts[0].bytes + plain.parts[1].bytes)
    #expect(cache.statistics.evictions == plain.evicted.count)
    cache.trim(toBytes: limit / 3)
    plain.makeRoom(for: 0, nil, limit / 3)
    #expect(log.names.withLock { $0 } == plain.evicted)
  }

  @Test(arguments: CacheTrace.Kind.allCases) func findsMoreAndSavesMoreTimeThanTheLeastRecentlyUsed(
    _ kind: CacheTrace.Kind
  ) {
    let trace = CacheTrace(kind, exponent: 0.9, objects: 4000, requests: 60_000)
    let limit = trace.totalBytes / 20
    let cache = Self.cache(bytes: limit)
    var other = LeastRecentlyUsed(limit: limit)
    var (hits, otherHits, saved, otherSaved) = (0, 0, 0, 0)
    for (number, name) in trace.requests.enumerated() {
      let isCounted = number >= trace.requests.count * 3 / 10
      if cache.value(for: Self.key(name)) != nil {
        if isCounted { (hits, saved) = (hits + 1, saved + trace.time(name)) }
      } else {
        cache.put(
          name, for: Self.key(name), bytes: trace.bytes[name], remakeTime: .nanoseconds(trace.time(name)))
      }
      if other.find(name) {
        if isCounted { (otherHits, otherSaved) = (otherHits + 1, otherSaved + trace.time(name)) }
      } else {
        other.put(name, trace.bytes[name])
      }
    }
    #expect(hits * 10 > otherHits * 12, "\(hits) and \(otherHits) hits")
    #expect(saved * 100 > otherSaved * 104, "\(saved) and \(otherSaved) ns")
  }

  @Test func aPhotoLargerThanItsQueueAndItsShareComesIn() {
    let cache = Self.cache(bytes: 100 << 20)
    for name in 0..<60 { cache.put(name, for: Self.key(name), bytes: 1 << 20) }
    // Half of all is the share of photos, and 15 % their small queue.
    #expect(cache.put(1000, for: Self.key(1000), bytes: 80 << 20))
    #expect(cache.value(for: Self.key(1000)) == 1000)
    #expect(cache.byteCount == 100 << 20)
    #expect(!cache.put(1001, for: Self.key(1001), bytes: (100 << 20) + 1))
    #expect(cache.value(for: Self.key(1000)) == 1000)
  }

  @Test func whatIsTooLargeTakesTheOldValueAway() {
    let cache = Self.cache(bytes: 1000)
    cache.put(1, for: Self.key(1), bytes: 500)
    #expect(!cache.put(2, for: Self.key(1), bytes: 1001))
    #expect(!cache.contains(Self.key(1)))
    #expect(cache.byteCount == 0)
    #expect(cache.count == 0)
  }

  @Test func aValueReplacesAnother() {
    let log = Log()
    let cache = Self.cache(Witness.self, bytes: 10_000)
    cache.put(Witness(1, log), for: Self.key(1), bytes: 500)
    cache.put(Witness(2, log), for: Self.key(1), bytes: 700)
    #expect(log.names.withLock { $0 } == [1])
    #expect(cache.value(for: Self.key(1))?.name == 2)
    #expect(cache.byteCount == 700)
    #expect(cache.count == 1)
  }

  // MARK: Limits

  @Test func valuesWithoutASizeCountAsWell() {
    let cache = Self.cache(bytes: 2560)
    for name in 0..<100 { cache.put(name, for: Self.key(name), bytes: 0) }
    #expect(cache.count == 10)
    #expect(cache.byteCount == 2560)
  }

  @Test func thereAreNotMoreThanTheCount() {
    let cache = Self.cache(bytes: 1 << 30, count: 3)
    for name in 0..<10 { cache.put(name, for: Self.key(name), bytes: 1000) }
    #expect((0..<10).filter { cache.contains(Self.key($0)) } == [7, 8, 9])
    cache.trim(toCount: 1)
    #expect((0..<10).filter { cache.contains(Self.key($0)) } == [9])
    #expect(cache.statistics.evictions == 9)
  }

  @Test func oldValuesAreNotFound() {
    let time = Mutex(Duration.zero)
    var options = MemoryCacheOptions()
    options.maxBytes = 1 << 20
    options.maxAge = .seconds(100)
    let cache = MemoryCache<Int>(options: options, arbiter: nil) { time.withLock { $0 } }
    cache.put(1, for: Self.key(1), bytes: 1000)
    time.withLock { $0 = .seconds(50) }
    cache.put(2, for: Self.key(2), bytes: 1000)
    time.withLock { $0 = .seconds(100) }
    #expect(cache.value(for: Self.key(1)) == 1)
    time.withLock { $0 = .milliseconds(100_001) }
    #expect(!cache.contains(Self.key(1)))
    #expect(cache.count == 2)
    #expect(cache.value(for: Self.key(1)) == nil)
    #expect(cache.count == 1)
    #expect(cache.value(for: Self.key(2)) == 2)
    time.withLock { $0 = .seconds(151) }
    cache.put(3, for: Self.key(3), bytes: 1000)
    #expect(cache.count == 1)
    #expect(cache.statistics.expirations == 2)
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 1)
  }

  @Test func removes() {
    let cache = Self.cache(bytes: 1 << 20)
    for name in 0..<100 { cache.put(name, for: Self.key(name), bytes: 1000) }
    #expect(cache.remove(Self.key(5)) == 5)
    #expect(cache.remove(Self.key(5)) == nil)
    cache.removeAll { _, value in value % 2 == 1 }
    #expect((0..<100).filter { cache.contains(Self.key($0)) } == Array(stride(from: 0, to: 100, by: 2)))
    #expect(cache.byteCount == 50_000)
    cache.removeAll()
    #expect(cache.count == 0)
    #expect(cache.byteCount == 0)
    #expect(cache.statistics.evictions == 0)
  }

  @Test func countsWhatItSaves() {
    let cache = Self.cache(bytes: 1 << 30)
    cache.put(1, for: Self.key(1), bytes: 4 << 20)
    cache.put(2, for: Self.key(2), bytes: 1000, remakeTime: .milliseconds(7))
    _ = (cache.value(for: Self.key(1)), cache.value(for: Self.key(2)), cache.value(for: Self.key(3)))
    // 0.3 ms, 1 ms for 4 MiB, and 7 ms.
    #expect(cache.statistics.savedTime == .microseconds(8300))
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 1)
    #expect(cache.statistics.bytes == (4 << 20) + 1000)
    #expect(cache.statistics.largeBytes == 4 << 20)
  }

  // MARK: Keys and tables

  /// From the reference implementation of SipHash-2-4 with 128 bits: key 00…0f, input 00, 01, ….
  @Test(arguments: [
    (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
  ])
  func digestsAreSipHash(_ count: Int, _ digest: String) {
    let bytes = (0..<count).map { UInt8($0) }
    let (low, high) = bytes.withUnsafeBytes {
      SipHash.digest(of: $0, (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    }
    var text = ""
    for word in [low, high] {
      for index in 0..<8 {
        let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    #expect(text == digest)
    #expect(CacheKey("a") == CacheKey("a"))
    #expect(CacheKey("a") != CacheKey("b"))
    #expect(CacheKey("a") == CacheKey([0x61]))
    #expect(CacheKey("é") != CacheKey("e\u{301}"))
  }

  /// All keys are in one shard, and have one of three homes in its table.
  @Test func keysWithOneHomeAreFoundUntilTheyAreTakenOut() {
    let cache = Self.cache(bytes: 1 << 30)
    let keys = (0..<500).map { CacheKey(low: UInt64($0 % 3 + 14) << 8, high: UInt64($0)) }
    for number in 0..<500 { cache.put(number, for: keys[number], bytes: 1000) }
    for number in stride(from: 0, to: 500, by: 2) { #expect(cache.remove(keys[number]) == number) }
    for number in 0..<500 { #expect(cache.value(for: keys[number]) == (number % 2 == 1 ? number : nil)) }
    #expect(cache.count == 250)
    for number in stride(from: 1, to: 500, by: 2) { #expect(cache.remove(keys[number]) == number) }
    #expect(cache.count == 0)
    #expect(cache.put(7, for: keys[7], bytes: 1000))
    #expect(cache.value(for: keys[7]) == 7)
  }

  @Test func manyThreadsLeaveItWhole() async {
    let log = Log()
    let cache = Self.cache(Witness.self, bytes: 200_000)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          var random = SystemRandomNumberGenerator()
          for turn in 0..<4000 {
            let name = Int.random(in: 0..<600, using: &random)
            if let value = cache.value(for: Self.key(name)) {
              #expect(value.name == name)
            } else {
              cache.put(Witness(name, log), for: Self.key(name), bytes: 500 + name)
            }
            if turn % 100 == task { cache.remove(Self.key(name)) }
            if turn % 1000 == 7 { cache.removeAll { _, value in value.name % 7 == 0 } }
          }
        }
      }
    }
    #expect(cache.byteCount <= 200_000)
    let there = (0..<600).filter { cache.contains(Self.key($0)) }
    #expect(there.count == cache.count)
    #expect(there.reduce(0) { $0 + 500 + $1 } == cache.byteCount)
    let statistics = cache.statistics
    #expect(statistics.hits + statistics.misses == 32_000)
    cache.removeAll()
    #expect(cache.byteCount == 0)
    // Each value that was put in was let go of: as many as there were misses.
    #expect(log.names.withLock { $0.count } == statistics.misses)
  }
}
