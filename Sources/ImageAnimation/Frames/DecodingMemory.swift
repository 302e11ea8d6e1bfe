// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageMemory

/// What decoding the frames of a file takes besides the frames themselves, in bytes.
struct DecodingMemory: Sendable {
  /// What is held between two frames: the canvas, unless it is a frame, and what a frame is going to bring back.
  var canvas: Int
  /// What decoding one frame needs for a moment.
  let work: Int
  /// What a canvas takes that is kept for playing backwards and for jumps, or 0 if all frames stand alone.
  let checkpoint: Int
  /// Whether some frames are decoded without the canvas while it is needed by others.
  let mixesFrames: Bool

  /// - Parameters:
  ///   - known: The frames that are known. Of frames that are not, anything is possible.
  ///   - frameBytes: The bytes of one frame's pixels.
  init(_ decoder: ImageDecoder, _ known: KnownFrames, frameBytes: Int) throws(CoderError) {
    let header = decoder.header
    let whole = HeldMemory.bytes(header.canvas.pixelCount * header.pixelFormat.composed.bytesPerPixel)
    let lendsCanvas = decoder.lendsCanvas
    let isOpen = !known.isComplete
    let restoresPrevious = isOpen || known.entries.contains(where: \.restoresPrevious)
    let kept = (lendsCanvas ? 0 : 1) + (restoresPrevious ? 1 : 0)
    canvas = known.count > 1 || isOpen ? kept * whole : 0
    // A canvas spares no frame that the reader decodes itself to reach a later one.
    let isDrawnOn = header.sequence.access == .anyFrame && (isOpen || known.entries.contains { !$0.isAlone })
    checkpoint = isDrawnOn ? whole : 0
    // A frame's own pixels; otherwise also the result before it is turned or converted.
    work = lendsCanvas ? whole : 2 * whole + 2 * HeldMemory.bytes(frameBytes)
    mixesFrames = !lendsCanvas ? false : isOpen ? true : try decoder.mixesFrames(known.count)
  }
}
