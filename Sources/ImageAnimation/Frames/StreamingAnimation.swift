// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// An animation whose bytes are still arriving. It has the frames whose every row is there, and can be played meanwhile.
///
///     let animation = StreamingAnimation()
///     let playing = Task { for try await shown in animation.playback() { show(shown.frame.pixels) } }
///     for try await chunk in response.body { try animation.append(chunk) }
///     try animation.finish()
///
/// All frames are kept, since an incremental decoder reads the bytes once.
///
/// - Threads: May be used from any thread. One thread at a time appends.
public final class StreamingAnimation: FrameSource {
  /// What is done with short delays.
  public let delayPolicy: DelayPolicy

  private let decoder: Lock<SerialDecoder>
  private let state: Lock<State>
  private let override: LoopCount?

  /// The decoder, which one thread at a time uses.
  private struct SerialDecoder: @unchecked Sendable {
    // Unchecked: it is only reached through the lock around it.
    let decoder: IncrementalDecoder
  }

  private struct State {
    var frames: [Frame] = []
    var loopCount = LoopCount.infinite
    var size = Size(width: 0, height: 0)
    var isComplete = false
    var problem: CoderError?
    var listeners: [Int: @Sendable () -> Void] = [:]
    var nextListener = 0
  }

  /// Begins without a byte.
  ///
  /// - Parameters:
  ///   - options: How frames are decoded.
  ///   - delayPolicy: What is done with short delays; by default what browsers do.
  ///   - loopCount: Overrides what the file states, or nil.
  ///   - registry: The coders that decode.
  public init(
    options: DecodeOptions = DecodeOptions(), delays delayPolicy: DelayPolicy = .browser,
    loopCount: LoopCount? = nil, registry: CoderRegistry = .standard
  ) {
    self.delayPolicy = delayPolicy
    override = loopCount
    decoder = Lock(SerialDecoder(decoder: registry.makeIncrementalDecoder(options: options)))
    state = Lock(State(loopCount: loopCount ?? .infinite))
  }

  // MARK: Bytes

  /// Appends the next bytes of the file, and decodes what they complete.
  ///
  /// - Throws: ``CoderError``, when the image ends with an error. The frames before it stay, and are complete now.
  public func append(_ chunk: some Collection<UInt8>) throws(CoderError) {
    let bytes = Array(chunk)
    try change { (decoder) throws(CoderError) in
      try decoder.append(bytes)
      guard decoder.progress.framesComplete > frameCount else { return nil }
      // The picture in progress is not one of the frames.
      guard let image = try decoder.picture() else { return nil }
      return (image, decoder.progress.framesComplete)
    }
  }

  /// Ends the input: the frames that are there now are all.
  ///
  /// - Throws: ``CoderError``, if not a single row can be decoded. Bytes that end too early are a ``problem``.
  public func finish() throws(CoderError) {
    try change(isLast: true) { (decoder) throws(CoderError) in
      let image = try decoder.finish()
      return (image, image.frames.count)
    }
  }

  private func change(
    isLast: Bool = false, _ body: (IncrementalDecoder) throws(CoderError) -> (image: Image, complete: Int)?
  ) throws(CoderError) {
    let result = decoder.withLock { serial in Result { () throws(CoderError) in try body(serial.decoder) } }
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      switch result {
      case .success(let shown?):
        state.loopCount = override ?? shown.image.loopCount
        state.frames += shown.image.frames.prefix(shown.complete).dropFirst(state.frames.count)
        if let first = state.frames.first { state.size = first.pixels.size }
        state.problem = shown.image.problem
        state.isComplete = isLast
      case .success(nil): return []
      case .failure(let error):
        state.problem = error
        state.isComplete = true
      }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
    _ = try result.get()
  }

  /// Calls `tell` whenever frames have arrived.
  ///
  /// - Returns: Ends that.
  func onGrowth(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = tell
      return state.nextListener
    }
    return { [self] in state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
  }

  // MARK: Frames

  /// The size of the frames, in pixels, or 0×0 before the first one.
  public var size: Size { state.withLock { $0.size } }

  /// The number of frames whose every row is there.
  public var frameCount: Int { state.withLock { $0.frames.count } }

  /// Whether the input has ended, by ``finish()`` or by an error.
  public var isComplete: Bool { state.withLock { $0.isComplete } }

  /// The total number of times that the animation plays: the caller's, or what the file states so far.
  public var loopCount: LoopCount { state.withLock { $0.loopCount } }

  /// 0: all frames that there are are kept.
  public var frameByteCount: Int { 0 }

  /// Why frames are missing, or nil.
  public var problem: CoderError? { state.withLock { $0.problem } }

  /// How long a frame is shown, after ``delayPolicy``. A frame that is not there has no delay.
  public func delay(at index: Int) -> FrameDelay {
    state.withLock { state in
      state.frames.indices.contains(index) ? state.frames[index].delay.clamped(by: delayPolicy) : .zero
    }
  }

  /// A frame that is there.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for one that is not.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    let (frame, count) = state.withLock { state in
      (state.frames.indices.contains(index) ? state.frames[index] : nil, state.frames.count)
    }
    guard let frame else { throw .noFrame(index, of: count) }
    return frame
  }
}
