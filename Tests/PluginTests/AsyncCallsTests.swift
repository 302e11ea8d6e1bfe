// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// The calls for async code give what the synchronous ones give, and block nobody.
@Suite struct AsyncCallsTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
  private static let animation = "\(StagedTree.fixtures("gif"))/valid/disposal-restore-previous.gif"

  private static func pixels(_ frame: Frame) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: frame.pixels.base, count: frame.pixels.stride * frame.pixels.size.height))
  }

  /// What the synchronous calls give.
  private enum Synchronous {
    static func open(_ source: ByteSource) throws -> ImageDecoder { try registry.open(source) }
    static func decode(_ source: ByteSource) throws -> Image { try registry.decode(source) }
    static func encode(_ image: Image) throws -> [UInt8] { try registry.encode(image, as: .png) }
    static func convert(_ source: ByteSource) throws -> [UInt8] {
      try registry.convert(source, to: .png, at: .memory).bytes
    }
  }

  @Test func framesAskedForByManyTasksAreThoseOfTheImage() async throws {
    let whole = try Synchronous.decode(.file(Self.animation))
    let file = try await Self.registry.async.open(.file(Self.animation))
    #expect(file.frameCount == whole.frames.count)
    try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for turn in 0..<60 {
        let index = turn * 7 % file.frameCount
        group.addTask { (index, Self.pixels(try await file.frame(at: index))) }
      }
      for try await (index, pixels) in group { #expect(pixels == Self.pixels(whole.frames[index]), "frame \(index)") }
    }
    var inOrder: [[UInt8]] = []
    for try await frame in file.frames { inOrder.append(Self.pixels(frame)) }
    #expect(inOrder == whole.frames.map(Self.pixels))
  }

  @Test func theFileSaysWhatTheDecoderSays() async throws {
    let path = "\(StagedTree.fixtures("tiff"))/valid"
    let name = try #require(Command.run("ls '\(path)' | grep -m 1 pages").output.split(separator: "\n").first)
    let source = ByteSource.file("\(path)/\(name)")
    let decoder = try Synchronous.open(source)
    let file = try await Self.registry.async.open(source)
    #expect(file.coderID == decoder.coderID)
    #expect(file.header == decoder.header)
    #expect(try await Self.registry.async.header(of: source) == decoder.header)
    #expect(file.outputSize == decoder.outputSize)
    #expect(try await file.properties() == decoder.properties())
    let page = try await file.page(file.header.pageCount - 1)
    #expect(page.page == file.header.pageCount - 1)
    #expect(try await Self.pixels(page.frame(at: 0)) == Self.pixels(decoder.page(page.page).frame(at: 0)))
    await #expect(throws: CoderError.self) { try await file.page(file.header.pageCount) }
  }

  @Test func writtenAndConvertedFilesAreThoseOfTheSynchronousCalls() async throws {
    let image = try await Self.registry.async.decode(.file(Self.animation))
    #expect(try await Self.registry.async.encode(image, as: .png) == Synchronous.encode(image))
    let converted = try await Self.registry.async.convert(.file(Self.animation), to: .png)
    #expect(try Synchronous.convert(.file(Self.animation)) == converted.bytes)
    let writer = try await Self.registry.async.makeEncoder(as: .png)
    for frame in image.frames { try await writer.add(frame.pixels, delay: frame.delay) }
    let written = try await writer.finish()
    let again = try Synchronous.decode(.bytes(written.bytes))
    #expect(again.frames.map(Self.pixels) == image.frames.map(Self.pixels))
    await #expect(throws: CoderError.self) { try await writer.add(image.pixels) }
  }

  /// A task that is cancelled gives up its own call; the file goes on.
  @Test func aCancelledCallLeavesTheFileUsable() async throws {
    let file = try await Self.registry.async.open(.file(Self.animation))
    let gate = Task { try await file.image() }
    let tasks = (0..<20).map { index in Task { try await file.frame(at: index % file.frameCount) } }
    for task in tasks { task.cancel() }
    for task in tasks {
      // Done before, or cancelled.
      if case .failure(let error) = await task.result { #expect((error as? CoderError)?.code == .cancelled) }
    }
    _ = try await gate.value
    #expect(try await file.frame(at: 0).problem == nil)
  }

  private final class Gate: Sendable {
    let isOpen = Atomic<Bool>(false)
  }

  /// More calls than there are threads in the cooperative pool wait for bytes that a task of the pool gives them. In a
  /// process of its own: other tests block the pool's threads.
  @Test func noCallBlocksTheCooperativePool() async {
    await #expect(processExitsWith: .success) {
      let bytes = try Self.bytes("\(StagedTree.fixtures("png"))/valid/rgb8.png")
      let gate = Gate()
      let source = ByteSource.reading(size: bytes.count) { range in
        // Not for ever: a pool that is blocked is a failure, not a hang.
        for _ in 0..<20_000 where !gate.isOpen.load(ordering: .acquiring) { usleep(1000) }
        guard gate.isOpen.load(ordering: .acquiring) else { throw CoderError.io("nobody opened the gate") }
        return Array(bytes[range])
      }
      let registry = Self.registry
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { _ = try await registry.async.decode(source) }
          group.addTask { _ = try await registry.async.open(source).frame(at: 0) }
          group.addTask { _ = try await registry.async.convert(source, to: .png) }
          group.addTask { _ = try await registry.async.makeThumbnail(of: source) }
          group.addTask { _ = try await registry.async.transcode(source, to: .png) }
        }
        // Runs when the tasks above have had their turn and gave their threads back.
        group.addTask {
          for _ in 0..<100 { await Task.yield() }
          gate.isOpen.store(true, ordering: .releasing)
        }
        try await group.waitForAll()
      }
    }
  }

  /// Chunks of a file, as a download gives them.
  private struct Chunks: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let size: Int

    struct Iterator: AsyncIteratorProtocol {
      let chunks: Chunks
      var place = 0

      mutating func next() async -> ArraySlice<UInt8>? {
        guard place < chunks.bytes.count else { return nil }
        let end = Swift.min(place + chunks.size, chunks.bytes.count)
        defer { place = end }
        await Task.yield()
        return chunks.bytes[place..<end]
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }
  }

  @Test func imagesThatArriveEndAsTheWholeFile() async throws {
    for path in [Self.animation, "\(StagedTree.fixtures("png"))/valid/rgb8.png"] {
      let whole = try Synchronous.decode(.file(path))
      let bytes = try Self.bytes(path)
      var looks: [ImageUpdate] = []
      for try await look in Self.registry.async.images(arriving: Chunks(bytes: bytes, size: 50)) { looks.append(look) }
      #expect(looks.count > 1)
      #expect(looks.map(\.isFinal) == [Bool](repeating: false, count: looks.count - 1) + [true])
      #expect(looks.last?.image.frames.map(Self.pixels) == whole.frames.map(Self.pixels))
      #expect(zip(looks, looks.dropFirst()).allSatisfy { $0.progress.framesComplete <= $1.progress.framesComplete })
    }
  }

  private static func bytes(_ path: String) throws(CoderError) -> [UInt8] {
    let source = try OpenSource(.file(path), limits: .standard)
    return try withExtendedLifetime(source) { () throws(CoderError) in [UInt8](try source.view(at: 0, count: .max)) }
  }

  /// Many files that arrive at the same time, a chunk of each in turn: few threads, and each file ends as it should.
  @Test func thousandSlowFilesNeedFewThreads() async {
    await #expect(processExitsWith: .success) {
      let names = ["jpeg", "png", "gif", "webp"].flatMap { format in
        Command.run("ls -S '\(StagedTree.fixtures(format))'/valid/* | head -n 6").output.split(separator: "\n").map(
          String.init)
      }
      let files = try names.map { try Self.bytes($0) }
      let expected = try files.map { try Self.registry.decode(.bytes($0)).frames.map(Self.pixels) }
      let decoders = (0..<1000).map { _ in Self.registry.makeIncrementalDecoder() }
      var most = 0
      for step in 0..<8 {
        for (index, decoder) in decoders.enumerated() {
          let bytes = files[index % files.count]
          try decoder.append(Array(bytes[(bytes.count * step / 8)..<(bytes.count * (step + 1) / 8)]))
          // Whoever looks sees no less than before.
          if index % 10 == 0, step > 4 { _ = try decoder.picture() }
        }
        most = max(most, ProcessThreads.count)
      }
      for (index, decoder) in decoders.enumerated() {
        let image = try decoder.finish()
        #expect(image.frames.map(Self.pixels) == expected[index % files.count], "\(names[index % files.count])")
        #expect(decoder.status == .complete)
      }
      #expect(most <= 16, "\(most) threads")
    }
  }

  /// Progress never goes back, also when a file's thread was given to another one, by whatever thread.
  @Test(arguments: [1, 4]) func progressNeverGoesBack(_ threads: Int) async {
    await #expect(processExitsWith: .success) { [threads] in
      let bytes = try Self.bytes("\(StagedTree.fixtures("png"))/valid/rgb8.png")
      let ends = Atomic<Int>(0)
      for _ in 0..<threads {
        try ThreadPool.shared.start(for: "a test") {
          Self.read(bytes, with: (0..<40).map { _ in Self.registry.makeIncrementalDecoder() })
          ends.add(1, ordering: .releasing)
        }
      }
      while ends.load(ordering: .acquiring) < threads { usleep(10_000) }
    }
  }

  /// Gives each decoder a chunk of the file in turn, and looks after each.
  private static func read(_ bytes: [UInt8], with decoders: [IncrementalDecoder]) {
    var last = [Double](repeating: 0, count: decoders.count)
    #expect(throws: Never.self) {
      for start in stride(from: 0, to: bytes.count, by: 64) {
        for (index, decoder) in decoders.enumerated() {
          try decoder.append(Array(bytes[start..<min(start + 64, bytes.count)]))
          let quality = decoder.progress.quality
          #expect(quality >= last[index], "decoder \(index) at byte \(start)")
          last[index] = quality
          if quality > 0 { #expect(try decoder.picture() != nil) }
        }
      }
      for decoder in decoders { #expect(try decoder.finish().problem == nil) }
    }
  }
}
