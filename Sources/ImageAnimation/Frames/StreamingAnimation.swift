// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel
import ImageMemory

/// An animation whose bytes are still arriving. It has the frames whose every row is there, and can be played meanwhile.
///
///     let animation = StreamingAnimation()
///     async let all: Void = animation.feed(response.body)
///     for await shown in Playback(animation) { show(shown.frame.pixels) }
///     try await all
///
/// The bytes of the file are kept, and the first frame; other frames are decoded when they are asked for, as those of an
/// ``AnimatedImage``. What a ``FrameBuffer`` keeps of them is within its budget.
///
/// - Threads: May be used from any thread. One thread at a time appends.
public final class StreamingAnimation: FrameSource {
  /// What is done with short delays.
  public let delayPolicy: DelayPolicy

  private let options: DecodeOptions
  private let registry: CoderRegistry
  private let override: LoopCount?
  private let arriving = ArrivingFrames()
  private let decoder: Lock<SerialDecoder>
  /// The file as far as it is there.
  private let opened = Lock(Opened())
  private let listeners = Lock<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

  /// The decoder, which one thread at a time uses.
  private struct SerialDecoder: @unchecked Sendable {
    // Unchecked: it is only reached through the lock around it.
    let decoder: IncrementalDecoder
  }

  fileprivate struct Opened {
    var image: AnimatedImage?
    /// Whether that one goes on with bytes that have come since.
    var goesOn = false
    var kept: KeptMemory?
    var isBuffered = false
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
    self.options = options
    self.registry = registry
    override = loopCount
    decoder = Lock(
      SerialDecoder(
        decoder: registry.makeIncrementalDecoder(options: options) { [arriving] (decoder) throws(CoderError) in
          try arriving.read(decoder, firstFrameOnly: options.firstFrameOnly)
        }))
  }

  // MARK: Bytes

  /// Appends the next bytes of the file, and looks at what they complete.
  ///
  /// - Throws: ``CoderError``, when the image ends with an error. The frames before it stay, and are complete now.
  public func append(_ chunk: some Collection<UInt8>) throws(CoderError) {
    let bytes = Array(chunk)
    let before = frameCount
    let result = decoder.withLock { serial in
      Result { () throws(CoderError) in
        try serial.decoder.append(bytes)
        // Chunks that are small wait until somebody looks.
        _ = serial.decoder.header
      }
    }
    if case .failure(let error) = result { end(error) }
    if frameCount != before || isComplete { tellGrowth() }
    try result.get()
  }

  /// Appends the bytes of the file as they arrive, to its end, on threads of the library.
  ///
  /// - Throws: What the chunks throw; ``CoderError``, as `append` and ``finish()``. The frames that are there then are all.
  public func feed<Chunks: AsyncSequence>(_ chunks: Chunks) async throws where Chunks.Element: Collection<UInt8> {
    do {
      for try await chunk in chunks {
        let bytes = Array(chunk)
        try await WorkQueue.shared.run { [self] in try append(bytes) }
      }
      try await WorkQueue.shared.run { [self] in try finish() }
    } catch {
      end(error as? CoderError ?? .io("the bytes of the animation ended: \(error)"))
      tellGrowth()
      throw error
    }
  }

  /// Ends the input: the frames that are there now are all.
  ///
  /// - Throws: ``CoderError``, if not a single row can be decoded. Bytes that end too early are a ``problem``.
  public func finish() throws(CoderError) {
    let result = Result { () throws(CoderError) in try openWhole() }
    if case .failure(let error) = result { end(error) }
    tellGrowth()
    try result.get()
  }

  private func openWhole() throws(CoderError) {
    let source = try decoder.withLock { serial in
      Result { () throws(CoderError) in
        _ = try serial.decoder.finish()
        return serial.decoder.wholeSource
      }
    }.get()
    let image = try opened.withLock { opened in
      Result { () throws(CoderError) in
        let (ready, poster) = arriving.state.withLock { ($0.known.first($0.readyCount), $0.poster) }
        var options = options
        if ready.count > 1 { options.zeroDelayFrames = .separate }
        let decoder = try registry.open(source, options: options)
        let known = try KnownFrames(decoder, firstFrameOnly: options.firstFrameOnly)
        let image = try AnimatedImage(
          decoder, of: source, options: options, delays: delayPolicy, loopCount: override, after: opened.image,
          frames: (known.count < ready.count ? ready : known, poster))
        opened.take(image, goesOn: false)
        return image
      }
    }.get()
    let (count, problem) = image.framesThatAreThere()
    arriving.state.withLock { state in
      if state.poster == nil { state.poster = image.poster }
      state.known = image.knownFrames.first(max(count, state.readyCount))
      state.readyCount = state.known.count
      (state.loopCount, state.memory, state.problem) = (image.loopCount, image.memory, problem)
      state.isComplete = true
    }
  }

  /// What is there is all.
  private func end(_ error: CoderError) {
    arriving.state.withLock { state in
      guard !state.isComplete else { return }
      (state.problem, state.isComplete) = (error, true)
      state.known = state.known.first(state.readyCount)
    }
  }

  /// Calls `tell` whenever frames have arrived.
  ///
  /// - Returns: Ends that.
  func onGrowth(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = tell
      return listeners.next
    }
    return { [self] in listeners.withLock { _ = $0.all.removeValue(forKey: number) } }
  }

  private func tellGrowth() {
    for listener in listeners.withLock({ Array($0.all.values) }) { listener() }
  }

  // MARK: Frames

  /// The size of the first frame, in pixels, or 0×0 before it is there.
  public var size: Size { arriving.state.withLock { $0.poster?.pixels.size ?? Size(width: 0, height: 0) } }

  /// The number of frames whose every row is there.
  public var frameCount: Int { arriving.state.withLock { $0.readyCount } }

  /// Whether the input has ended, by ``finish()`` or by an error.
  public var isComplete: Bool { arriving.state.withLock { $0.isComplete } }

  /// The total number of times that the animation plays: the caller's, or what the file states so far.
  public var loopCount: LoopCount { override ?? arriving.state.withLock { $0.loopCount } }

  /// The bytes of one frame's pixels, or 0 before the first one is there.
  public var frameByteCount: Int { arriving.state.withLock { $0.poster?.pixels.byteCount ?? 0 } }

  /// Why frames are missing, or nil.
  public var problem: CoderError? { arriving.state.withLock { $0.problem } }

  /// How long a frame is shown, after ``delayPolicy``. A frame that is not there has no delay.
  public func delay(at index: Int) -> FrameDelay {
    arriving.state.withLock { $0.readyCount > index ? $0.known.delay(at: index, delayPolicy) : .zero }
  }

  /// Whether a frame can be decoded without those before it.
  public func isKeyFrame(at index: Int) -> Bool {
    arriving.state.withLock { $0.known.entries.indices.contains(index) && $0.known.entries[index].isAlone }
  }

  /// A frame that is there, decoded now unless it is the first one.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for one that is not; ``CoderError``, if not a single row can be decoded.
  public func frame(at index: Int) throws(CoderError) -> Frame {
    let (poster, count) = arriving.state.withLock { ($0.poster, $0.readyCount) }
    guard index >= 0, index < count else { throw .noFrame(index, of: count) }
    if index == 0, let poster { return poster }
    let image = try image(withFrames: index + 1)
    do throws(CoderError) { return try image.frame(at: index) } catch {
      // What cannot be read without bytes that are still to come is read from those that are there.
      guard let whole = try reopened(image, error) else { throw error }
      return try whole.frame(at: index)
    }
  }

  /// The file as far as it is there, with so many frames at least.
  ///
  /// One decoder goes on where the last frame ended, so that no byte is read for each frame anew. Formats whose frames are not
  /// one after the other are opened again, as a file that ends where the bytes end now.
  private func image(withFrames count: Int) throws(CoderError) -> AnimatedImage {
    try opened.withLock { opened in
      Result { () throws(CoderError) in
        if let image = opened.image {
          if image.frameCount >= count { return image }
          if opened.goesOn {
            image.knownFrames = arriving.state.withLock { $0.known.first($0.readyCount) }
            return image
          }
        } else if arriving.state.withLock({ $0.isSequential }), options.memoryBudget == nil {
          let source = ByteSource.arriving { [weak self] in
            self?.decoder.withLock { $0.decoder.byteCount } ?? 0
          } _: { [weak self] range in
            try self?.bytes(range) ?? []
          }
          if let image = try? image(of: source, after: nil) {
            opened.take(image, goesOn: true)
            return image
          }
        }
        return try reopen(&opened)
      }
    }.get()
  }

  /// Opens the file anew if `image` goes on with what arrives, and had to end.
  private func reopened(_ image: AnimatedImage, _ error: CoderError) throws(CoderError) -> AnimatedImage? {
    guard error.code != .cancelled else { return nil }
    return try opened.withLock { opened in
      Result { () throws(CoderError) in
        guard opened.goesOn, opened.image === image else { return nil }
        return try reopen(&opened)
      }
    }.get()
  }

  private func reopen(_ opened: inout Opened) throws(CoderError) -> AnimatedImage {
    let count = decoder.withLock { $0.decoder.byteCount }
    let source = ByteSource.reading(size: count) { [weak self] range in try self?.bytes(range) ?? [] }
    let image = try image(of: source, after: opened.image)
    opened.take(image, goesOn: false)
    return image
  }

  private func bytes(_ range: Range<Int>) throws(CoderError) -> [UInt8] {
    decoder.withLock { $0.decoder.copyBytes(range) }
  }

  private func image(of source: ByteSource, after earlier: AnimatedImage?) throws(CoderError) -> AnimatedImage {
    let (known, poster) = arriving.state.withLock { ($0.known.first($0.readyCount), $0.poster) }
    var options = options
    // A file that ends in the middle of a frame has a problem, which is none as long as the rest may come.
    options.isStrict = false
    // Whether the frames are parts of a still is known at the end: some have been shown by then.
    options.zeroDelayFrames = .separate
    return try AnimatedImage(
      try registry.open(source, options: options), options: options, delays: delayPolicy,
      loopCount: override, after: earlier, frames: (known, poster))
  }
}

extension StreamingAnimation.Opened {
  /// Takes the place of a file with fewer frames.
  mutating func take(_ image: AnimatedImage, goesOn: Bool) {
    self.goesOn = goesOn
    if isBuffered { image.leaveFramesToBuffer(keepsCanvas: self.image != nil) }
    if let kept { image.keep(kept) }
    self.image = image
  }
}

// What a buffer counts.
extension StreamingAnimation: BufferableSource {
  private var memory: DecodingMemory? { arriving.state.withLock { $0.memory } }

  var heldPoster: Frame? { arriving.state.withLock { $0.poster } }
  var canvasByteCount: Int { memory?.canvas ?? 0 }
  var workByteCount: Int { memory?.work ?? 0 }
  var checkpointByteCount: Int { memory?.checkpoint ?? 0 }
  var mixesFrames: Bool { memory?.mixesFrames ?? false }
  var reusesMemory: Bool { options.pool == nil }
  var lentCanvas: UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: opened.withLock { UInt(bitPattern: $0.image?.lentCanvas) })
  }

  func keep(_ memory: KeptMemory) {
    opened.withLock { opened in
      opened.kept = memory
      opened.image?.keep(memory)
    }
  }

  func rest() { opened.withLock { $0.image?.rest() } }

  var identity: ObjectIdentifier? { ObjectIdentifier(self) }

  func leaveFramesToBuffer() {
    opened.withLock { opened in
      opened.isBuffered = true
      opened.image?.leaveFramesToBuffer(keepsCanvas: false)
    }
  }
}
