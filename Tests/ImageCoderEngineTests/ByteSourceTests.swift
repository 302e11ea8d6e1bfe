// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// Where bytes may come from.
@Suite struct ByteSourceTests {
  private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

  private static func contents(_ source: ByteSource) throws(CoderError) -> [UInt8] {
    try OpenSource(source, limits: .standard).contents()
  }

  @Test func collectionsOfAllKindsAreCopied() throws {
    let bytes = Self.bytes
    #expect(try Self.contents(.bytes(bytes)) == bytes)
    #expect(try Self.contents(.bytes(bytes[10..<20])) == Array(bytes[10..<20]))
    // Not in one piece.
    #expect(try Self.contents(.bytes(bytes.prefix(100).reversed())) == bytes.prefix(100).reversed())
    #expect(try Self.contents(.bytes([])) == [])
  }

  @Test func aLiteralIsAPath() throws {
    let source: ByteSource = "/no/such/picture.PNG"
    #expect(source.name == "/no/such/picture.PNG" && source.fileExtension == "png")
    #expect {
      try Self.contents(source)
    } throws: { error in
      (error as? CoderError)?.file == "/no/such/picture.PNG"
    }
  }

  @Test func anOpenFileIsReadFromItsStart() throws {
    let folder = TemporaryFolder()
    let descriptor = open(folder.write(Self.bytes, to: "file"), O_RDONLY)
    lseek(descriptor, 77, SEEK_SET)
    let source = try ByteSource.file(descriptor: descriptor)
    #expect(try Self.contents(source) == Self.bytes)
    #expect(lseek(descriptor, 0, SEEK_CUR) == 77)
    close(descriptor)
    #expect(try Self.contents(source) == Self.bytes)
  }

  /// Numbers that no test beside this one can be given when it opens a file: the number of a closed file can.
  @Test(arguments: [-1, Int32.max]) func aDescriptorHasToBeOpen(number: Int32) {
    #expect(throws: CoderError.io("bad file descriptor")) { try ByteSource.file(descriptor: number) }
  }

  @Test(arguments: ["https://example.org/a.png", "HTTP://a/b", "file:///tmp/a.png", "data:image/png;base64,iVBOR"])
  func aURLIsNoPath(_ url: String) {
    let error = #expect(throws: CoderError.self) { try Self.contents(.file(url)) }
    #expect(error?.code == .io && error?.file == url)
    #expect(error?.message == "no such file or directory; this is a URL, and not the path of a file")
  }

  @Test func aPathThatIsNotThereIsNoURL() {
    let error = #expect(throws: CoderError.self) { try Self.contents("nowhere/https:/a.png") }
    #expect(error?.message == "no such file or directory")
  }

  private struct Broken: Error {}

  @Test(arguments: [0, 9, 200_000, 1 << 40]) func chunksAreOneSource(_ expected: Int) async throws {
    let (chunks, arriving) = AsyncThrowingStream.makeStream(of: ArraySlice<UInt8>.self)
    for start in stride(from: 0, to: Self.bytes.count, by: 7777) {
      arriving.yield(Self.bytes[start..<min(start + 7777, Self.bytes.count)])
      arriving.yield([])
    }
    arriving.finish()
    let source = try await ByteSource.collecting(chunks, maxBytes: Self.bytes.count, expected: expected)
    #expect(try Self.contents(source) == Self.bytes)
  }

  @Test func chunksAreBounded() async throws {
    let (chunks, arriving) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    for _ in 0..<3 { arriving.yield([1, 2, 3, 4]) }
    // The third is too much, and nothing after it is waited for.
    await #expect { try await ByteSource.collecting(chunks, maxBytes: 11) } throws: { error in
      let error = error as? CoderError
      return error?.code == .limitExceeded && error?.found == 12 && error?.allowed == 11
    }
    let (broken, ending) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    ending.finish(throwing: Broken())
    await #expect(throws: Broken.self) { try await ByteSource.collecting(broken, maxBytes: 11) }
  }

  /// A walk over chunks jumps from head to head; whoever decodes goes on where the last bytes end.
  @Test func aJumpReadsLittleAndGoingOnReadsMore() throws {
    let folder = TemporaryFolder()
    let source = try OpenSource(.file(folder.write(Self.bytes, to: "file")), limits: .standard)
    for offset in stride(from: 0, to: 160_000, by: 20_000) {
      #expect(try Array(source.view(at: offset, count: 8)) == Array(Self.bytes[offset..<(offset + 8)]))
    }
    #expect(source.bytesRead == 4096 + 7 * 512)
    var offset = 20_000
    _ = try source.view(at: offset, count: 4096)
    var reads: [Int] = []
    while offset < 200_000 {
      let before = source.bytesRead
      #expect(
        try Array(source.view(at: offset, count: 1000)) == Array(Self.bytes[offset..<min(offset + 1000, 200_000)]))
      if source.bytesRead > before { reads.append(source.bytesRead - before) }
      offset += 1000
    }
    // Windows of four times as much each time, up to 64 KiB, from where the last whole view began; what is there of them
    // is not read again.
    #expect(reads == [16_384 - 96, 65_536 - 384, 65_536 - 536, 30_000 - 536])
    #expect(reads.reduce(4096, +) == 180_000)
  }

  @Test func aPipeIsReadFromWhereItIs() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(write(ends[1], Self.bytes, 3000) == 3000)
    var first = [UInt8](repeating: 0, count: 1000)
    #expect(read(ends[0], &first, 1000) == 1000)
    let source = try ByteSource.file(descriptor: ends[0])
    close(ends[0])
    close(ends[1])
    #expect(try Self.contents(source) == Array(Self.bytes[1000..<3000]))
  }

  /// A device without an end: as much is read as it takes to see that it is no image.
  @Test func whatIsNoImageIsNotReadToItsEnd() throws {
    var asked: [Int] = []
    let source = try OpenSource(.file("/dev/zero"), limits: .standard) { beginning in
      asked.append(beginning.count)
      return asked.count < 3 ? nil : false
    }
    #expect(asked == [65_536, 131_072, 262_144])
    #expect(source.size == 262_144)
  }

  @Test func whatMayBeAnImageIsReadToItsEnd() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(write(ends[1], Self.bytes, 60_000) == 60_000)
    let file = try ByteSource.file(descriptor: ends[0])
    close(ends[0])
    close(ends[1])
    var asked = 0
    let source = try OpenSource(file, limits: .standard) { _ in
      asked += 1
      return true
    }
    #expect(asked == 1)
    #expect(try source.contents() == Array(Self.bytes[..<60_000]))
  }

  /// A file of 6 GiB without any blocks on the disk: what a reader wants of it at a time is bounded, not its size.
  @Test func whatIsHeldOfAFileIsBounded() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/large"
    let file = open(path, O_CREAT | O_RDWR, 0o600)
    #expect(file >= 0 && ftruncate(file, 6 << 30) == 0)
    close(file)
    let source = try OpenSource(.file(path), limits: Limits(maxMemory: 1 << 20))
    #expect(try source.view(at: 5 << 30, count: 1 << 20).count == 1 << 20)
    let error = #expect(throws: CoderError.self) { try source.view(at: 0, count: (1 << 20) + 1) }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message
        == "a part of the file, in bytes, of 1048577 is over the limit maxMemory of 1048576")
    #expect(throws: CoderError.self) { try source.contents() }
    // It can still be read.
    #expect(try source.view(at: 7, count: 3).count == 3)
  }

  @Test func aReaderIsAskedForPartsOfTheFile() throws {
    let asked = Mutex<[Range<Int>]>([])
    let source = ByteSource.reading(size: Self.bytes.count) { range in
      asked.withLock { $0.append(range) }
      return Array(Self.bytes[range])
    }
    let open = try OpenSource(source, limits: .standard)
    #expect(try Array(open.view(at: 10, count: 4)) == Array(Self.bytes[10..<14]))
    #expect(try Array(open.view(at: 150_000, count: 4)) == Array(Self.bytes[150_000..<150_004]))
    #expect(asked.withLock { $0 } == [10..<4106, 150_000..<200_000])
    #expect(try open.contents() == Self.bytes)
  }

  private struct Unreachable: Error {}

  @Test func whatAReaderDoesWrongIsAnErrorOfTheEnvironment() {
    let short = ByteSource.reading(size: 100) { Array(Self.bytes[$0].dropLast()) }
    #expect(throws: CoderError.io("the source's reader returned 99 of 100 bytes at 0")) { try Self.contents(short) }
    let long = ByteSource.reading(size: 100) { range in Array(Self.bytes[0..<(range.count + 1)]) }
    #expect(throws: CoderError.io("the source's reader returned 101 of 100 bytes at 0")) { try Self.contents(long) }
    let broken = ByteSource.reading(size: 100) { _ in throw Unreachable() }
    #expect(throws: CoderError.io("the source's reader failed: Unreachable()")) { try Self.contents(broken) }
    let refused = ByteSource.reading(size: 100) { _ in throw CoderError.cancelled }
    #expect(throws: CoderError.cancelled) { try Self.contents(refused) }
  }
}
