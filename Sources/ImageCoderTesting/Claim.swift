// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The context of a check: makes failures that name their place.
struct Claim: Sendable {
  let family: ConformanceCheck.Family
  let subject: String

  func failure(_ what: String, expected: String, found: String) -> ConformanceFailure {
    ConformanceFailure(family: family, subject: subject, what: what, expected: expected, found: found)
  }

  func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws(ConformanceFailure) {
    guard found == expected else { throw failure(what, expected: "\(expected)", found: "\(found)") }
  }

  func holds(_ condition: Bool, _ what: String, expected: String, found: @autoclosure () -> String)
    throws(ConformanceFailure)
  {
    guard condition else { throw failure(what, expected: expected, found: found()) }
  }

  /// The result of a call that has to succeed.
  func value<Value>(_ what: String, _ body: () throws -> Value) throws(ConformanceFailure) -> Value {
    switch Result(catching: body) {
    case .success(let value): return value
    case .failure(let error as ConformanceFailure): throw error
    case .failure(let error): throw failure(what, expected: "success", found: "\(error)")
    }
  }

  /// The error of a call that has to fail with one of some codes.
  @discardableResult
  func error<Value>(
    _ what: String, in codes: CoderError.Code..., body: () throws -> Value
  ) throws(ConformanceFailure) -> CoderError {
    let expected = codes.map(\.description).joined(separator: " or ")
    switch Result(catching: body) {
    case .success: throw failure(what, expected: expected, found: "success")
    case .failure(let error as CoderError) where codes.contains(error.code): return error
    case .failure(let error as ConformanceFailure): throw error
    case .failure(let error): throw failure(what, expected: expected, found: "\(error)")
    }
  }
}
