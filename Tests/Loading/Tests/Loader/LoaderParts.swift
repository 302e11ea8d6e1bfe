// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCoders
import ImageCodersBuiltIn
import Synchronization

@testable import ImageLoading

/// Pictures in a dictionary, all of them.
final class DictionaryPictures: PictureStore {
  private let pictures = Mutex<[String: Picture]>([:])

  var keys: [String] { pictures.withLock { Array($0.keys) } }
  func picture(for key: String) -> Picture? { pictures.withLock { $0[key] } }
  func keep(_ picture: Picture, for key: String, remakeTime time: Duration) { pictures.withLock { $0[key] = picture } }
  func remove(_ key: String) { pictures.withLock { _ = $0.removeValue(forKey: key) } }
  func removeAll() { pictures.withLock { $0 = [:] } }
}

/// Bodies in a dictionary.
final class DictionaryBodies: BodyStore {
  struct Value: Sendable {
    var bytes: [UInt8]
    var metadata: [UInt8]
    var processed: Bool
  }

  private let values = Mutex<[String: Value]>([:])
  let maxValueBytes = 1 << 20

  var all: [String: Value] { values.withLock { $0 } }

  func body(for key: String) async -> (source: ByteSource, byteCount: Int, metadata: [UInt8])? {
    values.withLock { $0[key] }.map { (.bytes($0.bytes), $0.bytes.count, $0.metadata) }
  }

  func store(_ bytes: [UInt8], metadata: [UInt8], processed: Bool, for key: String) async {
    values.withLock { $0[key] = Value(bytes: bytes, metadata: metadata, processed: processed) }
  }

  func store(metadata: [UInt8], for key: String) async { values.withLock { $0[key]?.metadata = metadata } }
  func remove(_ key: String) async { values.withLock { _ = $0.removeValue(forKey: key) } }
  func removeAll() async { values.withLock { $0 = [:] } }
}

/// A clock that a test sets.
final class TestTime: Sendable {
  private let seconds = Mutex(1_700_000_000.0)
  var now: Double { seconds.withLock { $0 } }
  func advance(_ by: Double) { seconds.withLock { $0 += by } }
}

/// Remembers all events.
final class EventList: LoadObserver {
  private let events = Mutex<[LoadEvent]>([])
  var all: [LoadEvent] { events.withLock { $0 } }
  func note(_ event: LoadEvent) { events.withLock { $0.append(event) } }

  /// Pictures that were decoded.
  var decodes: Int {
    all.count { if case .workEnded(.decode, _, _, let work, _) = $0 { work.decoded } else { false } }
  }
  /// Operations that were done.
  var operations: Int {
    all.count { if case .workEnded(.process, _, _, _, nil) = $0 { true } else { false } }
  }
  var derived: Int { all.count { if case .madeOfLarger = $0 { true } else { false } } }
}

/// A loader with parts that a test can look at.
struct TestLoader {
  let fetcher: ScriptedFetcher
  let pictures = DictionaryPictures()
  let bodies = DictionaryBodies()
  let time = TestTime()
  let events = EventList()
  let loader: ImageLoader

  static let registry = CoderRegistry(builtIn: .all, preferences: CoderPreferences(), policy: .standard)

  init(
    _ fetcher: ScriptedFetcher, memory: Bool = true, disk: Bool = true,
    _ change: (inout ImageLoader.Options) -> Void = { _ in }
  ) {
    self.fetcher = fetcher
    var options = ImageLoader.Options()
    options.now = { [time] in time.now }
    options.observers = [events]
    change(&options)
    loader = ImageLoader(
      fetcher: fetcher, registry: Self.registry, pictures: memory ? pictures : nil, bodies: disk ? bodies : nil,
      options: options)
  }
}

enum TestPicture {
  /// A picture without two equal rows or columns.
  static func pixels(_ width: Int, _ height: Int, seed: Int = 0) throws -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let wave = (x * x / 7 + y * 3 + seed * 11) % 256
        bytes += [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8(wave)]
      }
    }
    return try PixelBuffer(copying: bytes, size: Size(width: width, height: height), format: .rgb8)
  }

  static func png(_ width: Int = 64, _ height: Int = 48, seed: Int = 0) throws -> [UInt8] {
    try TestLoader.registry.encode(Image(try pixels(width, height, seed: seed)), as: ImageFormat.png)
  }

  /// A file whose rows can be shown as they come.
  static func qoi(_ width: Int, _ height: Int) throws -> [UInt8] {
    try TestLoader.registry.encode(Image(try pixels(width, height)), as: ImageFormat.qoi)
  }

  static func gif(frames count: Int) throws -> [UInt8] {
    let frames = try (0..<count).map { index in
      Frame(pixels: try pixels(16, 12, seed: index * 5), delay: .milliseconds(100))
    }
    return try TestLoader.registry.encode(Image(frames: frames), as: ImageFormat.gif)
  }
}

extension PixelBuffer {
  /// Whether two pictures have the same samples.
  func isSame(as other: PixelBuffer) -> Bool {
    size == other.size && format == other.format && copyBytes() == other.copyBytes()
  }
}
