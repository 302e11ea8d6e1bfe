// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TestSupport
import Testing

@Suite struct TarReaderTests {
  /// The entries of an archive, with their contents as text.
  private func entries(_ bytes: [UInt8]) throws -> [(entry: TarEntry, text: String)] {
    var rest = bytes[...]
    let reader = TarReader { memory in
      let count = min(memory.count, rest.count)
      memory.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var found: [(TarEntry, String)] = []
    while let entry = try reader.next() {
      var contents: [UInt8] = []
      if !entry.isFolder { try reader.contents(of: entry) { contents += $0 } }
      found.append((entry, String(decoding: contents, as: UTF8.self)))
    }
    return found
  }

  private func error(_ bytes: [UInt8]) throws -> CoderError {
    let error = #expect(throws: CoderError.self) { try entries(bytes) }
    return try #require(error)
  }

  /// The formats that GNU tar writes, with names that need their extensions.
  @Test(arguments: ["ustar", "gnu", "pax", "v7"])
  func readsWhatTarWrites(_ format: String) throws {
    let folder = TemporaryFolder()
    let long = format == "v7" ? "short" : String(repeating: "d/", count: 40) + String(repeating: "n", count: 90)
    folder.write("first", to: "a/one.txt")
    folder.write(String(repeating: "x", count: 1300), to: "a/\(long)")
    let made = Command.run("tar --format=\(format) --sort=name -C '\(folder.path)/a' -cf '\(folder.path)/all.tar' .")
    #expect(made.output == "")
    let found = try entries(Package.bytes("\(folder.path)/all.tar")).filter { !$0.entry.isFolder }
    #expect(Set(found.map(\.entry.name)) == ["one.txt", long])
    #expect(
      Dictionary(uniqueKeysWithValues: found.map { ($0.entry.name, $0.text.count) }) == ["one.txt": 5, long: 1300])
  }

  @Test(
    arguments: [
      ("1", "x is a hard link"), ("2", "x is a symbolic link"), ("3", "x is a device"), ("4", "x is a device"),
      ("6", "x is a FIFO"), ("7", "x is an entry of type 55"), ("S", "x is a sparse file"),
      ("K", "x is an entry of type 75"),
    ] as [(Character, String)])
  func refusesAllButFilesAndFolders(_ type: Character, _ words: String) throws {
    var tar = TarText()
    tar.add("x", type: type, link: "/etc/passwd")
    let error = try error(tar.whole)
    #expect(error.code == .malformed)
    #expect(error.message == "\(words); only plain files and folders are allowed")
    #expect(error.offset == 0)
  }

  @Test(
    arguments: [
      ("/etc/passwd", "/etc/passwd is an absolute name; a name below the top is allowed"),
      ("a/../b", "the name a/../b has an empty part, . or ..; a name below the top is allowed"),
      ("..", "the name .. has an empty part, . or ..; a name below the top is allowed"),
      ("./../b", "the name ./../b has an empty part, . or ..; a name below the top is allowed"),
      ("a//b", "the name a//b has an empty part, . or ..; a name below the top is allowed"),
      ("a\nb", "the name a?b has a control character or a backslash"),
      ("a\\b", "the name a\\b has a control character or a backslash"),
    ])
  func refusesNamesThatLeadElsewhere(_ name: String, _ words: String) throws {
    var plain = TarText()
    plain.add(name)
    #expect(try error(plain.whole).message == words)
    var pax = TarText()
    let record = " path=\(name)\n"
    let length = record.utf8.count + 2
    pax.add("header", type: "x", contents: Array("\(length)\(record)".utf8))
    pax.add("harmless")
    #expect(try error(pax.whole).message == words)
    var gnu = TarText()
    gnu.add("././@LongLink", type: "L", contents: Array(name.utf8) + [0])
    gnu.add("harmless", magic: "ustar  \0")
    #expect(try error(gnu.whole).message == words)
  }

  @Test(arguments: [0o4755, 0o2755, 0o1777])
  func refusesSpecialModes(_ mode: Int) throws {
    var tar = TarText()
    tar.add("tool", mode: mode)
    #expect(
      try error(tar.whole).message
        == "tool has the mode \(String(mode, radix: 8)); setuid, setgid and sticky are not allowed")
  }

  /// The prefix is part of a name only in a header of POSIX.
  @Test func joinsThePrefixOfPOSIX() throws {
    var tar = TarText()
    tar.add("name", prefix: "../up")
    #expect(
      try error(tar.whole).message == "the name ../up/name has an empty part, . or ..; a name below the top is allowed")
    var old = TarText()
    old.add("name", prefix: "../up", magic: "ustar  \0")
    #expect(try entries(old.whole).map(\.entry.name) == ["name"])
  }

  /// Each cut gives a typed error, and none a trap; with the second block of zeros alone missing, the archive is whole.
  @Test func refusesEachCut() throws {
    var tar = TarText()
    tar.add("a/", type: "5", mode: 0o755)
    tar.add("a/b", contents: Array("contents".utf8))
    let bytes = tar.whole
    for count in 0..<(bytes.count - 512) where count < 2048 {
      let error = try error(Array(bytes.prefix(count)))
      #expect(error.code == .truncated, "\(count)")
    }
    #expect(try entries(Array(bytes.dropLast(512))).count == 2)
  }

  @Test func refusesDamage() throws {
    var tar = TarText()
    tar.add("a", contents: [1, 2, 3])
    for index in stride(from: 0, to: 512, by: 7) where !(148..<156).contains(index) {
      var bytes = tar.whole
      bytes[index] ^= 0x80
      #expect(try error(bytes).message == "no tar archive: the checksum of a header is wrong", "\(index)")
    }
    #expect(try error(tar.whole + [1]).message == "bytes after the end of the archive")
    #expect(try error(Array("no tar archive".utf8)).code == .truncated)
  }

  /// Headers with bytes of no sense and a right checksum give entries below the top, or a typed error, and never a trap.
  @Test func anyHeaderIsReadOrRefused() throws {
    var tar = TarText()
    tar.add("header", type: "x", contents: Array("12 path=a/b\n".utf8))
    tar.add("a/b", contents: [1, 2, 3])
    var random = SplitMix(seed: 7)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = tar.whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        // Name, numbers and kind of a header, or the record between the two.
        let start = [0, 512, 1_024][random.below(3)]
        bytes[start + random.below(start == 512 ? 12 : 160)] = UInt8.random(in: 0...255, using: &random)
      }
      for start in [0, 1_024] {
        bytes.replaceSubrange((start + 148)..<(start + 156), with: Array("        ".utf8))
        let sum = String(bytes[start..<(start + 512)].reduce(0) { $0 + Int($1) }, radix: 8)
        bytes.replaceSubrange((start + 148)..<(start + 148 + sum.utf8.count), with: Array(sum.utf8))
      }
      do {
        for entry in try entries(bytes).map(\.entry) {
          #expect(!entry.name.hasPrefix("/") && !entry.name.split(separator: "/").contains(".."))
          #expect(entry.size >= 0)
        }
        read += 1
      } catch is CoderError { refused += 1 }
    }
    #expect(read > 100 && refused > 100)
  }

  @Test func boundsHeadersBeforeMemory() throws {
    var long = TarText()
    long.add("././@LongLink", type: "L", size: 0o77_777_777_777)
    #expect(
      try error(long.whole).message
        == "a header of 8589934591 bytes before an entry, at most 65536 are allowed")
    var size = TarText()
    size.add("header", type: "x", contents: Array("29 size=9223372036854775808\n".utf8))
    size.add("a")
    #expect(try error(size.whole).code == .malformed)
    var empty = TarText()
    empty.add("header", type: "x")
    let many = [[UInt8]](repeating: empty.bytes, count: 16_001).flatMap(\.self)
    #expect(try error(many).message == "more than 16000 headers in the archive")
  }

  @Test func refusesWhatHoldsForAllEntries() throws {
    var comment = TarText()
    comment.add("header", type: "g", contents: Array("15 comment=abc\n".utf8))
    comment.add("a")
    #expect(try entries(comment.whole).map(\.entry.name) == ["a"])
    var path = TarText()
    path.add("header", type: "g", contents: Array("13 path=../x\n".utf8))
    path.add("a")
    #expect(try error(path.whole).message == "a global header with names or sizes")
  }
}

@Suite struct ChecksumListTests {
  private let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  private func message(_ text: String) throws -> String {
    let error = #expect(throws: CoderError.self) { try ChecksumList(parsing: Array(text.utf8)) }
    return try #require(error).message
  }

  @Test func readsBothModes() throws {
    let list = try ChecksumList(parsing: Array("\(digest)  a\n\(digest.uppercased()) *./b c/d\n".utf8))
    #expect(list.digests == ["a": digest, "b c/d": digest])
  }

  @Test func refusesOtherLines() throws {
    let words = "is not a SHA-256 digest in 64 digits, two characters and a name"
    #expect(try message("\(digest)  a\n\(digest) a\n") == "line 2 of SHA256SUMS \(words)")
    #expect(try message("\(digest.dropLast())g  a\n") == "line 1 of SHA256SUMS \(words)")
    #expect(try message("\\\(digest)  a\n") == "line 1 of SHA256SUMS \(words)")
    #expect(try message("\(digest)  a\n\(digest)  ./a\n") == "line 2 of SHA256SUMS names a a second time")
    #expect(try message("\(digest)  ../a\n").hasPrefix("the name ../a has an empty part"))
  }
}
