// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Which frames of a file that arrives are there. Their pixels are not kept, but for the first frame.
///
/// - Threads: May be used from any thread.
final class ArrivingFrames: Sendable {
  struct State {
    /// The frames that were described.
    var known = KnownFrames()
    /// How many of them have every row.
    var readyCount = 0
    var poster: Frame?
    var loopCount = LoopCount.infinite
    var memory: DecodingMemory?
    /// Whether a frame's bytes come before those of the next one.
    var isSequential = false
    var isComplete = false
    var problem: CoderError?
  }

  let state = Lock(State())

  /// Formats in which the header of a frame stands after the pixels of the one before it: what has a successor is there. Other
  /// formats may list all frames first, so that a frame is there when it can be decoded.
  ///
  /// GIF89a appendix B (a frame is its descriptor and its data, one after the other); PNG third edition §11.3.7 (numbers of fcTL
  /// and fdAT rise); RFC 9649 §2.7.1.1 (ANMF).
  private static let sequentialFormats: Set<ImageFormat> = [.gif, .png, .webP]

  /// Reads a file as its bytes arrive, on the reading thread. It is begun anew if that thread was needed elsewhere.
  ///
  /// - Returns: The first frame.
  func read(_ decoder: ImageDecoder, firstFrameOnly: Bool) throws(CoderError) -> Image {
    let first = try KnownFrames.Entry(0, of: decoder)
    let poster = try decoder.lentFrame(at: 0)
    decoder.forgetCanvas(keeping: .least)
    if state.withLock({ $0.poster }) == nil {
      var open = KnownFrames()
      open.append(.success(first))
      var memory = try DecodingMemory(decoder, open, frameBytes: poster.pixels.byteCount)
      let isSequential = Self.sequentialFormats.contains(decoder.header.format)
      // The canvas on which frames are decoded to see that they are there.
      if !isSequential { memory.canvas += memory.work }
      let (loopCount, kept) = (decoder.loopCount, memory)
      state.withLock { state in
        state.known = open
        state.readyCount = 1
        (state.poster, state.loopCount, state.memory) = (poster, loopCount, kept)
        state.isSequential = isSequential
      }
    }
    if !firstFrameOnly { try describeFrames(decoder) }
    // What follows the frames is a part of the file, too.
    try decoder.waitForAllBytes()
    return Image(frames: [poster], loopCount: decoder.loopCount)
  }

  private func describeFrames(_ decoder: ImageDecoder) throws(CoderError) {
    let isSequential = Self.sequentialFormats.contains(decoder.header.format)
    var index = 1
    do throws(CoderError) {
      while let entry = try KnownFrames.Entry(index, of: decoder) {
        if !isSequential { _ = try decoder.lentFrame(at: index) }
        let next = index
        state.withLock { state in
          guard next == state.known.count else { return }
          state.known.append(.success(entry))
          state.readyCount = isSequential ? next : next + 1
        }
        index += 1
      }
    } catch {
      // What is damaged ends there; the whole file says how.
      guard error.keepsEarlierFrames else { throw error }
    }
  }
}
