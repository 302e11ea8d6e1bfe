// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderModel

/// The code that a worker runs, and the program that runs it.
struct WorkerCode: Hashable {
  /// The path of `coders-worker`, or what the system calls the running program.
  let program: String
  /// The path of a plugin, or the number of a coder that is part of the program.
  let library: String
  /// Where the worker looks for libraries that the code does not say the place of, or nil.
  let libraryPath: String?
  /// Where the code is, for messages.
  let place: String

  private init(program: String, library: String, libraryPath: String?, place: String) {
    (self.program, self.library, self.libraryPath, self.place) = (program, library, libraryPath, place)
  }

  /// A plugin, in `coders-worker`.
  static func plugin(_ library: String) throws(SkipReason) -> WorkerCode {
    WorkerCode(
      program: try WorkerProgram.find(), library: library, libraryPath: HostPlatform.runtimeFolder, place: library)
  }

  /// A coder that is part of the program, in the program itself.
  static func builtIn(_ coder: BuiltInCoder, id: String) throws(SkipReason) -> WorkerCode {
    let number = try OwnWorker.number(of: coder, id: id)
    // The program has been found with these, and is started without its environment.
    return WorkerCode(
      program: ISOLATION_OWN_PROGRAM, library: "\(number)",
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

/// Whether the running program can start itself once more, to run its own coders in a worker.
package enum OwnWorker {
  /// What the program has said of itself.
  private enum State {
    case unasked
    case impossible(String)
    case possible([BuiltInCoder])
  }

  private static let state = Lock(State.unasked)

  /// Notes that the program runs as a worker of these coders if it is started as one.
  ///
  /// - Parameter obstacle: Why it cannot, or nil.
  package static func prepare(_ coders: [BuiltInCoder], obstacle: String?) {
    state.withLock { $0 = obstacle.map { .impossible($0) } ?? .possible(coders) }
  }

  /// The place of a coder among those of the program's workers.
  static func number(of coder: BuiltInCoder, id: String) throws(SkipReason) -> Int {
    switch state.withLock({ $0 }) {
    case .unasked:
      throw SkipReason(
        .isolationMissing,
        "\(id) is built into the program, which has no workers: call CoderWorker.runIfAsked(.all) first in main "
          + "(product ImageCodersWorker)")
    case .impossible(let obstacle):
      throw SkipReason(.isolationMissing, "\(id) is built into the program, which has no workers: \(obstacle)")
    case .possible(let coders):
      guard let number = coders.firstIndex(of: coder) else {
        throw SkipReason(
          .isolationMissing, "\(id) is built into the program, and not among the coders of CoderWorker.runIfAsked")
      }
      return number
    }
  }
}
