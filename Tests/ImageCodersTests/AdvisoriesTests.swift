// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Faults of libraries that are known, as data.
@Suite struct AdvisoriesTests {
  private static let head = "library\tbelow\tid\treach\tfixed-in\tnote\n"

  private static func advisories(_ lines: String...) throws -> Advisories {
    Advisories(try Advisories.parsed(Array((head + lines.joined(separator: "\n") + "\n").utf8)), path: "a.tsv")
  }

  @Test(arguments: [
    ("libpng 1.6.39", ["CVE-1", "CVE-2"]), ("libpng 1.6.51", ["CVE-2"]), ("libpng 1.6.54", []), ("libpng 1.10.0", []),
    ("libpng", ["CVE-1", "CVE-2"]), ("libtiff 1.0.0", []), ("zlib 1.2.13, libpng 1.6.51", ["CVE-2"]), ("", []),
    ("LibPNG 1.6.39-Release", ["CVE-1", "CVE-2"]),
  ])
  func versionsBelowTheFixAreOpen(_ library: String, _ expected: [String]) throws {
    let advisories = try Self.advisories(
      "libpng\t1.6.51\tCVE-1\tdecode\t1.6.51\tread out of bounds", "libpng\t1.6.54\tCVE-2\tdecode\t1.6.54\t",
      "libpng\t2.0.0\tCVE-3\tencode\t2.0.0\t", "libpng\t-\tCVE-4\ttool\t-\t")
    #expect(advisories.open(in: library).map(\.numbers) == expected)
  }

  @Test func fixesBeyondAVersionCloseAnAdvisory() throws {
    let advisories = try Self.advisories("openjpeg\t-\tOSV-1\tdecode\tpatch:a.patch\t")
    #expect(advisories.open(in: "openjpeg 2.5.4").map(\.name) == ["OSV-1"])
    #expect(advisories.open(in: "openjpeg 2.5.4", fixes: ["a.patch"]).isEmpty)
    #expect(advisories.open(in: "openjpeg 2.5.4", isReading: false).isEmpty)
  }

  @Test(arguments: [
    ("library\n", "line 1, column 1: the columns are library, below, id, reach, fixed-in, note"),
    (head + "a\t1\tb\n", "line 2, column 1: six columns are needed, and decode, encode or tool in the fourth"),
    (
      head + "a\t1\tb\tread\t1\t\n",
      "line 2, column 1: six columns are needed, and decode, encode or tool in the fourth"
    ),
    (head + "\na\tx\tb\tdecode\t1\t\n", "line 3, column 1: \"x\" is neither a version nor -"),
  ])
  func aLineThatIsNotUnderstoodIsAnError(_ text: String, _ expected: String) {
    let error = #expect(throws: TextProblem.self) { try Advisories.parsed(Array(text.utf8)) }
    #expect(error?.description == expected)
  }

  /// A file that is there and not understood says nothing good of any library.
  @Test func whatIsNotUnderstoodClearsNothing() throws {
    let folder = TemporaryFolder()
    func found(_ named: String? = nil) -> Advisories {
      Advisories(
        { $0 == "XDG_CONFIG_HOME" ? folder.path : $0 == "CODERS_ADVISORIES" ? named : nil }, executable: nil)
    }
    #expect(found().problem == nil && found().all.isEmpty)
    #expect(found("\(folder.path)/none.tsv").problem?.hasPrefix("the advisories cannot be read: ") == true)
    let file = folder.write(Self.head + "libpng\t1.6.51\tCVE-1\tdecode\t1.6.51\t\n", to: "coders/advisories.tsv")
    #expect(found().path == file && found().all.count == 1)
    #expect(found().objection(to: "libpng 1.6.39", of: nil) == "libpng 1.6.39 has open advisories: CVE-1")
    #expect(found().objection(to: "libpng 1.6.51", of: nil) == nil)
    folder.write(Self.head + "libpng\n", to: "coders/advisories.tsv")
    #expect(found().all.isEmpty)
    #expect(found().objection(to: "libpng 1.6.51", of: nil)?.hasPrefix("nothing is known of libpng 1.6.51: ") == true)
    folder.write(Self.head, to: "coders/advisories.tsv")
    _ = Command.run("chmod 666 '\(file)'")
    #expect(found().problem == "the advisories cannot be read: \(file) can be written by everybody")
  }

  @Test func theProjectsOwnFileIsUnderstood() throws {
    let bytes = Command.run("cat '\(StagedTree.root)/packaging/codecs/advisories.tsv'").output
    let advisories = try Advisories.parsed(Array(bytes.utf8))
    #expect(advisories.contains { $0.library == "libavif" && $0.numbers == "CVE-2025-48174,CVE-2025-48175" })
    // Programs that come with a library are never run.
    #expect(!advisories.contains { $0.numbers == "CVE-2025-70103" })
  }

  @Test func thePolicyIsAKey() throws {
    let policy = try SecurityPolicy(
      parsing: Array(#"{"base": "web", "advisories": {"value": "refuse", "reason": "we update"}}"#.utf8), path: "p.json"
    )
    #expect(policy.advisories?.value == .refuse && policy.advisories?.reason == "we update")
    #expect([SecurityPolicy.web, .thumbnailer, .paranoid].allSatisfy { $0.advisories?.value == .isolate })
    #expect(SecurityPolicy.standard.advisories == nil)
    #expect(throws: TextProblem.self) {
      try SecurityPolicy(parsing: Array(#"{"advisories": "ignroe"}"#.utf8), path: "p.json")
    }
  }
}
