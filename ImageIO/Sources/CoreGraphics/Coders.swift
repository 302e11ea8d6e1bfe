// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import Foundation
  package import ImageCodersBuiltIn

  /// The coders that all of this works with.
  package enum Coders {
    /// Those that are built in, and plugins that are installed.
    package static let registry: CoderRegistry = {
      let registry = CoderRegistry(builtIn: .all)
      if registry.readableFormats.isEmpty {
        log("no coder is built in, and no plugin is found: every picture is of an unknown type")
      }
      return registry
    }()

    /// A line for the developer on the standard error, as ImageIO writes to the log of a Mac.
    package static func log(_ message: String) { FileHandle.standardError.write(Data("ImageIO: \(message)\n".utf8)) }
  }
#endif
