// SPDX-License-Identifier: Apache-2.0

/// Why an image could not be read or written.
///
/// Errors are made by the factories in `CoderError+Factories.swift`, so that each message says what was found and what
/// was allowed.
public struct CoderError: Error, Sendable, Equatable {
  /// The kind of failure. It is stable, and has the same number in C.
  public var code: Code { fields.code }

  /// The identifier of the coder that reported it, or nil if no coder was chosen yet.
  public var coder: String? {
    get { fields.coder }
    set { change { $0.coder = newValue } }
  }

  /// The byte offset in the source where the problem was found, or nil if it has no place in the file.
  public var offset: Int? { fields.offset }

  /// One sentence for a developer: what was found, what was allowed. Lower case, no final period, no newline.
  public var message: String { fields.message }

  /// Which limit was exceeded, or nil for an error of another kind, and if a plugin does not say it.
  public var limit: Limits.Name? { fields.limit }

  /// What the work needs of ``limit``, in its unit; nil if nobody says it.
  public var found: Int? { fields.found }

  /// The value of ``limit``; nil if nobody says it.
  public var allowed: Int? { fields.allowed }

  /// Who set ``limit``, such as a policy with its file and line; nil if that was the caller. Not part of ``message``.
  public var setBy: String? {
    get { fields.setBy }
    set { change { $0.setBy = newValue } }
  }

  /// The path of the file that was read or written, or nil for bytes in memory and on standard input. Not part of
  /// ``message``.
  public var file: String? {
    get { fields.file }
    set { change { $0.file = newValue } }
  }

  /// One word: nearly every function can throw an error, and each call carries it.
  private var shared: Shared

  private final class Shared: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }

  private struct Fields: Sendable, Equatable {
    let code: Code
    var coder: String?
    let offset: Int?
    let message: String
    let limit: Limits.Name?
    let found: Int?
    let allowed: Int?
    var setBy: String?
    var file: String?
  }

  private var fields: Fields { shared.fields }

  private mutating func change(_ body: (inout Fields) -> Void) {
    var fields = shared.fields
    body(&fields)
    shared = Shared(fields)
  }

  /// Makes an error of any code. Prefer the factories, such as ``malformed(_:at:)``.
  public init(
    code: Code, message: String, offset: Int? = nil, coder: String? = nil, limit: Limits.Name? = nil,
    found: Int? = nil, allowed: Int? = nil
  ) {
    shared = Shared(
      Fields(
        code: code, coder: coder, offset: offset, message: message, limit: limit, found: found, allowed: allowed))
  }

  public static func == (a: CoderError, b: CoderError) -> Bool { a.shared === b.shared || a.fields == b.fields }
}

extension CoderError {
  /// The kind of a failure.
  ///
  /// The raw value is that of `imgcoder_status` in the plugin interface. New codes may come in a minor version, so a
  /// `switch` over codes needs a default; ``group`` is closed.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The bytes are not of the format that the coder reads.
    public static let wrongFormat = Code(rawValue: 0x10)
    /// The bytes end too early; rows before the end are valid.
    public static let truncated = Code(rawValue: 0x11)
    /// The bytes break the format's rules.
    public static let malformed = Code(rawValue: 0x12)
    /// A checksum in the file is wrong.
    public static let checksumMismatch = Code(rawValue: 0x13)
    /// The file may be valid, but the coder does not support it.
    public static let unsupported = Code(rawValue: 0x20)
    /// No registered coder accepts these bytes or this format.
    public static let noCoder = Code(rawValue: 0x21)
    /// One of the caller's limits was exceeded; ``CoderError/limit`` says which.
    public static let limitExceeded = Code(rawValue: 0x30)
    /// The caller passed an invalid argument.
    public static let invalidArgument = Code(rawValue: 0x40)
    /// The caller made calls in the wrong order.
    public static let outOfOrder = Code(rawValue: 0x41)
    /// Reading or writing bytes failed.
    public static let io = Code(rawValue: 0x50)
    /// The machine has no more memory.
    public static let outOfMemory = Code(rawValue: 0x51)
    /// The wrapped library failed and does not say why.
    public static let libraryFailure = Code(rawValue: 0x52)
    /// A plugin or its manifest was refused.
    public static let pluginRejected = Code(rawValue: 0x53)
    /// The work was cancelled.
    public static let cancelled = Code(rawValue: 0x54)
    /// The coder crashed, hung or broke its rules in a process of its own. The host alone reports this; the next file can be
    /// decoded.
    public static let coderCrashed = Code(rawValue: 0x55)
    /// The queue is full, as its policy says (`WorkQueue.Policy`). The host alone reports this; a server answers 503.
    public static let overloaded = Code(rawValue: 0x56)

    /// Who has to act.
    public var group: Group { Group(rawValue: rawValue >> 4) ?? .environment }
  }

  /// Who has to act on a failure.
  public enum Group: UInt32, Sendable {
    /// The file is bad.
    case file = 1
    /// The file may be valid, but no coder here reads or writes it.
    case unsupported = 2
    /// The caller's limits forbid it.
    case limits = 3
    /// The caller made a mistake.
    case caller = 4
    /// The environment failed: files, memory, libraries, plugins.
    case environment = 5
  }
}

extension CoderError.Code: CustomStringConvertible {
  /// The code's stable name, as `coders --json` prints it.
  public var description: String {
    switch self {
    case .wrongFormat: "wrongFormat"
    case .truncated: "truncated"
    case .malformed: "malformed"
    case .checksumMismatch: "checksumMismatch"
    case .unsupported: "unsupported"
    case .noCoder: "noCoder"
    case .limitExceeded: "limitExceeded"
    case .invalidArgument: "invalidArgument"
    case .outOfOrder: "outOfOrder"
    case .io: "io"
    case .outOfMemory: "outOfMemory"
    case .libraryFailure: "library"
    case .pluginRejected: "pluginRejected"
    case .cancelled: "cancelled"
    case .coderCrashed: "coderCrashed"
    case .overloaded: "overloaded"
    default: "code \(rawValue)"
    }
  }
}

extension CoderError: CustomStringConvertible {
  /// File, code, place and message: `photo.webp: truncated at byte 1032: VP8 chunk needs 4096 bytes`.
  public var description: String { (file.map { "\($0): " } ?? "") + descriptionWithoutFile }

  /// Code, place, message and who set the limit, for output that names the file itself.
  package var descriptionWithoutFile: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "\(code)\(place): \(sentence)"
  }

  /// The message, and who set the limit.
  package var sentence: String { message + (setBy.map { " (set by \($0))" } ?? "") }
}
