// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// `coders operations` and `coders apply`, with a plugin whose operations nothing else knows.
@Suite struct OperationsCommandTests {
  static let plugin = ForeignPlugin.folder("MisbehavingPlugin", "misbehaving", flags: [ForeignPlugin.drafts])

  private let folder = TemporaryFolder()

  /// A picture of 2×1 pixels with this tag.
  static func file(tag: UInt8) -> [UInt8] {
    Array("MISB".utf8) + [2, 0, 1, 0, 1, 1, 3, tag, 0, 0, 0, 0] + [1, 2, 3, 4, 5, 6]
  }

  private func run(_ arguments: String...) -> Run { Run.inProcess(arguments, plugins: Self.plugin.path) }

  private func bytes(_ path: String) throws -> [UInt8] {
    try OpenSource(.file(path), limits: .standard).contents()
  }

  // MARK: operations

  @Test func eachOperationHasALine() {
    let listed = run("operations")
    #expect(listed.status == 0)
    #expect(listed.errors == "")
    #expect(
      listed.output == """
        OPERATION           CODER             FORMATS           VALUES  BLOCKS
        org.example.retag   org.example.misb  org.example.misb  tag     xmp
        org.example.packet  org.example.misb  org.example.misb

        """)
    #expect(run("operations", "--quiet").output == "org.example.retag\norg.example.packet\n")
  }

  @Test(arguments: ["misb", "MISB", "org.example.misb"]) func aFormatHasItsTables(_ format: String) {
    let listed = run("operations", format)
    #expect(listed.status == 0)
    #expect(
      listed.output == """
        org.example.retag
          Write another tag and XMP.
          coder     org.example.misb
          formats   org.example.misb
          blocks    xmp
          --value  TYPE     VALUES  DEFAULT  MEANING
          tag      integer  0 to 9  0        The tag of the new file.

        org.example.packet
          Take the XMP out.
          coder     org.example.misb
          formats   org.example.misb
          writes    a part of the file

        """)
  }

  @Test func aFormatWithoutOperationsIsAnError() {
    let unknown = run("operations", "xyz")
    #expect(unknown.status == 64)
    #expect(unknown.output == "")
    #expect(unknown.errors == "coders: invalidArgument: no coder has the format xyz\n")
    let none = Run.inProcess(["operations", "qoi"], plugins: ForeignPlugin.qoi.path)
    #expect(none.status == 2)
    #expect(none.errors == "coders: noCoder: no coder has an operation for qoi\n")
  }

  /// Those under other names are what a coder says.
  @Test func namesWithoutADotAreKnown() {
    let run = Run.inProcess("operations", "--quiet")
    let names = run.output.split(separator: "\n").map(String.init).filter { !$0.contains(".") }
    #expect(Set(names) == Set(KnownOperation.allCases.map(\.name)))
  }

  // MARK: apply

  @Test func aValueAndABlockReachThePlugin() throws {
    let source = folder.write(Self.file(tag: 3), to: "a.misb")
    let packet = folder.write(Array("<x/>".utf8), to: "packet.xmp")
    let applied = run(
      "apply", "org.example.retag", source, "-o", "\(folder.path)/b.misb", "--value", "tag=7", "--block",
      "xmp=\(packet)")
    #expect(applied.status == 0)
    #expect(applied.errors == "")
    #expect(applied.output == "\(folder.path)/b.misb\n  Tag  3\n")
    var expected = Self.file(tag: 7)
    expected[12] = 4
    expected.insert(contentsOf: Array("<x/>".utf8), at: 16)
    #expect(try bytes("\(folder.path)/b.misb") == expected)
    let out = run("apply", "org.example.packet", "\(folder.path)/b.misb", "-o", "-", "--quiet")
    #expect(out.output == "<x/>")
  }

  @Test func askingWritesNothing() {
    let asked = run("apply", "org.example.retag", folder.write(Self.file(tag: 3), to: "a.misb"), "--ask")
    #expect(asked.status == 0)
    #expect(asked.output == "  Tag  3\n")
    let sealed = folder.write(Self.file(tag: 9), to: "sealed.misb")
    let refused = run("apply", "org.example.retag", sealed, "--ask")
    #expect(refused.status == 2)
    #expect(refused.output == "  Tag  9\n")
    #expect(refused.errors == "coders: \(sealed): unsupported: a file with the tag 9 is sealed\n")
    let missing = run("apply", "org.example.packet", sealed, "-o", "\(folder.path)/none")
    #expect(missing.status == 2)
    #expect(
      missing.errors == "coders: \(sealed): unsupported: the file has nothing that org.example.packet takes out\n")
  }

  @Test func whatIsNotDescribedIsAnError() {
    let source = folder.write(Self.file(tag: 3), to: "a.misb")
    for (arguments, status, message) in [
      (["--value", "tags=1"], 64, "invalidArgument: org.example.retag has no value tags; it has tag"),
      (["--block", "icc=\(source)"], 64, "invalidArgument: org.example.retag has no block icc; it has xmp"),
    ] as [([String], Int32, String)] {
      let run = Run.inProcess(
        ["apply", "org.example.retag", source, "--ask"] + arguments, plugins: Self.plugin.path)
      #expect(run.status == status)
      #expect(run.errors == "coders: \(source): \(message)\n")
    }
    #expect(run("apply", "turn", source, "--ask").status == 2)
    #expect(run("apply", "org.example.retag", source, "--ask", "--value", "tag=10").status == 64)
    #expect(run("apply", "org.example.retag", source, "--ask", "--block", "xmp=\(folder.path)/none").status == 5)
  }

  @Test(arguments: [
    (["-o", "b", "--ask"], "--ask writes nothing; it cannot be used with -o"),
    ([], "say where the new file goes: -o names it, --ask only asks"),
    (["--ask", "--page", "2"], "an operation works on the whole file; it takes no --page"),
    (["--json", "-o", "-"], "standard output takes either the file or --json"),
    (["--ask", "--value", "x=1", "--value", "x=2"], "x is given twice"),
  ])
  func wrongUsageIsAnError(_ arguments: [String], _ message: String) {
    let run = Run.inProcess(["apply", "turn", "a.jpg"] + arguments)
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("coders: \(message)\n"), "\(run.errors)")
  }

  /// Rows become columns: no side has to be a multiple of anything.
  @Test func aPhotoIsTurned() throws {
    let photo = try Fixture.path("landscape-orientation-6.jpg")
    let turned = "\(folder.path)/turned.jpg"
    let run = Run.inProcess("apply", "turn", photo, "-o", turned, "--value", "orientation=5")
    #expect(run.errors == "")
    #expect(run.status == 0)
    let (before, after) = (try Decoded.image(photo, upright: false), try Decoded.image(turned, upright: false))
    #expect(after.size == Size(width: before.size.height, height: before.size.width))
  }
}
