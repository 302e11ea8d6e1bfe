// SPDX-License-Identifier: Apache-2.0

/// What a reader is opened for, and how it reads.
public struct OpenOptions: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// What is going to be requested, so that a reader can avoid unnecessary work.
  public struct Hints: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Only the header and metadata will be requested, no pixels.
    public static let headerOnly = Hints(rawValue: 1)
    /// Frames after the first will not be requested, and need not be counted.
    public static let firstFrameOnly = Hints(rawValue: 2)
    /// Bytes arrive over time: do not ask for a byte before it is needed, and do not count frames in advance.
    public static let incremental = Hints(rawValue: 4)
  }

  /// What is going to be requested.
  public var hints: Hints
  /// The values that were given, by option name: words for texts, numbers for all else. They have been checked, and hold for
  /// the session; read them through ``subscript(_:)``.
  public var values: [String: OptionValue]

  /// Makes options.
  public init(_ hints: Hints = [], values: [String: OptionValue] = [:]) {
    self.hints = hints
    self.values = values
  }

  public init(arrayLiteral hints: Hints...) { self.init(Hints(hints)) }

  /// Whether a hint was given.
  public func contains(_ hint: Hints) -> Bool { hints.contains(hint) }
}
