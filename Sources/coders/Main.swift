// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import Glibc

/// The command `coders`. Everything is in `CodersCommand`, where tests reach it.
@main enum Main {
  static func main() {
    let console = Console.process()
    exit(Program.run(Array(CommandLine.arguments.dropFirst()), console: console).rawValue)
  }
}
