// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `coders help limits`: the options that every verb that reads files has, and that the help of none shows.
struct LimitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits", abstract: "Limits of what a file may ask for.",
    usage: "coders <verb> --max-pixels <n> [<options>] <file>",
    discussion: """
      Every verb that reads files has these options. A file that asks for more is refused with exit status 3 and an \
      error that names the limit. A number may have a unit: 200k, 1.5M (k is 1000), 64MiB (of 1048576). A policy has \
      limits too, and the smaller one applies: see coders help policy.

      Examples:
        coders probe --max-pixels 24M photo.jpg
        coders convert --max-frames 500 --max-memory 256MiB party.gif party.webp
        coders thumbnail --max-milliseconds 10000 --size 256 -r photos/ -o thumbs/
      """,
    shouldDisplay: false)

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws { throw CleanExit.helpRequest(self) }
}
