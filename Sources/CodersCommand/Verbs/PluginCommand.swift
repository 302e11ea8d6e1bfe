// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageCoderEngine
import ImageCoders

/// `coders plugin`: installs plugins from archives, removes and lists them.
struct PluginCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "Install, remove and list plugins of others, and tell desktops of their types of files.",
    discussion: """
      For plugins that do not come with coders or in a package of the system:

        install  put the plugin of an archive into the folder of this user, or of all users (--system)
        remove   take a plugin out that was installed so; files that were changed since then are named and stay
        list     print the plugins that do not belong to this program, and where they came from
        types    write the types of files and thumbnailers of installed plugins again

      An archive is NAME-VERSION-PLATFORM.tar.xz, .tar.gz, .tar, or a folder, with a manifest, its library, the text of the \
      license, and SHA256SUMS, which has the digest of every file. Links, devices, files that are not listed, and names that \
      lead elsewhere are refused, and so are more than 1000 files or 512 MiB. The library is loaded once in a process of its \
      own, and `coders check --only manifest,binary` has to pass. Then you are shown what the plugin is and which coders it \
      comes before, and asked; without a terminal, --yes is needed. A plugin runs with your rights: a digest proves that \
      the archive is whole, and not that its author means well.

      As root, an archive is unpacked and checked by its owner or by the user nobody. Packages are listed and not removed: \
      apt does that.

      Examples:
        coders plugin install sketch-1.0.0-linux-x86_64.tar.xz --yes
        coders plugin list --verify
        coders plugin remove org.example.sketch
        coders plugin types --root debian/sketch-coder
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable {
    case install, remove, list, types
  }

  @Argument(help: "What to do.")
  var action: Action

  @Argument(
    help: ArgumentHelp("The archive to install, or the id of the plugin to remove.", valueName: "archive|id"))
  var subject: String?

  @Flag(help: "Work on the plugins of all users, in /usr/local, as root.")
  var system = false

  @Flag(name: [.short, .long], help: "With install: do not ask.")
  var yes = false

  @Flag(help: "With list: compare the files with the digests of their installation.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "With types: write for the plugins of a package, below this directory, when it is built.", valueName: "dir"))
  var root: String?

  @Option(name: .customLong("stage"), help: .hidden)
  var stage: String?

  @Flag(name: [.short, .long], help: "Print errors only; list prints ids only.")
  var quiet = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    let others: [(name: String, isGiven: Bool, actions: [Action])] = [
      ("--yes", yes, [.install]), ("--verify", verify, [.list]), ("--root", root != nil, [.types]),
      ("--system", system, [.install, .remove, .types]),
    ]
    for option in others where option.isGiven && !option.actions.contains(action) {
      throw ValidationError("\(option.name) is not for `coders plugin \(action.rawValue)`")
    }
    switch action {
    case .install where subject == nil: throw ValidationError("install needs an archive")
    case .remove where subject == nil: throw ValidationError("remove needs the id of a plugin")
    case .list where subject != nil, .types where subject != nil:
      throw ValidationError("`coders plugin \(action.rawValue)` takes no archive and no id")
    case .install where json && !yes && stage == nil: throw ValidationError("--json does not ask; add --yes")
    case .types where root != nil && system: throw ValidationError("--root and --system name two places")
    default: break
    }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    // What is written is for others to read: a plugin of all users, and the sandboxes of desktops.
    if action != .list { umask(0o022) }
    if let stage { return runStage(stage, console) }
    switch action {
    case .install: return try install(console)
    case .remove: return try remove(console)
    case .list: return try list(console)
    case .types: return try types(console)
    }
  }

  /// The part of an installation that root leaves to another user. The answer goes to standard output.
  private func runStage(_ folder: String, _ console: Console) -> ExitStatus {
    var problem: CoderError?
    do throws(CoderError) {
      guard geteuid() != 0 else { throw CoderError.invalidArgument("--stage is for users other than root") }
      try UnprivilegedExamination.run(try PluginArchive(subject ?? "", console), in: folder, console)
    } catch { problem = error }
    console.print(UnprivilegedExamination.answer(problem))
    return .ok
  }

  private func place(_ console: Console) throws(CoderError) -> PluginPlace {
    if system {
      guard geteuid() == 0 else {
        throw .invalidArgument("--system changes the plugins of all users: run it as root, with sudo")
      }
      return .system
    }
    // HOME may be that of the user who called sudo, and root's files in it would be in that user's way.
    if geteuid() == 0, console.environment("SUDO_UID") != nil {
      throw .invalidArgument("under sudo, --system is needed; without sudo, the plugin is for one user")
    }
    return try .user(console)
  }

  private func install(_ console: Console) throws(CoderError) -> ExitStatus {
    let name = subject ?? ""
    let place = try place(console)
    guard yes || Question.canBeAsked(console) else {
      throw .invalidArgument("there is no terminal on which to ask; --yes installs without a question")
    }
    do throws(CoderError) {
      let archive = try PluginArchive(name, console)
      let done = try PluginInstallation(archive: archive, place: place).run(console) { summary throws(CoderError) in
        if !json, !quiet || !yes { for line in summary.lines { console.print(line) } }
        return yes ? true : try Question.ask("Install it?", console)
      }
      var report = PluginReport(action.rawValue)
      report.place = place.folder
      report.types = done.types
      report.add(
        id: done.receipt.id, version: done.receipt.version, manifest: place.manifest(of: done.receipt.id),
        source: .archive(done.receipt), state: "installed")
      if done.plugin.manifest.canRead, let note = PluginReport.note(on: place, archive: name) {
        report.notes.append(note)
      }
      if let problem = done.problem { console.warn(problem, file: name) }
      let replaced = done.replaced.map { ", in place of \($0)" } ?? ""
      printReport(report, console, first: "installed \(done.receipt.id) \(done.receipt.version)\(replaced)")
      return .ok
    } catch {
      throw error.annotated(file: name)
    }
  }

  private func remove(_ console: Console) throws(CoderError) -> ExitStatus {
    let place = try place(console)
    let id = subject ?? ""
    let done = try PluginRemoval(id: id, place: place).run(console)
    var report = PluginReport(action.rawValue)
    report.place = place.folder
    report.kept = done.kept
    report.add(id: id, version: done.version, manifest: nil, source: nil, state: "removed")
    if let problem = done.problem { console.warn(problem, file: place.data) }
    printReport(report, console, first: "removed \(id)\(done.version.isEmpty ? "" : " \(done.version)")")
    return .ok
  }

  private func list(_ console: Console) throws(CoderError) -> ExitStatus {
    let plugins = try InstalledPlugin.all(CoderSettings().searchPath(console), console, verifies: verify)
    var report = PluginReport(action.rawValue)
    for plugin in plugins { report.add(plugin) }
    if json {
      console.print(report.json.printed)
    } else {
      let lines = quiet ? plugins.map(\.id) : PluginReport.lines(plugins, console.style)
      for line in lines { console.print(line) }
    }
    return plugins.allSatisfy { $0.changed?.isEmpty ?? true } ? .ok : ExitStatus(.checksumMismatch(""))
  }

  private func types(_ console: Console) throws(CoderError) -> ExitStatus {
    var places: [PluginPlace] = []
    if let root {
      // A package has its plugins in /usr; what is built for /usr/local, there.
      places = ["usr", "usr/local"].map { prefix in
        let path = "\(console.location(of: root))/\(prefix)"
        return PluginPlace(folder: "\(path)/lib/coders/1", data: "\(path)/share", isSystem: true)
      }
    } else {
      places = [try place(console)]
    }
    let run = TypesRun(places: places, isPackage: root != nil)
    var report = PluginReport(action.rawValue)
    report.place = root == nil ? places[0].folder : root
    (report.types, report.notes) = try run.run(console)
    printReport(report, console, first: nil)
    return .ok
  }

  private func printReport(_ report: PluginReport, _ console: Console, first line: String?) {
    if json {
      console.print(report.json.printed)
    } else if !quiet {
      if let line { console.print(line.printable) }
      for path in report.types { console.print("wrote \(path)".printable) }
      for note in report.notes { console.print(note.printable) }
    }
    // Even then: somebody has to look at them.
    if !json {
      for path in report.kept {
        console.printError("coders: kept \(path.printable): changed or added since it was installed")
      }
    }
  }
}
