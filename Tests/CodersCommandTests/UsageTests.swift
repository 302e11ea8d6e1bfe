// SPDX-License-Identifier: Apache-2.0

import Testing

/// Commands that are not understood.
@Suite struct UsageTests {
  @Test(arguments: [("prob", "probe"), ("thumbnails", "thumbnail"), ("optoins", "options"), ("lst", "list")])
  func aMisspelledVerbHasASuggestion(_ word: String, _ verb: String) {
    let run = Run.inProcess(word, "a.png")
    #expect(run.status == 64)
    #expect(run.errors == "coders: there is no verb \(word); did you mean \(verb)?\n")
    #expect(run.output == "")
  }

  @Test(arguments: ["contact-sheet", "xyzzy", "--color", "probe"])
  func otherMistakesHaveNone(_ word: String) {
    let run = Run.inProcess(word, "--no-such-option")
    #expect(run.status == 64)
    #expect(!run.errors.contains("did you mean"), "\(run.errors)")
  }
}
