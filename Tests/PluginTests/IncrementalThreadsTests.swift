// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Glibc
import ImageCoders
import TestSupport
import Testing

/// The thread that reads incremental bytes: nothing is left of it, whatever becomes of the decoder.
///
/// Threads and memory are those of the process, so each test has one of its own.
@Suite struct IncrementalThreadsTests {
  @Test func aThousandDroppedDecodersLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      let files = try Self.files()
      let random = Self.drop(files, count: 400, SplitMix(seed: 1))
      let threads = ProcessThreads.count
      let memory = try Self.memoryInUse()
      _ = Self.drop(files, count: 1000, random)
      #expect(ProcessThreads.countLeft(atMost: threads) <= threads, "threads")
      let grown = try Self.memoryInUse() - memory
      // The files are 1 KiB and more: 1,000 of them, or what a thread has, would be more than this.
      #expect(grown < 1 << 20, "\(grown) bytes more than before")
    }
  }

  @Test func aDecoderCanBeDroppedAtEveryByte() async {
    await #expect(processExitsWith: .success) {
      let threads = ProcessThreads.count
      for file in try Self.files() {
        let decoder = Self.registry.makeIncrementalDecoder()
        for byte in file.prefix(400) {
          _ = try? withUnsafeBytes(of: byte) { try decoder.append($0) }
          // Another one that ends here; the first goes on.
          let dropped = Self.registry.makeIncrementalDecoder()
          _ = try? file.prefix(Int(byte)).withUnsafeBytes { try dropped.append($0) }
        }
      }
      #expect(ProcessThreads.countLeft(atMost: threads) <= threads, "threads")
    }
  }

  @Test func cancellingFromAnotherThreadEnds() async {
    await #expect(processExitsWith: .success) {
      let files = try Self.files()
      for number in 0..<400 {
        let bytes = files[number % files.count]
        var options = DecodeOptions()
        let cancellation = Cancellation()
        options.cancellation = cancellation
        let decoder = Self.registry.makeIncrementalDecoder(options: options)
        DispatchQueue.global().async {
          usleep(UInt32(number % 20) * 20)
          cancellation.cancel()
        }
        do {
          for start in stride(from: 0, to: bytes.count, by: 64) {
            try bytes[start..<min(start + 64, bytes.count)].withUnsafeBytes { try decoder.append($0) }
          }
          _ = try decoder.finish()
        } catch {
          #expect((error as? CoderError)?.code == .cancelled)
        }
      }
      // 400 decodes leave none; a queue keeps some for a while.
      let threads = ProcessThreads.countLeft(atMost: 32)
      #expect(threads <= 32, "threads")
    }
  }

  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  /// Two valid files of each format.
  private static func files() throws -> [[UInt8]] {
    try StagedTree.fixtureFormats.flatMap { format in
      let folder = "\(StagedTree.fixtures(format))/valid"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".json") }.sorted()
      return try [names[0], names[names.count / 2]].map { name in
        try OpenSource(.file("\(folder)/\(name)"), limits: .standard).contents()
      }
    }
  }

  /// Makes decoders, gives them a part of a file and drops them; some have been cancelled or looked at.
  private static func drop(_ files: [[UInt8]], count: Int, _ random: SplitMix) -> SplitMix {
    var random = random
    for number in 0..<count {
      let bytes = files[number % files.count]
      var options = DecodeOptions()
      let cancellation = Cancellation()
      options.cancellation = cancellation
      let decoder = registry.makeIncrementalDecoder(options: options)
      let part = random.below(bytes.count + 1)
      _ = try? bytes.prefix(part).withUnsafeBytes { try decoder.append($0) }
      switch number % 4 {
      case 0: cancellation.cancel()
      case 1: _ = try? decoder.picture()
      case 2: _ = try? decoder.finish()
      default: break
      }
    }
    return random
  }

  /// Bytes of memory that the process has, without what its files are mapped to.
  private static func memoryInUse() throws -> Int {
    // proc(5), statm: pages in all, resident, of which shared.
    let file = try #require(fopen("/proc/self/statm", "r"))
    defer { fclose(file) }
    var line = [UInt8](repeating: 0, count: 200)
    let count = fread(&line, 1, line.count, file)
    let pages = String(decoding: line.prefix(count), as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return (try #require(pages.dropFirst().first) - (try #require(pages.dropFirst(2).first))) * Int(getpagesize())
  }
}
