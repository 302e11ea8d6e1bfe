// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoderTesting
import ImageCoders

/// Decodes, makes thumbnails and encodes in children of `fork()`, while threads of the parent do the same.
struct Forks {
  /// A picture that readers share among threads, by its format, and what this process made of it.
  private struct Sample {
    let name: String
    let source: ByteSource
    /// The format to write, if the library writes it.
    let written: ImageFormat?
    let expected: String
  }

  private let registry: CoderRegistry
  private let samples: [Sample]

  /// Seconds that a child may take: many times what it needs.
  private static let patience: UInt32 = 300
  private static let side = 736

  /// Does everything once, so that all is loaded and threads wait for work.
  ///
  /// - Parameter paths: Files that are there; those that are written come to these.
  init(_ registry: CoderRegistry, paths: [String]) throws(CoderError) {
    self.registry = registry
    var samples: [Sample] = []
    let image = Image(try Self.picture())
    for format in registry.writableFormats {
      guard let bytes = try? registry.encode(image, as: format) else { continue }
      samples.append(
        Sample(
          name: "\(format)", source: .bytes(bytes), written: format,
          expected: Self.outcome(registry, .bytes(bytes), format)))
    }
    for path in paths {
      samples.append(
        Sample(name: path, source: .file(path), written: nil, expected: Self.outcome(registry, .file(path), nil)))
    }
    self.samples = samples
  }

  /// Noise over a gradient: no coder finds it empty.
  private static func picture() throws(CoderError) -> PixelBuffer {
    var (bytes, state): ([UInt8], UInt32) = ([], 1)
    for y in 0..<side {
      for x in 0..<side {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes += [UInt8(x * 255 / side), UInt8(y * 255 / side), UInt8(state >> 27)]
      }
    }
    return try PixelBuffer(copying: bytes, size: Size(width: side, height: side), format: .rgb8)
  }

  /// What becomes of a file: its pixels, those of a thumbnail, and how many bytes the picture is when it is written.
  private static func outcome(_ registry: CoderRegistry, _ source: ByteSource, _ written: ImageFormat?) -> String {
    do throws(CoderError) {
      let whole = try registry.decode(source)
      let small = try registry.decode(source, options: .thumbnail(width: 64, height: 64))
      let pixels = (whole.frames + small.frames).map { PixelHash($0.pixels).description }.joined(separator: " ")
      guard let written else { return pixels }
      return try "\(pixels), \(registry.encode(Image(whole.frames[0].pixels), as: written).count) bytes"
    } catch {
      return "\(error)"
    }
  }

  /// Forks while threads wait for work, and while they are busy.
  ///
  /// - Returns: What went wrong, one line each.
  func run(_ count: Int) -> [String] {
    guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return ["no fork"] }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    var problems = (0..<count).compactMap { problem(ofFork: $0, fork) }
    let stop = Cancellation()
    for thread in 0..<3 {
      try? ThreadPool.shared.start(for: "a busy thread") { [self] in
        var index = thread
        while !stop.isCancelled {
          let sample = samples[index % samples.count]
          _ = Self.outcome(registry, sample.source, sample.written)
          index += 1
        }
      }
    }
    problems += (count..<(2 * count)).compactMap { problem(ofFork: $0, fork) }
    stop.cancel()
    return problems
  }

  /// Forks at another moment each time, and waits for the child.
  private func problem(ofFork round: Int, _ fork: @convention(c) () -> pid_t) -> String? {
    usleep(UInt32(round * 7919 % 40_000))
    let child = fork()
    if child == 0 { inChild(of: round) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? nil : "fork \(round): \(Self.meaning(status))"
  }

  private static func meaning(_ status: Int32) -> String {
    let signal = status & 0x7F
    return signal == SIGALRM ? "the child hangs" : signal != 0 ? "signal \(signal)" : "status \(status >> 8 & 0xFF)"
  }

  /// One thread after the other, then two at the same time, in turn with other files first.
  private func inChild(of round: Int) -> Never {
    alarm(Self.patience)
    let failed = Failures()
    for offset in samples.indices { check(samples[(offset + round) % samples.count], failed) }
    ThreadPool.shared.run(samples.count, jobs: 2) { [self] index in check(samples[index], failed) }
    _exit(failed.count == 0 ? 0 : 1)
  }

  private func check(_ sample: Sample, _ failed: Failures) {
    let outcome = Self.outcome(registry, sample.source, sample.written)
    guard outcome != sample.expected else { return }
    failed.note("\(sample.name): \(outcome), and in the parent \(sample.expected)")
  }

  private final class Failures: Sendable {
    private let number = Lock(0)
    var count: Int { number.withLock { $0 } }

    func note(_ text: String) {
      number.withLock { $0 += 1 }
      _ = "\(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
  }
}
