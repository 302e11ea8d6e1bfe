// SPDX-License-Identifier: Apache-2.0

/// One claim about a coder that can be checked by itself.
public struct ConformanceCheck: Sendable {
  /// What a claim is about; one file of this module each.
  public enum Family: String, Sendable, CaseIterable {
    /// What is installed, what it recognizes and reads, and which files it refuses.
    case loading, interface, signature, pixels, malformed, truncation
    /// Bytes that arrive in pieces.
    case chunkedInput = "chunked input"
    /// The caller's limits.
    case limits
    /// Files that are written and read again.
    case roundTrip = "round trip"
    /// Options of the writer, frames, threads, unwritten memory, and work that is stopped.
    case options, animation, concurrency, poison, cancellation
  }

  /// The group of claims that this one belongs to.
  public let family: Family
  /// The fixture or the feature that the claim is about.
  public let subject: String
  let body: @Sendable (Claim) throws(ConformanceFailure) -> Void

  /// Family and subject: `pixels: gray1.png`.
  public var name: String { "\(family.rawValue): \(subject)" }

  /// Runs the check.
  ///
  /// - Throws: ``ConformanceFailure``.
  public func run() throws(ConformanceFailure) { try body(Claim(family: family, subject: subject)) }
}

extension ConformanceCheck: CustomStringConvertible {
  public var description: String { name }
}

/// What a coder answered, and what it must answer.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// The family of the check that failed.
  public let family: ConformanceCheck.Family
  /// The fixture or the feature.
  public let subject: String
  /// Which answer of the coder: `canvas`, `frame 2`.
  public let what: String
  /// The required answer, as text.
  public let expected: String
  /// The coder's answer, as text.
  public let found: String

  public var description: String { "\(family.rawValue): \(subject): \(what): expected \(expected), found \(found)" }
}
