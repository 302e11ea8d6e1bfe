// SPDX-License-Identifier: Apache-2.0

import CacheTraces
import Glibc
import ImageCaching

/// A cache in memory: what it finds of a trace, or what a hit takes.
struct CacheBench {
  private enum What {
    case trace(CacheTrace.Kind, Double)
    case hits(threads: Int)
  }

  private let what: What

  /// - Parameter text: `zipf-0.9` and the like, or a number of threads.
  init?(_ text: String) {
    if let threads = Int(text), (1...64).contains(threads) {
      what = .hits(threads: threads)
      return
    }
    let parts = text.split(separator: "-")
    guard parts.count == 2, let kind = CacheTrace.Kind(rawValue: String(parts[0])), let exponent = Double(parts[1])
    else { return nil }
    what = .trace(kind, exponent)
  }

  func report(repetitions: Int) -> String {
    switch what {
    case .trace(let kind, let exponent):
      compare(CacheTrace(kind, exponent: exponent, objects: 50_000, requests: 600_000))
    case .hits(let threads): hits(threads, repetitions)
    }
  }

  /// Hits, bytes and time saved after the first 30 %, of a cache of 5 % of all bytes.
  private func compare(_ trace: CacheTrace) -> String {
    struct Sums {
      var (hits, bytes, time) = (0, 0.0, 0.0)
    }
    let limit = trace.totalBytes / 20
    var options = MemoryCacheOptions()
    options.maxBytes = limit
    let cache = MemoryCache<Int>(options: options, arbiter: nil)
    let keys = trace.requests.map { CacheKey("picture \($0)") }
    var other = LeastRecentlyUsed(limit: limit)
    var (all, ours, theirs) = (Sums(), Sums(), Sums())
    for (number, name) in trace.requests.enumerated() {
      let (bytes, time) = (trace.bytes[name], trace.time(name))
      let isOurs = cache.value(for: keys[number]) != nil
      if !isOurs { cache.put(name, for: keys[number], bytes: bytes, remakeTime: .nanoseconds(time)) }
      let isTheirs = other.find(name)
      if !isTheirs { other.put(name, bytes) }
      guard number >= trace.requests.count * 3 / 10 else { continue }
      func add(_ sums: inout Sums) {
        sums.hits += 1
        sums.bytes += Double(bytes)
        sums.time += Double(time)
      }
      add(&all)
      if isOurs { add(&ours) }
      if isTheirs { add(&theirs) }
    }
    func text(_ name: String, _ sums: Sums) -> String {
      "\(name)_hits \(Time.text(Double(sums.hits) / Double(all.hits))) \(name)_bytes \(Time.text(sums.bytes / all.bytes)) "
        + "\(name)_time \(Time.text(sums.time / all.time))"
    }
    return text("lru", theirs) + " " + text("ours", ours) + " hash none"
  }

  /// Nanoseconds of processor time for a hit, of 100,000 entries, those that are asked for often more often.
  private func hits(_ threads: Int, _ repetitions: Int) -> String {
    let count = 100_000
    var options = MemoryCacheOptions()
    options.maxBytes = 1 << 40
    let cache = MemoryCache<Int>(options: options, arbiter: nil)
    let keys = (0..<count).map { CacheKey("picture \($0)") }
    for name in 0..<count { cache.put(name, for: keys[name], bytes: 1000) }
    let requests = CacheTrace(.zipf, exponent: 0.9, objects: count, requests: 1 << 18).requests
    var times: [Double] = []
    for _ in 0..<repetitions {
      let processor = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
      Self.onThreads(threads) { thread in
        let offset = thread * (requests.count / threads)
        for index in 0..<requests.count {
          let name = requests[(index + offset) & (requests.count - 1)]
          precondition(cache.value(for: keys[name]) == name)
        }
      }
      times.append((Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor) / Double(threads * requests.count))
    }
    times.sort()
    return "min_ns \(Time.text(times[0])) med_ns \(Time.text(times[repetitions / 2])) hash none"
  }

  private static func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private final class Work {
    let thread: Int
    let body: @Sendable (Int) -> Void
    init(_ thread: Int, _ body: @escaping @Sendable (Int) -> Void) { (self.thread, self.body) = (thread, body) }
  }

  private static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    for index in 0..<count {
      var thread = pthread_t()
      let work = Unmanaged.passRetained(Work(index, body))
      let result = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
          work.body(work.thread)
          return nil
        }, work.toOpaque())
      precondition(result == 0)
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
  }
}
