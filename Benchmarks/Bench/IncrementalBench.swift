// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ImageCoders

/// Bytes that arrive in pieces, beside the same bytes in one call.
struct IncrementalBench {
  private let registry: CoderRegistry
  private let bytes: [UInt8]
  private let options: DecodeOptions

  init(_ registry: CoderRegistry, path: String) throws(CoderError) {
    self.registry = registry
    bytes = try OpenSource(.file(path), limits: .standard).contents()
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    options.metadata = []
    self.options = options
  }

  /// Runs an operation and says what came of it.
  func report(_ operation: IncrementalOperation, size: Int, repetitions: Int) throws(CoderError) -> String {
    switch operation {
    case .pieces, .passes:
      var one: [Double] = []
      var pieces: [Double] = []
      var hashes: Set<String> = []
      var passes = 0
      for repetition in 0..<repetitions {
        // They take turns, each of them first every other time.
        for isInPieces in repetition % 2 == 0 ? [false, true] : [true, false] {
          let start = Time.worked()
          let image: Image
          if isInPieces {
            (image, passes) = try arrive(in: size, shows: operation == .passes)
          } else {
            image = try registry.decode(.bytes(bytes), options: options)
          }
          let time = Time.worked() - start
          if isInPieces { pieces.append(time) } else { one.append(time) }
          guard repetition == 0 else { continue }
          var hash = Hash()
          for frame in image.frames { hash.add(frame.pixels) }
          hashes.insert(hash.text)
        }
      }
      let copies = (0..<repetitions).map { _ in copy() }
      return "one_ms \(Time.text(one.min() ?? 0)) pieces_ms \(Time.text(pieces.min() ?? 0)) "
        + "copy_ms \(Time.text(copies.min() ?? 0)) passes \(passes) "
        + (hashes.count == 1 ? "same" : "differs")
    case .first:
      let (header, rows) = try firstRows(size)
      return "bytes \(bytes.count) header \(header) rows \(rows)"
    case .cancel:
      let (worst, share, cancelled) = try cancel(size, repetitions)
      return "worst_ms \(Time.text(worst)) at \(share) cancelled \(cancelled)"
    }
  }

  /// Lets the bytes arrive.
  ///
  /// - Parameter shows: Whether a picture is made of each pass. Otherwise nobody looks, and the reader works when it is
  ///   worth waking.
  /// - Returns: The image, and how many passes were rendered, the last one with them.
  private func arrive(in size: Int, shows: Bool) throws(CoderError) -> (Image, Int) {
    let decoder = registry.makeIncrementalDecoder(options: options)
    var passes = 0
    var pass = -1
    try append(to: decoder, in: size) { () throws(CoderError) in
      guard shows else { return }
      let progress = decoder.progress
      guard progress.quality > 0, progress.quality < 1, progress.pass != pass else { return }
      pass = progress.pass
      passes += 1
      _ = try decoder.picture()
    }
    return (try decoder.finish(), passes + 1)
  }

  private func append(
    to decoder: IncrementalDecoder, in size: Int, _ look: () throws(CoderError) -> Void = {}
  ) throws(CoderError) {
    let result: Result<Void, CoderError> = bytes.withUnsafeBytes { all in
      Result { () throws(CoderError) in
        for start in stride(from: 0, to: all.count, by: size) {
          try decoder.append(UnsafeRawBufferPointer(rebasing: all[start..<min(start + size, all.count)]))
          try look()
        }
      }
    }
    try result.get()
  }

  /// What it takes to keep the bytes that somebody else has: a copy into fresh memory.
  private func copy() -> Double {
    let start = Time.worked()
    let memory = mmap(nil, max(1, bytes.count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { return 0 }
    _ = madvise(memory, bytes.count, MADV_HUGEPAGE)
    bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count) }
    // A copy that nobody could look at would not be made.
    _ = write(-1, memory, 1)
    munmap(memory, max(1, bytes.count))
    return Time.worked() - start
  }

  /// With how many bytes the header came and with how many the first rows, coarse ones too.
  private func firstRows(_ size: Int) throws(CoderError) -> (header: Int, rows: Int) {
    let decoder = registry.makeIncrementalDecoder(options: options)
    var (header, rows): (Int?, Int?)
    var count = 0
    try append(to: decoder, in: size) { () throws(CoderError) in
      count = min(count + size, bytes.count)
      if header == nil, decoder.header != nil { header = count }
      if rows == nil, decoder.progress.quality > 0 || decoder.progress.framesComplete > 0 { rows = count }
    }
    _ = try decoder.finish()
    return (header ?? bytes.count, rows ?? bytes.count)
  }

  /// Cancels from another thread at several moments, while pieces are appended.
  ///
  /// - Returns: The longest time from the call until appending or finishing ended, at which share of the whole time that
  ///   was, and how many decodes were cancelled before they were done.
  private func cancel(_ size: Int, _ repetitions: Int) throws(CoderError) -> (Double, Double, Int) {
    var worst = (time: 0.0, share: 0.0)
    var cancelled = 0
    let begin = Time.milliseconds()
    _ = try arrive(in: size, shows: false)
    let whole = Time.milliseconds() - begin
    for _ in 0..<repetitions {
      for share in [0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95] {
        var options = options
        let cancellation = Cancellation()
        options.cancellation = cancellation
        let moment = Moment()
        let pause = UInt32(whole * share * 1000)
        let decoder = registry.makeIncrementalDecoder(options: options)
        DispatchQueue.global().async {
          usleep(pause)
          moment.time = Time.milliseconds()
          cancellation.cancel()
          moment.isOver.signal()
        }
        var ended: Double?
        do throws(CoderError) {
          try append(to: decoder, in: size)
          _ = try decoder.finish()
        } catch {
          guard error.code == .cancelled else { throw error }
          ended = Time.milliseconds()
        }
        moment.isOver.wait()
        guard let ended else { continue }
        cancelled += 1
        if ended - moment.time > worst.time { worst = (ended - moment.time, share) }
      }
    }
    return (worst.time, worst.share, cancelled)
  }

  /// When another thread cancelled.
  private final class Moment: @unchecked Sendable {
    // Unchecked: the semaphore hands the time over.
    var time = 0.0
    let isOver = DispatchSemaphore(value: 0)
  }
}

/// What is measured of bytes that arrive.
enum IncrementalOperation: String {
  case pieces, passes, first, cancel
}

/// The clock.
enum Time {
  static func milliseconds() -> Double { read(CLOCK_MONOTONIC) }

  /// What all threads of the process worked. Two threads that take turns wake each other, which on an idle machine takes
  /// longer than it costs.
  static func worked() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Double {
    var now = timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) * 1000 + Double(now.tv_nsec) / 1_000_000
  }

  /// Milliseconds with five decimals.
  static func text(_ milliseconds: Double) -> String {
    let scaled = Int((milliseconds * 100_000).rounded())
    let fraction = String(scaled % 100_000)
    return "\(scaled / 100_000).\(String(repeating: "0", count: 5 - fraction.count))\(fraction)"
  }
}
