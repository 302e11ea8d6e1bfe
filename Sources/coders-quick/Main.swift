// SPDX-License-Identifier: Apache-2.0

import CProcessGuard
import CommandRuns
import Glibc
import ImageCoders

/// The part of the command that takes a few milliseconds. For what it does not understand it becomes the whole command, which
/// takes as long to start.
@main enum Main {
  static func main() {
    let arguments = CommandProcess.arguments()
    // Before anything catches what the library may do.
    CommandProcess.scanIfAsked(arguments)
    guard let verb = QuickVerb(arguments) else { becomeWholeCommand() }
    processguard_start()
    let console = Console.process(output: processguard_take_output(), escalation: processguard_stop)
    processguard_exit(verb.run(console).rawValue)
  }

  private static func becomeWholeCommand() -> Never {
    let place = WholeCommand.place(beside: SearchPath.executablePath() ?? "/usr/libexec/coders-quick")
    execv(place, CommandLine.unsafeArgv)
    let reason = String(cString: strerror(errno))
    Console.process().printError("coders: \(place): \(reason)")
    exit(ExitStatus.environment.rawValue)
  }
}
