// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// Every fixture in pieces through the registry, which chooses the coder while bytes arrive.
@Suite struct IncrementalFixturesTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  @Test(arguments: StagedTree.fixtureFormats) func piecesComeToWhatOneCallComesTo(_ format: String) throws {
    var options = DecodeOptions()
    options.appliesOrientation = false
    let paths = Command.run("ls -d '\(StagedTree.fixtures(format))'/*valid/* | grep -v '\\.json$'").output
      .split(separator: "\n").map(String.init)
    #expect(!paths.isEmpty)
    for path in paths {
      let bytes = try OpenSource(.file(path), limits: .standard).contents()
      let whole = Result { () throws(CoderError) in try Self.registry.decode(.bytes(bytes), options: options) }
      var headerByte: Int?
      for seed in [0, 11, 12] {
        let name = "\(path) in \(Chunking(seed: UInt64(seed)))"
        let decoder = Self.registry.makeIncrementalDecoder(options: options)
        let chunked = bytes.withUnsafeBytes { ChunkedDecode(of: $0, in: Chunking(seed: UInt64(seed)), to: decoder) }
        #expect(chunked.rows.change == nil, "\(name)")
        if seed == 0 { headerByte = chunked.header?.with }
        #expect((chunked.header == nil) == (headerByte == nil), "header of \(name)")
        if let header = chunked.header, let headerByte {
          #expect(header.before < headerByte && headerByte <= header.with, "\(header) and \(headerByte) of \(name)")
        }
        switch (chunked.outcome, whole) {
        case (.success(let image), .success(let expected)):
          #expect(image.fingerprint == expected.fingerprint, "\(name)")
          #expect(image.coderID == expected.coderID, "\(name)")
        case (.failure(let error), .failure(let expected)):
          #expect(error.code == expected.code && error.coder == expected.coder, "\(name)")
        default: Issue.record("\(name): \(chunked.outcome) where one call gives \(whole)")
        }
      }
    }
  }

  /// What is checked above can fail.
  @Test func aFinalRowThatChangesIsSeen() throws {
    let pixels = try PixelBuffer(size: Size(width: 5, height: 4), format: .rgba8, alpha: .straight)
    for y in 0..<4 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 7, count: 20) }
    let image = Image(pixels)
    var rows = FinalRows()
    rows.look(at: image, progress(frames: 0, rows: 2))
    #expect(rows.count == 2)
    pixels.row(2).storeBytes(of: 8, as: UInt8.self)
    rows.look(at: image, progress(frames: 0, rows: 3))
    #expect(rows.change == nil)
    pixels.row(1).storeBytes(of: 8, toByteOffset: 19, as: UInt8.self)
    rows.look(at: image, progress(frames: 1, rows: 0))
    #expect(rows.change == "row 1 of frame 0 was final and changed")
    var fewer = FinalRows()
    fewer.look(at: image, progress(frames: 0, rows: 3))
    fewer.look(at: image, progress(frames: 0, rows: 2))
    #expect(fewer.change?.contains("now 2 are") == true)
    var last = FinalRows()
    last.look(at: image, progress(frames: 1, rows: 0))
    pixels.row(3).storeBytes(of: 0, as: UInt8.self)
    last.compare(with: image)
    #expect(last.change == "row 3 of frame 0 was final and changed")
  }

  @Test func chunkingsAreTheSameEachTimeAndOfAllSizes() {
    for chunking in Chunking.seeded {
      #expect(pieces(chunking, 70_000) == pieces(chunking, 70_000))
      #expect(pieces(chunking, 70_000).reduce(0, +) == 70_000)
    }
    #expect(pieces(Chunking(seed: 0), 9) == [Int](repeating: 1, count: 9))
    let sizes = (1..<50).flatMap { pieces(Chunking(seed: $0), 70_000) }
    #expect(sizes.contains(1) && sizes.contains { $0 > 30_000 })
    #expect(Set((1..<8).map { pieces(Chunking(seed: $0), 400) }).count == 7)
  }

  private func pieces(_ chunking: Chunking, _ count: Int) -> [Int] {
    var chunking = chunking
    var sizes: [Int] = []
    var left = count
    while left > 0 {
      sizes.append(chunking.next(left: left, of: count))
      left -= sizes[sizes.count - 1]
    }
    return sizes
  }

  private func progress(frames: Int, rows: Int) -> (framesComplete: Int, finalRows: Int) { (frames, rows) }
}
