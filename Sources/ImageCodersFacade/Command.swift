// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CHEIFLibrary
import CImageCodersFacade
import CProcessGuard
import CodersCommand
import ImageCoderModel
import ImageCodersBuiltIn
import ImageCodersWorker

/// Where the workers of this library's coders come from, and where its coders find libraries of others; of the whole process.
enum LibrarySurroundings {
  private struct Named {
    var command: String?
    var folder: String?
    var isCommand = false
  }

  private static let named = Lock(Named())
  private static let build = String(cString: library_build())

  /// Where the command is if nobody says another place: beside the library's folder, also in a package of Python.
  private static let places: [String] = {
    guard let path = library_path().map({ SystemName.string(pointer: $0) }),
      let folder = PluginSearchPath.parent(of: path), let around = PluginSearchPath.parent(of: folder)
    else { return [] }
    return ["\(around)/bin/coders", "\(around)/imagecoders/bin/coders"]
  }()

  /// Notes what is named; nil leaves what was named before.
  static func prepare(command: String? = nil, folder: String? = nil, isCommand: Bool = false) {
    named.withLock { named in
      if let command { named.command = command }
      if let folder { named.folder = folder }
      if isCommand { named.isCommand = true }
      heif_library_set_folder(named.folder)
      CoderWorker.prepare(
        .all, command: named.isCommand ? nil : named.command.map { [$0] } ?? places, build: build,
        words: named.folder ?? "")
    }
  }

  /// Runs as a worker if this process was started as one, and does not return then.
  static func runWorkerIfAsked(_ arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) {
    CoderWorker.runIfAsked(.all, arguments: arguments, build: build) { words in
      // A coder's number, the build, and the folder of libraries.
      let parts = words.split(separator: " ", maxSplits: 2)
      heif_library_set_folder(parts.count == 3 ? String(parts[2]) : nil)
    }
  }
}

@c @implementation
public func ic_command(_ count: Int32, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
  let all = UnsafeBufferPointer(start: arguments, count: Int(max(0, count)))
  LibrarySurroundings.runWorkerIfAsked(all)
  let words = all.dropFirst().compactMap { $0.map { SystemName.string(pointer: $0) } }
  // Before anything catches what the library may do.
  CommandProcess.scanIfAsked(words)
  LibrarySurroundings.prepare(folder: PluginSearchPath.secureEnvironment("CODERS_LIBRARY_FOLDER"), isCommand: true)
  processguard_start()
  let console = Console.process(
    output: processguard_take_output(), escalation: processguard_stop, builtIn: .all)
  return Program.run(words, console: console).rawValue
}
