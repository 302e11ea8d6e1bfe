// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// The rows that a decoder reported to be final, to be held against what is there later.
package struct FinalRows {
  /// A hash of each row of each frame.
  private var frames: [[UInt64]] = []
  /// The first row that was reported to be final and changed, in words.
  package private(set) var change: String?

  private var wasAnimated = false

  /// Final rows that were seen, of all frames.
  package var count: Int { frames.reduce(0) { $0 + $1.count } }

  package init() {}

  /// Looks at what there is now.
  package mutating func look(at picture: Image, _ progress: (framesComplete: Int, finalRows: Int)) {
    wasAnimated = picture.header?.isAnimated ?? false
    // Frames that were complete at the last look were held against themselves then; at the end all are once more.
    let first = min(max(frames.count - 1, 0), progress.framesComplete)
    for index in first..<max(first, picture.frames.count) {
      let pixels = picture.frames[index].pixels
      let final = index < progress.framesComplete ? pixels.size.height : min(progress.finalRows, pixels.size.height)
      if index == frames.count { frames.append([]) }
      guard index < frames.count else { return }
      if final < frames[index].count {
        complain("of frame \(index) \(frames[index].count) rows were final, now \(final) are")
      }
      compare(pixels, index)
      for y in frames[index].count..<max(final, frames[index].count) { frames[index].append(pixels.hash(ofRow: y)) }
    }
  }

  /// Holds all rows against the image that they became.
  package mutating func compare(with image: Image) {
    // What began as a frame may turn out to be a part of one picture, or an animation not to be one. That is known at the
    // end alone.
    if let header = image.header, !header.isAnimated, wasAnimated || header.frameCount > 1 { return }
    // A frame that began may turn out to be none.
    for index in 0..<min(frames.count, image.frames.count) { compare(image.frames[index].pixels, index) }
  }

  private mutating func compare(_ pixels: PixelBuffer, _ index: Int) {
    guard change == nil else { return }
    guard frames[index].count <= pixels.size.height else {
      return complain("frame \(index) had \(frames[index].count) final rows and has \(pixels.size.height)")
    }
    for (y, hash) in frames[index].enumerated() where pixels.hash(ofRow: y) != hash {
      return complain("row \(y) of frame \(index) was final and changed")
    }
  }

  mutating func complain(_ text: String) { change = change ?? text }
}

extension PixelBuffer {
  /// A hash of a row's bytes that is fast enough to be taken of every row.
  fileprivate func hash(ofRow y: Int) -> UInt64 {
    withRow(y) { row in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      var offset = 0
      while offset + 8 <= row.count {
        hash = (hash ^ row.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
        offset += 8
      }
      for byte in row[offset...] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return hash
    }
  }
}
