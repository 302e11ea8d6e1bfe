// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders doctor`: checks the installation and advises what to repair.
struct DoctorCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the installation: directories, manifests, plugins and their libraries.",
    discussion: """
      Lists every directory of the search path, checks every manifest, and loads every plugin. Each problem names what \
      to change; for a missing library, that is the Debian package to install. The exit status is 0 if there are no \
      problems, otherwise 5.

      Examples:
        coders doctor
        coders doctor --plugin-dir ./build/lib/coders/1
        coders doctor --quiet && echo no problems
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
      console.print(problems == 0 ? "no problems" : problems == 1 ? "1 problem" : "\(problems) problems")
    }
    return problems == 0 ? .ok : .environment
  }
}
