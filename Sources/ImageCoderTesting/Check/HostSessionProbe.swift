// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs

/// One session's host, with a record of what the plugin did with it.
final class HostSessionProbe {
  /// The version of the interface that a host was built with.
  enum Version: UInt32 {
    /// That of this kit.
    case own = 0
    /// 1.0: structs end where they ended then.
    case first = 1
    /// Structs have later fields, with poison in them.
    case later = 2
  }

  /// How a session behaves.
  struct Settings {
    var version = Version.own
    var threads: UInt32 = 2
    /// Which call of `allocate` returns null, from 1; 0 for none.
    var failedAllocation: UInt64 = 0
    /// Which call of `is_cancelled` answers 1, from 1; 0 for none.
    var cancelledPoll: UInt64 = 0
    var limits = Settings.standardLimits

    static let standardLimits: imgcoder_limits = {
      var limits = imgcoder_limits_sized()
      limits.max_side = 32_768
      limits.max_pixels = 1 << 28
      limits.max_memory = 1 << 30
      limits.max_metadata = 64 << 20
      limits.max_frames = 65_536
      limits.max_pages = 65_536
      limits.max_scans = 1_000
      return limits
    }()
  }

  let session: OpaquePointer
  let settings: Settings

  init(_ settings: Settings = Settings()) {
    self.settings = settings
    var raw = checking_settings(
      version: settings.version.rawValue, threads: settings.threads, fail_allocation: settings.failedAllocation,
      cancel_at: settings.cancelledPoll, limits: settings.limits)
    session = checking_session_new(&raw)
  }

  deinit { checking_session_end(session) }

  var host: UnsafePointer<imgcoder_host> { checking_session_host(session) }
  var record: checking_record { checking_session_record(session).pointee }

  /// The last message of `fail`, repaired.
  var message: String {
    let record = checking_session_record(session)!
    return withUnsafeBytes(of: &record.pointee.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The first use of the host against its rules, or nil.
  var violation: (rule: Rule, text: String)? {
    let record = checking_session_record(session)!
    guard let rule = Rule(number: record.pointee.violation_rule) else { return nil }
    let text = withUnsafeBytes(of: &record.pointee.violation) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return (rule, text)
  }

  /// Runs a call with a struct whose memory ends where its size does, and notes a write after it.
  func with<Struct: BitwiseCopyable, Result>(
    _ content: inout Struct, _ name: String, body: (UnsafeMutablePointer<Struct>) -> Result
  )
    -> Result
  {
    let size = UInt32(MemoryLayout<Struct>.size)
    let memory = checking_struct_new(session, &content, size, name)!
    let result = body(memory.assumingMemoryBound(to: Struct.self))
    if checking_struct_end(session, memory, &content, size, name) == 0 { overrun = overrun ?? name }
    return result
  }

  /// The first struct after whose fields the plugin wrote, or nil.
  private(set) var overrun: String?
}

/// The names of statuses.
enum Status {
  static let ok = UInt32(IMGCODER_STATUS_OK)
  static let needMore = UInt32(IMGCODER_STATUS_NEED_MORE)
  static let notPresent = UInt32(IMGCODER_STATUS_NOT_PRESENT)
  static let wrongFormat = UInt32(IMGCODER_STATUS_WRONG_FORMAT)
  static let truncated = UInt32(IMGCODER_STATUS_TRUNCATED)
  static let unsupported = UInt32(IMGCODER_STATUS_UNSUPPORTED)
  static let limitExceeded = UInt32(IMGCODER_STATUS_LIMIT_EXCEEDED)
  static let invalidArgument = UInt32(IMGCODER_STATUS_INVALID_ARGUMENT)
  static let outOfOrder = UInt32(IMGCODER_STATUS_OUT_OF_ORDER)
  static let io = UInt32(IMGCODER_STATUS_IO)
  static let outOfMemory = UInt32(IMGCODER_STATUS_OUT_OF_MEMORY)
  static let library = UInt32(IMGCODER_STATUS_LIBRARY)
  static let cancelled = UInt32(IMGCODER_STATUS_CANCELLED)

  private static let names: [UInt32: String] = [
    0: "OK", 1: "NEED_MORE", 2: "NOT_PRESENT", 0x10: "WRONG_FORMAT", 0x11: "TRUNCATED", 0x12: "MALFORMED",
    0x13: "CHECKSUM_MISMATCH", 0x20: "UNSUPPORTED", 0x21: "NO_CODER", 0x30: "LIMIT_EXCEEDED", 0x40: "INVALID_ARGUMENT",
    0x41: "OUT_OF_ORDER", 0x50: "IO", 0x51: "OUT_OF_MEMORY", 0x52: "LIBRARY", 0x53: "PLUGIN_REJECTED",
    0x54: "CANCELLED",
  ]

  static func name(_ status: UInt32) -> String { names[status] ?? "status 0x\(String(status, radix: 16))" }

  static func isKnown(_ status: UInt32) -> Bool { names[status] != nil }
}
