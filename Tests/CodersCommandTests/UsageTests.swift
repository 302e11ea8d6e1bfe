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

  /// Verbs that are parsed without the others.
  private static let plainVerbs = ["list", "probe", "convert", "thumbnail"]

  @Test(arguments: plainVerbs) func helpOfAPlainVerbNamesTheProgram(_ verb: String) {
    let runs = [Run.inProcess(verb, "--help"), Run.inProcess("help", verb)]
    for run in runs {
      #expect(run.status == 0)
      #expect(run.output.contains("USAGE: coders \(verb) "))
      #expect(run.output == runs[0].output)
    }
  }

  @Test(arguments: plainVerbs) func errorsOfAPlainVerbNameTheProgram(_ verb: String) {
    let run = Run.inProcess(verb, "--no-such-option")
    #expect(run.status == 64)
    #expect(run.errors.contains("Usage: coders \(verb) "))
    #expect(run.errors.contains("See 'coders \(verb) --help' for more information."))
  }

  @Test(arguments: [
    "animate", "apply", "cache", "check", "compare", "convert", "doctor", "frames", "hash", "list", "metadata", "new",
    "operations", "options", "placeholder", "play", "plugin", "policy", "probe", "sheet", "show", "stream", "thumbnail",
  ])
  func anUnknownOptionComesBeforeWhatIsMissing(_ verb: String) {
    for option in ["--no-such-option", "--no-such-option=3", "-Z"] {
      let run = Run.inProcess(verb, option)
      let name = option.hasSuffix("=3") ? "--no-such-option" : option
      #expect(run.status == 64)
      #expect(run.errors.hasPrefix("coders: Unknown option '\(name)'"), "\(run.errors)")
      #expect(run.errors.contains("\nUsage: coders \(verb) "), "\(run.errors)")
    }
  }

  @Test func anUnknownOptionIsNotTakenForItsValue() {
    let run = Run.inProcess("convert", "a.svg", "--size", "20", "b.png")
    #expect(run.errors.hasPrefix("coders: Unknown option '--size'. Did you mean '--sizes'?\nUsage: coders convert "))
    #expect(run.status == 64)
    // What an option takes as it is, and what follows the options, is none.
    for arguments in [["--inset", "--size"], ["--jobs", "-5"], ["--", "--size", "-Z"]] {
      let run = Run.inProcess(["convert"] + arguments)
      #expect(run.status == 64)
      #expect(!run.errors.contains("Unknown option"), "\(run.errors)")
    }
  }

  @Test(arguments: plainVerbs) func aPlainVerbKnowsTheVersion(_ verb: String) {
    #expect(Run.inProcess(verb, "--version").output == Run.inProcess("--version").output)
  }

  @Test func completionsAreOfTheWholeCommand() {
    let run = Run.inProcess("probe", "--generate-completion-script", "bash")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("#!/bin/bash"))
    #expect(run.output.contains("_coders_thumbnail"))
  }
}
