// SPDX-License-Identifier: Apache-2.0

import CVP8L
import ImageCoderPlugin

/// The alpha of a lossy picture, row by row, without libwebp, which would keep the whole plane.
///
/// - Lifetime: The source's bytes outlive it.
struct AlphaRows: ~Copyable {
  private let plane: OpaquePointer

  /// - Parameter contents: All bytes of a picture, as far as they are there.
  /// - Returns: nil for a picture without alpha, for what is damaged before the samples, or needs memory that is not there.
  init?(_ picture: Picture, in contents: UnsafeRawBufferPointer) {
    let (size, first) = (picture.rect.size, picture.bytes.lowerBound)
    guard let stored = picture.alphaPayload, stored.upperBound - first <= contents.count else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: contents[stored.lowerBound - first..<stored.upperBound - first])
    guard let start = payload.baseAddress,
      let plane = vp8l_plane_open(
        start.assumingMemoryBound(to: UInt8.self), payload.count, UInt32(size.width), UInt32(size.height))
    else { return nil }
    self.plane = plane
  }

  deinit { vp8l_plane_close(plane) }

  /// Writes the alpha of the next rows.
  ///
  /// - Parameters:
  ///   - rows: Opaque pixels of 32 bits.
  ///   - premultiplies: Whether colors are multiplied.
  /// - Returns: How many rows have theirs: fewer than `count` before one that is damaged.
  func write(
    _ count: Int, to rows: UnsafeMutableRawPointer, stride: Int, premultiplies: Bool
  ) -> Int {
    Int(
      vp8l_plane_rows(
        plane, UInt32(count), rows.assumingMemoryBound(to: UInt8.self), stride, premultiplies ? 1 : 0))
  }
}
