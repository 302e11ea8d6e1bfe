// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// The state of an incremental decode, like ImageIO's `CGImageSourceStatus`.
public enum IncrementalStatus: UInt32, Sendable {
  /// Not enough bytes to know the format.
  case unknownType = 0
  /// The format is known, but the header is incomplete.
  case readingHeader = 1
  /// The header is known, but pixels or frames are missing.
  case incomplete = 2
  /// The image is decoded, and nothing is missing.
  case complete = 3
  /// The bytes ended too early.
  case unexpectedEnd = 4
  /// The bytes are not an image of the format.
  case invalid = 5
}

/// Decodes an image whose bytes arrive over time.
///
///     let decoder = registry.makeIncrementalDecoder()
///     for chunk in download {
///       try decoder.append(chunk)
///       if let image = try decoder.picture() { show(image) }
///     }
///     let image = try decoder.finish()
///
/// The reader runs on a thread of the library and sleeps while it waits for a missing byte, so it works exactly as with a
/// complete file, and the final picture is the same; `append` returns when the reader sleeps again. Every byte is
/// decoded only once, as long as no more than eight files, or as many as there are processors, arrive at the same time.
/// Of more than these, those that wait longest give their thread away: they keep their bytes and what was shown, and are
/// decoded anew when twice as many bytes are there, or all. A coder that does not support incremental reading gets its
/// bytes when all have arrived; its header is reported as soon as enough of the file is known.
///
/// - Threads: One at a time. ``DecodeOptions/cancellation`` stops it from any thread: the current call returns within
///   50 ms, even if a library is in the middle of a picture. That work ends in the background as soon as the library
///   allows it; with ``DecodeOptions/destination``, which has to stay valid, the call waits for it.
public final class IncrementalDecoder {
  /// Opens what arrives, on the reading thread, and decodes all of it.
  package typealias Body = (_ context: DecodeContext) throws(CoderError) -> Image
  /// Says how many bytes it takes to choose a coder, or nil when these are enough.
  package typealias Choice = (_ prefix: OpenSource) throws(CoderError) -> Int?

  private let bytes: IncrementalBytes
  private var image = IncrementalImage()
  /// What was shown when the reader gave its thread away, until its successor has come as far.
  private var earlier: IncrementalImage?
  private let options: DecodeOptions
  private let body: Body
  private let choice: Choice
  /// The first bytes that are each looked at: any of them may be the one that decides.
  private static let closelyChosen = 32
  /// Bytes at which a coder can be chosen, as far as is known.
  private var neededToChoose = 1
  private var isReading = false
  private var isFinished = false
  private var ending = Ending()
  private var outcome: Result<Image, CoderError>? { bytes.isReaderAbandoned ? .failure(.cancelled) : ending.outcome }
  /// The error that the image ends with, without a look at the image.
  private var failure: CoderError? { bytes.isReaderAbandoned ? .cancelled : ending.failure }

  /// What the reading thread leaves. An object of its own: the thread may be the last to release it.
  private final class Ending: @unchecked Sendable {
    // Unchecked: it is looked at after the thread has ended.
    var outcome: Result<Image, CoderError>? {
      didSet { if case .failure(let error) = outcome { failure = error } }
    }
    private(set) var failure: CoderError?
  }

  /// - Parameters:
  ///   - choice: Asked until it says that the bytes are enough.
  ///   - body: Runs on the reading thread as soon as they are.
  package init(options: DecodeOptions, choice: @escaping Choice, body: @escaping Body) {
    bytes = IncrementalBytes(limit: options.limits.maxMemory)
    self.options = options
    self.choice = choice
    self.body = body
  }

  deinit { bytes.stop() }

  /// The state after the bytes that were appended so far.
  public var status: IncrementalStatus {
    look { () -> IncrementalStatus in
      switch outcome {
      case .success(let image): return image.problem == nil ? .complete : .unexpectedEnd
      case .failure(let error): return error.code == .truncated ? .unexpectedEnd : .invalid
      case nil: break
      }
      if shown.header != nil { return .incomplete }
      return isReading ? .readingHeader : .unknownType
    }
  }

  /// The header, as soon as its bytes have arrived. The number of frames of an animation grows.
  public var header: ImageHeader? { look { currentHeader } }

  /// The identifier of the coder that reads the file, once the header is known.
  public var coderID: String? { look { bytes.isReaderAbandoned ? nil : shown.coderID } }

  /// How much of the image has been decoded.
  public var progress: IncrementalProgress {
    look(draws: true) { () -> IncrementalProgress in
      guard !bytes.isReaderAbandoned else {
        return IncrementalProgress(framesComplete: 0, finalRows: 0, pass: 0, quality: 0)
      }
      var progress = shown.progress
      if bytes.isOver, failure == nil { progress.quality = 1 }
      return progress
    }
  }

  private var currentHeader: ImageHeader? {
    guard !bytes.isReaderAbandoned, var header = shown.header else { return nil }
    if header.isIncomplete { header.frameCount = max(header.frameCount, shown.frames.count) }
    return header
  }

  /// What is shown now.
  private var shown: IncrementalImage {
    guard let earlier else { return image }
    let (before, now) = (earlier.progress, image.progress)
    let isAhead = (before.framesComplete, before.quality) > (now.framesComplete, now.quality)
    // Where the new reader has come as far, the old picture is not needed any more.
    if !isAhead, image.header != nil { self.earlier = nil }
    return isAhead || image.header == nil ? earlier : image
  }

  /// Looks at what the reader has made of all bytes, while it sleeps.
  ///
  /// - Parameter draws: Whether coarse passes are looked at, too.
  private func look<Result, Failure: Error>(
    draws: Bool = false, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    bytes.deliver()
    return try bytes.hold { () throws(Failure) in
      if draws { bytes.drawPass() }
      noticeLeave()
      return try body()
    }
  }

  /// Takes note that the reader has given its thread away.
  private func noticeLeave() {
    guard isReading, bytes.hasLeft else { return }
    isReading = false
    // Decoding anew costs as much as all before it.
    neededToChoose = max(neededToChoose, bytes.count * 2)
    earlier = shown
    image = IncrementalImage()
    ending = Ending()
  }

  /// Appends the next bytes of the file.
  ///
  /// Small chunks are buffered before the reader is woken, unless the header, the progress or the picture is requested.
  /// So an error may be thrown by a later call than the one that appended the bytes that cause it.
  ///
  /// - Throws: ``CoderError/Code/outOfOrder`` after ``finish()``; ``CoderError/Code/limitExceeded``; the error that
  ///   ends the image, as soon as it is known.
  public func append(_ chunk: RawSpan) throws(CoderError) {
    try chunk.withUnsafeBytes { (bytes) throws(CoderError) in try append(bytes) }
  }

  /// Appends the next bytes of the file, of any kind of collection.
  ///
  /// - Throws: As for `append` with a span.
  public func append(_ chunk: some Collection<UInt8>) throws(CoderError) {
    let appended: Result<Void, CoderError>? = chunk.withContiguousStorageIfAvailable { bytes in
      Result { () throws(CoderError) in try append(UnsafeRawBufferPointer(bytes)) }
    }
    guard let appended else { return try append(Array(chunk)) }
    try appended.get()
  }

  package func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    if !bytes.appendWithoutWaking(chunk) { try appendAndRead(chunk) }
  }

  @inline(never)
  private func appendAndRead(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard !isFinished else { throw .outOfOrder("bytes after the end") }
    try bytes.hold { () throws(CoderError) in
      noticeLeave()
      if let failure { throw failure }
      // A reader that waits for bytes does not see that nobody wants them any more.
      if isReading, options.cancellation?.isCancelled == true { bytes.stop() }
      do throws(CoderError) { try bytes.append(chunk) } catch {
        throw error.annotated(setBy: options.restrictions.setter(of: error))
      }
      noticeLeave()
      if !isReading, bytes.count >= neededToChoose { try choose() }
      if let failure { throw failure }
      if !bytes.buffersChunks, shown.header != nil { bytes.buffersChunks = true }
    }
  }

  /// The image so far: all complete frames, and the decoded rows of the next one. Missing rows are transparent.
  ///
  /// - Parameter blur: For a frame with only coarse passes so far: the blur radius at quality 0, as a share of the
  ///   longer side. See ``PartialPicturePolicy/blur``.
  /// - Returns: The image so far, or nil before the first row. After ``finish()``, the final image.
  public func picture(blur: Double = 0) throws(CoderError) -> Image? {
    try look(draws: true) { () throws(CoderError) in
      if case .success(let image) = outcome { return image }
      guard !bytes.isReaderAbandoned else { return nil }
      let image = shown
      var frames = image.frames
      if outcome == nil, var partial = try image.partialFrame() {
        if blur > 0, image.header?.isProgressive ?? false {
          let side = Double(max(partial.size.width, partial.size.height))
          partial = try partial.blurred(radius: Int((side * min(blur, 1) * (1 - image.progress.quality)).rounded()))
        }
        frames.append(Frame(pixels: partial))
      }
      guard !frames.isEmpty else { return nil }
      var shown = Image(frames: frames, loopCount: image.loopCount)
      shown.header = currentHeader
      shown.coderID = image.coderID
      return shown
    }
  }

  /// Ends the input and returns the image.
  ///
  /// - Returns: The image, with ``Image/problem`` if the bytes ended too early.
  /// - Throws: ``CoderError``, if not a single row can be decoded; every later call throws the same error.
  public func finish() throws(CoderError) -> Image {
    if !isFinished {
      isFinished = true
      try bytes.hold { () throws(CoderError) in
        bytes.finish()
        noticeLeave()
        if !isReading { try read() }
      }
      earlier = nil
    }
    guard let outcome else { throw .libraryFailure("the reader ended without an answer") }
    return try outcome.get()
  }

  // MARK: The bytes

  /// How many bytes have arrived.
  package var byteCount: Int { bytes.count }

  /// A copy of bytes that have arrived.
  package func copyBytes(_ range: Range<Int>) -> [UInt8] { [UInt8](bytes.bytes[range]) }

  /// All bytes as a source, without a copy. To be called after ``finish()``.
  package var wholeSource: ByteSource { .unowned(bytes.bytes, owner: bytes) }

  /// Asks whether the bytes are enough to choose a coder, and starts the reader when they are.
  private func choose() throws(CoderError) {
    if let needed = try choice(OpenSource(bytes)) {
      // A coder that wants many bytes may be ruled out by few.
      neededToChoose = bytes.count < Self.closelyChosen ? bytes.count + 1 : max(needed, bytes.count + 1)
    } else {
      try read()
    }
  }

  /// Starts the reading thread.
  private func read() throws(CoderError) {
    var context = DecodeContext(OpenSource(bytes), options: options)
    context.incremental = image
    // The reader uses both until it ends; this thread does not look at them again.
    nonisolated(unsafe) let (opened, body) = (context, body)
    let (ending, image) = (ending, image)
    // A caller that lends memory for the result has to know when it is not written any more.
    let cancellation = options.destination == nil ? options.cancellation : nil
    isReading = try bytes.start(cancellation) {
      image.keep()
    } _: {
      ending.outcome = Result { () throws(CoderError) in try body(opened) }
    }
    // All threads are taken: some more bytes, and it is tried again.
    if !isReading { neededToChoose = bytes.count + max(4 << 10, bytes.count / 8) }
    // Somebody else may have asked for the thread as soon as the reader slept.
    noticeLeave()
  }
}
