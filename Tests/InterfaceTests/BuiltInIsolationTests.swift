// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// A program that is the worker of its own coders: they are isolated as plugins are.
@Suite(.serialized) struct BuiltInIsolationTests {
  /// `Tests/BuiltInProgram`, beside this program.
  private static let program =
    PluginSearchPath.executablePath().map { "\($0.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })" }
    .map { "\($0)/built-in-program" } ?? ""

  /// What the program answers to each line.
  private func answers(_ arguments: String, _ lines: [String]) throws -> [String] {
    let folder = TemporaryFolder()
    let input = folder.write(lines.joined(separator: "\n") + "\n", to: "lines")
    let result = Command.run("unset CODERS_ISOLATION; '\(Self.program)' \(arguments) <'\(input)'")
    let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    try #require(result.status == 0 && answers.count == lines.count, "\(result)")
    return Array(answers)
  }

  private static let formats = ["bmp", "gif", "ico", "pnm", "psd", "qoi"]

  private static let files = formats.flatMap { format in
    let found = Command.run("ls '\(StagedTree.fixtures(format))'/*valid/* | grep -v -e answers.json -e '\\.txt$'")
    return found.output.split(separator: "\n").map(String.init)
  }

  /// Decoding, also of damaged files, thumbnails, and writing.
  @Test func resultsAreThoseOfTheProgram() throws {
    let lines = Self.files.flatMap { ["decode \($0)", "thumbnail \($0)", "encode gif \($0)", "encode bmp \($0)"] }
    let here = try answers("off", lines)
    #expect(Self.files.count > 100 && here.count { !$0.contains(": ") } > 200)
    for mode in ["required", "strict"] {
      for (line, (expected, found)) in zip(lines, zip(here, try answers(mode, lines))) {
        #expect(expected == found, "\(line), \(mode)")
      }
    }
  }

  /// The same ways out that a plugin tries; of each, the next file decodes.
  @Test func aHostileCoderIsAnErrorOfOneFile() throws {
    let attempts = IsolationTests.refused + IsolationTests.killed + IsolationTests.others + IsolationTests.lies
    // A spin of a second takes many on the clock while all tests run, and would be the other limit then.
    let honest = try answers("--fresh off", ["hostile nothing"])
    let lines = attempts.flatMap { ["hostile \($0.act)", "hostile nothing"] }
    let found = try answers("--fresh required", lines)
    for (index, attempt) in attempts.enumerated() {
      let answer = found[2 * index]
      let isOverTime = answer.hasPrefix("limitExceeded: ") && attempt.act == "spin"
      #expect(isOverTime || (answer.hasPrefix("\(attempt.code): ") && answer.contains(attempt.says)), "\(answer)")
      #expect(found[2 * index + 1] == honest[0], "after \(attempt.act)")
    }
  }

  @Test func aWorkerIsUsedAgain() throws {
    let found = try answers("required", ["hostile nothing", "workers", "hostile nothing", "workers"])
    #expect(found[1] == found[3] && Int(found[1]) != nil, "\(found)")
  }

  private static let picture = "\(StagedTree.fixtures("qoi"))/valid/differences-small.qoi"

  /// Neither the workers nor the threads of its parent are the child's: it starts its own, by the same program.
  @Test(arguments: ["off", "required"]) func aChildOfForkHasWorkersOfItsOwn(_ mode: String) throws {
    let found = try answers(mode, ["decode \(Self.picture)", "forked 10 \(Self.picture)", "decode \(Self.picture)"])
    #expect(found[1] == found[0] && found[2] == found[0] && !found[0].contains(": "), "\(found)")
  }

  private func error(_ arguments: String) throws -> String {
    try answers(arguments, ["decode \(Self.picture)"])[0]
  }

  @Test(arguments: [
    ("--unasked", "which has no workers: call CoderWorker.runIfAsked(.all) first in main (product ImageCodersWorker)"),
    ("--late", "the program has threads before it calls CoderWorker.runIfAsked"),
    ("--few", "org.imagecoders.qoi is built into the program, and not among the coders of CoderWorker.runIfAsked"),
  ])
  func whatIsNotPreparedIsRefused(_ option: String, _ says: String) throws {
    for mode in ["required", "strict"] {
      let error = try error("\(option) \(mode)")
      #expect(error.contains("pluginRejected: isolation_missing: ") && error.hasSuffix(says), "\(error)")
    }
    #expect(try error("\(option) preferred") == error("off"))
  }

  @Test func missingLayersAreNamed() throws {
    let picture = Self.picture
    let folder = TemporaryFolder()
    let input = folder.write("decode \(picture)\n", to: "lines")
    for (layers, says) in [("seccomp", "seccomp"), ("landlock,root", "landlock or root"), ("memory", "memory")] {
      let result = Command.run("CODERS_ISOLATION_WITHOUT=\(layers) '\(Self.program)' required <'\(input)'")
      #expect(
        result.output.contains("isolation is required, and CODERS_ISOLATION_WITHOUT leaves out \(says)"),
        "\(result.output)")
    }
  }

  /// A caller that starts a program under the name of a worker gets none.
  @Test func aWorkerIsStartedByItsProgramAlone() {
    for line in ["'\(Self.program)' required", "'\(Self.program)' 0 org.imagecoders.qoi 0 0"] {
      let result = Command.run("exec bash -c \"exec -a 'coders-worker (built in)' \(line) 3</dev/null\"")
      #expect(result.status == 64)
      #expect(result.output == "this program is started as a worker by itself alone.\n")
    }
  }

  /// A program with the rights of another user would be a worker with these rights, for any user who starts it.
  @Test(.enabled(if: getuid() == 0)) func aProgramWithRaisedPrivilegesHasNoWorkers() throws {
    let folder = TemporaryFolder()
    let made = Command.run(
      "cp '\(Self.program)' '\(Self.picture)' '\(folder.path)' && cd '\(folder.path)' && chmod 755 . && "
        + "chmod 4755 built-in-program && echo decode differences-small.qoi >lines && "
        + "exec setpriv --reuid 65534 --clear-groups ./built-in-program required <lines")
    #expect(made.output.hasSuffix("which has no workers: it runs with raised privileges\n"), "\(made.output)")
  }
}
