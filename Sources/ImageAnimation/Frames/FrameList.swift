// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// An animation of separate pictures: files, bytes, or pixels, each with a delay.
///
/// Files are decoded when their frame is asked for, each time anew; only the first frame is kept. Delays are those of the
/// caller, however short. The frames have the size of the first one only if the pictures have.
///
/// - Threads: May be used from any thread. Several frames may be decoded at the same time.
public struct FrameList: FrameSource {
  /// The size of the first frame, in pixels.
  public let size: Size
  /// The number of pictures, at least 1.
  public let frameCount: Int
  /// The total number of times that the animation plays.
  public let loopCount: LoopCount
  /// The bytes of the first frame's pixels.
  public let frameByteCount: Int
  /// The first frame, which is always there.
  public let poster: Frame

  private let delays: [FrameDelay]
  private let load: @Sendable (_ index: Int) throws(CoderError) -> Frame

  /// Makes an animation of files, or other sources of bytes, with a delay for each.
  ///
  /// - Parameters:
  ///   - sources: At least one. The first one is decoded at once.
  ///   - delays: As many as sources.
  ///   - options: How each is decoded. Of an animation, the first frame is taken.
  ///   - registry: The coders that decode.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no sources, and for another number of delays; what the first source
  ///   cannot be decoded for.
  public init(
    _ sources: [ByteSource], delays: [FrameDelay], loopCount: LoopCount = .infinite,
    options: DecodeOptions = DecodeOptions(), registry: CoderRegistry = .standard
  ) throws(CoderError) {
    var still = options
    still.firstFrameOnly = true
    still.destination = nil
    let reading = still
    try self.init(count: sources.count, delays: delays, loopCount: loopCount) { (index) throws(CoderError) in
      let image = try registry.decode(sources[index], options: reading)
      return Frame(pixels: image.pixels, problem: image.problem)
    }
  }

  /// Makes an animation of files, or other sources of bytes, with one delay for all.
  ///
  /// - Parameters:
  ///   - sources: At least one. The first one is decoded at once.
  ///   - options: How each is decoded. Of an animation, the first frame is taken.
  ///   - registry: The coders that decode.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no sources; what the first source cannot be decoded for.
  public init(
    _ sources: [ByteSource], delay: FrameDelay, loopCount: LoopCount = .infinite,
    options: DecodeOptions = DecodeOptions(), registry: CoderRegistry = .standard
  ) throws(CoderError) {
    try self.init(
      sources, delays: [FrameDelay](repeating: delay, count: sources.count), loopCount: loopCount, options: options,
      registry: registry)
  }

  /// Makes an animation of pictures in memory, with a delay for each.
  ///
  /// - Parameters:
  ///   - pictures: At least one.
  ///   - delays: As many as pictures.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no pictures, and for another number of delays.
  public init(
    _ pictures: [PixelBuffer], delays: [FrameDelay], loopCount: LoopCount = .infinite
  ) throws(CoderError) {
    try self.init(count: pictures.count, delays: delays, loopCount: loopCount) { (index) throws(CoderError) in
      Frame(pixels: pictures[index])
    }
  }

  /// Makes an animation of pictures in memory, with one delay for all.
  ///
  /// - Parameter pictures: At least one.
  /// - Throws: ``CoderError/Code/invalidArgument`` for no pictures.
  public init(
    _ pictures: [PixelBuffer], delay: FrameDelay, loopCount: LoopCount = .infinite
  ) throws(CoderError) {
    try self.init(
      pictures, delays: [FrameDelay](repeating: delay, count: pictures.count), loopCount: loopCount)
  }

  private init(
    count: Int, delays: [FrameDelay], loopCount: LoopCount,
    load: @escaping @Sendable (Int) throws(CoderError) -> Frame
  ) throws(CoderError) {
    guard count > 0 else { throw .invalidArgument("an animation of no pictures; at least 1 is needed") }
    guard delays.count == count else {
      throw .invalidArgument("\(delays.count) delays for \(count) pictures; each needs its own, or all have one")
    }
    var first = try load(0)
    first.delay = delays[0]
    poster = first
    size = first.pixels.size
    frameByteCount = first.pixels.byteCount
    frameCount = count
    self.delays = delays
    self.loopCount = loopCount
    self.load = load
  }

  /// The caller's delay, or none for a frame that there is not.
  public func delay(at index: Int) -> FrameDelay { delays.indices.contains(index) ? delays[index] : .zero }

  /// Decodes a picture. The first one is kept.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not; what the picture cannot be decoded for.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    guard delays.indices.contains(index) else { throw .noFrame(index, of: frameCount) }
    if index == 0 { return poster }
    var frame = try load(index)
    frame.delay = delays[index]
    return frame
  }
}
