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

  func unrecognized(_ source: OpenSource, _ selection: Selection, coders: Int) -> CoderError {
    if source.size == 0 { return .wrongFormat("the file is empty") }
    if coders == 0 { return .noCoder(catalog.emptiness) }
    if let refused = selection.refused {
      let formats = refused.candidate.formats.map(\.rawValue).joined(separator: " or ")
      return .unsupported("the file is recognized as \(formats), \(refused.reason)")
    }
    if let bytesNeeded = selection.bytesNeeded {
      return .truncated("the file ends while it is identified: \(bytesNeeded) bytes would decide", at: source.size)
    }
    var shown = ""
    if case .success(let prefix) = Result(catching: { () throws(CoderError) in try source.prefix(Self.shownBytes) }) {
      for byte in prefix { shown += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }
    return .noCoder("no coder of \(coders) recognizes a file that begins with \(shown)\(catalog.unusedHint)")
  }
}
