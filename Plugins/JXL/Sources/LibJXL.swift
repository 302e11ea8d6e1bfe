// SPDX-License-Identifier: Apache-2.0

import CJXL
import CQuietLibrary
import Glibc
import ImageCoderPlugin

/// What the wrapped library says of itself.
enum LibJXL {
  /// The library as it was found at run time, `libjxl 0.7.0`.
  static var name: String {
    _ = isQuiet
    let version = JxlDecoderVersion()
    return "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
  }

  /// Whether lines of libjxl are kept from standard error, which is done once.
  static let isQuiet: Bool = {
    let version: @convention(c) () -> UInt32 = JxlDecoderVersion
    quiet_library(unsafeBitCast(version, to: UnsafeRawPointer.self))
    return true
  }()

  /// Whether files are damaged for this version that later ones read: 0.7 counts what splines cover in another way.
  static var limitsSplines: Bool { JxlDecoderVersion() < 11_000 }

  /// Nanoseconds of a clock that goes on.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
  }

  /// A decoder with its memory and threads.
  final class Decoder {
    let raw: OpaquePointer

    private let budget: MemoryBudget
    private let runner: ParallelRunner

    /// - Throws: ``CoderError/Code/outOfMemory``.
    init(host: CoderHost) throws(CoderError) {
      _ = LibJXL.isQuiet
      budget = MemoryBudget(limit: host.limits.maxMemory)
      runner = ParallelRunner(host: host)
      var manager = budget.manager
      guard let raw = JxlDecoderCreate(&manager) else {
        throw CoderError(code: .outOfMemory, message: "no memory for libjxl's decoder")
      }
      self.raw = raw
      guard JxlDecoderSetParallelRunner(raw, ParallelRunner.function, runner.opaque) == JXL_DEC_SUCCESS,
        // Turning pixels costs libjxl a copy of the whole picture, and the host does it well.
        JxlDecoderSetKeepOrientation(raw, 1) == JXL_DEC_SUCCESS
      else { throw .libraryFailure("libjxl refuses a new decoder's settings") }
    }

    deinit { JxlDecoderDestroy(raw) }

    /// Starts reading at the file's first byte.
    ///
    /// - Parameter bytes: Have to outlive the decoder, or the next call of this function.
    func begin(_ bytes: UnsafeRawBufferPointer, events: JxlDecoderStatus...) throws(CoderError) {
      _ = JxlDecoderReleaseInput(raw)
      try subscribe(to: events)
      try show(bytes)
    }

    /// Says what is to be told, before the first byte.
    func subscribe(to events: [JxlDecoderStatus]) throws(CoderError) {
      let wanted = events.reduce(0) { $0 | $1.rawValue }
      guard JxlDecoderSubscribeEvents(raw, Int32(bitPattern: wanted)) == JXL_DEC_SUCCESS else {
        throw .libraryFailure("libjxl does not tell of events \(wanted)")
      }
    }

    /// Lends bytes, until they are released.
    func show(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
      let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      guard JxlDecoderSetInput(raw, start, bytes.count) == JXL_DEC_SUCCESS else {
        throw .libraryFailure("libjxl takes no input")
      }
    }

    /// Works on until something is to be told.
    func next() -> JxlDecoderStatus { JxlDecoderProcessInput(raw) }
  }
}
