// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import TestSupport
import Testing

/// Names of files that are not UTF-8: any bytes but a slash and a null byte.
@Suite struct FileNameTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path }

  @Test(
    arguments: [
      [0x61], [0xE9], [0x63, 0xC3, 0xA9], [0xC3], [0xFF, 0xFE, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x8F, 0xBE, 0x80],
      [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE], [0xC0, 0x80], [0xF0, 0x9F, 0x98, 0x80, 0x80],
      [0xE2, 0x82, 0x2E, 0x70],
    ] as [[UInt8]])
  func everyNameComesBack(_ bytes: [UInt8]) {
    let text = SystemName.string(bytes)
    #expect(SystemName.bytes(text) == bytes)
    #expect(text.withSystemName { String(cString: $0) } == String(decoding: bytes, as: UTF8.self))
    #expect(text.split(separator: "/").count == 1)
    #expect(!SystemName.isEscaped(SystemName.unicode(text)))
  }

  /// caf\351.png is "café.png" in ISO 8859-1.
  @Test func filesAreReadAndWritten() throws {
    let window = try Fixture.path("window.png")
    #expect(
      Command.run(#"cd \#(path) && mkdir "$(printf 'in\351')" && cp '\#(window)' "$(printf 'in\351/caf\351.png')""#)
        .status
        == 0)
    let run = Run.shell(
      """
      cd "$1" && "$0" convert "$(printf 'in\\351/caf\\351.png')" "$(printf 'caf\\351.gif')" &&
      "$0" convert -r "$(printf 'in\\351')" --format gif -o "$(printf 'out\\351')" &&
      printf 'in\\351/caf\\351.png\\n' | "$0" thumbnail --size 8 --files-from - -o small/ &&
      "$0" probe --short "$(printf 'caf\\351.gif')" && "$0" probe --json "$(printf 'caf\\351.gif')" | grep file && ls -R
      """, [Package.command, path])
    #expect(run.errors == "")
    #expect(run.status == 0)
    let listed = Command.run(#"cd \#(path) && LC_ALL=C find . -type f | LC_ALL=C sort | od -An -c | tr -d ' \n'"#)
      .output
    #expect(
      listed
        == #"./caf351.gif\n./in351/caf351.png\n./out351/caf351.gif\n./small/caf351.png\n"#)
    // JSON is UTF-8.
    #expect(run.output.contains(#""file": "caf\#u{FFFD}.gif""#), "\(run.output)")
  }

  @Test func errorsHaveTheNameAsItIs() {
    let run = Command.run(
      #"\#(Package.command) probe "$(printf '/nowhere/caf\351.png')" 2>&1 | od -An -c | tr -d ' \n'"#)
    #expect(run.output.contains(#"/nowhere/caf351.png:io:"#), "\(run.output)")
  }
}
