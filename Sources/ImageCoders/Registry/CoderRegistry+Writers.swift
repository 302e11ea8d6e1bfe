// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension CoderRegistry {
  /// The manifests of the plugins that write, in the order in which they are tried.
  ///
  /// Coders that the application registered have no manifest and are not listed.
  package var writers: [Manifest] { candidates(writing: nil).compactMap(\.entry?.manifest) }

  /// The manifest of the plugin that a format is written with.
  ///
  /// - Parameter id: Only the plugin with this identifier, or nil for the first in the order in which they are tried.
  /// - Returns: Nil when no such plugin writes the format, and when a coder of the application's own comes first.
  package func writer(of format: ImageFormat, id: String? = nil) -> Manifest? {
    candidates(writing: format).first { id == nil || $0.id == id }?.entry?.manifest
  }

  /// Finds the format with a name that a user gave, if a coder writes it.
  ///
  /// - Parameter name: An extension such as `jpg`, a format's name, or a type identifier.
  /// - Throws: ``CoderError/Code/invalidArgument`` if no coder writes it; the message lists the extensions that can be
  ///   written. ``CoderError/Code/outOfMemory`` or ``CoderError/Code/io`` if coders could not be looked for.
  public func formatToWrite(named name: String) throws(CoderError) -> ImageFormat {
    if let format = format(forExtension: name), !candidates(writing: format).isEmpty { return format }
    if let shortage = catalog.shortage { throw shortage }
    let known = writers.flatMap(\.writtenFormats).flatMap(\.extensions).sorted().joined(separator: ", ")
    throw .invalidArgument(
      "no coder writes \"\(name)\"; \(known.isEmpty ? "no coder is installed that writes" : "these can be written: " + known)"
    )
  }
}

extension CoderRegistry {
  /// Coders that write, in the order in which they are tried.
  ///
  /// - Parameter format: Only coders of this format, or nil for all.
  func candidates(writing format: ImageFormat? = nil) -> [Candidate] {
    snapshot().state.ordered(writing: format)
  }

  /// All coders, in the order in which they are tried for a file that all of them recognize equally.
  func candidatesInOrder() -> [Candidate] { snapshot().state.ordered }
}
