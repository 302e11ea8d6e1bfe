// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a picture, in steps: between two of them the host is asked, and rows are reported.
struct BitstreamInput {
  private let picture: Picture
  private let source: SourceView
  /// All of the picture's bytes, or nil while some may be missing.
  let contents: UnsafeRawBufferPointer?

  private static let lossyStep = 1 << 15
  /// Lossless data is decoded anew from the last 8 rows at each step, so steps are fewer.
  private static let losslessStep = 1 << 21
  /// About as many rows of a lossless picture are decoded in a step where rows are given on after each: of these, 8 twice.
  static let rowsOfStep = 384
  /// The fewest new bytes that make a step of an incremental file: fewer of small pictures.
  private static let incrementalSteps = 1 << 8...1 << 12

  init(_ picture: Picture, in source: SourceView, isIncremental: Bool) throws(CoderError) {
    self.picture = picture
    self.source = source
    guard !isIncremental else {
      contents = nil
      return
    }
    let contents = try source.contents()
    let end = min(picture.bytes.upperBound, contents.count)
    guard picture.bytes.lowerBound < end else {
      throw .truncated("a picture without bytes", at: picture.bytes.lowerBound)
    }
    self.contents = UnsafeRawBufferPointer(rebasing: contents[picture.bytes.lowerBound..<end])
  }

  /// The same without the chunk of alpha, of a picture that is all there.
  var withoutAlpha: BitstreamInput {
    let skipped = picture.bitstream - picture.bytes.lowerBound
    return BitstreamInput(
      picture: picture, source: source, contents: contents.map { UnsafeRawBufferPointer(rebasing: $0[skipped...]) })
  }

  private init(picture: Picture, source: SourceView, contents: UnsafeRawBufferPointer?) {
    self.picture = picture
    self.source = source
    self.contents = contents
  }

  /// Whether the source has all bytes that the picture's chunks announce; known when there are no more.
  var isWhole: Bool { picture.isWhole(in: source) }

  /// The picture's bytes from the first one to some after those that were given before; at the end no more than those.
  ///
  /// - Returns: Bytes that are valid until the next call.
  ///
  /// - Parameter isPassing: Whether rows are given on after each step: then no step has many.
  func bytes(after given: Int, isPassing: Bool) throws(CoderError) -> UnsafeRawBufferPointer {
    if let contents {
      var step = picture.kind == .lossless ? Self.losslessStep : Self.lossyStep
      if isPassing {
        step = min(step, max(Self.incrementalSteps.upperBound, contents.count * Self.rowsOfStep / picture.rect.height))
      }
      // A short rest goes with the step before it.
      let end = contents.count - given < 2 * step ? contents.count : given + step
      return UnsafeRawBufferPointer(rebasing: contents[..<end])
    }
    let count = picture.bytes.count
    let least = min(count, given + leastStep)
    let most = count - given < 2 * mostStep ? count : given + mostStep
    return try source.view(at: picture.bytes.lowerBound, least: least, most: max(least, most))
  }

  /// All of the picture's bytes, or of an arriving file some more than were given: no more than those at its end.
  ///
  /// - Returns: Bytes that are valid until the next call.
  func more(after given: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if let contents { return contents }
    let count = picture.bytes.count
    let least = min(count, given + leastStep)
    return try source.view(at: picture.bytes.lowerBound, least: least, most: max(least, count))
  }

  /// Of lossless pictures about 160 rows, or a sixteenth of a low picture: after each sleep, what the decoder knows has to come
  /// into the processor's cache again.
  private var leastStep: Int {
    let count = picture.bytes.count
    let least = min(max(count / 16, Self.incrementalSteps.lowerBound), Self.incrementalSteps.upperBound)
    guard picture.kind == .lossless else { return least }
    return max(least, min(count / 16, count / max(1, picture.rect.height / 160)))
  }

  /// However many bytes come at once, the host is asked in between: of lossless pictures, where few bytes may hold many
  /// pixels, after about half a million of these.
  private var mostStep: Int {
    guard picture.kind == .lossless else { return Self.lossyStep }
    return max(leastStep, picture.bytes.count / max(1, picture.rect.size.pixelCount >> 19))
  }
}
