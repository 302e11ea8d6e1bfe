// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// Rows of a page that come a few at a time, and are compressed when they fill strips or tiles.
final class StrileRows {
  /// Writes a compressed strip or tile, and returns where it is in the file.
  typealias Writer = (_ bytes: UnsafeRawBufferPointer) throws(CoderError) -> Int

  private(set) var page: ctiff_page
  private(set) var offsets: [Int] = []
  private(set) var lengths: [Int] = []
  private let host: CoderHost
  private let memory: UnsafeMutableRawPointer
  private let rowBytes: Int
  /// Rows of whole strips or tiles.
  private let capacity: Int
  private var held = 0

  /// Bytes of rows that are held, as far as strips allow: some strips for each thread.
  private static let heldBytes = 4 << 20

  /// - Parameter page: Without pixels.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ page: ctiff_page, host: CoderHost) throws(CoderError) {
    self.page = page
    self.host = host
    rowBytes = Int(page.width) * Int(page.pixel_bytes)
    let strile = Int(page.strile_height)
    let striles = min(max(1, Self.heldBytes / max(1, strile * rowBytes)), Int(page.down))
    capacity = min(striles * strile, Int(page.height))
    memory = try host.allocate(bytes: max(1, capacity * rowBytes), for: "rows of strips")
  }

  deinit { host.free(memory) }

  /// Takes the next rows, no more than the page has.
  func add(_ pixels: PixelView, _ write: Writer) throws(CoderError) {
    for y in 0..<pixels.size.height {
      (memory + held * rowBytes).copyMemory(from: pixels.base + y * pixels.stride, byteCount: rowBytes)
      held += 1
      if held == capacity { try compress(write) }
    }
  }

  /// Compresses the rest.
  func finish(_ write: Writer) throws(CoderError) { if held > 0 { try compress(write) } }

  private func compress(_ write: Writer) throws(CoderError) {
    if host.isCancelled { throw .cancelled }
    page.pixels = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    page.stride = UInt64(rowBytes)
    let height = Int(page.strile_height)
    let count = (held + height - 1) / height * Int(page.across)
    try LibTIFF.encode(&page, first: offsets.count, count: count, host: host) { (bytes) throws(CoderError) in
      offsets.append(try write(bytes))
      lengths.append(bytes.count)
    }
    page.first_row += UInt32(held)
    held = 0
    host.progress(Double(page.first_row) / Double(page.height))
  }
}
