// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageCoders

extension PluginLanguage: ExpressibleByArgument {}

/// `coders new`: writes the sources of a new plugin.
struct NewCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a new plugin: sources, manifest, samples, and how to build and check it.",
    discussion: """
      Writes a folder with a whole plugin for a small made-up format with animation, reader and writer, which builds and \
      passes its checks as it is. The plugin is the same in every language, and each reads the files of the others. \
      Replace the format with yours, step by step, with a plugin that works all the time.

      NAME becomes the plugin's name and the extension of its files: lower case letters, digits and hyphens. A folder \
      that has files in it is refused. In the folder, `make` builds the plugin, `make check` checks it, and `make \
      install` puts it where `coders` finds it. CODERS_TEMPLATES names another folder of templates.

      Examples:
        coders new sketch --lang c
        coders new sketch --lang rust -o plugins/sketch
        coders new sketch --lang swift --id com.example.coders.sketch
      """)

  @Option(name: .customLong("lang"), help: ArgumentHelp("The language: c, cpp, rust or swift.", valueName: "language"))
  var language: PluginLanguage

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The folder. (default: NAME)", valueName: "dir"))
  var folder: String?

  @Option(help: ArgumentHelp("The coder's identifier, in reverse-DNS form. (default: org.example.NAME)"))
  var id: String?

  @Flag(help: "Print the names of the written files as JSON.")
  var json = false

  @Argument(help: "The plugin's name and the extension of its files.")
  var name: String

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let name = try PluginName(name, id: id)
    let template = try PluginTemplate(folder: PluginTemplate.folder(of: language, console))
    let folder = folder ?? name.name
    do throws(CoderError) {
      try Self.makeEmpty(folder, console)
      let files = template.files(named: name)
      for file in files {
        let path = "\(folder)/\(file.path)"
        try Path.makeDirectory(Path.folder(path), console)
        try OutputFile(path, console).write(file.bytes, to: console)
      }
      if json {
        let paths = files.map { "\(folder)/\($0.path)" }
        console.print(
          JSONValue.object([
            "schema": .integer(1), "folder": .text(folder), "id": .text(name.id), "written": .texts(paths),
          ]).printed)
        return .ok
      }
      console.print("\(folder): a plugin in \(language.title) with the id \(name.id)")
      for file in files where !file.path.hasPrefix(".") { console.print("  \(file.path)") }
    } catch {
      throw error.annotated(file: folder)
    }
    console.print(
      """

      Next:
        cd \(folder)
        make            builds build/lib\(name.name).so
        make check      checks it against its samples
        make install    puts it where coders looks for plugins
      """)
    return .ok
  }

  /// Makes a folder, or takes an empty one.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if something is in it; ``CoderError/Code/io``.
  private static func makeEmpty(_ folder: String, _ console: Console) throws(CoderError) {
    if let stream = opendir(folder) {
      defer { closedir(stream) }
      // `.` and `..` are always there.
      var count = 0
      while readdir(stream) != nil { count += 1 }
      guard count <= 2 else {
        throw .invalidArgument("the folder has files in it; name a new or an empty one with -o")
      }
    }
    try Path.makeDirectory(folder, console)
  }
}
