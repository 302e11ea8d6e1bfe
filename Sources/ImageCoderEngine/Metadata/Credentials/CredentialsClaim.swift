// SPDX-License-Identifier: Apache-2.0

/// What content credentials say of themselves: the active manifest of a store. Nothing of it is verified.
///
/// - Format: C2PA Technical Specification 2.1 §10 and §11; ISO/IEC 19566-5 (JUMBF); RFC 9052 and RFC 9360 (COSE).
package struct CredentialsClaim: Sendable, Hashable {
  /// The program that made the claim, with its version.
  package private(set) var generator: String?
  /// The name of the asset.
  package private(set) var title: String?
  /// Whom the certificate of the signature is for: its common name.
  package private(set) var signer: String?
  /// The organization of the same certificate.
  package private(set) var organization: String?
  /// Manifests of the store: one for the file, and others for what it was made of.
  package private(set) var manifests = 0
  /// The labels of the active manifest's assertions: `c2pa.actions`.
  package private(set) var assertions: [String] = []

  private static let maxBoxes = 4096

  /// - Parameter store: A payload of ``MetadataKind/c2pa``.
  /// - Returns: Nil for a store without a manifest.
  package init?(store: [UInt8]) {
    guard let outer = Self.boxes(in: store[...]).first, outer.type == "jumb" else { return nil }
    let inner = Self.boxes(in: outer.content)
    let found = inner.compactMap { Superbox($0) }.filter { ["c2ma", "c2um", "c2cm"].contains($0.type) }
    // §11.1.4.2: the active manifest is the last one.
    guard let active = found.last else { return nil }
    manifests = found.count
    for part in active.boxes.compactMap({ Superbox($0) }) {
      let payload = part.boxes.first { $0.type == "cbor" }?.content
      switch part.type {
      case "c2as": assertions = part.boxes.compactMap { Superbox($0)?.label }
      case "c2cl": if let claim = payload.flatMap({ CBORReader.value($0) }) { read(claim) }
      case "c2cs": if let signature = payload.flatMap({ CBORReader.value($0) }) { readSigner(signature) }
      default: break
      }
    }
  }

  /// §10: claims of version 1 have a list of what made them, or text; those of version 2 one map.
  private mutating func read(_ claim: CBORValue) {
    title = claim["dc:title"]?.text
    let stated = claim["claim_generator_info"]
    let info = stated?.list?.first ?? stated
    if let name = info?["name"]?.text {
      generator = [name, info?["version"]?.text].compactMap(\.self).joined(separator: " ")
    } else {
      generator = claim["claim_generator"]?.text
    }
  }

  /// RFC 9052 §4.2: protected headers, others, the payload, the signature. RFC 9360 §2: header 33 has the certificates, that
  /// of the signer first.
  private mutating func readSigner(_ signature: CBORValue) {
    guard let parts = signature.list, parts.count >= 2 else { return }
    let headers = [parts[0].bytes.flatMap { CBORReader.value($0) }, parts[1]].compactMap(\.self)
    let chain = headers.lazy.compactMap { $0[33] ?? $0["x5chain"] }.first
    guard let bytes = chain?.bytes ?? chain?.list?.first?.bytes, let subject = CertificateSubject(bytes) else { return }
    (signer, organization) = (subject.commonName, subject.organization)
  }

  /// In one line: "made by Camera 1.0, signed by A. Author (Example)".
  package var words: String {
    var words: [String] = []
    if let generator { words.append("claimed by \(generator)") }
    if let name = signer ?? organization {
      let owner = signer == nil || organization == signer ? nil : organization
      words.append("signed by \(name)" + (owner.map { " (\($0))" } ?? ""))
    }
    return (words.isEmpty ? ["nothing says who claims them"] : words).joined(separator: ", ")
  }

  // MARK: JUMBF

  private struct Box {
    let type: String
    let content: ArraySlice<UInt8>
  }

  /// A box with a description and others.
  private struct Superbox {
    /// The first four letters of the description's UUID.
    let type: String
    let label: String?
    let boxes: [Box]

    init?(_ box: Box) {
      guard box.type == "jumb" else { return nil }
      let inner = CredentialsClaim.boxes(in: box.content)
      guard let description = inner.first, description.type == "jumd", description.content.count >= 17 else {
        return nil
      }
      let content = description.content
      type = String(decoding: content.prefix(4), as: UTF8.self)
      // ISO/IEC 19566-5 §A.3: bit 2 of the toggles is that a label follows.
      label =
        content[content.startIndex + 16] & 2 == 0
        ? nil : String(decoding: content.dropFirst(17).prefix { $0 != 0 }, as: UTF8.self)
      boxes = Array(inner.dropFirst())
    }
  }

  private static func boxes(in bytes: ArraySlice<UInt8>) -> [Box] {
    var boxes: [Box] = []
    var place = bytes.startIndex
    func number(at place: Int, count: Int) -> UInt64 {
      bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    while boxes.count < maxBoxes, bytes.endIndex - place >= 8 {
      var (length, head) = (number(at: place, count: 4), 8)
      if length == 1, bytes.endIndex - place >= 16 { (length, head) = (number(at: place + 8, count: 8), 16) }
      if length == 0 { length = UInt64(bytes.endIndex - place) }
      guard length >= UInt64(head), length <= UInt64(bytes.endIndex - place) else { break }
      let type = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
      boxes.append(Box(type: type, content: bytes[(place + head)..<(place + Int(length))]))
      place += Int(length)
    }
    return boxes
  }
}
