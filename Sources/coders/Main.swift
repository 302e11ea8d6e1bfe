// SPDX-License-Identifier: Apache-2.0

import CProcessGuard
import CodersCommand

/// The command `coders`. Everything is in `CodersCommand`, where tests reach it; what concerns the whole process is in
/// `CProcessGuard`.
@main enum Main {
  static func main() {
    let arguments = CommandProcess.arguments()
    // Before anything catches what the library may do.
    CommandProcess.scanIfAsked(arguments)
    processguard_start()
    let console = Console.process(output: processguard_take_output(), escalation: processguard_stop)
    processguard_exit(Program.run(arguments, console: console).rawValue)
  }
}
