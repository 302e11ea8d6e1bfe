// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// A plugin is this project's own by its place and its owner. What it calls itself proves nothing.
@Suite struct TrustedPlaceTests {
  private static let id = "org.imagecoders.qoi"
  private static let file = ByteSource.file("\(StagedTree.fixtures("qoi"))/valid/rgba8.qoi")

  /// A data folder of a user, with this project's reader of QOI in it.
  private static func home() throws -> TemporaryFolder {
    let home = TemporaryFolder()
    let copied = Command.run(
      "mkdir -p '\(home.path)/coders/1' && cp '\(StagedTree.plugins)/libQOICoder.so' "
        + "'\(StagedTree.plugins)/qoi.imgcoder.json' '\(home.path)/coders/1'")
    try #require(copied.status == 0, "\(copied.output)")
    return home
  }

  /// As the staged program has it.
  private static func registry(_ arguments: [String] = [], _ environment: [String: String] = [:]) -> CoderRegistry {
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    let path = PluginSearchPath(
      arguments: arguments, environment: { environment[$0] }, executable: "\(StagedTree.root)/build/bin/coders")
    return CoderRegistry(searchPath: path, preferences: CoderPreferences(), policy: .paranoid)
  }

  /// Its code is in the table of readers in pure Swift, by its name alone.
  @Test(arguments: ["XDG_DATA_HOME", "CODERS_PLUGIN_PATH", "CODERS_ADD_PLUGIN_PATH", "--plugin-dir", "only"])
  func aStrangerIsIsolatedUnderParanoid(_ place: String) throws {
    let home = try Self.home()
    let folder = "\(home.path)/coders/1"
    let registry =
      switch place {
      case "XDG_DATA_HOME": Self.registry([], [place: home.path])
      case "--plugin-dir": Self.registry([folder])
      case "only": CoderRegistry(searchPath: .only([folder]), preferences: CoderPreferences(), policy: .paranoid)
      default: Self.registry([], [place: folder])
      }
    let entry = try #require(registry.catalog.entries.first { $0.id == Self.id })
    #expect(entry.library == "\(folder)/libQOICoder.so")
    #expect(!entry.isBundled)
    #expect(entry.isNamesake)
    #expect(registry.isolation(of: Self.id)?.mode == .strict)
    do throws(CoderError) {
      #expect(try registry.decode(Self.file).coderID == Self.id)
    } catch {
      // A machine without all layers refuses.
      #expect(error.code == .pluginRejected && error.message.contains("isolation_missing"), "\(error)")
    }
    #expect(!LoadedLibraries.contain("\(folder)/libQOICoder.so"))
  }

  @Test func aPluginOfTheInstallationIsBundled() throws {
    for arguments in [[], [StagedTree.plugins], ["\(StagedTree.root)/build/lib/../lib/coders/1"]] {
      let registry = Self.registry(arguments)
      let entry = try #require(registry.catalog.entries.first { $0.id == Self.id })
      #expect(entry.isBundled)
      #expect(registry.isolation(of: Self.id)?.mode == .inProcess)
      #expect(registry.isolation(of: "org.imagecoders.png")?.mode == .strict)
      #expect(try registry.decode(Self.file).coderID == Self.id)
    }
  }

  /// An application may have a folder of its own.
  @Test func aPluginOfATrustedFolderIsBundled() throws {
    let folder = "\(try Self.home().path)/coders/1"
    let home = try Self.home()
    let other = "\(home.path)/coders/1"
    func mode(_ trusted: [String]) -> Isolation.Mode? {
      CoderRegistry(
        searchPath: .only([other]).trusting(trusted), preferences: CoderPreferences(), policy: .paranoid
      ).isolation(of: Self.id)?.mode
    }
    #expect(mode([]) == .strict)
    #expect(mode([folder]) == .strict)
    #expect(mode([other]) == .inProcess)
  }

  /// A plugin that takes the place of one that does not load is isolated as what it is.
  @Test func aSubstituteIsIsolatedAsAStranger() throws {
    let installation = TemporaryFolder()
    let made = Command.run(
      "mkdir -p '\(installation.path)/lib/coders/1' && cp '\(StagedTree.plugins)/qoi.imgcoder.json' "
        + "'\(installation.path)/lib/coders/1'")
    try #require(made.status == 0, "\(made.output)")
    let executable = installation.write("", to: "bin/coders")
    installation.write("no library", to: "lib/coders/1/libQOICoder.so")
    let home = try Self.home()
    let path = PluginSearchPath(
      arguments: ["\(installation.path)/lib/coders/1", "\(home.path)/coders/1"], environment: { _ in nil },
      executable: executable)
    let registry = CoderRegistry(searchPath: path, preferences: CoderPreferences(), policy: .paranoid)
    #expect(registry.catalog.entries.filter { $0.id == Self.id }.map(\.isBundled) == [true, false])
    _ = try? registry.decode(Self.file)
    #expect(!LoadedLibraries.contain("\(home.path)/coders/1/libQOICoder.so"))
  }

  /// A library under a name of this project crashes the process that scans it, not the command.
  @Test func aStrangerIsScanned() throws {
    let folder = TemporaryFolder()
    let library = ForeignPlugin.library(
      "UnrulyPlugin/constructor.c", as: "libconstructor.so", in: folder, flags: ["-DABORTS"])
    folder.write(
      """
      {"id": "org.imagecoders.constructor", "name": "X", "version": "1", "abi": {"major": 1},
       "library": "libconstructor.so", "formats": [{"uti": "org.example.x", "match": [{"bytes": "58"}]}],
       "capabilities": ["read"]}
      """, to: "x.imgcoder.json")
    let command =
      "XDG_CACHE_HOME='\(folder.path)/cache' CODERS_PLUGIN_PATH='\(folder.path)' '\(StagedTree.root)/build/bin/coders'"
    let list = Command.run("\(command) doctor >/dev/null; \(command) list")
    #expect(
      list.output.contains("org.imagecoders.constructor: scan_crashed: SIGABRT, when \(library) is loaded\n"),
      "\(list.output)")
  }

  /// A file of another user in the folder of the installation is a stranger's, though it may be used.
  @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
  func aFileOfAnotherOwnerIsAStranger() throws {
    let installation = TemporaryFolder()
    let user = 65_534
    let made = Command.run(
      """
      cd '\(installation.path)' && chmod 755 . && mkdir -p bin lib/coders/1 &&
        cp '\(StagedTree.root)/build/bin/coders' bin/coders &&
        cp '\(StagedTree.plugins)/libQOICoder.so' '\(StagedTree.plugins)/qoi.imgcoder.json' lib/coders/1
      """)
    try #require(made.status == 0, "\(made.output)")
    func isBundled() -> Bool? {
      let list = Command.run(
        """
        CODERS_SCANNER=none CODERS_PLUGIN_PATH='\(installation.path)/lib/coders/1' \
        setpriv --reuid=\(user) --clear-groups '\(installation.path)/bin/coders' list --json
        """)
      guard list.output.contains("\"id\": \"\(Self.id)\"") else { return nil }
      return list.output.contains("\"bundled\": true")
    }
    #expect(isBundled() == true)
    for name in ["lib/coders/1/libQOICoder.so", "lib/coders/1/qoi.imgcoder.json", "lib/coders/1"] {
      _ = Command.run("chown \(user) '\(installation.path)/\(name)'")
      #expect(isBundled() == false, "\(name)")
      _ = Command.run("chown 0 '\(installation.path)/\(name)'")
    }
    // The owner of the program may own them too.
    _ = Command.run("chown -R \(user) '\(installation.path)/lib/coders/1' '\(installation.path)/bin'")
    #expect(isBundled() == true)
  }
}
