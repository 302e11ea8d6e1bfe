// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders doctor`: whether the installation works, and what to do when it does not.
struct DoctorCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the installation: directories, manifests, plugins and their libraries.",
    discussion: """
      Looks into every directory of the search path, checks every manifest, and loads every plugin. Each problem has \
      the name of the thing to change; for a library that is missing, the Debian package that has it. Ends with 0 when \
      all is well, and with 5 otherwise.

      Examples:
        coders doctor
        coders doctor --plugin-dir ./build/lib/coders/1
        coders doctor --quiet && echo all is well
      """)

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let diagnosis = Diagnosis(
      searchPath: coders.searchPath(console), preferences: Preferences(environment: console.environment))
    for section in diagnosis.sections {
      if !coders.quiet {
        console.print(console.style.title(section.title))
        for finding in section.findings { for line in finding.lines(console.style) { console.print(line) } }
        console.print("")
      }
    }
    let problems = diagnosis.problemCount
    if !coders.quiet {
      console.print(problems == 0 ? "all is well" : problems == 1 ? "1 problem" : "\(problems) problems")
    }
    return problems == 0 ? .ok : .environment
  }
}
