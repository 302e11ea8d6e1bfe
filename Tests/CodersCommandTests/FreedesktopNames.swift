// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine

/// Paths, their URIs as `g_filename_to_uri` of GLib 2.74 spells them, and the MD5 digests of these as Python's hashlib has them.
struct FreedesktopNames: Sendable, CustomStringConvertible {
  let path: String
  let uri: String
  let digest: String

  var description: String { uri }

  private init(_ path: [UInt8], _ uri: String, _ digest: String) {
    self.path = SystemName.string(path)
    self.uri = uri
    self.digest = digest
  }

  private init(_ path: String, _ uri: String, _ digest: String) { self.init(Array(path.utf8), uri, digest) }

  static let all = [
    // From the specification.
    FreedesktopNames(
      "/home/jens/photos/me.png", "file:///home/jens/photos/me.png", "c6ee772d9e49320e97ec29a7eb5b1697"),
    FreedesktopNames("/a b/c%d.png", "file:///a%20b/c%25d.png", "9ef59c513cd87cf8e7903a8b76ec356e"),
    FreedesktopNames(
      "/Büro/日本.jpg", "file:///B%C3%BCro/%E6%97%A5%E6%9C%AC.jpg", "34696e0ad1a1c693080e028fd73866a4"),
    FreedesktopNames(
      "/x/-_.!~*'()/&=:@+$,.png", "file:///x/-_.!~*'()/&=:@+$,.png", "cd8d60fdea6324c8a40dad2e687f62ef"),
    FreedesktopNames(
      "/x/#?;[]{}|\\\"<>^`.png", "file:///x/%23%3F%3B%5B%5D%7B%7D%7C%5C%22%3C%3E%5E%60.png",
      "c598cced04a8ccf1aea3843f06c83d01"),
    // Bytes that are no UTF-8, and control characters.
    FreedesktopNames(
      Array("/x/".utf8) + [0xFF, 0xFE, 0x80] + Array(".gif".utf8), "file:///x/%FF%FE%80.gif",
      "ad124fd1df89e0a8673f5b06b9a6bc99"),
    FreedesktopNames("/x/\u{1}\u{7F}.gif", "file:///x/%01%7F.gif", "49227202afc648b3ac0396c50642d458"),
    FreedesktopNames("/x/🐸.webp", "file:///x/%F0%9F%90%B8.webp", "44c6d613f7dd6488805f7955417d40f9"),
  ]
}
