// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CodersCommand
import ImageCoders
import Testing

/// What the pages say is what the program does.
@Suite struct DocumentationTests {
  @Test(arguments: [
    "", "probe ", "convert ", "animate ", "sheet ", "thumbnail ", "frames ", "stream ", "metadata ", "apply ", "show ",
    "play ",
    "list ", "compare ", "hash ", "placeholder ",
    "options ", "operations ", "policy ", "doctor ", "cache ", "plugin ", "new ", "check ", "limits ",
  ])
  func helpIsAsDocumented(_ verb: String) throws {
    let page = try Package.text("docs/cli.md")
    let opening = "```\n$ coders \(verb)--help\n"
    let start = try #require(page.firstRange(of: opening), "docs/cli.md shows no `coders \(verb)--help`")
    let rest = page[start.upperBound...]
    let end = try #require(rest.firstRange(of: "\n```\n"))
    let run = Run.inProcess(verb.split(separator: " ").map(String.init) + ["--help"])
    #expect(run.status == 0)
    #expect(Self.trimmed(run.output) == Self.trimmed(String(rest[..<end.lowerBound])))
  }

  @Test(arguments: ["", " gif"])
  func optionsAreAsDocumented(_ format: String) throws {
    let page = try Package.text("docs/cli.md")
    let start = try #require(page.firstRange(of: "```\n$ coders options\(format)\n"))
    let shown = page[start.upperBound...].prefix { $0 != "`" }
    #expect(Run.inProcess(["options"] + format.split(separator: " ").map(String.init)).output == shown)
  }

  private static func trimmed(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static let codes: [(CoderError.Code, String, Int)] = [
    (.wrongFormat, "WRONG_FORMAT", Int(IMGCODER_STATUS_WRONG_FORMAT)),
    (.truncated, "TRUNCATED", Int(IMGCODER_STATUS_TRUNCATED)),
    (.malformed, "MALFORMED", Int(IMGCODER_STATUS_MALFORMED)),
    (.checksumMismatch, "CHECKSUM_MISMATCH", Int(IMGCODER_STATUS_CHECKSUM_MISMATCH)),
    (.unsupported, "UNSUPPORTED", Int(IMGCODER_STATUS_UNSUPPORTED)),
    (.noCoder, "NO_CODER", Int(IMGCODER_STATUS_NO_CODER)),
    (.limitExceeded, "LIMIT_EXCEEDED", Int(IMGCODER_STATUS_LIMIT_EXCEEDED)),
    (.invalidArgument, "INVALID_ARGUMENT", Int(IMGCODER_STATUS_INVALID_ARGUMENT)),
    (.outOfOrder, "OUT_OF_ORDER", Int(IMGCODER_STATUS_OUT_OF_ORDER)),
    (.io, "IO", Int(IMGCODER_STATUS_IO)), (.outOfMemory, "OUT_OF_MEMORY", Int(IMGCODER_STATUS_OUT_OF_MEMORY)),
    (.libraryFailure, "LIBRARY", Int(IMGCODER_STATUS_LIBRARY)),
    (.pluginRejected, "PLUGIN_REJECTED", Int(IMGCODER_STATUS_PLUGIN_REJECTED)),
    (.cancelled, "CANCELLED", Int(IMGCODER_STATUS_CANCELLED)),
  ]

  @Test func errorsAreOneTable() throws {
    let page = try Package.text("docs/errors.md")
    for (code, constant, number) in Self.codes {
      #expect(code.rawValue == UInt32(number))
      let status = ExitStatus(CoderError(code: code, message: "")).rawValue
      let row =
        "| `\(code)` | `IMGCODER_STATUS_\(constant)` | 0x\(String(number, radix: 16)) | \(code.group) | \(status) |"
      #expect(page.contains(row), "docs/errors.md has no row \(row)")
    }
    // No plugin reports a crash of its own worker, so the interface has no name for it.
    #expect(page.contains("| `\(CoderError.Code.coderCrashed)` | the host's own | 0x55 | environment | 5 |"))
    #expect(CoderError.Code.coderCrashed.rawValue == 0x55)
    // Nor does a plugin know of the queue.
    #expect(page.contains("| `\(CoderError.Code.overloaded)` | the host's own | 0x56 | environment | 5 |"))
    #expect(CoderError.Code.overloaded.rawValue == 0x56)
    #expect(page.split(separator: "\n").count { $0.hasPrefix("| `") } == Self.codes.count + 2)
  }
}
