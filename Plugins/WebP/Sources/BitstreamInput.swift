// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a picture, in steps: between two of them the host is asked, and rows are reported.
struct BitstreamInput {
  private let picture: Picture
  private let source: SourceView
  /// All of the picture's bytes, or nil while they arrive.
  private let contents: UnsafeRawBufferPointer?

  private static let lossyStep = 1 << 15
  /// Lossless data is decoded anew from the last 8 rows at each step, so steps are fewer.
  private static let losslessStep = 1 << 21
  /// Bytes that are worth a step while they arrive: fewer of small pictures.
  private static let arrivingSteps = 1 << 8...1 << 12

  init(_ picture: Picture, in source: SourceView, isArriving: Bool) throws(CoderError) {
    self.picture = picture
    self.source = source
    guard !isArriving else {
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

  /// Whether the source has all bytes that the picture's chunks announce; known when there are no more.
  var isWhole: Bool { picture.isWhole(in: source) }

  /// The picture's bytes from the first one to behind those that were given before; no more than those at their end.
  ///
  /// - Returns: Bytes that are valid until the next call.
  func bytes(behind given: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if let contents {
      let step = picture.kind == .lossless ? Self.losslessStep : Self.lossyStep
      // A short rest goes with the step before it.
      let end = contents.count - given < 2 * step ? contents.count : given + step
      return UnsafeRawBufferPointer(rebasing: contents[..<end])
    }
    let count = picture.bytes.count
    let least = min(count, given + leastWhileArriving)
    let most = count - given < 2 * mostWhileArriving ? count : given + mostWhileArriving
    return try source.view(at: picture.bytes.lowerBound, least: least, most: max(least, most))
  }

  /// Of lossless pictures about 80 rows, of which 4 are decoded twice, or a sixteenth of a low picture.
  private var leastWhileArriving: Int {
    let count = picture.bytes.count
    let least = min(max(count / 16, Self.arrivingSteps.lowerBound), Self.arrivingSteps.upperBound)
    guard picture.kind == .lossless else { return least }
    return max(least, min(count / 16, count / max(1, picture.rect.height / 80)))
  }

  /// However many bytes come at once, the host is asked in between: of lossless pictures, where few bytes may hold many
  /// pixels, after about half a million of these.
  private var mostWhileArriving: Int {
    guard picture.kind == .lossless else { return Self.lossyStep }
    return max(leastWhileArriving, picture.bytes.count / max(1, picture.rect.size.pixelCount >> 19))
  }
}
