// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoderModel
import TestSupport
import Testing

@Suite struct CacheFolderTests {
  private let fixture = CacheFixture()

  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// In a process of its own: the umask is one for all threads, and for the programs that other tests start.
  @Test func foldersAndFilesAreTheUsersAlone() async {
    await #expect(processExitsWith: .success) {
      umask(0)
      let fixture = CacheFixture()
      let cache = try fixture.open()
      try cache.put(CacheFixture.bytes(100_000, seed: 1), for: "a")
      let listing = Command.run("find '\(fixture.path)' -type d ! -perm 700 -o -type f ! -perm 600")
      #expect(listing.output == "")
      #expect(Self.mode(fixture.path) == 0o700)
    }
  }

  @Test func refusesFoldersThatOthersCanChange() throws {
    mkdir(fixture.path, 0o700)
    chmod(fixture.path, 0o777)
    var error = #expect(throws: CoderError.self) { _ = try fixture.open() }
    #expect(error?.code == .io)
    #expect(
      error?.message.hasSuffix("can be written by everybody; a cache needs a folder that nobody else can change")
        == true)
    // A parent that everybody can write to, in which the folder is a link.
    chmod(fixture.path, 0o700)
    let link = "/tmp/imagecoders-cache-link-\(getpid())"
    symlink(fixture.path, link)
    defer { unlink(link) }
    error = #expect(throws: CoderError.self) { _ = try DiskCache(folder: link) }
    #expect(error?.message.contains("can be written by everybody, so \(link) could be replaced") == true)
    fixture.folder.write([1], to: "file")
    error = #expect(throws: CoderError.self) { _ = try DiskCache(folder: "\(fixture.folder.path)/file") }
    #expect(error?.code == .io)
  }

  @Test func knowsNetworkFileSystems() {
    #expect(CacheFolder.networkFileSystem(type: 0x6969) == "NFS")
    #expect(CacheFolder.networkFileSystem(type: 0xFF53_4D42) == "SMB")
    // ext4, tmpfs, overlay, Btrfs, FUSE.
    for type: UInt32 in [0xEF53, 0x0102_1994, 0x794C_7630, 0x9123_683E, 0x6573_5546] {
      #expect(CacheFolder.networkFileSystem(type: type) == nil)
    }
  }

  @Test func theDefaultFolderIsThatOfXDG() {
    func folder(_ variables: [String: String]) -> String? { DiskCache.defaultFolder { variables[$0] } }
    #expect(folder(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/coders")
    #expect(folder(["XDG_CACHE_HOME": "relative", "HOME": "/h"]) == "/h/.cache/coders")
    #expect(folder([:]) == nil)
  }
}
