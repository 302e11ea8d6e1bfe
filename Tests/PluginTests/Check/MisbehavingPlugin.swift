// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderTesting
import ImageCoders
import TestSupport

/// The plugin of `Tests/MisbehavingPlugin`, built to break one rule.
struct MisbehavingPlugin {
  let folder: TemporaryFolder

  /// The command `coders`, which runs each check in a process of its own: it is built beside the tests.
  static let command: String = {
    let paths = Command.run(
      "cat /proc/\(getpid())/maps | grep -o '/[^ ]*\\.xctest' | head -n 1; readlink /proc/\(getpid())/exe")
    for path in paths.output.split(separator: "\n").map(String.init) {
      let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
      if access("\(folder)/coders", X_OK) == 0 { return "\(folder)/coders" }
    }
    return "\(StagedTree.root)/.build/debug/coders"
  }()

  /// - Parameters:
  ///   - act: The check that it fails; `none` for none.
  ///   - flags: For the compiler.
  ///   - edit: Pairs of texts: the first of each is replaced by the second in the manifest.
  ///   - hasSamples: Whether files are beside the manifest.
  init(_ act: String, flags: String = "", edit: [String] = [], hasSamples: Bool = true) {
    folder = TemporaryFolder()
    let source = "\(StagedTree.root)/Tests/MisbehavingPlugin"
    _ = ForeignPlugin.library(
      "MisbehavingPlugin/misbehaving.c", as: "libmisbehaving.so", in: folder,
      flags: ["-DACT=\"\(act)\"", ForeignPlugin.drafts] + flags.split(separator: " ").map(String.init))
    var manifest = Command.run("cat '\(source)/misbehaving.imgcoder.json'").output
    for index in stride(from: 0, to: edit.count, by: 2) {
      guard let place = manifest.firstRange(of: edit[index]) else { preconditionFailure("no \(edit[index])") }
      manifest.replaceSubrange(place, with: edit[index + 1])
    }
    folder.write(manifest, to: "misbehaving.imgcoder.json")
    guard hasSamples else { return }
    folder.write(Self.file(7, 5, channels: 3, xmp: "<x:xmpmeta/>"), to: "samples/still.misb")
    folder.write(Self.file(6, 4, channels: 4, frames: 3), to: "samples/animated.misb")
    folder.write(Self.file(5, 3, channels: 4, pages: 3), to: "samples/pages.misb")
    folder.write(Self.file(80, 60, channels: 3), to: "samples/large.misb")
  }

  /// A file of raw rows; see `misbehaving.c`.
  static func file(_ width: Int, _ height: Int, channels: Int, frames: Int = 1, pages: Int = 1, xmp: String = "")
    -> [UInt8]
  {
    let bytes =
      Array("MISB".utf8) + [width & 255, width >> 8, height & 255, height >> 8].map(UInt8.init)
      + [frames, pages, channels, 0, xmp.utf8.count, 0, 0, 0].map(UInt8.init)
    let samples = (0..<(width * height * channels * frames * pages)).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 7) }
    return bytes + xmp.utf8 + samples
  }

  /// The result of one check.
  func result(of check: String, timeout: Double = 60, files: [String] = []) throws -> CheckResult {
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    var settings = CheckRun.Settings()
    settings.program = Self.command
    settings.timeout = timeout
    settings.effort = 60
    if check.hasPrefix("fuzz.") { settings.fuzzing = 1 }
    settings.savesTo = folder.path
    let plugin = CheckedPlugin(manifest: "\(folder.path)/misbehaving.imgcoder.json", library: nil, files: files)
    let results = CheckRun(settings).results(
      of: plugin, PluginCheck.selection([check]).checks, cancellation: Cancellation())
    guard let result = results.first else { throw CoderError.invalidArgument("no check \(check)") }
    return result
  }
}
