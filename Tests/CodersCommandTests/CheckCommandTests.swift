// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite struct CheckCommandTests {
  /// The manifest of the plugin in C, and a sample.
  private static let manifest = "\(ForeignPlugin.qoi.path)/qoi.imgcoder.json"
  private static let sample = "\(Package.root)/Tests/Fixtures/qoi/valid/rgba8.qoi"

  @Test func theListIsTheTableOfThePage() throws {
    let run = Run.inProcess("check", "--list")
    #expect(run.status == 0)
    #expect(try Package.text("docs/checking.md").hasSuffix("prints this table.\n\n\(run.output)"))
  }

  @Test func theListIsPrintedAsJSON() {
    let run = Run.inProcess("check", "--list", "--json", "--only", "decode.cut")
    #expect(
      run.output == """
        {
          "checks": [
            {
              "check": "decode.cut",
              "rule": "R9",
              "rule_text": "A truncated file delivers its complete rows and then reports TRUNCATED.",
              "runs_code": true,
              "sentence": "A file that is cut anywhere gives its complete rows and is TRUNCATED."
            }
          ],
          "schema": 1
        }

        """)
  }

  @Test func anUnknownCheckIsWrongUsage() {
    let run = Run.inProcess("check", "--only", "decode,decode.wrong", Self.manifest)
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix(
        "coders: --only decode.wrong: there is no such group or check; coders check --list shows them\n"))
  }

  @Test(arguments: ["0s", "60x", "-1s", "25h", "nan"]) func aTimeOutOfRangeIsWrongUsage(_ time: String) {
    #expect(Run.inProcess("check", "--fuzz=\(time)", Self.manifest).status == 64)
  }

  @Test func aPluginThatIsMissingIsReported() {
    let run = Run.inProcess("check", "/nowhere/libx.so")
    #expect(run.status == 5)
    #expect(run.errors == "coders: io: /nowhere/libx.so: no such file or directory\n")
  }

  @Test func passesPrintATableAndTheSummary() {
    let run = Run.binary(["check", Self.manifest, Self.sample, "--only", "manifest.id,decode.repeat"])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
    #expect(
      lines == ["org.example.qoi", "group pass fail warn skipped", "manifest 1 0 0 0", "decode 1 0 0 0", "check: pass"])
  }

  @Test func aFailureNamesItsRuleAndTheCommandThatRepeatsIt() {
    let folder = Self.copy(edit: "s/\"1.0.0\"/\"1.0.1\"/")
    let run = Run.binary(["check", "\(folder.path)/libqoi.so", "--only", "manifest.id", "--quiet", "--seed", "7"])
    #expect(run.status == 1)
    #expect(
      run.output == """
        FAIL  manifest.id
          rule      R15: The library is what its manifest says: identifier, formats, capabilities, options.
          in        version
          expected  "1.0.0", as in the library
          found     "1.0.1"
          repeat    coders check \(folder.path)/qoi.imgcoder.json --only manifest.id --seed 7

        check: 1 of 1 checks failed

        """)
  }

  private static let nowhere = ["CODERS_WORKER": "/nowhere/coders-worker"]

  /// What the installation lacks is no fault of a plugin.
  @Test func withoutAWorkerItsChecksAreSkipped() {
    let words = ["check", Self.manifest, Self.sample, "--only", "isolated.decode", "--json"]
    let run = Run.binary(words, environment: Self.nowhere)
    #expect(run.status == 0)
    #expect(
      run.output.contains("\"note\": \"no worker: there is no worker: /nowhere/coders-worker does not exist\"")
        && run.output.contains("\"outcome\": \"skipped\""), "\(run.output)")
  }

  @Test func aWorkerThatIsDemandedIsMissed() {
    let run = Run.binary(["check", Self.manifest, Self.sample, "--isolated"], environment: Self.nowhere)
    #expect(run.status == 5)
    #expect(run.output == "")
    #expect(
      run.errors
        == "coders: pluginRejected: isolation_missing: there is no worker: /nowhere/coders-worker does not exist\n")
    let layers = Run.binary(
      ["check", Self.manifest, "--isolated"],
      environment: ["CODERS_ISOLATION_WITHOUT": "seccomp"])
    #expect(layers.status == 5)
    #expect(
      layers.errors == """
        coders: pluginRejected: isolation_missing: isolation is required, and CODERS_ISOLATION_WITHOUT leaves out seccomp

        """)
  }

  @Test func isolationCanBeLeftOut() {
    let words = ["check", Self.manifest, Self.sample, "--only", "isolated,manifest.id"]
    let with = Run.binary(words)
    #expect(with.output.contains("\nisolated "), "\(with.output)")
    #expect(with.output.hasSuffix("check: pass\n"))
    let without = Run.binary(words + ["--no-isolated"])
    #expect(!without.output.contains("\nisolated "), "\(without.output)")
  }

  @Test func aFailureIsPrintedAsJSON() {
    let folder = Self.copy(edit: "s/\"1.0.0\"/\"1.0.1\"/")
    let run = Run.binary(["check", folder.path, "--only", "manifest.id", "--json"])
    #expect(run.status == 1)
    for line in ["\"outcome\": \"fail\"", "\"rule\": \"R15\"", "\"what\": \"version\"", "\"failed\": 1"] {
      #expect(run.output.contains(line), "\(line)")
    }
  }

  @Test func aLibraryWithoutAManifestIsCheckedByItself() {
    let folder = TemporaryFolder()
    _ = Command.run("cp '\(ForeignPlugin.qoi.path)/libqoi.so' '\(folder.path)'")
    let run = Run.binary([
      "check", "\(folder.path)/libqoi.so", Self.sample, "--only", "manifest,binary.symbols,decode.samples",
    ])
    #expect(run.status == 1)
    #expect(run.output.contains("found     no manifest beside the library names it\n"))
    #expect(run.output.hasSuffix("check: 1 of 4 checks failed\n"))
  }

  @Test func theDoctorChecksTheFilesOfOtherPlugins() {
    let folder = Self.copy(edit: "s/\\[\"qoi\"\\]/[\"qoi\", \".qoi\"]/")
    let run = Run.inProcess("doctor", plugins: folder.path)
    #expect(run.status == 5)
    #expect(
      run.output.contains(
        """
          PROBLEM  org.example.qoi: manifest.extensions: extensions: expected lower case without a dot, found ".qoi"
                   its author can repeat this with: coders check \(folder.path)/qoi.imgcoder.json --only manifest.extensions
        """))
  }

  /// The plugin in C with a changed manifest.
  private static func copy(edit: String) -> TemporaryFolder {
    let folder = TemporaryFolder()
    _ = Command.run(
      "cp '\(ForeignPlugin.qoi.path)'/* '\(folder.path)' && sed -i '\(edit)' '\(folder.path)/qoi.imgcoder.json'")
    return folder
  }
}
