// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

@Suite struct FactTests {
  /// The table of `docs/fidelity.md` is that of the code.
  @Test func pageHasTheRules() throws {
    let page = try Package.text("docs/fidelity.md")
    for fact in Fact.allCases {
      let rules = fact.rules
      let words = [
        rules.encoded, rules.scaled, rules.cropped, rules.turned, rules.drawn, rules.recolored, rules.picked,
      ].map(\.rawValue)
      let row = "| \(fact.rawValue) | \(words.joined(separator: " | ")) | \(rules.isMissed ? "yes" : "–") |"
      #expect(page.contains(row), "\(row)")
    }
  }

  @Test func strongestRuleOfAllChangesHolds() {
    #expect(Fact.thumbnail.rules.rule(for: .scaled) == .stays)
    #expect(Fact.thumbnail.rules.rule(for: [.scaled, .cropped]) == .goes)
    #expect(Fact.density.rules.rule(for: [.scaled, .turned]) == .follows)
    #expect(Fact.credentials.rules.rule(for: []) == .goes)
  }
}
