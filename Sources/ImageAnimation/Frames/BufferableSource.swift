// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageMemory

/// A source of which a buffer knows what memory it holds and needs.
protocol BufferableSource: FrameSource {
  /// The first frame, if it is in memory.
  var heldPoster: Frame? { get }
  /// What decoding holds between two frames besides frames, in bytes.
  var canvasByteCount: Int { get }
  /// What decoding one frame needs besides its pixels, in bytes.
  var workByteCount: Int { get }
  /// The bytes of a canvas that may be kept for playing backwards and for jumps, or 0 if none can be.
  var checkpointByteCount: Int { get }
  /// The memory of the canvas if it may be that of a frame, or nil.
  var lentCanvas: UnsafeRawPointer? { get }
  /// Whether the memory of a frame can be used for the next one.
  var reusesMemory: Bool { get }
  /// Whether the canvas may be in use beside a frame that is decoded without it.
  var mixesFrames: Bool { get }
  /// Counts the transforms that the source has had: frames of another number look different.
  var revision: Int { get }
  /// Whether frames are made by a transform.
  var transformsFrames: Bool { get }
  /// Changes what may be kept for the next frames; nothing unless this is called.
  func keep(_ memory: KeptMemory)
  /// Releases the memory between two frames.
  func rest()
  /// Whether the first frame can be released, too.
  var releasesPoster: Bool { get }
  /// Releases the first frame, or lets it be kept again.
  func keepPoster(_ isKept: Bool)
  /// From now on a buffer keeps frames.
  func leaveFramesToBuffer()
  /// What is the same for all who hold the source, or nil for a value, of which each has its own.
  var identity: ObjectIdentifier? { get }
}

extension BufferableSource {
  var checkpointByteCount: Int { 0 }
  var lentCanvas: UnsafeRawPointer? { nil }
  var reusesMemory: Bool { false }
  var mixesFrames: Bool { false }
  var revision: Int { 0 }
  var transformsFrames: Bool { false }
  var releasesPoster: Bool { false }
  func keep(_ memory: KeptMemory) {}
  func keepPoster(_ isKept: Bool) {}
  func leaveFramesToBuffer() {}
  var identity: ObjectIdentifier? { nil }
}

/// What a source keeps for the next frames.
struct KeptMemory: Sendable, Equatable {
  /// Canvases for playing backwards and for jumps, at most.
  var checkpoints = 0
  /// Whether the memory of one frame that is gone is used for the next one: new memory has to be cleared by the kernel.
  var sparesFrame = false
}

extension FrameList: BufferableSource {
  var heldPoster: Frame? { poster }
  var canvasByteCount: Int { 0 }
  // A picture may be decoded whole and then converted and turned.
  var workByteCount: Int { 2 * HeldMemory.bytes(frameByteCount) }
  func rest() {}
}

extension AnimatedImage: BufferableSource {
  var identity: ObjectIdentifier? { ObjectIdentifier(self) }
}
