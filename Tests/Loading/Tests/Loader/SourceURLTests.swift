// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ImageLoading

@Suite struct SourceURLTests {
  @Test(arguments: [
    ("HTTPS://Example.ORG", "https://example.org/"),
    ("https://example.org:443/a?b#c", "https://example.org/a?b"),
    ("http://example.org:80?q=1", "http://example.org/?q=1"),
    ("http://example.org:8080/A%2fb", "http://example.org:8080/A%2Fb"),
    ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]/x"),
    ("https://example.org/ä", "https://example.org/%C3%A4"),
  ]) func hasOneSpelling(_ url: String, _ canonical: String) throws {
    #expect(try SourceURL(url, maxBytes: 100) == .remote(canonical))
  }

  @Test func filesAreAbsolutePathsOfThisMachine() throws {
    #expect(try SourceURL("file:///a/b%20c.png", maxBytes: 0) == .file("/a/b c.png"))
    #expect(try SourceURL("file:/a", maxBytes: 0) == .file("/a"))
    #expect(try SourceURL("file://localhost/a#x", maxBytes: 0) == .file("/a"))
    for url in ["file://server/a", "file:a", "file:///a%00b", "file:///a%4"] {
      #expect(throws: LoadingError.self) { try SourceURL(url, maxBytes: 0) }
    }
  }

  @Test(arguments: [
    ("data:,ab%43", "abC"), ("data:text/plain;base64,YWJj", "abc"), ("data:;base64,YWI=", "ab"),
    ("data:;base64,YWI", "ab"), ("data:;base64,YQ%3D%3D", "a"),
  ]) func dataIsDecoded(_ url: String, _ text: String) throws {
    #expect(try SourceURL(url, maxBytes: 3) == .data(Array(text.utf8)))
  }

  @Test func dataHasALimit() {
    for url in ["data:,abcd", "data:;base64,YWJjZA==", "data:," + String(repeating: "%41", count: 20)] {
      let error = #expect(throws: LoadingError.self) { try SourceURL(url, maxBytes: 3) }
      #expect(error?.code == .tooLarge)
    }
    for url in ["data:", "data:;base64,Y", "data:;base64,YQ==YQ==", "data:;base64,Y*==", "data:,%4"] {
      let error = #expect(throws: LoadingError.self) { try SourceURL(url, maxBytes: 100) }
      #expect(error?.code == .badRequest)
    }
  }

  /// Digests of FIPS 180-4's examples, as `sha256sum` prints them.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ]) func digestsAreThoseOfTheStandard(_ text: String, _ digest: String) {
    #expect(SHA256.hex(text) == digest)
  }
}
