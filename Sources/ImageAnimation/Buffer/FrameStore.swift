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
  private(set) var cost: Int
  /// What the source holds in any case: its poster.
  let posterBytes: Int
  /// Which transform of the source's has made the frames; see ``BufferableSource/revision``.
  private(set) var revision: Int
  /// Whether ``cost`` has grown, and the shares are as before.
  private var isDearer = false
  /// What it holds between two frames while it is decoded, besides a canvas that is a frame.
  let canvasBytes: Int
  /// What a decode needs besides the frame.
  private(set) var workBytes: Int
  /// What a canvas takes that is kept for playing backwards, or 0 if none can be.
  let checkpointBytes: Int
  /// Whether the canvas is in use beside a frame that is decoded without it.
  private let mixesFrames: Bool
  let reusesMemory: Bool
  private let posterAddress: UInt?

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
    let bufferable = source as? any BufferableSource
    cost = HeldMemory.bytes(source.frameByteCount)
    posterBytes = bufferable == nil ? 0 : cost
    canvasBytes = bufferable?.canvasByteCount ?? 0
    workBytes = bufferable?.workByteCount ?? 0
    revision = bufferable?.revision ?? 0
    checkpointBytes = bufferable?.checkpointByteCount ?? 0
    mixesFrames = bufferable?.mixesFrames ?? false
    reusesMemory = bufferable?.reusesMemory ?? false
    posterAddress = bufferable.map { UInt(bitPattern: $0.poster.pixels.base) }
  }

  /// What its players need in any case: the canvas, a frame for each player, and the one that comes next.
  var floor: Int { canvasBytes + (players.count + (mixesFrames ? 2 : 1)) * cost }

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

  func bytes(of memory: KeptMemory) -> Int { memory.checkpoints * checkpointBytes + (memory.sparesFrame ? cost : 0) }

  /// What one more frame takes besides ``workBytes``.
  var nextCost: Int { hasCanvasAlone && !mixesFrames && !transformsFrames ? 0 : cost }

  /// Whether a frame has memory of its own, besides the canvas that it was drawn on.
  private var transformsFrames: Bool { (source as? any BufferableSource)?.transformsFrames ?? false }

  /// Whether the source has another transform than the one that has made the frames.
  var isOutdated: Bool { (source as? any BufferableSource).map { $0.revision != revision } ?? false }

  mutating func followTransform() {
    guard let bufferable = source as? any BufferableSource else { return }
    (revision, workBytes) = (bufferable.revision, bufferable.workByteCount)
    cost = HeldMemory.bytes(bufferable.frameByteCount)
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
  private var hasCanvasAlone: Bool {
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
