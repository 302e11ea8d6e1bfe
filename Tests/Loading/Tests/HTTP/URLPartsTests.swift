// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ImageLoading

@Suite struct URLPartsTests {
  @Test(arguments: [
    ("HTTP://Example.COM", "http://example.com/"),
    ("http://example.com:80/a", "http://example.com/a"),
    ("https://example.com:443", "https://example.com/"),
    ("https://example.com:80/", "https://example.com:80/"),
    ("http://example.com:/a", "http://example.com/a"),
    ("http://example.com:0080/a", "http://example.com/a"),
    ("http://example.com./a", "http://example.com/a"),
    ("http://example.com?x", "http://example.com/?x"),
    ("http://example.com/?", "http://example.com/?"),
    ("http://example.com/a#b?c", "http://example.com/a"),
    ("http://example.com#@evil.test/", "http://example.com/"),
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/../../a", "http://example.com/a"),
    ("http://example.com/a/..", "http://example.com/"),
    ("http://example.com/a/b/.", "http://example.com/a/b/"),
    ("http://example.com/a//b", "http://example.com/a//b"),
    ("http://example.com/%7euser/%2e%2e/%41", "http://example.com/A"),
    ("http://example.com/%2f%3a", "http://example.com/%2F%3A"),
    ("http://example.com/a b\"<>", "http://example.com/a%20b%22%3C%3E"),
    ("http://example.com/100%", "http://example.com/100%25"),
    ("http://example.com/%zz%4", "http://example.com/%25zz%254"),
    ("http://example.com/é?ü=1", "http://example.com/%C3%A9?%C3%BC=1"),
    ("http://example.com/a?b/../c?d", "http://example.com/a?b/../c?d"),
    ("http://example.com/a\\b", "http://example.com/a%5Cb"),
    ("http://[::1]:8080/", "http://[::1]:8080/"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
    ("http://[::FFFF:7f00:1]/", "http://[::ffff:127.0.0.1]/"),
    ("http://127.1/", "http://127.1/"),
  ])
  func spellingsBecomeOne(_ text: String, _ canonical: String) throws {
    let url = try URLParts(text)
    #expect(url.description == canonical)
    #expect(try URLParts(canonical) == url)
  }

  @Test(arguments: [
    "", "example.com", "//example.com/", "http:example.com", "http:/example.com", "http://", "http:///a", "http://:80/",
    "ftp://example.com/", "file:///a", "http://user@example.com/", "http://user:word@example.com/",
    "http://@example.com/",
    "http://example.com:0/", "http://example.com:65536/", "http://example.com:8x/", "http://example.com:-1/",
    "http://bücher.de/", "http://exa mple.com/", "http://exa%6dple.com/", "http://[::1/", "http://[1.2.3.4]/",
    "http://[::1%25eth0]/", "http://[::1]x/", "http://a\\b/", "http://example.com/\n", "http://exam\tple.com/",
    "http://example.com/\u{0}", "http://a:b:c/", "http://./",
  ])
  func otherTextIsNoURL(_ text: String) {
    #expect(throws: LoadingError.self) { try URLParts(text) }
  }

  @Test func longHostsAreRefused() throws {
    #expect(try URLParts("http://" + String(repeating: "a", count: 253)).host.count == 253)
    #expect(throws: LoadingError.self) { try URLParts("http://" + String(repeating: "a", count: 254)) }
  }

  /// RFC 3986 section 5.4, without what is no URL of http.
  @Test(
    arguments: [
      ("http:g", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
      ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("https://b/c", "https://b/c"), ("mailto:x", nil), ("//u@g/", nil), ("/a:b", "http://a/a:b"),
    ] as [(String, String?)])
  func referencesAreResolved(_ reference: String, _ target: String?) throws {
    let base = try URLParts("http://a/b/c/d;p?q")
    guard let target else {
      #expect(throws: LoadingError.self) { try base.resolving(reference) }
      return
    }
    #expect(try base.resolving(reference).description == target)
  }
}
