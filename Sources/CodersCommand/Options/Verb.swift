// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A verb of the command. It gets its console from the caller, so that a test can run it in process.
protocol Verb: ParsableCommand {
  /// Runs the verb.
  ///
  /// - Returns: The status of the first error, or ok.
  /// - Throws: An error that does not belong to one file. The caller prints it.
  func run(_ console: Console) throws(CoderError) -> ExitStatus
}

/// The name of the whole command, for the verbs that `Coders.verb` may parse alone: ArgumentParser looks for requests of completion
/// scripts only in a command that is not part of another one, and that takes a millisecond.
let superCommandName = "coders"
