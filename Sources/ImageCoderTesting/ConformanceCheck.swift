// SPDX-License-Identifier: Apache-2.0

/// One claim about a coder that can be checked by itself.
public struct ConformanceCheck: Sendable {
  /// What a claim is about; one file of this module each.
  public enum Family: String, Sendable, CaseIterable {
    case loading, interface, signature, pixels, malformed, truncation
    case chunkedInput = "chunked input"
    case limits
    case roundTrip = "round trip"
    case options, animation, concurrency, poison, cancellation
  }

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
  public let family: ConformanceCheck.Family
  /// The fixture or the feature.
  public let subject: String
  /// Which answer of the coder: `canvas`, `frame 2`.
  public let what: String
  public let expected: String
  public let found: String

  public var description: String { "\(family.rawValue): \(subject): \(what): expected \(expected), found \(found)" }
}
