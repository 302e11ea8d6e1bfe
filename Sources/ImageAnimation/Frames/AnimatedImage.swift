// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel
import ImageMemory
import Synchronization

/// An image file whose frames can be played: an animation of any format, or a still picture, which has one frame.
///
///     let image = try AnimatedImage("party.gif")
///     print(image.size, image.frameCount, image.loopCount, image.memorySize)
///
/// Frames are decoded when they are asked for, in any order; one after the other is fastest. Only the first frame, the
/// ``poster``, is always there. ``preload()`` keeps all of them.
///
/// - Threads: May be used from any thread. One frame at a time is decoded; delays and frames that are kept are never waited
///   for.
public final class AnimatedImage: FrameSource {
  /// The size of every decoded frame, in pixels, before a transform.
  public let size: Size
  /// The number of frames, at least 1.
  public let frameCount: Int
  /// The total number of times that the animation plays: the caller's, or what the file states.
  public let loopCount: LoopCount
  /// The bytes of one frame's pixels, before a transform.
  public let frameByteCount: Int
  /// The first frame, before a transform.
  public let poster: Frame
  /// The file's header.
  public let header: ImageHeader
  /// The identifier of the coder that reads the file.
  public let coderID: String
  /// What is done with short delays. ``delay(at:)`` follows it; ``Frame/delay`` is what the file states.
  public let delayPolicy: DelayPolicy

  private let delays: [FrameDelay]
  /// Whether each frame can be decoded without those before it.
  private let areAlone: [Bool]
  private let decoder: Mutex<SerialDecoder>
  private let state: Mutex<Kept>
  let lane = WorkQueue.Lane()

  /// The decoder, which one thread at a time uses.
  private struct SerialDecoder: @unchecked Sendable {
    // Unchecked: it is only reached through the lock around it.
    let decoder: ImageDecoder
  }

  /// Frames that are kept.
  private struct Kept {
    struct Key: Hashable {
      /// Nil for a frame as it was decoded.
      let transform: String?
      let index: Int
    }

    var frames: [Key: Frame] = [:]
    var transform: FrameTransform?
    var isPreloaded = false
  }

  /// Opens a file and decodes its first frame, on the calling thread.
  ///
  /// - Parameters:
  ///   - options: How frames are decoded. A memory budget makes frames smaller, never fewer.
  ///   - delayPolicy: What is done with short delays; by default what browsers do.
  ///   - loopCount: Overrides what the file states, or nil.
  ///   - transform: What is done to each frame, or nil.
  ///   - registry: The coders that decode.
  ///   - coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: ``CoderError``, if the file cannot be opened, a frame's header cannot be read, or the first frame has not a
  ///   single row.
  public init(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), delays delayPolicy: DelayPolicy = .browser,
    loopCount: LoopCount? = nil, transform: FrameTransform? = nil, registry: CoderRegistry = .standard,
    coder: String? = nil
  ) throws(CoderError) {
    let decoder = try registry.open(source, options: options, coder: coder)
    let count = options.firstFrameOnly ? 1 : decoder.frameCount
    var (stored, areAlone): ([FrameDelay], [Bool]) = ([], [])
    var restoresPrevious = false
    for index in 0..<count {
      let frame = try decoder.frameHeader(at: index)
      stored.append(frame.delay ?? .zero)
      restoresPrevious = restoresPrevious || frame.disposal == .restorePrevious
      areAlone.append(try decoder.isKeyFrame(index))
    }
    // A picture that does not move is shown without end, not for the time that a browser gives to short delays.
    delays = count > 1 ? stored.map { $0.clamped(by: delayPolicy) } : stored
    self.areAlone = areAlone
    self.delayPolicy = delayPolicy
    self.loopCount = loopCount ?? decoder.loopCount
    reusesMemory = options.pool == nil
    header = decoder.header
    coderID = decoder.coderID
    frameCount = count
    poster = try decoder.lentFrame(at: 0)
    size = poster.pixels.size
    frameByteCount = poster.pixels.byteCount
    let canvas = HeldMemory.bytes(header.canvas.pixelCount * header.pixelFormat.composed.bytesPerPixel)
    let lendsCanvas = decoder.lendsCanvas
    let kept = (lendsCanvas ? 0 : 1) + (restoresPrevious ? 1 : 0)
    canvasByteCount = count > 1 ? kept * canvas : 0
    checkpointByteCount = areAlone.contains(false) ? canvas : 0
    // A frame's own pixels; otherwise also the result before it is turned or converted.
    workByteCount = lendsCanvas ? canvas : 2 * canvas + 2 * HeldMemory.bytes(frameByteCount)
    mixesFrames = lendsCanvas ? try decoder.mixesFrames(count) : false
    // The next frame may never be asked for.
    decoder.forgetCanvas()
    self.decoder = Mutex(SerialDecoder(decoder: decoder))
    state = Mutex(Kept(transform: transform))
  }

  /// How long a frame is shown, after ``delayPolicy``. A frame that there is not has no delay.
  public func delay(at index: Int) -> FrameDelay { delays.indices.contains(index) ? delays[index] : .zero }

  /// Whether a frame can be decoded without those before it.
  public func isKeyFrame(at index: Int) -> Bool { areAlone.indices.contains(index) && areAlone[index] }

  /// The bytes of all frames if they are kept: what ``preload()`` needs.
  public var memorySize: Int {
    let (bytes, overflow) = frameByteCount.multipliedReportingOverflow(by: frameCount)
    return overflow ? .max : bytes
  }

  /// The bytes of the frames that are kept now, besides the ``poster``.
  public var keptByteCount: Int {
    state.withLock { kept in
      kept.frames.values.reduce(0) { $0 + ($1.pixels === poster.pixels ? 0 : $1.pixels.byteCount) }
    }
  }

  /// What is done to each frame, or nil.
  ///
  /// Frames that were made by another transform are kept, for the time when it is used again, until ``unload()``.
  public var transform: FrameTransform? {
    get { state.withLock { $0.transform } }
    set { state.withLock { $0.transform = newValue } }
  }

  // MARK: Memory between frames

  /// What is held between two frames, in bytes: the canvas, unless it is a frame, and what a frame is going to bring back.
  let canvasByteCount: Int
  /// What decoding one frame needs for a moment, in bytes.
  let workByteCount: Int
  /// What a canvas takes that is kept for playing backwards, in bytes, or 0 if all frames stand alone.
  let checkpointByteCount: Int
  /// Whether some frames are decoded without the canvas while it is needed by others.
  let mixesFrames: Bool

  /// The memory of the canvas, which may be that of a frame, or nil.
  var lentCanvas: UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: decoder.withLock { UInt(bitPattern: $0.decoder.lentCanvas) })
  }

  /// Whether memory of frames comes from ``spares``; not if the caller has named a pool.
  let reusesMemory: Bool
  /// The memory of a frame that is gone.
  private let spares = PixelPool(byteLimit: 0)

  /// Changes what is kept for the next frames.
  func keep(_ memory: KeptMemory) {
    spares.setByteLimit(memory.sparesFrame ? HeldMemory.bytes(frameByteCount) : 0)
    decoder.withLock { $0.decoder.keepCheckpoints(memory.checkpoints) }
  }

  /// Releases the canvas. The next frame that needs it is drawn from the earliest that it depends on.
  func rest() {
    spares.setByteLimit(0)
    decoder.withLock { $0.decoder.forgetCanvas(keeping: .least) }
  }

  /// Keeps nothing but the canvas between two frames: a buffer keeps frames.
  func leaveFramesToBuffer() {
    decoder.withLock { serial in
      serial.decoder.forgetCanvas(keeping: .least)
      if reusesMemory { serial.decoder.takeMemory(from: spares) }
    }
  }

  // MARK: Frames

  /// A frame as it is shown. Its pixels may be those of other callers, too: copy them before writing.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not; ``CoderError``, if not a single row can
  ///   be decoded. Otherwise ``Frame/problem`` says why rows are missing.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    if let frame = try keptFrame(at: index) { return frame }
    return try withDecoder { (decoder) throws(CoderError) in
      // Another thread may have made it meanwhile.
      if let frame = kept(index) { return frame }
      return try make(index, with: decoder)
    }
  }

  /// The frame for the current transform, if it is kept.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not.
  func keptFrame(at index: Int) throws(CoderError) -> Frame? {
    guard delays.indices.contains(index) else { throw .noFrame(index, of: frameCount) }
    return kept(index)
  }

  /// Decodes all frames and keeps them, on the calling thread.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` if they need more memory than the options allow; what a frame cannot be
  ///   decoded for. Those before it are kept.
  public func preload() throws(CoderError) {
    try withDecoder { (decoder) throws(CoderError) in
      try decoder.check(memory: memorySize)
      state.withLock { $0.isPreloaded = true }
      for index in 0..<frameCount where kept(index) == nil { _ = try make(index, with: decoder) }
    }
  }

  /// Whether all frames are kept: no frame has to be waited for.
  public var isPreloaded: Bool { (0..<frameCount).allSatisfy { kept($0) != nil } }

  /// Releases all frames but the ``poster``, also of those that transforms have made.
  public func unload() {
    state.withLock { kept in
      kept.frames = [:]
      kept.isPreloaded = false
    }
  }

  /// The frame for the current transform, if it is kept.
  private func kept(_ index: Int) -> Frame? {
    state.withLock { kept in
      if kept.transform == nil, index == 0 { return poster }
      return kept.frames[Kept.Key(transform: kept.transform?.key, index: index)]
    }
  }

  /// Decodes a frame and transforms it. What a transform has made is kept; other frames are if all are.
  private func make(_ index: Int, with decoder: ImageDecoder) throws(CoderError) -> Frame {
    let transform = transform
    var frame = try index == 0 ? poster : decoded(index, with: decoder)
    if let transform { frame.pixels = try transform.apply(frame.pixels, index) }
    state.withLock { kept in
      if transform != nil || kept.isPreloaded {
        kept.frames[Kept.Key(transform: transform?.key, index: index)] = frame
      }
    }
    return frame
  }

  private func decoded(_ index: Int, with decoder: ImageDecoder) throws(CoderError) -> Frame {
    let plain = state.withLock { $0.frames[Kept.Key(transform: nil, index: index)] }
    if let plain { return plain }
    return try decoder.lentFrame(at: index)
  }

  private func withDecoder<Value>(_ body: (ImageDecoder) throws(CoderError) -> Value) throws(CoderError) -> Value {
    // The result crosses the lock in a box: what it holds is not the decoder's.
    let result = decoder.withLock { serial in
      Box(value: Result { () throws(CoderError) in try body(serial.decoder) })
    }
    return try result.value.get()
  }

  private struct Box<Value>: @unchecked Sendable {
    // Unchecked: made and read on one thread.
    let value: Value
  }
}
