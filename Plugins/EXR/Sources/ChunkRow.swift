// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Chunks that lie side by side, or a few that lie one below the other, decompressed.
final class ChunkRow {
  /// One chunk.
  struct Block {
    /// Where the chunk lies in its level.
    let x: Int
    let y: Int
    let size: Size
    let place: ChunkTable.Place
    /// Decompressed bytes.
    let bytes: UnsafeMutableRawBufferPointer
    /// Bytes of the file that are still to be decompressed.
    var packed: UnsafeMutableRawBufferPointer?
    var problem: CoderError?

    /// Returns whether all went well.
    func decompress(with codec: ChunkDecompressor) -> Bool {
      packed.map { codec.decompress($0, size: size, firstRow: y, to: bytes) } ?? true
    }
  }

  private let host: CoderHost
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  private(set) var blocks: [Block] = []
  private var used = 0

  /// Bytes after each chunk that a codec may read.
  private static let slack = 64

  /// Memory for chunks and what the file has of them.
  static func memory(chunkBytes: Int, count: Int) -> Int? {
    let (bytes, overflow) = (2 * (chunkBytes + slack)).multipliedReportingOverflow(by: count)
    return overflow ? nil : bytes
  }

  init(chunkBytes: Int, count: Int, host: CoderHost) throws(CoderError) {
    self.host = host
    capacity = (chunkBytes + Self.slack) * count
    memory = try host.allocate(bytes: 2 * capacity, alignment: 64, for: "chunks")
  }

  deinit { host.free(memory) }

  func begin() {
    blocks.removeAll(keepingCapacity: true)
    used = 0
  }

  /// Reads a chunk of the file. What is wrong with its bytes is kept with it.
  ///
  /// - Throws: What has nothing to do with the file.
  func read(
    _ place: ChunkTable.Place, x: Int, y: Int, size: Size, layout: ChunkLayout, from table: ChunkTable,
    in source: SourceView
  ) throws(CoderError) {
    let count = layout.bytes(of: size, firstRow: y) ?? .max
    guard count <= capacity - used - Self.slack else {
      throw .libraryFailure("a chunk of \(count) bytes, and \(capacity - used) are set aside for it")
    }
    let bytes = UnsafeMutableRawBufferPointer(start: memory + used, count: count)
    var block = Block(x: x, y: y, size: size, place: place, bytes: bytes)
    do throws(CoderError) {
      let content = try table.content(of: place, most: count)
      let stored = try source.view(at: content.lowerBound, count: content.count)
      guard stored.count == content.count else {
        throw .truncated(
          "a chunk of \(content.count) bytes, of which \(stored.count) are there", at: content.lowerBound)
      }
      if stored.count == count {
        bytes.copyMemory(from: stored)
      } else {
        let packed = UnsafeMutableRawBufferPointer(start: memory + capacity + used, count: stored.count)
        packed.copyMemory(from: stored)
        (packed.baseAddress.map { $0 + stored.count })?.initializeMemory(
          as: UInt8.self, repeating: 0, count: Self.slack)
        block.packed = packed
      }
    } catch {
      guard [.truncated, .malformed].contains(error.code) else { throw error }
      block.problem = error
    }
    used += count + Self.slack
    blocks.append(block)
  }

  /// Decompresses what was read, several chunks at a time.
  func decompress(with codec: ChunkDecompressor?, compression: Compression) {
    let waiting = blocks.indices.filter { blocks[$0].packed != nil }
    guard !waiting.isEmpty, let codec else { return }
    let jobs = waiting.map { blocks[$0] }
    let results = UnsafeMutablePointer<Bool>.allocate(capacity: jobs.count)
    defer { results.deallocate() }
    host.parallelFor(jobs.count) { index in
      results[index] = jobs[index].decompress(with: codec)
    }
    for (index, place) in waiting.enumerated() where !results[index] {
      blocks[place].problem = .malformed(
        "a chunk of \(blocks[place].packed?.count ?? 0) bytes that \(compression.name) does not make "
          + "\(blocks[place].bytes.count) bytes of")
    }
  }
}
