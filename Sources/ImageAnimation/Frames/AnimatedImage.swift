// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel
import ImageMemory

/// An image file whose frames can be played: an animation of any format, or a still picture, which has one frame.
///
///     let image = try await registry.async.animatedImage("party.gif")
///     print(image.size, image.frameCount, image.loopCount, image.memorySize)
///
/// Frames are decoded when they are asked for, in any order; one after the other is fastest. Only the first frame, the
/// ``poster``, stays in memory. ``preload()`` keeps all of them.
///
/// Not every file counts its frames. ``frameCount`` of one that does not grows as frames are decoded, and a player plays what is
/// known so far, until the end of the file ``isComplete``. Its frames are decoded from the first one on: asking for an earlier
/// one begins anew.
///
/// - Threads: May be used from any thread. One frame at a time is decoded; delays and frames that are kept are never waited
///   for.
public final class AnimatedImage: FrameSource {
  /// The size of every decoded frame, in pixels, before a transform.
  public let size: Size
  /// The number of frames that are known, at least 1.
  public var frameCount: Int { known.withLock { $0.count } }
  /// Whether ``frameCount`` counts all frames. Of a file that does not count them it becomes true with the last one.
  public var isComplete: Bool { known.withLock { $0.isComplete } }
  /// The total number of times that the animation plays: the caller's, or what the file states.
  public let loopCount: LoopCount
  /// The bytes of one frame's pixels, before a transform.
  public let frameByteCount: Int
  /// The first frame, before a transform.
  ///
  /// It stays in memory, unless a ``FrameBuffer`` has so little for so many players that each has one frame only: then it is
  /// decoded when it is asked for. If that fails, it is one transparent pixel, whose ``Frame/problem`` says why.
  public var poster: Frame {
    if let poster = heldPoster { return poster }
    let frame = Result { () throws(CoderError) in
      try withDecoder { (decoder) throws(CoderError) in try decoder.lentFrame(at: 0) }
    }
    switch frame {
    case .success(let poster):
      state.withLock { if $0.keepsPoster { $0.poster = poster } }
      return poster
    case .failure(let error):
      var frame = Frame(pixels: noPoster)
      frame.problem = error
      return frame
    }
  }

  /// What is shown of a poster that cannot be decoded again.
  private let noPoster: PixelBuffer
  /// The file's header.
  public let header: ImageHeader
  /// The identifier of the coder that reads the file.
  public let coderID: String
  /// What is done with short delays. ``delay(at:)`` follows it; ``Frame/delay`` is what the file states.
  public let delayPolicy: DelayPolicy

  /// Where the file is, and how it is read; nil for one that was opened elsewhere.
  private let file: (source: ByteSource, limits: Limits)?
  private let known: Lock<KnownFrames>
  private let decoder: Lock<SerialDecoder>
  private let state: Lock<Kept>
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

    var poster: Frame?
    /// Whether the poster stays in memory.
    var keepsPoster = true
    var frames: [Key: Frame] = [:]
    var transform: FrameTransform?
    var isPreloaded = false
    /// Whether a buffer keeps frames.
    var isBuffered = false
    var revision = 0
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
  @available(*, noasync, message: "this blocks a thread: await registry.async.animatedImage(…)")
  public convenience init(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), delays delayPolicy: DelayPolicy = .browser,
    loopCount: LoopCount? = nil, transform: FrameTransform? = nil, registry: CoderRegistry = .standard,
    coder: String? = nil
  ) throws(CoderError) {
    try self.init(
      try registry.open(source, options: options, coder: coder), of: source, options: options, delays: delayPolicy,
      loopCount: loopCount, transform: transform, after: nil)
  }

  /// - Parameters:
  ///   - source: Where the file is, if its bytes may be asked for.
  ///   - earlier: The same file when less of it was there. Its canvas goes over to this one.
  ///   - frames: Those that are known to be there, with the first one, or nil to look.
  init(
    _ decoder: ImageDecoder, of source: ByteSource? = nil, options: DecodeOptions, delays delayPolicy: DelayPolicy,
    loopCount: LoopCount?, transform: FrameTransform? = nil, after earlier: AnimatedImage?,
    frames: (known: KnownFrames, poster: Frame?)? = nil
  ) throws(CoderError) {
    let known: KnownFrames
    if let frames {
      known = frames.known
    } else {
      known = try KnownFrames(decoder, firstFrameOnly: options.firstFrameOnly)
    }
    file = source.map { ($0, options.limits) }
    self.delayPolicy = delayPolicy
    self.loopCount = loopCount ?? decoder.loopCount
    reusesMemory = options.pool == nil
    header = decoder.header
    coderID = decoder.coderID
    noPoster = try PixelBuffer(copying: [0, 0, 0, 0], size: Size(width: 1, height: 1), format: .rgba8)
    let first: Frame
    if let poster = frames?.poster { first = poster } else { first = try decoder.lentFrame(at: 0) }
    size = first.pixels.size
    frameByteCount = first.pixels.byteCount
    memory = try DecodingMemory(decoder, known, frameBytes: frameByteCount)
    self.known = Lock(known)
    // The next frame may never be asked for.
    decoder.forgetCanvas(keeping: earlier == nil ? nil : .least)
    earlier?.decoder.withLock { decoder.takeCanvas(from: $0.decoder) }
    self.decoder = Lock(SerialDecoder(decoder: decoder))
    state = Lock(Kept(poster: first, transform: transform))
  }

  /// How long a frame is shown, after ``delayPolicy``. A frame that there is not has no delay.
  public func delay(at index: Int) -> FrameDelay { known.withLock { $0.delay(at: index, delayPolicy) } }

  /// Whether a frame can be decoded without those before it.
  public func isKeyFrame(at index: Int) -> Bool {
    known.withLock { $0.entries.indices.contains(index) && $0.entries[index].isAlone }
  }

  /// The bytes of all frames that are known if they are kept: what ``preload()`` needs.
  public var memorySize: Int {
    let (bytes, overflow) = frameByteCount.multipliedReportingOverflow(by: frameCount)
    return overflow ? .max : bytes
  }

  /// The bytes of the frames that are kept now, besides the ``poster``.
  public var keptByteCount: Int {
    state.withLock { kept in
      kept.frames.values.reduce(0) { $0 + ($1.pixels === kept.poster?.pixels ? 0 : $1.pixels.byteCount) }
    }
  }

  /// What is done to each frame, or nil.
  ///
  /// Frames that were made by another transform are kept, for the time when it is used again, until ``unload()``; unless a
  /// ``FrameBuffer`` has this image, which keeps those of the current one, within its budget.
  public var transform: FrameTransform? {
    get { state.withLock { $0.transform } }
    set {
      state.withLock { kept in
        if kept.transform?.key != newValue?.key { kept.revision += 1 }
        kept.transform = newValue
      }
    }
  }

  /// The bytes of the file as it is, to archive it or to send it on. They are read anew, since decoding keeps none of them.
  ///
  /// - Throws: ``CoderError/Code/io`` for a file that has gone, and for standard input, which is read once;
  ///   ``CoderError/Code/limitExceeded``; ``CoderError/Code/outOfMemory``.
  @available(*, noasync, message: "this blocks a thread: await image.async.fileBytes()")
  public func fileBytes() throws(CoderError) -> [UInt8] {
    guard let file else { throw .io("the file of the animation is not at hand") }
    let open = try OpenSource(file.source, limits: file.limits)
    return try ArrayMemory.copy(try open.view(at: 0, count: open.size), for: "the file")
  }

  // MARK: Memory between frames

  /// What decoding takes besides frames, in bytes.
  let memory: DecodingMemory
  var canvasByteCount: Int { memory.canvas }
  var workByteCount: Int { memory.work + (transformsFrames ? HeldMemory.bytes(frameByteCount) : 0) }
  var checkpointByteCount: Int { memory.checkpoint }
  var mixesFrames: Bool { memory.mixesFrames }
  var transformsFrames: Bool { transform != nil }
  /// Counts changes of the transform.
  var revision: Int { state.withLock { $0.revision } }

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

  var heldPoster: Frame? { state.withLock { $0.poster } }
  var releasesPoster: Bool { true }

  /// Releases the poster, or lets it be kept again once it is asked for.
  package func keepPoster(_ isKept: Bool) {
    state.withLock { kept in
      kept.keepsPoster = isKept
      if !isKept { kept.poster = nil }
    }
  }

  /// Keeps nothing but the canvas between two frames: a buffer keeps frames.
  func leaveFramesToBuffer() { leaveFramesToBuffer(keepsCanvas: false) }

  /// - Parameter keepsCanvas: Whether what is drawn already stays.
  func leaveFramesToBuffer(keepsCanvas: Bool) {
    state.withLock { kept in
      kept.isBuffered = true
      if !kept.isPreloaded { kept.frames = [:] }
    }
    decoder.withLock { serial in
      if !keepsCanvas { serial.decoder.forgetCanvas(keeping: .least) }
      if reusesMemory { serial.decoder.takeMemory(from: spares) }
    }
  }

  /// What is known of the frames.
  var knownFrames: KnownFrames {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  /// Looks how many frames of a file have pixels, which may end too early.
  ///
  /// - Returns: Their number, and why others are missing or the last one is not whole.
  func framesThatAreThere() -> (count: Int, problem: CoderError?) {
    let count = frameCount
    guard let missing = decoder.withLock({ $0.decoder.missingFrames }), count > 1 else {
      return (count, heldPoster?.problem)
    }
    let last = Result { () throws(CoderError) in try frame(at: count - 1) }
    switch last {
    case .success(let frame): return (count, frame.problem ?? missing)
    case .failure(let error): return (count - 1, error)
    }
  }

  // MARK: Frames

  /// A frame as it is shown. Its pixels may be those of other callers, too: copy them before writing.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not; ``CoderError``, if not a single row can
  ///   be decoded. Otherwise ``Frame/problem`` says why rows are missing.
  @available(*, noasync, message: "this blocks a thread: await image.async.frame(at:)")
  public func frame(at index: Int) throws(CoderError) -> Frame {
    if let frame = try keptFrame(at: index) { return frame }
    return try withDecoder { (decoder) throws(CoderError) in
      // Another thread may have made it meanwhile.
      if let frame = kept(index) { return frame }
      return try make(index, with: decoder)
    }
  }

  /// Describes all frames of a file that does not count them, which may read the whole file. A player that begins with the last
  /// frame needs that.
  ///
  /// - Throws: ``CoderError/Code/cancelled``.
  @available(*, noasync, message: "this blocks a thread: await image.async.countFrames()")
  public func countFrames() throws(CoderError) {
    guard !isComplete else { return }
    try withDecoder { (decoder) throws(CoderError) in
      while !isComplete { try describe(frameCount, with: decoder) }
    }
  }

  /// Looks whether there is a frame, unless that is known.
  private func describe(_ index: Int, with decoder: ImageDecoder) throws(CoderError) {
    while !isComplete, frameCount <= index {
      // The lock is not held meanwhile: delays are never waited for.
      let entry = Result { () throws(CoderError) in try KnownFrames.Entry(frameCount, of: decoder) }
      if case .failure(let error) = entry, error.code == .cancelled { throw error }
      known.withLock { $0.append(entry) }
    }
  }

  /// The frame for the current transform, if it is kept.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that there is not.
  func keptFrame(at index: Int) throws(CoderError) -> Frame? {
    let count = frameCount
    guard index >= 0, index < count else { throw .noFrame(index, of: count) }
    return kept(index)
  }

  /// Decodes all frames and keeps them, on the calling thread.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` if they need more memory than the options allow; what a frame cannot be
  ///   decoded for. Those before it are kept.
  @available(*, noasync, message: "this blocks a thread: await image.async.preload()")
  public func preload() throws(CoderError) {
    try withDecoder { (decoder) throws(CoderError) in
      try decoder.check(memory: memorySize)
      state.withLock { $0.isPreloaded = true }
      var index = 0
      while index < frameCount {
        if !isComplete { try decoder.check(memory: memorySize) }
        if kept(index) == nil { _ = try make(index, with: decoder) }
        index += 1
      }
    }
  }

  /// Whether all frames are kept: no frame has to be waited for.
  public var isPreloaded: Bool { isComplete && (0..<frameCount).allSatisfy { kept($0) != nil } }

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
      if kept.transform == nil, index == 0, let poster = kept.poster { return poster }
      return kept.frames[Kept.Key(transform: kept.transform?.key, index: index)]
    }
  }

  /// Decodes a frame and transforms it. What a transform has made is kept, unless a buffer does that; other frames are if all
  /// are.
  private func make(_ index: Int, with decoder: ImageDecoder) throws(CoderError) -> Frame {
    let transform = transform
    // The next frame becomes known, also if this one cannot be decoded.
    try describe(index + 1, with: decoder)
    var frame: Frame
    if index == 0, let poster = heldPoster { frame = poster } else { frame = try decoded(index, with: decoder) }
    if let transform { frame.pixels = try transform.apply(frame.pixels, index) }
    state.withLock { kept in
      if transform != nil && !kept.isBuffered || kept.isPreloaded {
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
