// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Batches that begin a task for each of their files.
@Suite struct BatchMemoryTests {
  /// How far decoding was ahead of writing.
  private final class Counts: Sendable {
    struct Values {
      var (decoded, written, most, beforeFirst) = (0, 0, 0, 0)
    }

    private let all = Mutex(Values())
    var values: Values { all.withLock { $0 } }

    func noteDecoded() {
      all.withLock { all in
        all.decoded += 1
        all.most = max(all.most, all.decoded - all.written)
      }
    }

    func noteWritten() {
      all.withLock { all in
        if all.written == 0 { all.beforeFirst = all.decoded }
        all.written += 1
      }
    }
  }

  /// First come, first served, all 150 would be decoded before one is written. How far decoding gets ahead depends on when
  /// tasks come back to the queue.
  @Test func aBatchOfManyTasksHoldsFewPictures() async {
    await #expect(processExitsWith: .success) {
      let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
      let size = Size(width: 480, height: 320)
      let samples = (0..<3 * size.pixelCount).map { UInt8(truncatingIfNeeded: $0 / 3 * 7 + $0 / 1440) }
      let photo = Image(try PixelBuffer(copying: samples, size: size, format: .rgb8))
      let file = try await registry.async.encode(photo, as: .jpeg)
      let counts = Counts()
      let before = PixelMemoryUse.bytes
      PixelMemoryUse.restartPeak()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<150 {
          group.addTask {
            let image = try await registry.async.decode(.bytes(file))
            counts.noteDecoded()
            let written = try await registry.async.encode(image, as: .png)
            precondition(written.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            counts.noteWritten()
          }
        }
        try await group.waitForAll()
      }
      let found = counts.values
      precondition(found.written == 150)
      precondition(found.most <= 40 && found.beforeFirst <= 40, "\(found)")
      let peak = PixelMemoryUse.peak - before
      precondition(peak <= 50 * 3 * size.pixelCount, "\(peak) bytes at once")
    }
  }
}
