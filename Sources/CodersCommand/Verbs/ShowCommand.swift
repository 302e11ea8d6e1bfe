// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders show`: pictures in the terminal.
struct ShowCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show pictures in the terminal.",
    usage: "coders show [<options>] <in> ...",
    discussion: """
      The terminal is asked what it can show: pixels by the protocols of kitty, iTerm2 or sixel, or else text, of which a \
      character shows two pixels, one above the other. Pictures are made smaller to fit the terminal, and larger with --enlarge; what is \
      transparent is shown on black, except by kitty and iTerm2. Of an animation, the first frame is shown.

      Examples:
        coders show photo.jpg
        coders show --size 40x20 *.png
        coders show --enlarge --caption icon.ico
        coders show --protocol ascii --force logo.png >logo.txt
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"))
  var inputs: [String]

  @OptionGroup var terminal: TerminalOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    try terminal.check(console)
    let failures = Failures(console)
    let session = terminal.session(console, .show) { read.registry(console) }
    defer { session.leave() }
    for input in inputs {
      CurrentFiles.set(input: input)
      do throws(CoderError) {
        var options = session.decodeOptions(
          try read.decodeOptions(session.registry, console, file: input), cells: terminal.size?.size)
        options.firstFrameOnly = true
        let image = try read.decode(
          try read.source(input, session.registry, console), session.registry, options: options)
        terminal.printCaption(
          of: input, image.header, isOneOfMany: inputs.count > 1 && !read.coders.isQuiet, console)
        try session.show(image.pixels)
        if let problem = image.problem { failures.add(problem, file: input) }
      } catch {
        failures.add(error, file: input)
        if error.code == .cancelled { break }
      }
    }
    return failures.status
  }
}
