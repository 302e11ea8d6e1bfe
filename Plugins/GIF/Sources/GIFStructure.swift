// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The blocks of a file: where everything is, and nothing decoded.
///
/// Made by ``GIFScanner`` in one pass that hops over the image data; of an incremental file, block by block.
struct GIFStructure {
  let screen: LogicalScreen
  /// The color that the screen names, when the global palette has it.
  var background: PixelColor?
  /// That of the screen; of a screen without an extent, that of the first image.
  var canvas: Size
  /// The stored number of repetitions, or nil when no extension states it.
  var repetitions: UInt16?
  private(set) var images: [GIFImageBlock] = []
  /// Whether one of the images is shown for a time.
  private var hasDelay = false
  /// Where the sub-blocks of comments start, as far as they are kept.
  var commentOffsets: [Int] = []
  /// Where the data of the XMP extension starts.
  var xmpOffset: Int?
  /// Where the sub-blocks of the ICC extension start.
  var iccOffset: Int?
  /// Where the sub-blocks of content credentials start.
  var credentialsOffset: Int?
  /// Whether the bytes end before the trailer.
  var isTruncated = false
  /// Whether the scan stopped after the first image with more to come.
  var hasUnseenBlocks = false
  /// Whether the scan is at its end. Until then the file counts as an animation, because it may become one.
  var isWhole = false

  init(screen: LogicalScreen) {
    self.screen = screen
    canvas = screen.canvas
  }

  /// The loop count of the animation, or nil when no extension states it.
  ///
  /// Netscape's number says how often the animation starts again: 1 means two plays. 0 is without end.
  var loopCount: LoopCount? {
    repetitions.map { $0 == 0 ? .infinite : .plays(UInt32($0) + 1) }
  }

  /// Whether images are steps in time: several images without any delay and loop make one picture together.
  var isAnimated: Bool {
    (images.count > 1 || hasUnseenBlocks || isTruncated || !isWhole) && hasTiming
  }

  /// Whether anything says that time passes: a loop, or a delay.
  var hasTiming: Bool { repetitions != nil || hasDelay }

  mutating func append(_ image: GIFImageBlock) {
    images.append(image)
    hasDelay = hasDelay || image.control.delay > 0
  }

  /// Whether the first image alone is the whole picture, with no transparent pixel.
  var isOpaqueStill: Bool {
    guard isWhole || !hasTiming, images.count == 1, !hasUnseenBlocks, let image = images.first else { return false }
    return image.visibleRect(on: canvas) == Rect(covering: canvas) && !image.hasTransparency
  }
}
