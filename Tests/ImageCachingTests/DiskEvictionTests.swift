// SPDX-License-Identifier: Apache-2.0

import ImageCaching
import ImageCoderModel
import TestSupport
import Testing

@Suite struct DiskEvictionTests {
  private let fixture = CacheFixture()

  @Test func keepsWithinItsLimits() throws {
    let cache = try fixture.open {
      $0.maxBytes = 1_000_000
      $0.maxCount = 50
    }
    for number in 0..<200 {
      try cache.put([UInt8](repeating: 1, count: number % 10 == 0 ? 80_000 : 5000), for: "\(number)")
      let found = try cache.statistics()
      #expect(found.bytes <= 1_000_000 && found.count <= 50)
    }
    // The oldest go first: nothing was used.
    #expect(try cache.contains("199"))
    #expect(try !cache.contains("1"))
    #expect(try cache.trim(toBytes: 100_000) > 0)
    #expect(try cache.statistics().bytes <= 100_000)
    #expect(try cache.trim(count: 2) >= 0)
    #expect(try cache.statistics().count <= 2)
    #expect(try cache.verify().isClean)
    // Smaller limits hold from the next trim on.
    let other = try fixture.open { $0.maxCount = 1 }
    try other.trim()
    #expect(try other.statistics().count <= 1)
  }

  @Test func photosDoNotPushOutThumbnails() throws {
    let cache = try fixture.open { $0.maxBytes = 10_000_000 }
    for number in 0..<250 { try cache.put([UInt8](repeating: 1, count: 10_000), for: "thumbnail \(number)") }
    for number in 0..<50 { try cache.put([UInt8](repeating: 1, count: 1_000_000), for: "photo \(number)") }
    // 2.5 of 10 MB, less than the share of 30 %.
    #expect(try (0..<250).allSatisfy { try cache.contains("thumbnail \($0)") })
    #expect(try cache.contains("photo 49"))
  }

  /// The evictions of a plain model, which keeps lists: the same keys are there after each write.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func evictsAsThePlainModelDoes(_ seed: UInt64) throws {
    let limit = 1_000_000
    let cache = try fixture.open { $0.maxBytes = limit }
    var model = PlainModel(limit: limit)
    var random = SplitMix(seed: seed)
    for round in 0..<1500 {
      // Some keys are asked for far more often than others.
      let number = random.below(1 + random.below(1 + random.below(400)))
      let key = "\(number)"
      let size = number % 7 == 0 ? 70_000 + number * 100 : 500 + number * 37
      let isThere = try cache.value(for: key) != nil
      #expect(isThere == model.contains(key), "\(key) in round \(round)")
      if isThere {
        model.use(key)
      } else {
        try cache.put([UInt8](repeating: UInt8(round % 256), count: size), for: key)
        model.put(key, size: size + key.utf8.count, isInline: size <= 64 << 10)
      }
    }
    let bytes = try cache.statistics().bytes
    #expect(bytes == model.bytes)
    #expect(model.evicted > 200)
    #expect(try cache.verify().isClean)
  }
}

/// Two S3-FIFO queues, as docs/caching.md describes them.
private struct PlainModel {
  struct Item {
    let key: String
    let size: Int
    var hits = 0
  }

  struct Class {
    var probation: [Item] = []
    var main: [Item] = []

    var bytes: Int { (probation + main).reduce(0) { $0 + $1.size } }
    var count: Int { probation.count + main.count }
  }

  let limit: Int
  private var classes = [true: Class(), false: Class()]
  /// Keys with the positions at which they were evicted.
  private var ghosts: [String: Int] = [:]
  /// Uses since the last write.
  private var uses: [String: Int] = [:]
  private var position = 0
  private(set) var evicted = 0

  init(limit: Int) { self.limit = limit }

  var bytes: Int { classes.values.reduce(0) { $0 + $1.bytes } }
  private var count: Int { classes.values.reduce(0) { $0 + $1.count } }

  func contains(_ key: String) -> Bool {
    classes.values.contains { ($0.probation + $0.main).contains { $0.key == key } }
  }

  mutating func use(_ key: String) { uses[key, default: 0] += 1 }

  mutating func put(_ key: String, size: Int, isInline: Bool) {
    for name in [true, false] {
      guard var queues = classes[name] else { continue }
      for index in queues.probation.indices { queues.probation[index].hits += uses[queues.probation[index].key] ?? 0 }
      for index in queues.main.indices { queues.main[index].hits += uses[queues.main[index].key] ?? 0 }
      for index in queues.probation.indices { queues.probation[index].hits = min(3, queues.probation[index].hits) }
      for index in queues.main.indices { queues.main[index].hits = min(3, queues.main[index].hits) }
      classes[name] = queues
    }
    uses = [:]
    position += 1
    let item = Item(key: key, size: size)
    if ghosts.removeValue(forKey: key) != nil {
      classes[isInline]?.main.append(item)
    } else {
      classes[isInline]?.probation.append(item)
    }
    let before = evicted
    while bytes > limit { shrink() }
    if evicted > before {
      let oldest = position - count
      ghosts = ghosts.filter { $0.value > oldest }
    }
  }

  private mutating func shrink() {
    let (inline, files) = (classes[true] ?? Class(), classes[false] ?? Class())
    let isInline = files.count == 0 || inline.count > 0 && inline.bytes > limit / 100 * 30
    guard var queues = classes[isInline] else { return }
    let probation = queues.probation.reduce(0) { $0 + $1.size }
    if !queues.probation.isEmpty, queues.main.isEmpty || probation > queues.bytes / 100 * 10 {
      var item = queues.probation.removeFirst()
      if item.hits > 0 {
        position += 1
        item.hits = 0
        queues.main.append(item)
      } else {
        position += 1
        ghosts[item.key] = position
        evicted += 1
      }
    } else {
      var item = queues.main.removeFirst()
      if item.hits > 0 {
        position += 1
        item.hits -= 1
        queues.main.append(item)
      } else {
        evicted += 1
      }
    }
    classes[isInline] = queues
  }
}
