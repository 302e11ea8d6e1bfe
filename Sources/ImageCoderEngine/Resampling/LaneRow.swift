// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// How samples become the numbers that are filtered, and what they become afterwards.
///
/// Numbers keep the range of the samples (255, 65535 or 1). Three channels take four lanes, so that each pixel is one
/// vector. Color is multiplied by alpha, because a mean of colors has to count each as much as it is seen.
struct LaneRow {
  let format: PixelFormat
  /// Whether color has to be multiplied by alpha when it is read.
  let premultiplies: Bool
  /// What the result's alpha samples mean.
  let output: AlphaMode
  /// Whether the source's alpha says nothing, so that color is filtered as it is.
  let isOpaque: Bool
  /// Whether all channels are filtered apart, as inks are.
  let isPlain: Bool

  init(source: PixelLayout, output: AlphaMode, isPlain: Bool = false) {
    self.format = source.format
    self.isPlain = isPlain
    self.isOpaque = !source.format.hasAlpha || source.alpha == .opaque
    self.premultiplies = !isOpaque && !isPlain && source.alpha == .straight
    self.output = output
  }

  /// Numbers of one pixel: 1, 2 or 4.
  var lanes: Int { Self.lanes(of: format) }

  static func lanes(of format: PixelFormat) -> Int { format.channelCount == 3 ? 4 : format.channelCount }

  // MARK: - Reading

  /// Reads `count` pixels.
  func read(_ source: UnsafeRawPointer, into lanes: UnsafeMutablePointer<Float>, count: Int) {
    switch format {
    case .gray8: Self.readPlain(Sample8.self, source, into: lanes, count: count)
    case .gray16: Self.readPlain(Sample16.self, source, into: lanes, count: count)
    case .rgb8: Self.readThree(UInt8.self, source, into: lanes, count: count)
    case .rgb16: Self.readThree(UInt16.self, source, into: lanes, count: count)
    case .grayAlpha8: read(Sample8.self, colors: 1, source, into: lanes, count: count)
    case .grayAlpha16: read(Sample16.self, colors: 1, source, into: lanes, count: count)
    case .rgba8, .bgra8: read(Sample8.self, colors: 3, source, into: lanes, count: count)
    case .rgba16: read(Sample16.self, colors: 3, source, into: lanes, count: count)
    case .rgbaFloat16: read(SampleFloat16.self, colors: 3, source, into: lanes, count: count)
    case .rgbaFloat32: read(SampleFloat32.self, colors: 3, source, into: lanes, count: count)
    }
  }

  @inline(__always)
  private func read<Sample: PixelSample>(
    _: Sample.Type, colors: Int, _ source: UnsafeRawPointer, into lanes: UnsafeMutablePointer<Float>, count: Int
  ) {
    guard premultiplies else { return Self.readPlain(Sample.self, source, into: lanes, count: count * (colors + 1)) }
    for i in 0..<count {
      let first = i &* (colors + 1)
      let alpha = Sample.read(source, first + colors)
      let factor = alpha / Sample.maximum
      for c in 0..<colors { lanes[first &+ c] = Sample.read(source, first &+ c) * factor }
      lanes[first &+ colors] = alpha
    }
  }

  @inline(__always)
  private static func readPlain<Sample: PixelSample>(
    _: Sample.Type, _ source: UnsafeRawPointer, into lanes: UnsafeMutablePointer<Float>, count: Int
  ) {
    for i in 0..<count { lanes[i] = Sample.read(source, i) }
  }

  @inline(__always)
  private static func readThree<Number: FixedWidthInteger & SIMDScalar & BitwiseCopyable>(
    _: Number.Type, _ source: UnsafeRawPointer, into lanes: UnsafeMutablePointer<Float>, count: Int
  ) {
    let size = MemoryLayout<Number>.size
    let lanes = UnsafeMutableRawPointer(lanes).assumingMemoryBound(to: SIMD4<Float>.self)
    // The fourth lane takes the next pixel's first sample and means nothing; the last pixel has no next one.
    for i in 0..<(count &- 1) {
      let samples = source.loadUnaligned(fromByteOffset: 3 &* size &* i, as: SIMD4<Number>.self)
      lanes[i] = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: samples))
    }
    func last(_ channel: Int) -> Float {
      Float(source.loadUnaligned(fromByteOffset: (3 &* (count &- 1) &+ channel) &* size, as: Number.self))
    }
    lanes[count &- 1] = SIMD4(last(0), last(1), last(2), 0)
  }

  // MARK: - Writing

  /// Writes `count` pixels, rounded and clamped to what the format and the alpha mode allow.
  func write(_ lanes: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int) {
    switch format {
    case .gray8: Self.writePlain(Sample8.self, lanes, into: target, count: count)
    case .gray16: Self.writePlain(Sample16.self, lanes, into: target, count: count)
    case .rgb8: Self.writeThree(Sample8.self, lanes, into: target, count: count)
    case .rgb16: Self.writeThree(Sample16.self, lanes, into: target, count: count)
    case .grayAlpha8: write(Sample8.self, colors: 1, lanes, into: target, count: count)
    case .grayAlpha16: write(Sample16.self, colors: 1, lanes, into: target, count: count)
    case .rgba8, .bgra8: write(Sample8.self, colors: 3, lanes, into: target, count: count)
    case .rgba16: write(Sample16.self, colors: 3, lanes, into: target, count: count)
    case .rgbaFloat16: write(SampleFloat16.self, colors: 3, lanes, into: target, count: count)
    case .rgbaFloat32: write(SampleFloat32.self, colors: 3, lanes, into: target, count: count)
    }
  }

  @inline(__always)
  private func write<Sample: PixelSample>(
    _: Sample.Type, colors: Int, _ lanes: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int
  ) {
    if isPlain { return Self.writePlain(Sample.self, lanes, into: target, count: count * (colors + 1)) }
    let maximum = Sample.maximum
    for i in 0..<count {
      let first = i &* (colors + 1)
      let alpha = isOpaque ? maximum : min(max(lanes[first &+ colors], 0), maximum)
      for c in 0..<colors {
        var color = lanes[first &+ c]
        if !isOpaque {
          if output != .premultiplied {
            color = alpha > 0 ? color * (maximum / alpha) : 0
          } else if maximum > 1 {
            // Integer color is never brighter than its alpha, after rounding too.
            color = min(color, Float(alpha.rounded(within: maximum)))
          }
        }
        Sample.write(color, target, first &+ c)
      }
      Sample.write(output == .opaque ? maximum : alpha, target, first &+ colors)
    }
  }

  @inline(__always)
  private static func writePlain<Sample: PixelSample>(
    _: Sample.Type, _ lanes: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int
  ) {
    for i in 0..<count { Sample.write(lanes[i], target, i) }
  }

  @inline(__always)
  private static func writeThree<Sample: PixelSample>(
    _: Sample.Type, _ lanes: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int
  ) {
    for i in 0..<count {
      Sample.write(lanes[4 &* i], target, 3 &* i)
      Sample.write(lanes[4 &* i &+ 1], target, 3 &* i &+ 1)
      Sample.write(lanes[4 &* i &+ 2], target, 3 &* i &+ 2)
    }
  }
}
