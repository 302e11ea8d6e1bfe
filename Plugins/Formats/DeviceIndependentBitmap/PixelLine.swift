// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A row that is put together from runs: words of blue, green, red and alpha, transparent where no run has been.
final class PixelLine {
  let words: UnsafeMutablePointer<UInt32>
  let width: Int
  /// Pixels of the row that were passed.
  private(set) var x = 0
  private let host: CoderHost

  init(width: Int, host: CoderHost) throws(CoderError) {
    self.host = host
    self.width = width
    let memory = try host.allocate(bytes: width &* 4, for: "a row of runs")
    words = memory.bindMemory(to: UInt32.self, capacity: width)
    words.update(repeating: 0, count: width)
  }

  deinit { host.free(words) }

  /// Appends pixels of two colors in turn; those after the row's end are dropped.
  func run(_ count: Int, _ first: UInt32, _ second: UInt32) {
    let end = min(width, x &+ count)
    if first == second {
      for i in x..<end { words[i] = first }
    } else {
      for i in x..<end { words[i] = (i &- x) & 1 == 0 ? first : second }
    }
    x = end
  }

  /// Appends the colors of indexes of 8 bits, of which there are 256; those after the row's end are dropped.
  func put(_ indexes: UnsafeRawBufferPointer, _ colors: LookupTable<UInt32>) {
    let count = min(indexes.count, width &- x)
    guard count > 0, colors.count == 256, let base = indexes.baseAddress else { return }
    for i in 0..<count { words[x &+ i] = colors.base[Int(base.load(fromByteOffset: i, as: UInt8.self))] }
    x &+= count
  }

  func put(_ color: UInt32) {
    guard x < width else { return }
    words[x] = color
    x &+= 1
  }

  /// Passes pixels over, which stay transparent.
  func skip(_ count: Int) { x = min(width, x &+ count) }

  func clear() {
    words.update(repeating: 0, count: width)
    x = 0
  }
}
