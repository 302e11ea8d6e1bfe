// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import Glibc
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

@Suite struct FreedesktopThumbnailsTests {
  /// RFC 1321 §A.5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func digestsAreThoseOfTheRFC(_ text: String, _ digest: String) {
    #expect(FreedesktopThumbnails.digest(of: text) == digest)
  }

  /// The URIs are those of `g_filename_to_uri` in GLib, the digests those of Python's hashlib.
  @Test(arguments: FreedesktopNames.all) func namesAreThoseOfGLib(_ name: FreedesktopNames) throws {
    #expect(try FreedesktopThumbnails.uri(of: name.path) == name.uri)
    let thumbnails = FreedesktopThumbnails(folder: "/cache/thumbnails")
    #expect(try thumbnails.path(of: name.path, .xxLarge) == "/cache/thumbnails/xx-large/\(name.digest).png")
  }

  @Test func pathsAreMadePlain() throws {
    #expect(try FreedesktopThumbnails.uri(of: "//a/./b/../c//d.png") == "file:///a/c/d.png")
    #expect(try FreedesktopThumbnails.uri(of: "/../a.png") == "file:///a.png")
    #expect(throws: CoderError.self) { try FreedesktopThumbnails.uri(of: "a.png") }
  }

  @Test func theFolderIsThatOfTheUser() {
    func folder(_ variables: [String: String]) -> String? {
      FreedesktopThumbnails.standard { variables[$0] }?.folder
    }
    #expect(folder(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/thumbnails")
    #expect(folder(["XDG_CACHE_HOME": "c", "HOME": "/h"]) == "/h/.cache/thumbnails")
    #expect(folder(["HOME": "/h"]) == "/h/.cache/thumbnails")
    #expect(folder([:]) == nil)
  }

  @Test func sizesAreTheSmallestThatIsLargeEnough() {
    #expect(
      [1, 128, 129, 256, 300, 512, 1000, 1024, 5000].map { FreedesktopThumbnails.Size(pixels: $0).rawValue } == [
        128, 128, 256, 256, 512, 512, 1024, 1024, 1024,
      ])
  }

  @Test func textsComeBackAndChangesAreNoticed() throws {
    // The smallest PNG: a header, and the end.
    let empty =
      PNGText.signature + [0, 0, 0, 13] + Array("IHDR".utf8) + [UInt8](repeating: 0, count: 17) + [0, 0, 0, 0]
      + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    let bytes = try PNGText.adding([("Thumb::URI", "file:///a"), ("Software", "é€")], to: empty)
    #expect(try PNGText.texts(bytes) == ["Thumb::URI": "file:///a", "Software": "é?"])
    // Length, name, and the sum as zlib has it.
    #expect(bytes[33..<37].elementsEqual([0, 0, 0, 20]))
    for count in 0..<bytes.count { #expect(throws: CoderError.self) { try PNGText.texts(Array(bytes[..<count])) } }
    var changed = bytes
    changed[45] ^= 1
    #expect(throws: CoderError.self) { try PNGText.texts(changed) }
  }
}
