// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

// How many frames there are, which not every file says, and what pages are.
extension ImageDecoder {
  /// What a visible page is; a picture where that cannot be said.
  package func kind(ofPage index: Int) -> PageKind {
    if index == page { return header.role.kind }
    return (try? reader.header(page: index).role.kind) ?? .picture
  }

  /// The number of frames for ``frame(at:)``, at least 1.
  ///
  /// 1 for a still picture that the file stores in several parts, unless ``DecodeOptions/Output/zeroDelayFrames`` says
  /// otherwise; ``ImageHeader/frameCount`` counts the parts. Of a file that does not count its frames
  /// (``FrameSequence/isCounted``), the first call describes all of them, which may read the whole file; ``image()`` and
  /// ``frame(at:)`` need no count.
  public var frameCount: Int { header.mayGainFrames || end < .max ? end : frames.countAll() }

  /// The number of frames, or of a file that does not count them those that are known.
  package var knownFrameCount: Int {
    end == .max && !header.mayGainFrames ? header.frameCount : end
  }

  /// The number of frames, or the largest integer where only asking for the next one shows whether there is one.
  var end: Int { Self.stepCount(header, options) }

  /// Whether a picture of the file is asked for that fits a box, and the file says which of its frames that is.
  var showsPoster: Bool {
    header.isAnimated && options.isThumbnail && header.sequence.posterFrame > 0
  }

  /// The frames that share the memory of a budget.
  static func budgetedFrames(
    _ header: ImageHeader, end: Int, of frames: FrameTable, _ options: DecodeOptions
  ) -> Int {
    guard end == .max else { return end }
    return header.mayGainFrames || options.memoryBudget == nil ? 1 : frames.countAll()
  }

  static func stepCount(_ header: ImageHeader, _ options: DecodeOptions) -> Int {
    let isComposed = !header.isAnimated && options.zeroDelayFrames == .merge
    if options.firstFrameOnly { return 1 }
    if header.hasOpenEnd { return .max }
    return isComposed ? 1 : header.frameCount
  }
}
