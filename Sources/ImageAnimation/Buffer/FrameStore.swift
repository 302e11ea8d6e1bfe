// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
package import ImageCoderModel
import ImageMemory

/// The frames of one source that a buffer holds, for all of its players.
struct FrameStore {
  /// A task that waits for a frame.
  struct Waiter: Sendable {
    /// Less for one that began to wait earlier.
    let ticket: Int
    let task: CheckedContinuation<SuppliedFrame, Never>
  }

  let source: any FrameSource
  /// The bytes of one frame: what the source says, or the most that one has had.
  private(set) var cost = 0
  /// What the source's poster holds, or 0 once that is released.
  private(set) var posterBytes = 0
  /// Which transform of the source's has made the frames; see ``BufferableSource/revision``.
  private(set) var revision = 0
  /// Whether ``cost`` has grown, and the shares are as before.
  private var isDearer = false
  /// What it holds between two frames while it is decoded, besides a canvas that is a frame.
  private(set) var canvasBytes = 0
  /// What a decode needs besides the frame.
  private(set) var workBytes = 0
  /// What a canvas takes that is kept for playing backwards and for jumps, or 0 if none can be.
  private(set) var checkpointBytes = 0
  /// Whether the canvas is in use beside a frame that is decoded without it.
  private var mixesFrames = false
  let reusesMemory: Bool
  private var posterAddress: UInt?

  var players: Set<Int> = []
  var frames: [Int: Frame] = [:]
  var waiters: [Int: [Waiter]] = [:]
  /// The frame that is being decoded.
  var running: Int?
  /// Whether the source was complete when it was looked at.
  private(set) var isComplete: Bool
  /// Whether a thread uses the source. A frame that is decoded belongs to its thread until it is delivered.
  var isBusy = false
  /// Whether there is memory to decode; otherwise the poster is all there is.
  var isAdmitted = false
  /// Whether it decodes with as little as can be: without a poster, and with room for a next frame that all such stores share.
  var isLean = false
  /// Whether the source may hold its canvas: from the admission on, until it has released it.
  var holdsCanvas = false
  /// What the source may keep for the next frames; as much is counted.
  var kept = KeptMemory()
  /// The address of the canvas, if it may be that of a frame.
  var lentCanvas: UInt?
  /// What its frames and its canvas may hold, in bytes.
  var share = 0
  /// The time that a decode takes, in attoseconds: its mean and its deviation, each a moving average.
  var decodeTime: (mean: Int128, deviation: Int128) = (0, 0)

  init(_ source: any FrameSource) {
    self.source = source
    isComplete = source.isComplete
    reusesMemory = (source as? any BufferableSource)?.reusesMemory ?? false
    learn()
  }

  /// Asks the source what its frames need.
  private mutating func learn() {
    cost = HeldMemory.bytes(source.frameByteCount)
    guard let bufferable = source as? any BufferableSource else { return }
    let poster = bufferable.heldPoster
    (posterBytes, posterAddress) = (poster == nil ? 0 : cost, poster.map { UInt(bitPattern: $0.pixels.base) })
    (canvasBytes, workBytes) = (bufferable.canvasByteCount, bufferable.workByteCount)
    checkpointBytes = bufferable.checkpointByteCount
    (mixesFrames, revision) = (bufferable.mixesFrames, bufferable.revision)
  }

  /// What its players need in any case: the canvas, a frame for each player, and the one that comes next unless it is lean.
  func floor(isLean: Bool) -> Int {
    let others = (isLean ? 0 : 1) + (mixesFrames || transformsFrames ? 1 : 0)
    return canvasBytes + (players.count + others) * cost
  }

  /// What stores that decode share besides their floors: the work of each thread, or of lean ones a next frame and its work.
  func work(isLean: Bool, threads: Int) -> Int { isLean ? cost + workBytes : threads * workBytes }

  /// What comes free when the poster is released, which is decoded anew then when it is shown.
  var posterToRelease: Int {
    (source as? any BufferableSource).map { $0.releasesPoster ? posterBytes : 0 } ?? 0
  }

  mutating func releasePoster() {
    (source as? any BufferableSource)?.keepPoster(false)
    (posterBytes, posterAddress) = (0, nil)
  }

  /// The frames of a source that grows for which memory is asked for: no more are decoded ahead.
  private static let framesOfGrowing = 8

  /// What all frames need, or of a source that grows those that come next.
  var want: Int {
    let frames = isComplete ? source.frameCount : Self.framesOfGrowing
    let count = max(frames, players.count + 1) + (mixesFrames ? 1 : 0)
    let (bytes, overflow) = count.multipliedReportingOverflow(by: cost)
    return overflow ? .max / 2 : canvasBytes + min(bytes, .max / 4)
  }

  /// Whether there is memory for all frames.
  var keepsAll: Bool { (isComplete || cost == 0) && want <= share }

  /// Looks whether a source that grew is complete now.
  ///
  /// - Returns: Whether it was not before.
  mutating func noteEnd() -> Bool {
    guard !isComplete, source.isComplete else { return false }
    isComplete = true
    return true
  }

  /// What it holds now besides the poster.
  var held: Int {
    let base = (holdsCanvas ? canvasBytes : 0) + bytes(of: kept)
    // The first frame may be the poster, which is counted already.
    let count = frames.values.count { UInt(bitPattern: $0.pixels.base) != posterAddress }
    return base + (count + (running == nil ? 0 : 1) + (hasCanvasAlone ? 1 : 0)) * cost
  }

  /// All that it holds.
  var total: Int { held + posterBytes }

  func bytes(of memory: KeptMemory) -> Int { memory.checkpoints * checkpointBytes + (memory.sparesFrame ? cost : 0) }

  /// What one more frame takes besides ``workBytes``.
  var nextCost: Int { hasCanvasAlone && !mixesFrames && !transformsFrames ? 0 : cost }

  /// Whether a frame has memory of its own, besides the canvas that it was drawn on.
  private var transformsFrames: Bool { (source as? any BufferableSource)?.transformsFrames ?? false }

  /// Whether the source has another transform than the one that has made the frames, or has its first frame now.
  var isOutdated: Bool {
    guard let bufferable = source as? any BufferableSource else { return false }
    return bufferable.revision != revision || cost == 0 && bufferable.frameByteCount > 0
  }

  mutating func followSource() {
    learn()
    frames = [:]
  }

  /// Takes note of what a frame holds: a transform may have made it larger. A source says 0 of views of what is there anyway.
  mutating func note(_ frame: Frame) {
    let bytes = HeldMemory.bytes(frame.pixels.byteCount)
    guard cost > 0, bytes > cost else { return }
    (cost, isDearer) = (bytes, true)
  }

  /// - Returns: Whether ``cost`` has grown since the last call.
  mutating func takeGrowth() -> Bool {
    defer { isDearer = false }
    return isDearer
  }

  /// Whether the canvas is no frame that is held, and none that is being drawn on it.
  var hasCanvasAlone: Bool {
    guard let lentCanvas, running == nil || mixesFrames else { return false }
    return !frames.values.contains { UInt(bitPattern: $0.pixels.base) == lentCanvas }
  }

  /// The frame that has been waited for longest, or nil.
  var waitedFor: Int? {
    waiters.min { ($0.value.first?.ticket ?? .max) < ($1.value.first?.ticket ?? .max) }?.key
  }

  /// Notes how long a decode took.
  mutating func note(_ time: Duration) {
    let value = time.attoseconds
    let error = value - decodeTime.mean
    decodeTime.mean += error / 8
    decodeTime.deviation += (abs(error) - decodeTime.deviation) / 4
  }

  /// How many frames are to be ready before the one that is shown ends, if frames are shown for `delay` at least.
  func framesAhead(_ delay: Duration) -> Int {
    let shortest = max(delay.attoseconds, 1)
    guard decodeTime.mean < shortest else { return 2 }
    let needed = (decodeTime.mean + 4 * decodeTime.deviation + shortest - 1) / shortest + 1
    return Int(min(max(needed, 2), 8))
  }
}

/// A frame from a buffer.
package struct SuppliedFrame: Sendable {
  package let result: Result<Frame, CoderError>
  /// Whether it is the poster, since there is no memory for more.
  package let isStarved: Bool

  /// What a task gets that is cancelled while it waits.
  static var cancelled: SuppliedFrame { SuppliedFrame(result: .failure(.cancelled), isStarved: false) }
}
