// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

@Suite(.enabled(if: PluginHome.isReachable, "other users cannot run the command here"))
struct PluginCommandTests {
  static let package = PluginPackage()
  static let id = "org.example.sketch"

  /// What an installation of version 1.0.0 leaves in its place.
  static func files(_ version: String = "1.0.0") -> [String] {
    let names = [
      "LICENSE", "SHA256SUMS", "libsketch.so", "receipt.json", "samples/animation.sketch", "samples/still.sketch",
      "sketch.imgcoder.json",
    ]
    return ["\(id).imgcoder.json"] + names.map { "\(id)/v\(version)/\($0)" }
  }

  /// Each kind of archive.
  @Test(arguments: ["tar.xz", "tar.gz", "tar", ""])
  func installsUsesListsAndRemoves(_ suffix: String) throws {
    let home = PluginHome()
    let archive = Self.package.packed(suffix)
    let run = home.run("install", archive, "--yes")
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(
      run.output == """
        plugin    org.example.sketch 1.0.0, Sketch, by Example
        license   Apache-2.0
        format    Sketch (.sketch, image/x-sketch): reads, writes
        place     \(home.place)
        installed org.example.sketch 1.0.0
        wrote \(home.data)/mime/packages/coders-org.example.sketch.xml
        wrote \(home.data)/thumbnailers/coders-org.example.sketch.thumbnailer
        GNOME makes thumbnails in a sandbox that has /usr alone, so its file manager shows none with this plugin; others \
        (tumbler) and this command do. For GNOME, and for all users, install it as root: coders plugin install \(archive) \
        --system

        """)
    #expect(home.files == Self.files())
    let listed = home.run("list", "--verify")
    #expect(listed.status == 0)
    let name = archive.split(separator: "/").last.map(String.init) ?? ""
    #expect(
      listed.output.split(separator: "\n").last.map { $0.split(separator: " ").map(String.init) }
        == [Self.id, "1.0.0", home.place, name, "used"])
    let removed = home.run("remove", Self.id)
    #expect(removed.output == "removed org.example.sketch 1.0.0\n")
    #expect(removed.errors == "")
    #expect(home.files == [])
    #expect(Folder.names(in: home.place) == [])
    #expect(Folder.names(in: "\(home.data)/mime/packages") == [])
    #expect(Folder.names(in: "\(home.data)/thumbnailers") == [])
  }

  /// The pixels that FORMAT.md of the template states for `still`.
  @Test func theInstalledPluginReadsItsSample() throws {
    let home = PluginHome()
    #expect(home.run("install", Self.package.packed(), "--yes").status == 0)
    // Plugins of other users are refused.
    if geteuid() == 0 { _ = Command.run("chown -R 0:0 '\(home.data)'") }
    let pixels = "\(home.folder.path)/still.pam"
    let run = Run.binary(
      ["convert", "\(Self.package.files)/samples/still.sketch", pixels], environment: home.environment)
    #expect(run.errors == "")
    let (red, green, blue) = ("ff0000ff", "00ff00ff", "0000ffff")
    let still = [red, red, red, red, green, blue, "ffffffff", "00000000"] + [String](repeating: "ffff0080", count: 4)
    #expect(
      Command.run("sed '1,/^ENDHDR$/d' '\(pixels)' | od -An -v -tx1 | tr -d ' \\n'").output == still.joined())
  }

  @Test func anUpgradeReplacesTheOldVersion() {
    let home = PluginHome()
    #expect(home.run("install", Self.package.packed(), "--yes").status == 0)
    let newer = PluginPackage(version: "1.1.0")
    let run = withExtendedLifetime(newer) { home.run("install", newer.packed("tar.gz"), "--yes") }
    #expect(run.output.contains("\ninstalled org.example.sketch 1.1.0, in place of 1.0.0\n"))
    #expect(home.files == Self.files("1.1.0"))
    #expect(home.run("list").output.contains(" 1.1.0 "))
  }

  @Test func changedAndAddedFilesStay() {
    let home = PluginHome()
    #expect(home.run("install", Self.package.packed(), "--yes").status == 0)
    _ = Command.run("cd '\(home.place)/\(Self.id)/'v* && echo changed >>LICENSE && touch notes")
    let listed = home.run("list", "--verify")
    #expect(listed.status == 1)
    #expect(listed.output.hasSuffix("used, changed: LICENSE\n"))
    let removed = home.run("remove", Self.id)
    #expect(removed.status == 0)
    #expect(removed.errors.split(separator: "\n").count == 2)
    #expect(removed.errors.contains("/LICENSE: changed or added since it was installed\n"))
    #expect(home.files == ["\(Self.id)/v1.0.0/LICENSE", "\(Self.id)/v1.0.0/notes"])
    let again = home.run("remove", Self.id)
    #expect(again.status == 64)
    #expect(
      again.errors
        == "coders: invalidArgument: no plugin org.example.sketch is installed; coders plugin list shows those that are\n"
    )
  }

  @Test func withoutATerminalYesIsNeeded() {
    let home = PluginHome()
    let run = home.run("install", Self.package.packed())
    #expect(run.status == 64)
    #expect(
      run.errors
        == "coders: invalidArgument: there is no terminal on which to ask; --yes installs without a question\n")
    #expect(Folder.names(in: home.data) == [])
  }

  @Test(arguments: [("y", Int32(0)), ("n", 130), ("", 130)])
  func aTerminalIsAsked(_ answer: String, _ status: Int32) {
    let home = PluginHome()
    let archive = Self.package.packed()
    let run = Run.shell(
      "printf '\(answer)\\n' | XDG_DATA_HOME='\(home.data)' script --quiet --return --command '\(Package.command) plugin install \(archive)' /dev/null",
      [])
    #expect(run.output.contains("Install it? [y/N]"))
    #expect(run.status == status)
    #expect((access("\(home.place)/\(Self.id).imgcoder.json", F_OK) == 0) == (status == 0))
  }

  @Test func aPluginThatSomebodyCopiedStays() {
    let home = PluginHome()
    _ = Command.run(
      """
      mkdir -p '\(home.place)' && cp '\(Self.package.files)'/*.json '\(Self.package.files)'/*.so '\(home.place)'
      [ "$(id -u)" != 0 ] || chown -R 65534 '\(home.data)'
      """)
    #expect(home.run("list").output.hasSuffix(" files   used\n"))
    let run = home.run("install", Self.package.packed(), "--yes")
    #expect(run.status == 64)
    #expect(run.errors.hasSuffix("/sketch.imgcoder.json has the same id, org.example.sketch; remove it first\n"))
    let removed = home.run("remove", Self.id)
    #expect(removed.status == 64)
    #expect(removed.errors.contains("was not installed by this command; remove it and "))
    #expect(home.files == ["libsketch.so", "sketch.imgcoder.json"])
  }

  @Test func aPlaceThatOthersCanChangeIsRefused() {
    let home = PluginHome()
    _ = Command.run(
      """
      mkdir -p '\(home.place)' && chmod 777 '\(home.place)'
      [ "$(id -u)" != 0 ] || chown -R 65534 '\(home.data)'
      """)
    let archive = Self.package.packed()
    let run = home.run("install", archive, "--yes")
    #expect(run.status == 5)
    #expect(run.errors == "coders: \(archive): pluginRejected: \(home.place) can be written by everybody\n")
    #expect(Folder.names(in: home.place) == [])
  }

  /// The system's own program says which package a file is in.
  @Test func aPluginOfAPackageIsNamedAndStays() {
    let home = PluginHome()
    home.folder.write("#!/bin/sh\nshift 2\necho \"sketch-coder:amd64: $1\"\n", to: "bin/dpkg-query")
    _ = Command.run(
      """
      mkdir -p '\(home.place)' && cp '\(Self.package.files)'/*.json '\(Self.package.files)'/*.so '\(home.place)'
      chmod 755 '\(home.folder.path)'/bin '\(home.folder.path)'/bin/*
      [ "$(id -u)" != 0 ] || chown -R 65534 '\(home.data)'
      """)
    let path = ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    #expect(home.run(["list"], environment: path).output.hasSuffix(" package sketch-coder  used\n"))
    let removed = home.run(["remove", Self.id], environment: path)
    #expect(removed.status == 64)
    #expect(
      removed.errors
        == "coders: invalidArgument: org.example.sketch is in the package sketch-coder: apt remove sketch-coder\n")
    #expect(home.files == ["libsketch.so", "sketch.imgcoder.json"])
  }

  /// A stranger with the identifier of a bundled coder says so, and hides it.
  @Test func aNameOfThisProjectIsNamed() {
    let home = PluginHome()
    let stranger = PluginPackage(version: "1.0.0", edit: "s/org\\.example\\.sketch/org.imagecoders.qoi/")
    let run = withExtendedLifetime(stranger) { home.run("install", stranger.packed(), "--yes") }
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains(
        "order     it is used instead of \(Package.plugins)/qoi.imgcoder.json, which has the same id\n"))
    #expect(run.output.contains("order     a stranger with a name of this project\n"))
  }

  @Test func jsonIsOneObject() throws {
    let home = PluginHome()
    let run = home.run("install", Self.package.packed(), "--yes", "--json")
    try #require(run.status == 0, "\(run.errors)")
    let value = try JSONValue(parsing: Array(run.output.utf8))
    #expect(value["plugins"]?.items.first?["id"]?.string == Self.id)
    #expect(value["types"]?.items.count == 2)
    #expect(home.run("install", "x", "--json").status == 64)
  }

  @Test(
    arguments: [
      ["install"], ["remove"], ["list", "x"], ["types", "x"], ["list", "--yes"], ["remove", "x", "--verify"],
      ["install", "x", "--root", "y"], ["list", "--system"], ["types", "--root", "x", "--system"],
    ])
  func argumentsOfOtherActionsAreWrongUsage(_ arguments: [String]) {
    #expect(Run.inProcess(["plugin"] + arguments).status == 64)
  }
}
