// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

/// The plugin that `coders new sketch --lang c` writes, built, and packed as its author would.
struct PluginPackage {
  /// Holds `sketch`, the files of the archive, which tests change before they pack them.
  let folder = TemporaryFolder()
  var files: String { "\(folder.path)/sketch" }

  private static let plain = PluginPackage(version: "1.0.0")

  /// Version 1.0.0, as it is.
  init() {
    let copied = Command.run("cp -r '\(Self.plain.files)' '\(folder.path)' && chmod 755 '\(folder.path)'")
    precondition(copied.status == 0, copied.output)
  }

  /// - Parameters:
  ///   - code: Lines of C that are added to the library.
  ///   - edit: A script of sed for the sources and the manifest.
  init(version: String, adding code: String = "", edit: String = "") {
    let sources = TemporaryFolder()
    let written = Run.inProcess(
      ["new", "sketch", "--lang", "c", "-o", "\(sources.path)/new"],
      environment: ["CODERS_TEMPLATES": "\(Package.root)/build/share/coders/templates"])
    precondition(written.status == 0, written.errors)
    sources.write(code, to: "new/more.c")
    let built = Command.run(
      """
      cd '\(sources.path)/new' && sed -i -e 's/"1\\.0\\.0"/"\(version)"/' -e '\(edit)' *.c *.json && mkdir -p '\(files)' &&
      cc -std=gnu99 -shared -fPIC -O1 -fvisibility=hidden -Wl,-z,now \
        -Wl,--version-script='\(Package.root)/build/share/coders/exports.map' \
        -I'\(StagedTree.headers)' -o '\(files)/libsketch.so' *.c &&
      cp -r sketch.imgcoder.json samples '\(files)' && echo 'Do what you like with it.' >'\(files)/LICENSE' &&
      chmod 755 '\(folder.path)'
      """)
    precondition(built.status == 0, built.output)
    list()
  }

  /// Writes the digests of all files.
  func list() {
    edit(
      "rm -f SHA256SUMS; find . -type f -printf '%P\\0' | sort -z | xargs -0 sha256sum >/tmp/\(name) && mv /tmp/\(name) SHA256SUMS"
    )
  }

  private var name: String { "sums-\(folder.path.split(separator: "/").last ?? "")" }

  /// Runs a script of the shell in the folder of the files.
  func edit(_ script: String) {
    let done = Command.run("cd '\(files)' && { \(script); }")
    precondition(done.status == 0, done.output)
  }

  /// The path of an archive, by the end of its name; the folder itself for none.
  func packed(_ suffix: String = "tar.xz") -> String {
    guard !suffix.isEmpty else { return files }
    let path = "\(folder.path)/sketch-1.0.0.\(suffix)"
    let options = ["tar.xz": "-cJf", "tar.gz": "-czf"][suffix] ?? "-cf"
    // One has a folder at its top, and the others have none.
    let what = suffix == "tar.xz" ? "-C .. sketch" : "."
    // Tests that run at the same time pack the same files: none sees half of another one's archive.
    edit("tar \(options) '\(path)'.$$ \(what) && mv '\(path)'.$$ '\(path)'")
    return path
  }
}

/// A home of a user who is not root, in which plugins are installed.
struct PluginHome {
  let folder = TemporaryFolder()
  var data: String { "\(folder.path)/data" }
  var place: String { "\(data)/coders/1" }

  init() {
    mkdir(data, 0o755)
    chmod(folder.path, 0o755)
    if geteuid() == 0 { chown(data, Self.nobody, Self.nobody) }
  }

  /// A home with the same plugins.
  init(copying other: PluginHome) {
    self.init()
    let copied = Command.run("cp -a '\(other.data)/.' '\(data)'")
    precondition(copied.status == 0, copied.output)
  }

  /// Whether the user of ``run(_:)`` can run the command: the folders that it is in may be root's alone.
  static let isReachable =
    geteuid() != 0
    || Command.run(
      "setpriv --reuid=\(nobody) --regid=\(nobody) --clear-groups -- '\(Package.command)' --version"
    ).status == 0

  static let nobody: uid_t = 65_534
  var environment: [String: String] { ["XDG_DATA_HOME": data, "HOME": data, "XDG_CACHE_HOME": "\(data)/cache"] }

  /// Runs `coders plugin` as a user, who is nobody where tests are run by root.
  func run(_ arguments: String...) -> Run { run(arguments) }

  /// - Parameter more: Variables beside those of the home.
  func run(_ arguments: [String], environment more: [String: String] = [:]) -> Run {
    let environment = environment.merging(more) { $1 }
    let words = ["plugin"] + arguments
    guard geteuid() == 0 else { return Run.binary(words, environment: environment) }
    return Run.program(
      "/usr/bin/setpriv",
      ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups", "--", Package.command] + words,
      environment: environment)
  }

  /// Names of all files below the place of plugins, without the random part of builds.
  var files: [String] {
    Command.run(
      "cd '\(place)' && find . -type f -printf '%P\\n' | sed 's|\\(v[0-9.]*\\)-[a-z0-9]*/|\\1/|' | LC_ALL=C sort"
    ).output
      .split(separator: "\n").map(String.init)
  }
}
