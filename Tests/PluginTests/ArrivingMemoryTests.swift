// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// A thousand slow downloads at the same time share a few threads, and what they used is given back. Each test measures
/// its process, and so has one of its own.
@Suite struct ArrivingMemoryTests {
  private static let downloads = 1000
  private static let chunks = 8
  private static let side = 256
  /// So much more than before may stay in memory: the ends of the C library's arenas. Without giving memory back, it is at
  /// least 60 MB.
  private static let bound = 48 << 20
  private static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// Counts the downloads that have come half way.
  private final class Halves: Sendable {
    let count = Atomic<Int>(0)
    /// Threads of the process, at most.
    let threads = Mutex(0)
  }

  /// A file in eight chunks. The second half of none comes before the first half of all.
  private struct Download: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let all: Int
    let halves: Halves

    struct Iterator: AsyncIteratorProtocol {
      let download: Download
      var chunk = 0

      mutating func next() async throws -> ArraySlice<UInt8>? {
        let (bytes, halves) = (download.bytes, download.halves)
        guard chunk < chunks else { return nil }
        if chunk == chunks / 2 {
          halves.count.add(1, ordering: .acquiringAndReleasing)
          while halves.count.load(ordering: .acquiring) < download.all { try await Task.sleep(for: .milliseconds(5)) }
          halves.threads.withLock { $0 = Swift.max($0, ProcessThreads.count) }
        }
        defer { chunk += 1 }
        return bytes[(bytes.count * chunk / chunks)..<(bytes.count * (chunk + 1) / chunks)]
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(download: self) }
  }

  /// A picture of noise over slopes, whose files are neither tiny nor the same in each row.
  private static func files() throws(CoderError) -> [[UInt8]] {
    let pixels = try PixelBuffer(size: Size(width: side, height: side), format: .rgb8, alpha: .opaque)
    var state: UInt32 = 1
    for y in 0..<side {
      pixels.withMutableSamples(inRow: y) { row in
        for x in row.indices {
          state = state &* 1_664_525 &+ 1_013_904_223
          row[x] = UInt8(truncatingIfNeeded: (x / 6 + y) / 2 + Int(state >> 27))
        }
      }
    }
    var files: [[UInt8]] = []
    for format in [ImageFormat.jpeg, .png, .gif, .webP] {
      files.append(try registry.encode(Image(frames: [Frame(pixels: pixels)]), as: format))
    }
    return files
  }

  /// Lets so many files arrive at the same time, and looks at each of them to its end, or half of it.
  ///
  /// - Returns: The most threads that the process has had.
  private static func arrive(_ files: [[UInt8]], count: Int, half: Bool) async throws -> Int {
    let halves = Halves()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        group.addTask {
          let download = Download(bytes: files[index % files.count], all: count, halves: halves)
          var final: ImageUpdate?
          for try await look in registry.async.images(arriving: download) {
            // The second half of the file has begun.
            if half, halves.count.load(ordering: .acquiring) == count { return }
            if look.isFinal { final = look }
          }
          #expect(!half)
          #expect(final?.image.pixels.size == Size(width: side, height: side))
          #expect(final?.image.problem == nil)
        }
      }
      try await group.waitForAll()
    }
    return halves.threads.withLock { $0 }
  }

  @Test(arguments: [false, true]) func memoryIsGivenBack(whenDroppedHalfWay half: Bool) async {
    await #expect(processExitsWith: .success) { [half] in
      // Those that run the tests and the tasks.
      let others = ProcessThreads.count
      let files = try Self.files()
      // What stays for good, such as libraries and their tables, is there after some downloads.
      _ = try await Self.arrive(files, count: 16, half: half)
      let before = ProcessMemory.resident
      let threads = try await Self.arrive(files, count: Self.downloads, half: half)
      #expect(threads - others <= 16, "\(threads) threads, of which \(others) are others")
      let most = ProcessMemory.mostResident
      let left = ProcessMemory.residentLeft(atMost: before + Self.bound)
      #expect(left <= before + Self.bound, "\(before) bytes before, \(most) at most, \(left) after")
    }
  }
}
