// SPDX-License-Identifier: Apache-2.0

import CommandRuns
import TestSupport
import Testing

/// What the installed program does by itself is what the whole command does.
@Suite struct QuickVerbTests {
  /// Words of a command line; files of the fixtures are named in angle brackets.
  static let asked: [[String]] = [
    ["--version"],
    ["list"],
    ["list", "--json"],
    ["list", "--quiet"],
    ["probe", "<window.png>"],
    ["probe", "<window.png>", "<landscape-orientation-6.jpg>", "<comet-alpha.gif>"],
    ["probe", "--short", "<window.png>", "<comet-alpha.apng>"],
    ["probe", "<comet-alpha.gif>", "--json"],
    ["probe", "--explain", "<window.png>"],
    ["probe", "--json", "--explain", "<window.png>"],
    ["probe", "--quiet", "<window.png>", "/nonexistent/file.png"],
    ["probe", "--json", "/nonexistent/file.png", "<window.png>"],
    ["probe", ""],
    ["probe", "/dev/null", "/"],
  ]

  private static func arguments(_ words: [String]) throws -> [String] {
    try words.map { $0.hasPrefix("<") ? try Fixture.path(String($0.dropFirst().dropLast())) : $0 }
  }

  @Test(arguments: asked, [[:], ["CODERS_POLICY": "paranoid"], ["CODERS_PLUGIN_PATH": "/nonexistent"]])
  func isWhatTheWholeCommandDoes(_ words: [String], _ environment: [String: String]) throws {
    let arguments = try Self.arguments(words)
    for isTerminal in [false, true] {
      let quick = try #require(Run.quick(arguments, environment: environment, isTerminal: isTerminal))
      let whole = Run.inProcess(arguments, environment: environment, isTerminal: isTerminal)
      #expect(quick.output == whole.output)
      #expect(quick.errors == whole.errors)
      #expect(quick.status == whole.status)
    }
  }

  /// The same, and OUT is a folder that is there.
  static let thumbnails: [[String]] = [
    ["--size", "64", "<window.png>", "-o", "OUT/small.jpg"],
    ["--size", "64x40", "--fill", "<landscape-orientation-6.jpg>", "--output", "OUT/small.webp"],
    ["--size", "64", "--fast", "<landscape-orientation-6.jpg>", "-o", "OUT/small.png"],
    ["--stretch", "--size", "64x40", "<comet-alpha.gif>", "-o", "OUT/small.png"],
    ["--size", "50%", "--fit", "<window.png>", "-o", "OUT/", "--quiet"],
    ["--size", "64", "--format", "jpg", "<window.png>", "<comet-alpha.gif>", "<window.png>", "-o", "OUT/new"],
    ["--size", "64", "<window.png>", "/nonexistent/file.png", "-o", "OUT"],
    ["--size", "64", "<window.png>", "-o", "OUT/small.unknown"],
    ["--size", "64", "<window.png>", "-o", "OUT/small"],
    ["--size", "64", "<window.png>", "-o", "<window.png>"],
  ]

  /// The same.
  static let conversions: [[String]] = [
    ["<window.png>", "OUT/new.jpg"], ["<landscape-orientation-6.jpg>", "OUT/same.jpg"],
    ["--reencode", "<landscape-orientation-6.jpg>", "OUT/new.jpg", "--quality", "0.4"],
    ["<comet-alpha.gif>", "OUT/new.webp", "--lossless"], ["<comet-alpha.apng>", "OUT/new.gif", "--quiet"],
    ["<window.png>", "--format", "jpg", "--progressive", "OUT/new"],
    ["<window.png>", "<comet-alpha.gif>", "--format", "webp"], ["/nonexistent/file.png", "OUT/new.jpg"],
    ["<window.png>", "OUT/new.unknown"], ["<window.png>", "/nonexistent/new.jpg"], ["<window.png>", "<window.png>"],
    ["<window.png>", "OUT/new.jpg", "--lossless"],
  ]

  @Test(arguments: conversions) func convertsTheSame(_ words: [String]) throws {
    try isSame(["convert"] + words)
  }

  @Test(arguments: thumbnails) func makesTheSameThumbnails(_ words: [String]) throws {
    try isSame(["thumbnail"] + words)
  }

  private func isSame(_ words: [String]) throws {
    var left: [(run: Run, files: [[UInt8]])] = []
    for isQuick in [true, false] {
      let folder = TemporaryFolder()
      let arguments = try Self.arguments(words).map { Self.exchange("OUT", for: folder.path, in: $0) }
      let run = isQuick ? try #require(Run.quick(arguments)) : Run.inProcess(arguments)
      let found = Command.run("find '\(folder.path)' -type f | sort").output.split(separator: "\n").map(String.init)
      let names = found.map { Self.exchange(folder.path, for: "OUT", in: $0) }.joined(separator: " ")
      let said = [run.output, run.errors].map { Self.exchange(folder.path, for: "OUT", in: $0) }
      left.append(
        (Run(status: run.status, output: said[0] + names, errors: said[1]), try found.map { try Package.bytes($0) }))
    }
    #expect(left[0].run.status == left[1].run.status)
    #expect(left[0].run.output == left[1].run.output)
    #expect(left[0].run.errors == left[1].run.errors)
    let isSame = left[0].files == left[1].files
    #expect(isSame)
  }

  private static func exchange(_ old: String, for new: String, in text: String) -> String {
    text.replacing(old, with: new)
  }

  /// Other verbs and options, and what may be a mistake.
  static let others: [[String]] = [
    [], ["--help"], ["help"], ["--version", "--version"], ["probe"], ["probe", "--help"], ["probe", "-h"],
    ["probe", "-"],
    ["probe", "--json"], ["probe", "--json", "--short", "a.png"], ["probe", "--json", "--json", "a.png"],
    ["probe", "--jsonn", "a.png"], ["probe", "--json=yes", "a.png"], ["probe", "-r", "pictures"],
    ["probe", "--files-from", "list"], ["probe", "--page", "2", "a.pdf"], ["probe", "--coder", "png", "a.png"],
    ["probe", "--plugin-dir", "p", "a.png"], ["probe", "--", "--json"], ["probe", "a.png", "--isolate", "required"],
    ["list", "--quiet", "--json"], ["list", "--plugin-dir", "p"], ["list", "all"], ["convert"], ["convert", "a.png"],
    ["convert", "a.png", "b.png", "c.png"], ["convert", "a.png", "-"], ["convert", "a.png", "-o", "b.png"],
    ["convert", "a.png", "b.png", "--quality", "2"], ["convert", "a.png", "b.png", "--quality", "high"],
    ["convert", "a.png", "b.png", "--rotate", "90"], ["convert", "a.png", "b.png", "--json"],
    ["convert", "a.png", "b.png", "--quality=0.5"],
    ["thumbnail", "--version"],
    ["thumbnail", "a.png"], ["thumbnail", "a.png", "-o", "b.png"], ["thumbnail", "--size", "64", "a.png"],
    ["thumbnail", "--size", "64", "-o", "b.png"], ["thumbnail", "--size", "large", "a.png", "-o", "b.png"],
    ["thumbnail", "--size=64", "a.png", "-o", "b.png"], ["thumbnail", "--size", "64", "a.png", "-ob.png"],
    ["thumbnail", "--size", "64", "a.png", "-o", "-"], ["thumbnail", "--size", "64", "-", "-o", "b.png"],
    ["thumbnail", "--size", "64", "a.png", "-o", "b.png", "--output", "c.png"],
    ["thumbnail", "--size", "64", "--fit", "--fill", "a.png", "-o", "b.png"],
    ["thumbnail", "--size", "64", "a.png", "-o", "b.png", "--quality", "0.5"],
    ["thumbnail", "--size", "64", "-r", "a", "-o", "b/"], ["thumbnail", "--freedesktop", "a.png"],
    ["thumbnail", "a.png", "-o", "b.png", "--size"], ["thumbnail", "--size", "--fit", "a.png", "-o", "b.png"],
    ["prob", "a.png"],
    ["--generate-completion-script", "bash"], ["--experimental-dump-help"],
  ]

  @Test(arguments: others) func isForTheWholeCommand(_ words: [String]) {
    #expect(QuickVerb(words) == nil)
  }

  /// The program that is installed, the quick one and the whole one.
  @Test(arguments: asked) func isWhatTheInstalledProgramDoes(_ words: [String]) throws {
    let arguments = try Self.arguments(words)
    let environment = ["CODERS_PLUGIN_PATH": Package.plugins]
    let runs = ["bin/coders", "libexec/coders-quick", "libexec/coders-command"].map {
      Run.program("\(Package.root)/build/\($0)", arguments, environment: environment)
    }
    for run in runs {
      #expect(run.output == runs[0].output)
      #expect(run.errors == runs[0].errors)
      #expect(run.status == runs[0].status)
    }
  }

  @Test func theWholeCommandIsFound() {
    #expect(WholeCommand.place(beside: "/opt/libexec/coders-quick") == "/opt/libexec/coders-command")
  }

  @Test func aProgramThatIsMissingIsNamed() {
    let folder = Folder()
    for program in ["bin/coders", "libexec/coders-quick"] {
      let copied = folder.write("coders", [])
      let source = "\(Package.root)/build/\(program)"
      #expect(Run.shell("cp \"$0\" \"$1\" && chmod 755 \"$1\"", [source, copied]).status == 0)
      let run = Run.program(copied, ["frames"])
      #expect(run.status == 5)
      #expect(run.errors.hasPrefix("coders: /") && run.errors.hasSuffix("/coders-command: No such file or directory\n"))
      #expect(Run.shell("rm \"$0\"", [copied]).status == 0)
    }
  }

  /// Whatever the program is started as, and with arguments that are not UTF-8.
  @Test func hasItsArgumentsFromTheOther() {
    let run = Run.shell("exec \"$0\" convert \"$(printf 'a\\377.png')\" out.png", [Package.command])
    #expect(run.status == 5)
    #expect(run.errors.contains("no such file or directory"))
  }
}
