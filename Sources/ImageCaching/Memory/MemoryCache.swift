// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
public import ImageMemory

/// Decoded pictures, or other values that cost memory and time to make, in memory and under limits.
///
/// When a limit is reached, the values go that are worth least. A value that nobody has asked for again goes soon, so that
/// a scroll through a thousand pictures does not drive out those in use. Small values and large ones, split at
/// ``MemoryCacheOptions/splitBytes``, each have a share of the memory, which moves to where it saves more time.
///
///     let cache = MemoryCache<Image>()
///     let key = CacheKey("https://example.org/photo.webp|320x200")
///     if let image = cache.value(for: key) { return image }
///     let image = try registry.decode(source)
///     cache.put(image, for: key, bytes: image.pixels.byteCount, remakeTime: time)
///
/// Unless it is given another ``MemoryArbiter`` or none, a cache shares the memory of the process with the frames
/// of animations and with other caches, and gives some back when memory is short.
///
/// - Threads: Any, any number at the same time. Values are released without a lock.
public final class MemoryCache<Value: Sendable>: Sendable {
  /// The limits it was made with.
  public let options: MemoryCacheOptions

  let core: CacheCore
  private let registration = Lock<MemoryRegistration?>(nil)

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - options: The limits.
  ///   - arbiter: Who divides the memory of the process; nil for none: then ``MemoryCacheOptions/maxBytes`` alone counts.
  public convenience init(
    options: MemoryCacheOptions = MemoryCacheOptions(), arbiter: MemoryArbiter? = .shared
  ) {
    let start = ContinuousClock.now
    self.init(options: options, arbiter: arbiter) { ContinuousClock.now - start }
  }

  /// - Parameter now: The time, from any moment on. It is only asked for if there is an age limit.
  package init(
    options: MemoryCacheOptions, arbiter: MemoryArbiter?, now: @escaping @Sendable () -> Duration
  ) {
    self.options = options
    core = CacheCore(options, now: now)
    guard let arbiter else { return }
    let want = options.maxBytes.map { max($0, 0) } ?? .max
    let joined = arbiter.register(core, request: MemoryRequest(floor: 0, want: want, weight: max(options.weight, 0)))
    registration.withLock { $0 = joined }
    core.registration.withLock { $0 = WeakRegistration(joined) }
  }

  // MARK: Values

  /// The value of a key, or nil if there is none or it is too old.
  ///
  /// It counts as a use, and as a hit or a miss.
  public func value(for key: CacheKey) -> Value? {
    guard let entry = core.hit(key) else { return nil }
    return unsafeDowncast(entry, to: ValueEntry<Value>.self).value
  }

  /// Whether there is a value. It does not count as a use.
  public func contains(_ key: CacheKey) -> Bool { core.contains(key) }

  /// Puts a value in, in place of the one that the key had.
  ///
  /// - Parameters:
  ///   - bytes: The memory that the value takes. Each value counts as at least 256, for its place in the cache.
  ///   - remakeTime: How long it takes to make the value again; nil for an estimate from its size: 0.3 ms, and 1 ms for
  ///     each 4 MiB.
  /// - Returns: Whether it is kept. A value that is larger than all that the cache may hold is not; the one that the key
  ///   had is removed then, too.
  @discardableResult
  public func put(_ value: Value, for key: CacheKey, bytes: Int, remakeTime: Duration? = nil) -> Bool {
    core.put(ValueEntry(key, bytes: bytes, remakeTime: remakeTime, value: value))
  }

  /// Removes a value.
  ///
  /// - Returns: The value, or nil if there was none.
  @discardableResult
  public func remove(_ key: CacheKey) -> Value? {
    guard let entry = core.remove(key) else { return nil }
    return unsafeDowncast(entry, to: ValueEntry<Value>.self).value
  }

  /// Removes all values, and forgets which ones were used.
  public func removeAll() { core.removeAll() }

  /// Removes the values for which a condition holds.
  ///
  /// - Parameter isGone: Called once for each value, without a lock; it may use the cache.
  public func removeAll(where isGone: (CacheKey, Value) -> Bool) {
    for entry in core.entries where isGone(entry.key, unsafeDowncast(entry, to: ValueEntry<Value>.self).value) {
      core.remove(entry)
    }
  }

  /// Removes the values that are worth least, until those that are left take at most so many bytes.
  public func trim(toBytes bytes: Int) { core.trim(toBytes: max(bytes, 0), count: .max) }

  /// Removes the values that are worth least, until at most so many are left.
  public func trim(toCount count: Int) { core.trim(toBytes: .max, count: max(count, 0)) }

  /// Removes the values that are older than ``MemoryCacheOptions/maxAge``. This also happens by itself, with ``put(_:for:bytes:remakeTime:)``.
  public func removeExpired() { core.removeExpired() }

  // MARK: Numbers

  /// The bytes of all values.
  public var byteCount: Int { core.heldBytes }

  /// The bytes that the values may take now: ``MemoryCacheOptions/maxBytes``, or less as the arbiter allows.
  public var byteLimit: Int { core.byteLimit }

  /// How many values there are.
  public var count: Int { core.count }

  /// What has happened since the cache was made.
  public var statistics: MemoryCacheStatistics { core.statistics }
}

/// A value in its place.
final class ValueEntry<Value: Sendable>: MemoryEntry, @unchecked Sendable {
  let value: Value

  init(_ key: CacheKey, bytes: Int, remakeTime: Duration?, value: Value) {
    self.value = value
    super.init(key, bytes: bytes, remakeTime: remakeTime)
  }
}
