// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Decodes frames while their bytes are received, and shows each a few times until it is complete.
final class IncrementalFrameDecoder {
  private let makeFeed: () -> InputFeed
  private let host: CoderHost
  private var playing: Playing?

  /// A decoder on its way through the file.
  private struct Playing {
    let decoder: LibJXL.Decoder
    let feed: InputFeed
    /// The frame that the decoder comes to next.
    var next: Int
  }

  /// Bytes to wait for before each call: libjxl looks for whole sections with every call, and they are long.
  private static let step = 4096

  /// - Parameter makeFeed: Gives the bytes from the start.
  init(host: CoderHost, makeFeed: @escaping () -> InputFeed) {
    self.host = host
    self.makeFeed = makeFeed
  }

  func decode(_ offer: DecodeOffer, of codestream: Codestream, into sink: RowSink) throws(CoderError) {
    let target = try FrameTarget(offer, from: sink)
    var current = try playing(to: offer.frame, of: codestream)
    // After an error, the decoder cannot go on, and it holds memory.
    playing = nil
    try run(current, codestream: codestream, target: target, sink: sink)
    guard codestream.info.have_animation != 0 else { return }
    current.next = offer.frame + 1
    playing = current
  }

  /// A decoder that comes to a frame next.
  private func playing(to frame: Int, of codestream: Codestream) throws(CoderError) -> Playing {
    if let playing, playing.next == frame { return playing }
    let decoder = try LibJXL.Decoder(host: host)
    let isConverted = codestream.color?.isConverted == true
    try decoder.subscribe(to: (isConverted ? [JXL_DEC_COLOR_ENCODING] : []) + [JXL_DEC_FULL_IMAGE])
    if frame > 0 { JxlDecoderSkipFrames(decoder.raw, frame) }
    return Playing(decoder: decoder, feed: makeFeed(), next: frame)
  }

  private func run(
    _ playing: Playing, codestream: Codestream, target: FrameTarget, sink: RowSink
  ) throws(CoderError) {
    let passes = CoarsePasses(of: playing.feed)
    // Why the host takes no more passes. Where a pass is drawn, nothing can be thrown.
    var refusal: CoderError?
    func draw() {
      guard refusal == nil, passes.isDue, passes.draw(playing.decoder) else { return }
      do throws(CoderError) { try show(target, pass: passes.count - 1, sink: sink) } catch { refusal = error }
    }
    try host.drawing(whenLookedAt: draw) { (isAsked) throws(CoderError) in
      try run(playing, codestream: codestream, target: target, passes: passes, sink: sink) { () throws(CoderError) in
        if !isAsked { draw() }
        if let refusal { throw refusal }
      }
    }
  }

  /// - Parameter isWaiting: Called where bytes are missing.
  private func run(
    _ playing: Playing, codestream: Codestream, target: FrameTarget, passes: CoarsePasses, sink: RowSink,
    isWaiting: () throws(CoderError) -> Void
  ) throws(CoderError) {
    let (decoder, feed, frame) = (playing.decoder, playing.feed, playing.next)
    let black = codestream.black.map { BlackPlane($0.index, size: codestream.canvas, host: host) }
    while true {
      let step = max(Self.step, (feed.position - passes.start) / 64)
      switch try feed.next(decoder, step: step) {
      case JXL_DEC_COLOR_ENCODING: try ColorSignal.preferSRGB(decoder, info: codestream.info)
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        // Rows that a coarse pass does not reach are empty.
        target.clear()
        try target.attach(to: decoder)
        try black?.attach(to: decoder, format: target.format)
      case JXL_DEC_FULL_IMAGE:
        black?.multiply(into: target)
        return try sink.done(at: 0, count: target.rows.count, pass: passes.count)
      case JXL_DEC_NEED_MORE_INPUT:
        guard !feed.isOver else { throw .truncated("frame \(frame) is cut", at: feed.count) }
        try isWaiting()
      case JXL_DEC_SUCCESS: throw .malformed("the codestream ends before frame \(frame)")
      case JXL_DEC_ERROR:
        if host.isCancelled { throw .cancelled }
        throw .malformed("libjxl finds an error in frame \(frame)")
      case let status: throw .libraryFailure("libjxl reports event \(status.rawValue), which it was not asked for")
      }
    }
  }

  /// Reports rows that libjxl goes on writing to.
  private func show(_ target: FrameTarget, pass: Int, sink: RowSink) throws(CoderError) {
    try sink.done(at: 0, count: target.rows.count, pass: pass)
    let rows = try sink.rows(at: 0, count: target.rows.count)
    guard rows.base == target.rows.base, rows.stride == target.rows.stride else {
      throw .libraryFailure("the host moves rows of a picture that comes in any order")
    }
  }
}

/// When a frame is shown that is not complete.
///
/// For each coarse pass libjxl draws all groups that are not complete. That takes half of the decoding time for VarDCT
/// pictures, and nearly none for lossless ones. A pass is due whenever the frame's bytes have doubled, as long as all passes
/// cost less than half of the decoding and the time spent waiting for bytes. The first pass has no such limit. A host that
/// says when somebody looks gets passes only then.
private final class CoarsePasses {
  private static let most = 5

  private let feed: InputFeed
  private let workedBefore: Int
  private let waitedBefore: Int
  /// Where the frame's bytes begin.
  let start: Int
  /// Passes that were shown.
  private(set) var count = 0
  /// Bytes at which the next one is due.
  private var due = 1
  /// Nanoseconds, of all passes and of the last.
  private var cost = 0
  private var lastCost = 0

  init(of feed: InputFeed) {
    self.feed = feed
    (start, workedBefore, waitedBefore) = (feed.position, feed.worked, feed.waited)
  }

  var isDue: Bool {
    guard count < Self.most, feed.position - start >= due else { return false }
    let worked = feed.worked - workedBefore
    return count == 0 || cost + lastCost <= worked / 2 + feed.waited - waitedBefore
  }

  /// Draws what is there.
  ///
  /// - Returns: Whether there was anything to draw: all of the lowest resolution.
  func draw(_ decoder: LibJXL.Decoder) -> Bool {
    let (bytes, began) = (feed.position - start, LibJXL.now)
    guard JxlDecoderFlushImage(decoder.raw) == JXL_DEC_SUCCESS else {
      due = bytes + bytes / 8
      return false
    }
    count += 1
    due = bytes * 2
    lastCost = LibJXL.now - began
    cost += lastCost
    return true
  }
}
