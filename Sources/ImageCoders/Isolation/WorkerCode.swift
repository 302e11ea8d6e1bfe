// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderModel

/// The code that a worker runs, and the program that runs it.
struct WorkerCode: Hashable {
  /// The path of `coders-worker` or of a library's command, or what the system calls the running program.
  let program: String
  /// What the program is called in its first argument.
  let name: String
  /// The path of a plugin, or the number of a coder that is part of the program.
  let library: String
  /// Where the worker looks for libraries that the code does not say the place of, or nil.
  let libraryPath: String?
  /// Where the code is, for messages.
  let place: String

  private init(program: String, name: String, library: String, libraryPath: String?, place: String) {
    (self.program, self.name, self.library) = (program, name, library)
    (self.libraryPath, self.place) = (libraryPath, place)
  }

  /// A plugin, in `coders-worker`.
  static func plugin(_ library: String) throws(SkipReason) -> WorkerCode {
    let program = try WorkerProgram.find()
    return WorkerCode(
      program: program, name: program, library: library, libraryPath: HostPlatform.runtimeFolder, place: library)
  }

  /// A coder that is part of the program, in the program itself, or one of a library, in the library's command.
  static func builtIn(_ coder: BuiltInCoder, id: String) throws(SkipReason) -> WorkerCode {
    let (program, library) = try OwnWorker.start(of: coder, id: id)
    // The program has been found with these, and is started without its environment.
    return WorkerCode(
      program: program, name: ISOLATION_OWN_NAME, library: library,
      libraryPath: PluginSearchPath.secureEnvironment("LD_LIBRARY_PATH"), place: "\(id), which is built in,")
  }

  /// The code of an entry, whose file nobody else may have changed since it was listed.
  static func entry(_ entry: CatalogEntry, id: String) throws(SkipReason) -> WorkerCode {
    if let coder = entry.builtIn { return try builtIn(coder, id: id) }
    guard let library = entry.library else { throw SkipReason(.libraryMissing, "there is no library") }
    if let reason = DirectoryListing.permissionProblem(library) { throw reason }
    return try plugin(library)
  }
}

/// Whether the running program can start itself once more, to run its own coders in a worker, or the command of the library that
/// the coders are part of.
package enum OwnWorker {
  /// A library that has the coders inside.
  package struct Library: Sendable {
    /// Where its command may be, or nil if that is the running program.
    let command: [String]?
    /// What the command gets after a coder's number.
    let words: String

    package init(command: [String]?, words: String) { (self.command, self.words) = (command, words) }
  }

  /// What the program has said of itself.
  private enum State {
    case unasked
    case impossible(String)
    case possible([BuiltInCoder], Library?)
  }

  private static let state = Lock(State.unasked)

  /// Notes that the program runs as a worker of these coders if it is started as one.
  ///
  /// - Parameters:
  ///   - obstacle: Why it cannot, or nil.
  ///   - library: What the coders are part of, or nil for the program.
  package static func prepare(_ coders: [BuiltInCoder], obstacle: String?, of library: Library? = nil) {
    state.withLock { $0 = obstacle.map { .impossible($0) } ?? .possible(coders, library) }
  }

  /// The program that runs a coder in a worker, and the word by which it knows the coder.
  static func start(of coder: BuiltInCoder, id: String) throws(SkipReason) -> (program: String, coder: String) {
    switch state.withLock({ $0 }) {
    case .unasked:
      throw SkipReason(
        .isolationMissing,
        "\(id) is built into the program, which has no workers: call CoderWorker.runIfAsked(.all) first in main "
          + "(product ImageCodersWorker)")
    case .impossible(let obstacle):
      throw SkipReason(.isolationMissing, "\(id) is built into the program, which has no workers: \(obstacle)")
    case .possible(let coders, let library):
      guard let number = coders.firstIndex(of: coder) else {
        throw SkipReason(
          .isolationMissing, "\(id) is built into the program, and not among the coders of CoderWorker.runIfAsked")
      }
      guard let library else { return (ISOLATION_OWN_PROGRAM, "\(number)") }
      let program = try library.command.map { places throws(SkipReason) in try WorkerProgram.first(of: places) }
      return (program ?? ISOLATION_OWN_PROGRAM, "\(number) \(library.words)")
    }
  }
}
