// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
package import ImageCoderModel

// What a file is held to be, and what is said of one that nobody reads.
extension CoderRegistry {
  /// The coders that are tried for a file in their order, each with the formats that the file may have.
  package func readers(
    of source: ByteSource, allowed: Set<ImageFormat>? = nil
  ) throws(CoderError) -> [(coder: String, formats: [ImageFormat])] {
    let opened = try OpenSource(source, limits: .standard)
    return try selection(opened, coder: nil, allowed, explains: false).0.candidates.map {
      ($0.candidate.id, $0.formats)
    }
  }

  /// What is said of a file of which a coder shows a stand-in.
  ///
  /// - Parameter refusals: What coders that were tried before say of the file.
  func standIn(
    _ source: OpenSource, _ coder: String, after refusals: [(coder: any ImageCoder, error: CoderError)]
  ) throws(CoderError) -> String {
    let state = snapshot().state
    let manifest = state.candidates.first { $0.id == coder }?.entry?.manifest
    guard let dialect = try manifest.flatMap({ (manifest) throws(CoderError) in try manifest.dialect(of: source) })
    else {
      return "shows a picture that stands in for what \(coder) does not read"
    }
    if let refusal = refusals.first(where: { $0.coder.formats.contains(dialect.format) }) {
      return
        "shows the preview of \(dialect.nameWithArticle) file, which \(refusal.coder.id) refused: \(refusal.error.message)"
    }
    let isRead = state.candidates.contains { $0.canRead && $0.formats.contains(dialect.format) }
    let reason =
      isRead ? "no coder that may be used reads \(dialect.format)" : "no coder for \(dialect.format) is installed"
    return "shows the preview of \(dialect.nameWithArticle) file; \(reason)"
  }

  func unrecognized(_ source: OpenSource, _ selection: Selection, coders: Int) -> CoderError {
    if source.size == 0 { return .wrongFormat("the file is empty") }
    if let shortage = catalog.shortage { return shortage }
    if coders == 0 { return .noCoder(catalog.emptiness) }
    if let refused = selection.refused {
      let formats = refused.candidate.formats.map(\.rawValue).joined(separator: " or ")
      return .unsupported("the file is recognized as \(formats), \(refused.reason)")
    }
    if let bytesNeeded = selection.bytesNeeded {
      return .truncated("the file ends while it is identified: \(bytesNeeded) bytes would decide", at: source.size)
    }
    if case .success(let found?) = Result(catching: { () throws(CoderError) in try dialect(of: source) }) {
      return .noCoder("no coder of \(coders) reads \(found.format), \(found.nameWithArticle) file\(catalog.unusedHint)")
    }
    if let foreign = ForeignFormat.of(source) {
      return .noCoder("no coder of \(coders) reads \(foreign.name), which the file is\(catalog.unusedHint)")
    }
    var shown = ""
    if case .success(let prefix) = Result(catching: { () throws(CoderError) in try source.prefix(Self.shownBytes) }) {
      for byte in prefix { shown += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }
    return .noCoder("no coder of \(coders) recognizes a file that begins with \(shown)\(catalog.unusedHint)")
  }

  /// The kind of file that a coder's manifest knows by name, or nil.
  private func dialect(of source: OpenSource) throws(CoderError) -> Manifest.Dialect? {
    for candidate in snapshot().state.candidates {
      if let found = try candidate.entry?.manifest?.dialect(of: source) { return found }
    }
    return nil
  }
}

extension Manifest {
  /// The kind of its formats with which a file agrees most, of those that the coder does not read; the first of equals.
  fileprivate func dialect(of source: OpenSource) throws(CoderError) -> Dialect? {
    var best: (dialect: Dialect, strength: Int)?
    for dialect in formats.lazy.flatMap(\.dialects) {
      for signature in dialect.signatures {
        guard case .yes(let strength) = try signature.recognition(of: source), strength > best?.strength ?? -1 else {
          continue
        }
        best = (dialect, strength)
      }
    }
    return best?.dialect
  }
}

extension Manifest.Dialect {
  /// `a camera raw`, `an Olympus raw`.
  fileprivate var nameWithArticle: String {
    "\("AEIOU".contains(name.prefix(1).uppercased()) ? "an" : "a") \(name)"
  }
}
