// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
package import ImageCoderModel

/// What files say of themselves whose pictures become one file: that says what the first of them does.
package struct JoinedMetadata {
  /// What payloads state, as a whole.
  private static let facts: [(kind: MetadataKind, fact: Fact)] = [
    (.exif, .exif), (.xmp, .xmp), (.iptc, .iptc), (.text, .texts), (.geoTIFF, .georeference), (.c2pa, .credentials),
  ]
  private var first: [MetadataKind: [UInt8]]?
  /// Files that say something else, by the kind of what says it.
  private var others: [MetadataKind: Int] = [:]

  /// That of no file.
  package init() {}

  /// Adds a file, the first one first. What cannot be read says nothing.
  package mutating func add(_ decoder: ImageDecoder) {
    var payloads: [MetadataKind: [UInt8]] = [:]
    for (kind, _) in Self.facts where decoder.header.metadata.contains(kind) {
      guard let payload = try? decoder.metadata(kind) else { continue }
      payloads[kind] = payload
    }
    guard let first else {
      first = payloads
      return
    }
    for (kind, payload) in payloads where payload != first[kind] { others[kind, default: 0] += 1 }
  }

  /// What of the files after the first is not written.
  ///
  /// - Parameter kinds: What the new file is to have.
  package func changes(keeping kinds: Set<MetadataKind>) -> [FactChange] {
    Self.facts.compactMap { kind, fact in
      guard let count = others[kind], kinds.contains(kind == .c2pa ? .xmp : kind) else { return nil }
      let files = count == 1 ? "a further file" : "\(count) further files"
      return FactChange(fact, .dropped, because: "that of \(files); what the first one says is written")
    }
  }
}
