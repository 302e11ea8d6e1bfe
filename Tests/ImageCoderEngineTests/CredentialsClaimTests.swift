// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import Testing

@Suite struct CredentialsClaimTests {
  /// A box: its length, its type, its content.
  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 8
    return [UInt8(length >> 24), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
      + Array(type.utf8) + content
  }

  /// A box with a description: the letters of its UUID, and a label.
  private func superbox(_ type: String, _ label: String, _ content: [UInt8]) -> [UInt8] {
    let uuid = Array(type.utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return box("jumb", box("jumd", uuid + [3] + Array(label.utf8) + [0]) + content)
  }

  /// Text of CBOR: major type 3, up to 23 bytes.
  private func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }

  private func store(claim: [UInt8], signature: [UInt8]? = nil) -> [UInt8] {
    let manifest =
      superbox("c2as", "c2pa.assertions", superbox("cbor", "c2pa.actions", box("cbor", [0xA0])))
      + superbox("c2cl", "c2pa.claim", box("cbor", claim))
      + (signature.map { superbox("c2cs", "c2pa.signature", box("cbor", $0)) } ?? [])
    return superbox("c2pa", "c2pa", superbox("c2ma", "urn:one", manifest))
  }

  @Test func storeOfAnotherProgramIsReadAsItReadsIt() throws {
    let claim = try #require(CredentialsClaim(store: SignedStore.bytes))
    #expect(claim.generator == "Camera Example 1.2" && claim.title == "harbour")
    #expect(claim.signer == "A. Author" && claim.organization == "Example Pictures")
    #expect(claim.manifests == 1)
    #expect(claim.assertions.sorted() == ["c2pa.actions.v2", "c2pa.hash.bmff.v3"])
    #expect(claim.words == "claimed by Camera Example 1.2, signed by A. Author (Example Pictures)")
  }

  /// Version 1 states the generator as text, or as a list of maps.
  @Test func claimsOfVersion1AreRead() throws {
    let plain = try #require(
      CredentialsClaim(store: store(claim: [0xA1] + text("claim_generator") + text("tool/1.0 lib"))))
    #expect(plain.generator == "tool/1.0 lib" && plain.signer == nil)
    #expect(plain.assertions == ["c2pa.actions"] && plain.words == "claimed by tool/1.0 lib")
    let info = [0x74] + Array("claim_generator_info".utf8) + [0x81, 0xA1] + text("name") + text("App")
    #expect(CredentialsClaim(store: store(claim: [0xA1] + info))?.generator == "App")
  }

  /// A chain may be in a header that is not protected, under its name, as one certificate.
  @Test func signerIsFoundInEitherHeader() throws {
    // A certificate: a sequence of one: no version, serial number 1, three empty sequences, and a name: organization "Org".
    let name: [UInt8] = [0x30, 0x0E, 0x31, 0x0C, 0x30, 0x0A, 0x06, 3, 0x55, 4, 0x0A, 0x0C, 3] + Array("Org".utf8)
    let body: [UInt8] = [0x02, 1, 1, 0x30, 0, 0x30, 0, 0x30, 0] + name
    let certificate = [0x30, UInt8(body.count + 2), 0x30, UInt8(body.count)] + body
    let bytes = [0x58, UInt8(certificate.count)] + certificate
    // Tag 18, four parts: protected headers, others, no payload, a signature.
    let unprotected = [0xD2, 0x84, 0x41, 0xA0, 0xA1] + text("x5chain") + [0x81] + bytes + [0xF6, 0x41, 0]
    let header = [0xA1, 0x18, 0x21] + bytes
    let protected = [0xD2, 0x84, 0x58, UInt8(header.count)] + header + [0xA0, 0xF6, 0x41, 0]
    for signature in [unprotected, protected] {
      let claim = try #require(CredentialsClaim(store: store(claim: [0xA0], signature: signature)))
      #expect(claim.organization == "Org" && claim.signer == nil)
      #expect(claim.words == "signed by Org")
    }
  }

  @Test func lastManifestIsTheActiveOne() throws {
    let claims = ["first", "second"].map { name in
      superbox("c2ma", name, superbox("c2cl", "c", box("cbor", [0xA1] + text("claim_generator") + text(name))))
    }
    let claim = try #require(CredentialsClaim(store: superbox("c2pa", "c2pa", claims[0] + claims[1])))
    #expect(claim.generator == "second" && claim.manifests == 2)
  }

  /// Cut or changed anywhere, bytes give less or nothing, and end.
  @Test func damagedStoresEnd() {
    let whole = SignedStore.bytes
    for count in stride(from: 0, to: whole.count, by: 7) { _ = CredentialsClaim(store: Array(whole.prefix(count))) }
    for place in whole.indices {
      for value: UInt8 in [0, 0x9F, 0xFF] {
        var changed = whole
        changed[place] = value
        _ = CredentialsClaim(store: changed)
      }
    }
    #expect(CredentialsClaim(store: Array(whole.prefix(60))) == nil)
    // A list of 2^64 - 1 items, and lists in lists.
    _ = CredentialsClaim(store: store(claim: [0x9B] + [UInt8](repeating: 0xFF, count: 8)))
    let nested = store(claim: [UInt8](repeating: 0x81, count: 60_000))
    #expect(CredentialsClaim(store: nested)?.generator == nil)
  }
}
