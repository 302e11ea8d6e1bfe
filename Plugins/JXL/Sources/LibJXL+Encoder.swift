// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

extension LibJXL {
  /// An encoder with its memory and its threads.
  final class Encoder {
    let raw: OpaquePointer
    private let host: CoderHost
    private let budget: MemoryBudget
    private let runner: ParallelRunner

    private static let bufferSize = 1 << 16

    init(host: CoderHost) throws(CoderError) {
      self.host = host
      budget = MemoryBudget(limit: host.limits.maxMemory)
      runner = ParallelRunner(host: host)
      var manager = budget.manager
      guard let raw = JxlEncoderCreate(&manager) else {
        throw CoderError(code: .outOfMemory, message: "no memory for libjxl's encoder")
      }
      self.raw = raw
      try check(JxlEncoderSetParallelRunner(raw, ParallelRunner.function, runner.opaque), "its threads")
    }

    deinit { JxlEncoderDestroy(raw) }

    /// Checks a status of the encoder.
    ///
    /// - Parameter what: Named in the error: `the ICC profile`.
    func check(_ status: JxlEncoderStatus, _ what: String) throws(CoderError) {
      guard status != JXL_ENC_SUCCESS else { return }
      if host.isCancelled { throw .cancelled }
      throw CoderError(encoding: JxlEncoderGetError(raw), what: what)
    }

    /// Settings for frames, which live as long as the encoder.
    func makeFrameSettings() throws(CoderError) -> OpaquePointer {
      guard let settings = JxlEncoderFrameSettingsCreate(raw, nil) else {
        throw CoderError(code: .outOfMemory, message: "no memory for libjxl's settings")
      }
      return settings
    }

    /// Encodes what was added so far, and hands it on piece by piece.
    func drain(_ take: (UnsafeRawBufferPointer) throws(CoderError) -> Void) throws(CoderError) {
      let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.bufferSize)
      defer { buffer.deallocate() }
      var status = JXL_ENC_NEED_MORE_OUTPUT
      while status == JXL_ENC_NEED_MORE_OUTPUT {
        var place: UnsafeMutablePointer<UInt8>? = buffer
        var left = Self.bufferSize
        status = JxlEncoderProcessOutput(raw, &place, &left)
        guard status == JXL_ENC_NEED_MORE_OUTPUT else {
          try check(status, "what was added")
          try take(UnsafeRawBufferPointer(start: buffer, count: Self.bufferSize - left))
          return
        }
        try take(UnsafeRawBufferPointer(start: buffer, count: Self.bufferSize - left))
      }
    }

    /// Adds a box of metadata.
    func add(_ content: [UInt8], as type: StaticString, isCompressed: Bool) throws(CoderError) {
      let status = type.withUTF8Buffer { name in
        name.withMemoryRebound(to: CChar.self) { name in
          // A name has four bytes, as the caller writes it.
          JxlEncoderAddBox(raw, name.baseAddress, content, content.count, isCompressed ? 1 : 0)
        }
      }
      try check(status, "a box of \(content.count) bytes")
    }
  }
}

extension CoderError {
  /// An encoder's error; every value of libjxl 0.7's enumeration is listed.
  init(encoding code: JxlEncoderError, what: String) {
    switch code {
    case JXL_ENC_ERR_OOM: self = CoderError(code: .outOfMemory, message: "libjxl has no memory for \(what)")
    case JXL_ENC_ERR_JBRD: self = .unsupported("libjxl cannot hold what it needs to make \(what) again")
    case JXL_ENC_ERR_BAD_INPUT: self = .invalidArgument("libjxl cannot read \(what)")
    case JXL_ENC_ERR_NOT_SUPPORTED: self = .unsupported("libjxl does not encode \(what)")
    case JXL_ENC_ERR_API_USAGE:
      self = .libraryFailure("libjxl says that \(what) comes at the wrong time or with wrong values")
    case JXL_ENC_ERR_OK, JXL_ENC_ERR_GENERIC: self = .libraryFailure("libjxl fails at \(what)")
    default: self = .libraryFailure("libjxl fails at \(what) with error \(code.rawValue)")
    }
  }
}
