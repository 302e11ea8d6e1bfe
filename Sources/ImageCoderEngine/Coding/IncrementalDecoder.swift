// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How far an incremental decode is; the values of ImageIO's `CGImageSourceStatus`.
public enum IncrementalStatus: UInt32, Sendable {
  /// Not enough bytes to know the format.
  case unknownType = 0
  /// The format is known, the header is not there yet.
  case readingHeader = 1
  /// The header is there, pixels or frames are missing.
  case incomplete = 2
  case complete = 3
  /// The bytes ended too early.
  case unexpectedEnd = 4
  /// The bytes are not an image of the format.
  case invalid = 5
}

/// How much of an image is there.
public struct IncrementalProgress: Sendable, Equatable {
  /// Frames whose every row is final.
  public var framesComplete: Int
  /// Rows of the next frame's picture that will not change any more, from the top, before it is turned upright. 0 for
  /// pictures that come in passes, until they are complete.
  public var finalRows: Int
  /// The pass of the next frame that is being sent, from 0.
  public var pass: Int
  /// How good the next frame looks, 0 to 1: the share of its rows, or for pictures that come in passes an estimate in
  /// which the first pass counts a half, the second half of the rest, and so on. 1 when there is no frame to come.
  public var quality: Double
}

/// Decodes an image whose bytes come over time.
///
///     let decoder = registry.makeIncrementalDecoder()
///     for chunk in download {
///       try decoder.append(chunk)
///       if let image = try decoder.picture() { show(image) }
///     }
///     let image = try decoder.finish()
///
/// Every byte is looked at once. The reader runs on a thread of its own and sleeps where it needs a byte that is not
/// there, so it does what it does with a whole file, and the last picture is the same; ``append(_:)`` returns when it
/// sleeps again. A coder that cannot stop in the middle of a file gets its bytes when all are there; its header is
/// reported as soon as a part of the file is enough for it.
///
/// - Threads: One at a time. ``DecodeOptions/cancellation`` stops it from any thread: the call in progress returns within
///   50 ms, also when a library is in the middle of a picture. That work ends in the background as soon as the library
///   lets it; with ``DecodeOptions/destination``, which has to stay valid, it is waited for.
public final class IncrementalDecoder {
  /// Opens what arrives, on the reading thread, and decodes all of it.
  package typealias Body = (_ context: DecodeContext) throws(CoderError) -> Image
  /// Says how many bytes it takes to choose a coder, or nil when these are enough.
  package typealias Choice = (_ prefix: OpenSource) throws(CoderError) -> Int?

  private let bytes: IncrementalBytes
  private let image = IncrementalImage()
  private let options: DecodeOptions
  private let body: Body
  private let choice: Choice
  /// Of the first bytes each may be the one that decides.
  private static let closelyChosen = 32
  /// Bytes at which a coder can be chosen, as far as is known.
  private var neededToChoose = 1
  private var isReading = false
  private var isFinished = false
  private let ending = Ending()
  private var outcome: Result<Image, CoderError>? { bytes.isReaderAbandoned ? .failure(.cancelled) : ending.outcome }
  /// The error that the image ends with, without a look at the image.
  private var failure: CoderError? { bytes.isReaderAbandoned ? .cancelled : ending.failure }

  /// What the reading thread leaves. An object of its own: the thread may be the last to let go of it.
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

  public var status: IncrementalStatus {
    bytes.deliver()
    switch outcome {
    case .success(let image): return image.problem == nil ? .complete : .unexpectedEnd
    case .failure(let error): return error.code == .truncated ? .unexpectedEnd : .invalid
    case nil: break
    }
    if image.header != nil { return .incomplete }
    return isReading ? .readingHeader : .unknownType
  }

  /// The header, as soon as its bytes are there. The number of frames of an animation grows.
  public var header: ImageHeader? {
    bytes.deliver()
    guard !bytes.isReaderAbandoned, var header = image.header else { return nil }
    if header.isIncomplete { header.frameCount = max(header.frameCount, image.frames.count) }
    return header
  }

  /// The identifier of the coder that reads, once there is a header.
  public var coderID: String? { bytes.isReaderAbandoned ? nil : image.coderID }

  /// How much is there.
  public var progress: IncrementalProgress {
    bytes.deliver()
    guard !bytes.isReaderAbandoned else {
      return IncrementalProgress(framesComplete: 0, finalRows: 0, pass: 0, quality: 0)
    }
    var progress = image.progress
    if bytes.isOver, failure == nil { progress.quality = 1 }
    return progress
  }

  /// Hands over the next bytes.
  ///
  /// Bytes that come a few at a time are gathered until they are worth a step of the reader, or until somebody looks at
  /// what there is, so an error may be thrown by a later call than the one that brought its bytes.
  ///
  /// - Throws: ``CoderError/Code/outOfOrder`` after ``finish()``; ``CoderError/Code/limitExceeded``; the error that the
  ///   image ends with, as soon as it is known.
  public func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    if !bytes.appendWithoutWaking(chunk) { try appendAndRead(chunk) }
  }

  /// Hands over the next bytes.
  ///
  /// - Throws: As `append` of a buffer.
  public func append(_ chunk: [UInt8]) throws(CoderError) {
    try chunk.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try append(bytes) }
  }

  @inline(never)
  private func appendAndRead(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard !isFinished else { throw .outOfOrder("bytes after the end") }
    if let failure { throw failure }
    // A reader that waits for bytes does not see that nobody wants them any more.
    if isReading, options.cancellation?.isCancelled == true { bytes.stop() }
    try bytes.append(chunk)
    if !isReading, bytes.count >= neededToChoose { try choose() }
    if let failure { throw failure }
    if !bytes.buffersChunks, image.header != nil { bytes.buffersChunks = true }
  }

  /// What can be shown now: the frames that are complete, and of the next one the rows that are there. Rows that are
  /// missing are transparent.
  ///
  /// - Parameter blur: Of a frame of which only coarse passes are there: the radius at quality 0, as a share of the longer
  ///   side. See ``PartialPicturePolicy/blur``.
  /// - Returns: Nil without a row. After ``finish()``, the image.
  public func picture(blur: Double = 0) throws(CoderError) -> Image? {
    bytes.deliver()
    if case .success(let image) = outcome { return image }
    guard !bytes.isReaderAbandoned else { return nil }
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
    shown.header = header
    shown.coderID = coderID
    return shown
  }

  /// Says that no byte follows, and gives the image.
  ///
  /// - Returns: The image, with ``Image/problem`` when the bytes ended too early.
  /// - Throws: ``CoderError``, when not one row can be had; the same at every later call.
  public func finish() throws(CoderError) -> Image {
    if !isFinished {
      isFinished = true
      bytes.finish()
      if !isReading { try read() }
    }
    guard let outcome else { throw .library("the reader ended without an answer") }
    return try outcome.get()
  }

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
    isReading = true
    var context = DecodeContext(OpenSource(bytes), options: options)
    context.incremental = image
    // The reader uses both until it ends; this thread does not look at them again.
    nonisolated(unsafe) let (opened, body) = (context, body)
    let ending = ending
    // Whoever lends memory for the result has to know when it is not written any more.
    try bytes.start(options.destination == nil ? options.cancellation : nil) {
      ending.outcome = Result { () throws(CoderError) in try body(opened) }
    }
  }
}
