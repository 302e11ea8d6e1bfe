// SPDX-License-Identifier: Apache-2.0

import CSimilarity
package import ImageCoderModel

/// A picture that others are compared with by SSIMULACRA2 2.1, as a person would see them.
///
/// Pictures are sRGB. One with alpha is shown on a dark and on a light gray, and the lower score counts.
///
/// - Complexity: Some 60 bytes and 40 ns for each pixel, and as much again for each comparison with alpha.
package final class LookReference: @unchecked Sendable {
  /// Shown beneath pictures with alpha: 10 % and 90 % of white.
  private static let backdrops: [UInt8] = [26, 230]
  /// The side below which there is no scale to compare at.
  private static let smallestSide = 8

  private let size: Size
  private let isOpaque: Bool
  private let originals: [OpaquePointer]

  /// Measures the original.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a side below 8, and for samples of floating point, which go beyond
  ///   white; ``CoderError/Code/outOfMemory``.
  package init(_ pixels: PixelBuffer, isOpaque: Bool? = nil) throws(CoderError) {
    let isOpaque = isOpaque ?? (pixels.alpha == .opaque)
    guard min(pixels.size.width, pixels.size.height) >= Self.smallestSide else {
      throw .unsupported("SSIMULACRA2 of a picture of \(pixels.size); it needs sides of at least \(Self.smallestSide)")
    }
    var originals: [OpaquePointer] = []
    for shown in try Self.shown(pixels, isOpaque: isOpaque) {
      guard let original = shown.withPicture({ similarity_begin($0) }) else {
        for made in originals { similarity_free(made) }
        throw .outOfMemory(bytes: pixels.size.pixelCount * 60, for: "SSIMULACRA2")
      }
      originals.append(original)
    }
    size = pixels.size
    self.isOpaque = isOpaque
    self.originals = originals
  }

  deinit { for original in originals { similarity_free(original) } }

  /// How alike another picture looks: 100 is the same, 90 hard to tell apart, 70 good, 50 medium.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture of another size; ``CoderError/Code/cancelled``.
  package func score(_ other: PixelBuffer, cancellation: Cancellation? = nil) throws(CoderError) -> Double {
    guard other.size == size else {
      throw .invalidArgument("the pictures are \(size) and \(other.size); only those of one size can be compared")
    }
    // Alpha that only the other has is seen on both backdrops, too.
    if isOpaque, other.alpha != .opaque { throw .invalidArgument("a picture with alpha beside one without") }
    var lowest = Double.infinity
    for (original, shown) in zip(originals, try Self.shown(other, isOpaque: isOpaque)) {
      var score = 0.0
      let context = cancellation.map { Unmanaged.passUnretained($0).toOpaque() }
      let isDone = shown.withPicture { picture in
        similarity_compare(
          original, picture,
          { context in
            guard let context else { return 0 }
            return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
          }, context, &score)
      }
      guard isDone == 1 else {
        if cancellation?.isCancelled ?? false { throw .cancelled }
        throw .outOfMemory(bytes: size.pixelCount * 24, for: "SSIMULACRA2")
      }
      lowest = min(lowest, score)
    }
    return lowest
  }

  /// A picture without alpha: as it is, or on each of the backdrops.
  private static func shown(_ pixels: PixelBuffer, isOpaque: Bool) throws(CoderError) -> [PixelBuffer] {
    guard !pixels.format.isFloat else {
      throw .unsupported(
        "SSIMULACRA2 of samples of floating point, and it judges pictures up to white: convert them first, with --color srgb"
      )
    }
    guard !isOpaque else { return [try pixels.converted(to: PixelLayout(.rgb8, .opaque))] }
    let layered = try pixels.converted(to: PixelLayout(.rgba8, .straight))
    var result: [PixelBuffer] = []
    for backdrop in backdrops {
      let flat = try PixelBuffer(size: pixels.size, format: .rgb8, alpha: .opaque)
      for y in 0..<pixels.size.height {
        let from = UnsafeRawPointer(layered.row(y)).assumingMemoryBound(to: UInt8.self)
        let to = flat.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<pixels.size.width {
          let alpha = UInt32(from[4 * x + 3])
          for channel in 0..<3 {
            let mixed = UInt32(from[4 * x + channel]) * alpha + UInt32(backdrop) * (255 - alpha)
            to[3 * x + channel] = UInt8((mixed + 127) / 255)
          }
        }
      }
      result.append(flat)
    }
    return result
  }
}

extension PixelBuffer {
  /// Gives rows of RGB to C.
  fileprivate func withPicture<Result>(_ body: (UnsafePointer<similarity_picture>) -> Result) -> Result {
    var picture = similarity_picture(
      pixels: UnsafeRawPointer(row(0)).assumingMemoryBound(to: UInt8.self), stride: UInt64(stride),
      width: UInt32(clamping: size.width), height: UInt32(clamping: size.height), bytes: 3)
    return withExtendedLifetime(self) { body(&picture) }
  }
}

extension Image {
  /// Why SSIMULACRA2 cannot judge the colors, and what to do, or nil: it knows those of sRGB.
  package var colorsBeyondLook: String? {
    let space = PictureColor(of: self, as: header?.format ?? .png).space
    guard !space.isSRGB else { return nil }
    return "SSIMULACRA2 judges colors of sRGB, and these are \(space.name): convert them first, with --color srgb"
  }
}
