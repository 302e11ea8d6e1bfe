// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders doctor`: checks the installation and advises what to repair.
struct DoctorCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the installation: directories, manifests, plugins and their libraries.",
    discussion: """
      Lists every directory of the search path, checks every manifest, and loads every plugin. For plugins that are not \
      part of this project, it also runs the checks of `coders check` that read files only. Each problem names what \
      to change; for a missing library, that is the Debian package to install. Warnings name what works, and may not \
      be meant as it is. The exit status is 0 if there are no problems, otherwise 5.

      Examples:
        coders doctor
        coders doctor --plugin-dir ./build/lib/coders/1
        coders doctor --quiet && echo no problems
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let settings = coders.settings
    let diagnosis = Diagnosis(
      settings.catalog(console), searchPath: settings.searchPath(console),
      preferences: CoderPreferences(environment: console.environment))
    if json {
      console.print(diagnosis.json.printed)
      return diagnosis.count(.problem) == 0 ? .ok : .environment
    }
    for section in diagnosis.sections {
      if !coders.quiet {
        console.print(console.style.title(section.title))
        for finding in section.findings { for line in finding.lines(console.style) { console.print(line) } }
        console.print("")
      }
    }
    if !coders.quiet { console.print(diagnosis.summary) }
    return diagnosis.count(.problem) == 0 ? .ok : .environment
  }
}
