// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// The frames of a file that were described: all of them, or of a file that does not count its frames those so far.
struct KnownFrames: Sendable {
  /// What is known of a frame before it is decoded.
  struct Entry: Sendable {
    /// As the file states it.
    let delay: FrameDelay
    /// Whether it can be decoded without those before it.
    let isAlone: Bool
    let restoresPrevious: Bool
  }

  private(set) var entries: [Entry] = []
  /// Whether there are no others.
  private(set) var isComplete = false

  var count: Int { entries.count }

  init() {}

  /// Describes the frames of a file, or of one that does not count them the first two.
  init(_ decoder: ImageDecoder, firstFrameOnly: Bool) throws(CoderError) {
    let isCounted = firstFrameOnly || decoder.header.sequence.isCounted
    for index in 0..<(isCounted ? decoder.frameCount : 1) {
      append(.success(try Entry(index, of: decoder)))
    }
    if isCounted {
      end()
    } else {
      // A picture that does not move has no second one.
      append(Result { () throws(CoderError) in try Entry(1, of: decoder) })
    }
  }

  /// A picture that does not move is shown without end, not for the time that a browser gives to short delays.
  func delay(at index: Int, _ policy: DelayPolicy) -> FrameDelay {
    guard entries.indices.contains(index) else { return .zero }
    return count > 1 || !isComplete ? entries[index].delay.clamped(by: policy) : entries[index].delay
  }

  /// Takes the next frame, or that there is none.
  ///
  /// One that cannot be described is the last one, and takes as long as the one before: who asks for it gets the reason.
  mutating func append(_ next: Result<Entry?, CoderError>) {
    switch next {
    case .success(let entry?): entries.append(entry)
    case .success(nil): end()
    case .failure:
      if let last = entries.last { entries.append(last) }
      end()
    }
  }

  mutating func end() { isComplete = true }

  /// The first frames, as all that there are.
  func first(_ count: Int) -> KnownFrames {
    var frames = self
    frames.entries = Array(entries.prefix(count))
    frames.end()
    return frames
  }
}

extension KnownFrames.Entry {
  /// Nil after the last frame of a file that does not count them.
  ///
  /// - Throws: What is wrong with the frame's header.
  init?(_ index: Int, of decoder: ImageDecoder) throws(CoderError) {
    let frame: FrameHeader
    do throws(CoderError) { frame = try decoder.frameHeader(at: index) } catch {
      guard error.code == .invalidArgument, index > 0, decoder.header.hasOpenEnd else { throw error }
      return nil
    }
    // Walking back to a frame costs those before it, too.
    let isReached =
      switch decoder.header.sequence.access {
      case .anyFrame: true
      case .keyFrame: index == 0 || frame.isKey
      case .firstFrame: index == 0
      }
    self.init(
      delay: frame.delay ?? .zero, isAlone: isReached ? try decoder.isKeyFrame(index) : false,
      restoresPrevious: frame.disposal == .restorePrevious)
  }
}
