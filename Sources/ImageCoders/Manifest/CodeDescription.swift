// SPDX-License-Identifier: Apache-2.0

/// What kind of code sees a file's bytes, as a manifest says under `code`.
package struct CodeDescription: Sendable, Equatable {
  /// Who keeps accesses to memory within bounds.
  package enum Bounds: String, Sendable, CaseIterable {
    /// The language checks each.
    case language
    /// The language checks most, and the code itself those of rows and tables.
    case code
    /// Nobody: a wrong length reads or writes elsewhere.
    case nobody
  }

  /// A library that the coder wraps.
  package struct Library: Sendable, Equatable {
    /// As advisories and the coder itself call it.
    package var name: String
    package var language: String
    package var reads: Bool
    package var writes: Bool
    /// The version that is inside of the plugin, or nil for one that is known when it is loaded.
    package var version: String?
    /// Fixes that are in it beyond its version: a patch, or a version of a package.
    package var fixes: [String]
  }

  /// The language of the coder itself: `swift`, `c`, `c++`, `rust`.
  package var language: String
  package var bounds: Bounds
  package var libraries: [Library]

  /// All fixes.
  var fixes: Set<String> { Set(libraries.flatMap(\.fixes)) }
}

extension ManifestReader {
  package static let codeKeys = ["language", "bounds", "libraries"]
  package static let codeLibraryKeys = ["name", "language", "reach", "version", "fixes"]

  func code(_ node: JSONNode) throws(TextProblem) -> CodeDescription {
    let file = try object(node, Self.codeKeys)
    let word = try file.required("bounds")
    guard let bounds = CodeDescription.Bounds(rawValue: try word.string()) else {
      let known = CodeDescription.Bounds.allCases.map(\.rawValue).joined(separator: ", ")
      throw word.problem(allowed: "\(known) are allowed")
    }
    let libraries = try file["libraries"]?.list { (node) throws(TextProblem) -> CodeDescription.Library in
      let library = try object(node, Self.codeLibraryKeys)
      let reach = try library["reach"]?.strings() ?? ["decode", "encode"]
      return CodeDescription.Library(
        name: try library.required("name").word(), language: try library["language"]?.word() ?? "c",
        reads: reach.contains("decode"), writes: reach.contains("encode"), version: try library["version"]?.word(),
        fixes: try library["fixes"]?.strings() ?? [])
    }
    return CodeDescription(language: try file.required("language").word(), bounds: bounds, libraries: libraries ?? [])
  }
}
