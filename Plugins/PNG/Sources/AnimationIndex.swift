// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Where the compressed pixels of a picture lie: IDAT chunks, or fdAT chunks of one frame.
struct ImageData {
  let name: FourCC
  /// The start of the first chunk's header.
  let start: Int
  /// After the last chunk; the size of the file where the file ends inside them.
  var end: Int
}

/// The frames of an animation, collected and checked while the chunks go by (PNG Third Edition §11.3.6, APNG 1.0).
///
/// Nothing here fails a file: an animation that breaks the rules is dropped, and the default image remains.
struct AnimationIndex {
  struct Frame {
    let rect: Rect
    let delay: FrameDelay
    let disposal: FrameHeader.Disposal
    let blend: FrameHeader.Blend
    var data: ImageData?
  }

  /// Frames with all of their data; the last one may be cut when the file is.
  private(set) var frames: [Frame] = []
  /// What acTL says, or nil without one.
  private(set) var declaredFrames: Int?
  private(set) var loopCount = LoopCount.infinite
  /// The first rule that was broken.
  private(set) var problem: String?

  private let canvas: Size
  private var current: Frame?
  private var sequence: UInt32 = 0
  private var hasImageData = false

  init(canvas: Size) { self.canvas = canvas }

  /// Whether frames are to be played: there is an acTL, and at least one frame that goes with it.
  var isAnimated: Bool { declaredFrames != nil && !frames.isEmpty }

  mutating func fail(_ reason: String) {
    if problem == nil { problem = reason }
  }

  /// acTL. After the image data it has no meaning.
  mutating func addControl(_ data: [UInt8]) throws(CoderError) {
    guard !hasImageData else { return }
    guard declaredFrames == nil else { return fail("a second acTL") }
    guard data.count == AnimationControl.length else { return fail("acTL of \(data.count) bytes, 8 are needed") }
    var reader = ByteReader(data.span.bytes, of: "acTL")
    let control = try AnimationControl(parsing: &reader)
    let count = control.frameCount
    declaredFrames = Int(count)
    loopCount = LoopCount(plays: control.plays)
    if count == 0 || count > 0x7FFF_FFFF { fail("acTL declares \(count) frames, 1 to 2147483647 are allowed") }
  }

  /// fcTL: a frame begins, and the one before it ends.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more frames than `limits` allow.
  mutating func addFrameControl(_ data: [UInt8], limits: Limits) throws(CoderError) {
    guard isOpen else { return }
    guard hasImageData || current == nil else { return fail("two fcTL before the default image") }
    try endFrame(limits: limits)
    var reader = ByteReader(data.span.bytes, of: "fcTL")
    guard isOpen, advanceSequence(to: data.count >= 4 ? try reader.uint32(at: 0) : nil) else { return }
    guard data.count == FrameControl.length, let control = try FrameControl(parsing: &reader) else {
      let operations = data.suffix(2).map { "\($0)" }.joined(separator: " and ")
      return fail("fcTL of \(data.count) bytes that ends in \(operations), 26 bytes, 0 to 2 and 0 to 1 are allowed")
    }
    let frame = Frame(control, isFirst: frames.isEmpty)
    let rect = frame.rect
    guard !rect.isEmpty, rect.isInside(canvas) else {
      return fail("frame \(frames.count) at \(rect.x),\(rect.y) of \(rect.size) on a canvas of \(canvas)")
    }
    guard hasImageData || frame.rect == Rect(covering: canvas) else {
      return fail("the default image is a frame of \(frame.rect.size) on a canvas of \(canvas)")
    }
    current = frame
  }

  /// Whether an animation can still come of what has gone by.
  var mayBeAnimated: Bool { declaredFrames != nil && (problem == nil || frames.count > 1) }

  /// A frame that is known, with all of its data or with their beginning.
  func frame(_ index: Int) -> Frame? {
    if frames.indices.contains(index) { return frames[index] }
    return index == frames.count ? current : nil
  }

  /// Whether a frame and the beginning of its data are known. A first frame that is not the default image is not, before
  /// another one follows: by itself it would be no animation.
  func knowsFrame(_ index: Int) -> Bool {
    guard index == frames.count, let data = current?.data else { return frames.indices.contains(index) }
    return data.name == .idat || index > 0
  }

  /// The first IDAT. It belongs to the frame whose fcTL came before it, if one did.
  mutating func beginImageData(_ data: ImageData) {
    hasImageData = true
    if frames.isEmpty, current != nil { current?.data = data }
  }

  /// The last IDAT has gone by: the extent of the default image is known.
  mutating func endImageData(_ data: ImageData) {
    if frames.isEmpty, current?.data?.name == .idat { current?.data = data }
  }

  /// fdAT: more data of the frame whose fcTL came before it.
  ///
  /// - Parameter end: After the chunk, or the end of the file.
  mutating func addFrameData(_ chunk: Chunk, end: Int) {
    guard isOpen else { return }
    guard hasImageData else { return fail("fdAT before the default image") }
    guard current != nil else { return fail("fdAT without fcTL") }
    guard current?.data?.name != .idat else { return fail("fdAT for the frame of the default image") }
    // The file may end inside the sequence number.
    guard let number = chunk.lead else {
      if chunk.length < 4 { fail("fdAT of \(chunk.length) bytes, at least 4 are needed") }
      return
    }
    guard advanceSequence(to: number) else { return }
    if current?.data == nil {
      current?.data = ImageData(name: .fdat, start: chunk.offset, end: end)
    } else {
      current?.data?.end = end
    }
  }

  /// The chunks are over.
  ///
  /// - Parameter isCut: The file ends before IEND.
  /// - Returns: Why the animation, or the rest of it, was dropped; nil when all of it is there.
  mutating func finish(isCut: Bool, limits: Limits) throws(CoderError) -> String? {
    guard let declaredFrames else { return nil }
    if isOpen, current != nil, !isCut || current?.data != nil { try endFrame(limits: limits) }
    if problem == nil, frames.isEmpty { fail("acTL declares \(declaredFrames) frames, none is there") }
    guard let problem else {
      guard frames.count < declaredFrames else { return nil }
      return "acTL declares \(declaredFrames) frames, \(frames.count) are there"
    }
    // One frame before the damage is no animation.
    if frames.count < 2 { frames = [] }
    return problem
  }

  /// Whether another frame can still count.
  private var isOpen: Bool {
    guard problem == nil else { return false }
    guard hasImageData else { return true }
    guard let declaredFrames else { return false }
    return frames.count < declaredFrames
  }

  private mutating func endFrame(limits: Limits) throws(CoderError) {
    guard let frame = current else { return }
    current = nil
    guard frame.data != nil else { return fail("frame \(frames.count) has no data") }
    try limits.check(frames: frames.count + 1)
    frames.append(frame)
  }

  private mutating func advanceSequence(to number: UInt32?) -> Bool {
    guard let number, number == sequence else {
      fail("sequence number \(number.map { "\($0)" } ?? "missing"), \(sequence) comes next")
      return false
    }
    sequence &+= 1
    return true
  }
}

extension AnimationIndex.Frame {
  init(_ control: FrameControl, isFirst: Bool) {
    self.init(
      rect: control.rect, delay: control.delay,
      // Before the first frame there is nothing to go back to (§11.3.6.2).
      disposal: isFirst && control.disposal == .restorePrevious ? .restoreBackground : control.disposal,
      blend: control.blend)
  }
}
