// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// An animation of nothing but delays. Its frames can be made to arrive one after the other.
final class ModelSource: FrameSource {
  let size = Size(width: 1, height: 1)
  let loopCount: LoopCount
  private let delays: [FrameDelay]
  private let known: Mutex<(count: Int, isComplete: Bool)>

  init(_ delays: [FrameDelay], loops: LoopCount = .infinite, known: Int? = nil) {
    self.delays = delays
    loopCount = loops
    self.known = Mutex((known ?? delays.count, known == nil))
  }

  /// Delays in milliseconds.
  convenience init(_ milliseconds: [UInt32], loops: LoopCount = .infinite, known: Int? = nil) {
    self.init(milliseconds.map { FrameDelay.milliseconds($0) }, loops: loops, known: known)
  }

  /// More frames arrive.
  func grow(to count: Int, isComplete: Bool = false) {
    known.withLock { $0 = (count, isComplete) }
  }

  var frameCount: Int { known.withLock { $0.count } }
  var isComplete: Bool { known.withLock { $0.isComplete } }
  func delay(at index: Int) -> FrameDelay { delays[index] }
  func frame(at index: Int) throws(CoderError) -> Frame {
    Frame(pixels: try PixelBuffer(copying: [UInt8(index)], size: size, format: .gray8))
  }
}

extension Duration {
  /// Milliseconds with six decimal places, as the tables have them.
  init(milliseconds value: Double) { self = .nanoseconds(Int64((value * 1_000_000).rounded())) }
}
