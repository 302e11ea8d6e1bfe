// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders policy`: prints what files may ask for, and who says so.
struct PolicyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Print what files may ask for: formats, coders, limits, isolation, and who set each.",
    discussion: """
      A policy forbids: which formats are read, by which coders, how much a file may take, and whether plugins see files \
      only in locked processes. It is the one that --policy names, or else CODERS_POLICY, or else the user's file \
      ~/.config/coders/policy.json; without any, the policy standard holds. A file that is not understood refuses \
      everything. What a refusal says is what stands here: the setting, who made it, and why.

      The policies that come with coders:
        standard     nothing is forbidden, and plugins run in the program: what holds without a policy
        trusted      files of one's own: limits that stop mistakes only
        web          a server that takes uploads: isolation required, a fresh worker for each file, small limits
        thumbnailer  small pictures of a user's files: isolation required, no metadata
        paranoid     readers in Swift in the program, all others with every layer of isolation or not at all

      A file begins with one of them and changes it; each value may have its reason:
        {
          "base": "web",
          "formats": ["jpeg", "png"],
          "limits": { "maxPixels": { "value": 24000000, "reason": "what the shop shows" } },
          "byFormat": { "png": { "limits": { "maxSide": 4096 } } }
        }

      Examples:
        coders policy
        coders policy --policy web
        coders policy --policy ./policy.json --json
        CODERS_POLICY=web coders thumbnail upload.jpg --size 256 -o small.webp
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Show this policy: standard, trusted, web, thumbnailer, paranoid, or a policy file.", valueName: "policy"))
  var policy: PolicyArgument?

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let finding = CoderSettings.policy(policy?.name, console).finding
    let registry = coders.settings.registry(console, policy: policy?.name)
    if let problem = registry.policy.problem { throw problem }
    let listing = PolicyListing(registry, finding)
    if json {
      console.print(listing.json.printed)
    } else if coders.quiet {
      console.print(registry.policy.name)
    } else {
      for line in listing.lines(console.style) { console.print(line) }
    }
    return .ok
  }
}
