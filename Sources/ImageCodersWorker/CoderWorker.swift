// SPDX-License-Identifier: Apache-2.0

import CWorker
public import ImageCoders

/// Lets a program run its own coders in processes of their own, as plugins run in theirs.
///
/// The program starts itself once more for that, and so has to ask whether it was started so, before anything else:
///
///     @main struct Thumbnails {
///       static func main() async throws {
///         CoderWorker.runIfAsked(.all)
///         let registry = CoderRegistry(builtIn: .all, policy: .web)
public enum CoderWorker {
  /// Runs as a worker if the program has started itself as one, and does not return then.
  ///
  /// Otherwise it notes that the program has workers. Without the call, a coder that is built in and has to be isolated is not
  /// used, and the error says so; so it is in a program with raised privileges (`AT_SECURE`), and where this code is part of
  /// a library that another program has loaded.
  ///
  /// What the program does before is done in each worker, too: a program that has made threads by then has no workers.
  ///
  /// - Parameter coders: All coders of the program that a registry gets, the same ones each time.
  public static func runIfAsked(_ coders: [BuiltInCoder]) {
    if cworker_is_asked(CommandLine.argc, CommandLine.unsafeArgv, nil) != 0 {
      let describe: [cworker_describe?] = coders.map(\.describe)
      cworker_run(CommandLine.unsafeArgv, describe, UInt64(describe.count), nil)
    }
    OwnWorker.prepare(coders, obstacle: cworker_obstacle(nil).map { String(cString: $0) })
  }

  /// Runs as a worker if a program that has loaded the library of these coders has started the running one, the library's command,
  /// for that, and does not return then.
  ///
  /// - Parameters:
  ///   - arguments: All of the process, with its name.
  ///   - build: Of the library. A worker of another one is refused.
  ///   - begin: Called with what the program says to a worker, if it is one.
  package static func runIfAsked(
    _ coders: [BuiltInCoder], arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>, build: String,
    begin: (_ words: String) -> Void
  ) {
    guard let start = arguments.baseAddress, cworker_is_asked(Int32(arguments.count), start, build) != 0 else { return }
    if let words = arguments[1] { begin(String(cString: words)) }
    let describe: [cworker_describe?] = coders.map(\.describe)
    cworker_run(start, describe, UInt64(describe.count), build)
  }

  /// Notes that the coders of a library have workers.
  ///
  /// - Parameters:
  ///   - command: Where the library's command may be, or nil if it is the running program.
  ///   - build: Of the library.
  ///   - words: What a worker is told.
  package static func prepare(_ coders: [BuiltInCoder], command: [String]?, build: String, words: String) {
    OwnWorker.prepare(
      coders, obstacle: cworker_obstacle(build).map { String(cString: $0) },
      of: OwnWorker.Library(command: command, words: words.isEmpty ? build : "\(build) \(words)"))
  }
}
