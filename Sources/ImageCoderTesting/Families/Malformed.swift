// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Every invalid fixture has exactly the error of its answer, however often it is asked.
  var malformed: [ConformanceCheck] {
    fixtures.invalid.map { fixture in
      check(.malformed, fixture.name) { (claim) throws(ConformanceFailure) in
        for round in 1...2 {
          let what = round == 1 ? "decode" : "decode again"
          do {
            let image = try coder.decode(.bytes(fixture.bytes))
            let found = image.problem.map { "an image with the problem \($0)" } ?? "an image"
            try claim.holds(fixture.answer.rows ?? "none" != "none", what, expected: fixture.answer.error, found: found)
            try claim.equal(image.problem?.code.description, fixture.answer.error, "problem (\(found))")
          } catch let error as CoderError {
            try claim.holds(
              error.code.description == fixture.answer.error, what, expected: fixture.answer.error, found: "\(error)")
            try claim.holds(fixture.answer.rows != "some", what, expected: "rows before the error", found: "\(error)")
            try checkMessage(error, claim)
          } catch {
            throw error as? ConformanceFailure ?? claim.failure(what, expected: fixture.answer.error, found: "\(error)")
          }
        }
      }
    }
  }

  /// Errors are sentences for developers: one line, no full stop, by this coder.
  private func checkMessage(_ error: CoderError, _ claim: Claim) throws(ConformanceFailure) {
    let message = error.message
    let isSentence = !message.isEmpty && !message.hasSuffix(".") && !message.contains("\n")
    try claim.holds(isSentence, "message", expected: "one line without a full stop", found: "\"\(message)\"")
    try claim.equal(error.coder, coder.id, "coder of the error")
  }
}
