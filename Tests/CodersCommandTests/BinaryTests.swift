// SPDX-License-Identifier: Apache-2.0

import Testing

/// The staged command itself: each verb once, from start to exit status.
@Suite struct BinaryTests {
  private let folder = Folder()

  @Test func lists() {
    let run = Run.binary(["list", "--quiet", "--plugin-dir", Package.plugins])
    #expect(run.status == 0)
    for format in ["gif", "jpeg", "png", "webp"] { #expect(run.output.contains("org.imagecoders.\(format)\n")) }
    #expect(run.errors == "")
  }

  @Test func findsPluginsBesideItself() {
    #expect(Run.binary(["list", "--quiet"]).output.contains("org.imagecoders.png\n"))
  }

  @Test func probesStandardInput() throws {
    let run = Run.binary(["probe", "--short", "-"], input: try Fixture.path("window.png"))
    #expect(run.status == 0)
    #expect(run.output.contains("-     public.png  720×420  rgb8"))
  }

  /// It has no end.
  @Test(arguments: ["-", "/dev/zero"]) func whatIsNoImageIsNotReadToItsEnd(_ file: String) {
    let run = Run.binary(["probe", file], input: "/dev/zero")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coders: \(file): noCoder: no coder of "))
  }

  @Test func convertsFromStandardInputToStandardOutput() throws {
    let run = Run.binary(["convert", "-", "-", "--format", "gif"], input: try Fixture.path("window.png"))
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("GIF89a") || run.output.hasPrefix("GIF87a"))
  }

  @Test func makesThumbnails() throws {
    let run = Run.binary(["thumbnail", "--size", "64", try Fixture.path("window.png"), "-o", "\(folder.path)/a.png"])
    #expect(run.status == 0)
    #expect(folder.names == ["a.png"])
  }

  @Test func listsFrames() throws {
    let run = Run.binary(["frames", try Fixture.path("comet-alpha.gif")])
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count == 31)
  }

  @Test func checksTheInstallation() {
    let run = Run.binary(["doctor"])
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("no problems\n"))
  }

  @Test func saysItsVersion() { #expect(Run.binary(["--version"]).output == "1.0.0\n") }

  @Test func wrongUseHasItsOwnStatus() {
    let run = Run.binary(["thumbnail", "--size", "zero", "a.png", "-o", "b.png"])
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("coders: The value 'zero' is invalid for '--size <size>'"))
  }

  @Test func resultsThatCannotBeWrittenAreAnError() throws {
    let run = Run.binary(["convert", try Fixture.path("window.png"), "-", "--format", "png"], output: "/dev/full")
    #expect(run.status == 5)
    #expect(run.errors == "coders: -: io: no space left on device\n")
  }

  @Test func anInterruptLeavesNothing() {
    let run = Run.binary(["convert", "-", "\(folder.path)/a.png"], interruptAfter: 300)
    #expect(run.status == 130)
    #expect(run.output == "" && run.errors == "")
    #expect(folder.names == [])
  }
}
