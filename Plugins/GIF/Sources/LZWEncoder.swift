// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Compresses the indexes of one image.
///
/// When the code table is full, the next stretch is encoded with it as it is, and with a new one after a clear code;
/// what takes fewer bits per pixel is written.
///
/// - Format: GIF89a §22 and Appendix F, Table Based Image Data.
struct LZWEncoder: ~Copyable {
  /// Codes of a full table between two looks at whether it still fits.
  private static let window = 1_024
  /// Bits of a stretch of codes of a full table.
  private static let longest = 12 * CodeTable.limit
  private static let maxUntried = 15

  let minimumCodeSize: Int
  private var bytes = CodeBytes()
  private var width: Int
  /// Codes since the last clear code.
  private var codeCount = 0
  /// What they take and stand for.
  private var bitCount = 0
  private var pixelCount = 0

  /// - Parameter minimumCodeSize: 2 to 8; every index is below two to the power of it.
  init(minimumCodeSize: Int) {
    self.minimumCodeSize = minimumCodeSize
    width = minimumCodeSize + 1
  }

  /// Encodes an image, and replaces the indexes of pixels that have a choice by what was written.
  ///
  /// - Parameter shouldContinue: Asked every few thousand codes; the image ends early when it says no.
  mutating func encode(_ image: IndexChoices, shouldContinue: () -> Bool) {
    var written = CodeCycle(minimumCodeSize: minimumCodeSize)
    written.restart()
    var position = written.fill(image, from: 0)
    putClear()
    put(written, image, from: 0, count: written.count)
    if position < image.count {
      var other = CodeCycle(minimumCodeSize: minimumCodeSize)
      // A new table is tried less and less often while the full one turns out better.
      var isDeclining = false
      var (untried, rest) = (0, 0)
      while position < image.count, shouldContinue() {
        let isTried = isDeclining || untried == 0
        var fresh = image.count
        var freshBits = Int.max
        if isTried {
          other.restart()
          fresh = other.fill(image, from: position)
          freshBits = other.bits + width
        }
        written.removeCodes()
        let maxBits = min(freshBits, Self.longest)
        let kept = isDeclining ? position : written.follow(image, from: position, to: fresh, maxBits: maxBits)
        let isKept = !isDeclining && (!isTried || written.bits * (fresh - position) <= freshBits * (kept - position))
        if isKept {
          let count = worthwhile(written)
          isDeclining = count < written.count
          position += put(written, image, from: position, count: count)
          if isTried {
            rest = min(2 * rest + 1, Self.maxUntried)
            untried = rest
          } else {
            untried -= 1
          }
        } else {
          putClear()
          put(other, image, from: position, count: other.count)
          position = fresh
          if !isDeclining { rest = 0 }
          isDeclining = false
          swap(&written, &other)
        }
      }
    }
    step()
    bytes.append((1 << minimumCodeSize) + 1, width: width)
    bytes.align()
  }

  /// Everything as sub-blocks.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func subBlocks() throws(CoderError) -> [UInt8] { try bytes.subBlocks() }

  private mutating func putClear() {
    bytes.append(1 << minimumCodeSize, width: width)
    width = minimumCodeSize + 1
    (codeCount, bitCount, pixelCount) = (0, width, 0)
  }

  /// How many codes of a full table go on with no fewer pixels per bit than all codes since the last clear code.
  private func worthwhile(_ cycle: borrowing CodeCycle) -> Int {
    var (pixels, bits) = (pixelCount, bitCount)
    var start = 0
    while start < cycle.count {
      let end = min(start + Self.window, cycle.count)
      var windowPixels = 0
      for index in start..<end { windowPixels += Int(cycle.entries[index].count) }
      let windowBits = width * (end - start)
      pixels += windowPixels
      bits += windowBits
      start = end
      if windowPixels * bits < pixels * windowBits { break }
    }
    return start
  }

  /// - Returns: Pixels of the codes.
  @discardableResult
  private mutating func put(
    _ cycle: borrowing CodeCycle, _ image: IndexChoices, from start: Int, count: Int
  ) -> Int {
    cycle.replaceChosenIndexes(of: image, from: start, count: count)
    var pixels = 0
    for (code, length) in cycle.entries.prefix(count) {
      step()
      bytes.append(Int(code), width: width)
      codeCount += 1
      bitCount += width
      pixels += Int(length)
    }
    pixelCount += pixels
    return pixels
  }

  /// Widens codes for the string that a decoder has added for the code before, as soon as that needs it.
  private mutating func step() {
    guard codeCount > 0 else { return }
    let last = (1 << minimumCodeSize) + 1 + codeCount
    if last < CodeTable.limit, last == 1 << width { width += 1 }
  }
}
