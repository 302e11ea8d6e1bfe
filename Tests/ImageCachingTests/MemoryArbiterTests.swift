// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCaching
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import Testing

@Suite struct MemoryArbiterTests {
  /// Memory is short when a test says so.
  private final class Hand: MemoryPressureSource {
    private let tell = Mutex<(@Sendable () -> Void)?>(nil)

    func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
      self.tell.withLock { $0 = tell }
      return { [weak self] in self?.tell.withLock { $0 = nil } }
    }

    func press() { tell.withLock { $0 }?() }
  }

  private final class Holder: MemoryClient {
    let told = Mutex<[Int]>([])
    let held = Mutex(0)

    var heldBytes: Int { held.withLock { $0 } }
    func setAllowance(_ bytes: Int) {
      told.withLock { $0.append(bytes) }
      held.withLock { $0 = min($0, bytes) }
    }
  }

  private final class Time: Sendable {
    let value = Mutex(Duration.zero)
    var now: Duration { value.withLock { $0 } }
  }

  private struct ManyFrames: FrameSource {
    let size = Size(width: 32, height: 32)
    let frameCount = 1000
    let loopCount = LoopCount.infinite
    func delay(at index: Int) -> FrameDelay { .milliseconds(40) }
    func frame(at index: Int) throws(CoderError) -> Frame { throw .io("nobody asks for it") }
  }

  private static func key(_ name: Int) -> CacheKey { CacheKey("picture \(name)") }

  @Test func memoryIsDividedByWeight() {
    let arbiter = MemoryArbiter(budget: 1000)
    let (first, second) = (Holder(), Holder())
    let registration = arbiter.register(first, request: MemoryRequest(floor: 0, want: .max, weight: 1))
    #expect(first.told.withLock { $0 } == [1000])
    var other: MemoryRegistration? = arbiter.register(second, request: MemoryRequest(floor: 0, want: .max, weight: 3))
    #expect(first.told.withLock { $0 } == [1000, 250])
    #expect(second.told.withLock { $0 } == [750])
    other?.change(to: MemoryRequest(floor: 100, want: 300, weight: 3))
    #expect(first.told.withLock { $0.last } == 700)
    #expect(second.told.withLock { $0.last } == 300)
    other = nil
    #expect(first.told.withLock { $0.last } == 1000)
    withExtendedLifetime(registration) {}
  }

  @Test func floorsThatDoNotFitAreThoseOfTheFirst() {
    let arbiter = MemoryArbiter(budget: 1000)
    let (first, second) = (Holder(), Holder())
    let memberships = [
      arbiter.register(first, request: MemoryRequest(floor: 800, want: 900, weight: 1)),
      arbiter.register(second, request: MemoryRequest(floor: 800, want: 900, weight: 1)),
    ]
    #expect(first.told.withLock { $0.last } == 800)
    #expect(second.told.withLock { $0.last } == 200)
    withExtendedLifetime(memberships) {}
  }

  @Test func whenMemoryIsShortTheLeastValuableGoesAndTheRestGrowsLater() {
    let (hand, time) = (Hand(), Time())
    let arbiter = MemoryArbiter(budget: 100_000, pressure: hand, seed: 1) { time.now }
    let cache = MemoryCache<Int>(options: MemoryCacheOptions(), arbiter: arbiter)
    #expect(cache.byteLimit == 100_000)
    for name in 0..<80 { cache.put(name, for: Self.key(name), bytes: 1000) }
    // Those are used.
    for name in 0..<30 { #expect(cache.value(for: Self.key(name)) == name) }
    hand.press()
    #expect(arbiter.allowance == 40_000)
    #expect(cache.byteLimit == 40_000)
    #expect(cache.byteCount == 40_000)
    #expect((0..<30).allSatisfy { cache.contains(Self.key($0)) })
    // The same event counts once.
    hand.press()
    #expect(cache.byteLimit == 40_000)
    time.value.withLock { $0 = .seconds(16) }
    cache.put(100, for: Self.key(100), bytes: 1000)
    #expect(cache.byteLimit == 65_000)
    for step in 1...2 {
      time.value.withLock { $0 = .seconds(16 + 16 * step) }
      cache.put(100 + step, for: Self.key(100 + step), bytes: 1000)
    }
    #expect(cache.byteLimit == 100_000)
  }

  @Test func framesAndPicturesShare() throws {
    let arbiter = MemoryArbiter(budget: 100_000)
    let buffer = FrameBuffer(arbiter: arbiter)
    let cache = MemoryCache<Int>(options: MemoryCacheOptions(), arbiter: arbiter)
    // Nobody plays: all is the cache's.
    #expect(cache.byteLimit == 100_000)
    #expect(buffer.allowance == 0)
    for name in 0..<100 { cache.put(name, for: Self.key(name), bytes: 1000) }
    #expect(cache.count == 100)
    var reader: FrameBuffer.Reader? = buffer.reader(of: ManyFrames())
    // The frames want all: each gets half, with the same weight, beyond the floor of two frames.
    let floor = 2 * 4096
    #expect(buffer.allowance == floor + (100_000 - floor) / 8 * 4)
    #expect(cache.byteLimit == (100_000 - floor) / 8 * 4)
    #expect(cache.byteCount <= cache.byteLimit)
    reader?.setVisibility(.hidden)
    #expect(buffer.allowance == floor)
    reader = nil
    #expect(cache.byteLimit == 100_000)
  }
}
