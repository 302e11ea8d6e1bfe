// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Archives that are refused before anything is installed. Each refusal names what was found, and nothing stays.
@Suite(.enabled(if: PluginHome.isReachable, "other users cannot run the command here"))
struct PluginRefusalTests {
  struct Refusal: CustomTestStringConvertible {
    /// A script of the shell that changes the files.
    let change: String
    /// Whether the digests are written again after that.
    var isListed = true
    let status: Int32
    let message: String
    var suffix = "tar"

    var testDescription: String { change }
  }

  static let refusals = [
    Refusal(
      change: "ln -s LICENSE COPYING", status: 1,
      message: "malformed at byte OFFSET: ./COPYING is a symbolic link; only plain files and folders are allowed"),
    Refusal(
      change: "ln -s LICENSE COPYING", status: 1,
      message: "malformed: COPYING is a symbolic link; only plain files and folders are allowed", suffix: ""),
    Refusal(
      change: "ln LICENSE COPYING", status: 1,
      message: "malformed at byte OFFSET: ./LICENSE is a hard link; only plain files and folders are allowed"),
    Refusal(
      change: "mkfifo pipe", status: 1,
      message: "malformed at byte OFFSET: ./pipe is a FIFO; only plain files and folders are allowed"),
    Refusal(
      change: "mkfifo pipe", status: 1,
      message: "malformed: pipe is a device, a FIFO or a socket; only plain files and folders are allowed", suffix: ""),
    Refusal(
      change: "chmod 4755 libsketch.so", status: 1,
      message:
        "malformed at byte OFFSET: ./libsketch.so has the mode 4755; setuid, setgid and sticky are not allowed"),
    Refusal(
      change: "chmod 2755 libsketch.so", status: 1,
      message: "malformed: libsketch.so is setuid, setgid or sticky, which is not allowed", suffix: ""),
    Refusal(
      change: "touch more", isListed: false, status: 1,
      message: "malformed: more is not in SHA256SUMS, which lists every file"),
    Refusal(
      change: "rm samples/still.sketch", isListed: false, status: 1,
      message: "malformed: SHA256SUMS lists samples/still.sketch, which is not in the archive"),
    Refusal(
      change:
        "printf abc >LICENSE && sed -i 's/^.*  LICENSE/\(String(repeating: "0", count: 64))  LICENSE/' SHA256SUMS",
      isListed: false, status: 1,
      // FIPS 180-4's own example of a digest.
      message: """
        checksumMismatch: LICENSE has the digest ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, \
        SHA256SUMS says \(String(repeating: "0", count: 64))
        """),
    Refusal(
      change: "cp sketch.imgcoder.json second.imgcoder.json", status: 1,
      message:
        "malformed: the manifests are second.imgcoder.json, sketch.imgcoder.json; one at the top is allowed"),
    Refusal(
      change: "cp sketch.imgcoder.json samples", status: 1,
      message:
        "malformed: the manifests are samples/sketch.imgcoder.json, sketch.imgcoder.json; one at the top is allowed"),
    Refusal(
      change: "rm sketch.imgcoder.json", status: 1, message: "malformed: there is no manifest, NAME.imgcoder.json"),
    Refusal(
      change: "rm LICENSE", status: 1,
      message: """
        malformed: there is no text of the license; a file LICENSE, LICENCE or COPYING at the top is needed
        """),
    Refusal(
      change: "rm SHA256SUMS", isListed: false, status: 1,
      message: "malformed: there is no SHA256SUMS, which has the digests of all files"),
    Refusal(
      change: "echo {} >receipt.json", status: 1,
      message: "malformed: receipt.json is in the archive; that name is kept for what was installed"),
    Refusal(
      change: "mv libsketch.so samples", status: 1,
      message: "malformed: sketch.imgcoder.json names the library libsketch.so, which is not in the archive"),
    Refusal(
      change: "sed -i 's/\"version\"/\"platform\": \"linux-m68k\", \"version\"/' *.json", status: 2,
      message: "unsupported: the plugin is for linux-m68k, this is linux-MACHINE"),
    Refusal(
      change: "sed -i 's/\"major\": 1/\"major\": 9/' *.json", status: 2,
      message: "unsupported: the plugin needs version 9.0 of the interface, this host has 1.1"),
    Refusal(
      change: "sed -i 's/\"1.0.0\"/\"2.0.0\"/' *.json", status: 5,
      message: "pluginRejected: manifest.id: version: expected \"1.0.0\", as in the library, found \"2.0.0\""),
    Refusal(
      change: "for i in $(seq 1000); do : >samples/$i; done", status: 3,
      message: "limitExceeded: more than 1000 files, as many as an archive may have"),
    Refusal(
      change: "mkdir d && cd d && seq 1001 | xargs mkdir", status: 3,
      message: "limitExceeded: more than 1000 folders, as many as an archive may have"),
    Refusal(
      change: "truncate -s 536870913 samples/large", isListed: false, status: 3,
      message: """
        limitExceeded: samples/large of 536870913 bytes after COUNT; an archive may have 536870912 bytes, unpacked
        """, suffix: ""),
  ]

  @Test(arguments: refusals)
  func isRefusedAndLeavesNothing(_ refusal: Refusal) {
    let package = PluginPackage()
    package.edit(refusal.change)
    if refusal.isListed { package.list() }
    let home = PluginHome()
    let archive = package.packed(refusal.suffix)
    let run = withExtendedLifetime(package) { home.run("install", archive, "--yes") }
    #expect(run.status == refusal.status)
    let machine = Command.run("uname -m").output.split(separator: "\n").first.map(String.init) ?? ""
    let errors = run.errors.replacing(#/byte \d+/#, with: "byte OFFSET").replacing(#/after \d+;/#, with: "after COUNT;")
    #expect(errors == "coders: \(archive): \(refusal.message.replacing("MACHINE", with: machine))\n")
    #expect(run.output == "")
    #expect(Folder.names(in: home.place) == [])
  }

  /// A library that crashes when it is loaded crashes a process of its own.
  @Test func aLibraryThatCrashesIsRefused() {
    let home = PluginHome()
    let package = PluginPackage(
      version: "1.0.0",
      adding: "#include <stdlib.h>\n__attribute__((constructor)) static void load(void) { abort(); }")
    let run = withExtendedLifetime(package) { home.run("install", package.packed(), "--yes") }
    #expect(run.status == 5)
    #expect(run.errors.contains(": pluginRejected: scan_crashed: SIGABRT, when "))
    #expect(Folder.names(in: home.place) == [])
  }

  @Test func aDamagedFileIsRefused() throws {
    let package = PluginPackage()
    for (suffix, words) in [
      ("tar.xz", "it cannot be unpacked: xz ends with status 1"), ("tar.gz", "gzip ends with status 1"),
    ] {
      let home = PluginHome()
      let bytes = try Package.bytes(package.packed(suffix))
      let cut = package.folder.write(Array(bytes.prefix(bytes.count / 2)), to: "cut.\(suffix)")
      let run = withExtendedLifetime(package) { home.run("install", cut, "--yes") }
      #expect(run.status == 1)
      #expect(run.errors.contains("malformed: ") && run.errors.contains(words), "\(run.errors)")
      #expect(Folder.names(in: home.place) == [])
    }
  }

  /// Zeros are packed to a thousandth: what counts is how large they become, and nothing is written beyond that.
  @Test func aBombIsRefused() {
    let package = PluginPackage()
    package.edit("truncate -s 600000000 samples/large")
    let home = PluginHome()
    let run = withExtendedLifetime(package) { home.run("install", package.packed(), "--yes") }
    #expect(run.status == 3)
    #expect(run.errors.contains("sketch/samples/large of 600000000 bytes after "))
    #expect(Folder.names(in: home.place) == [])
  }

  @Test func aFileThatIsThereTwiceIsRefused() throws {
    var tar = TarText()
    tar.add("a/b", contents: [1])
    tar.add("./a/b", contents: [2])
    let home = PluginHome()
    let run = home.run("install", home.folder.write(tar.whole, to: "twice.tar"), "--yes")
    #expect(run.errors == "coders: \(home.folder.path)/twice.tar: malformed: a/b is there twice\n")
    var folder = TarText()
    folder.add("a", contents: [1])
    folder.add("a/b", contents: [2])
    let below = home.run("install", home.folder.write(folder.whole, to: "below.tar"), "--yes")
    #expect(below.errors == "coders: \(home.folder.path)/below.tar: malformed: a is there twice\n")
  }
}
