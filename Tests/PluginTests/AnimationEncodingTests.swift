// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Animations of JPEG XL, AVIF and HEIC.
@Suite struct AnimationEncodingTests {
  private static let registry = EncodingPictures.registry

  private static let delays = [(1, 3), (1, 25), (1, 30), (333, 1000), (1, 144), (7, 100), (1, 60), (1, 24)].map {
    FrameDelay(numerator: UInt32($0.0), denominator: UInt32($0.1))
  }

  private static func animation(opaque isOpaque: Bool) throws -> Image {
    let frames = try delays.enumerated().map { index, delay in
      let step = isOpaque ? index * 3 : index
      let pixels = try EncodingPictures.walk(isOpaque ? step % 9 : step)
      return Frame(pixels: isOpaque ? try pixels.converted(to: PixelLayout(.rgb8, .opaque)) : pixels, delay: delay)
    }
    return Image(frames: frames, loopCount: .plays(3))
  }

  private static func shown(_ image: Image) throws -> [[[UInt8]]] {
    try image.frames.map { EncodingPictures.rows(try $0.pixels.converted(to: PixelLayout(.rgba8, .straight))) }
  }

  @Test(arguments: [ImageFormat.jpegXL, .avif, .heics], [true, false]) func framesAndDelaysAreExact(
    _ format: ImageFormat, isOpaque: Bool
  ) throws {
    let image = try Self.animation(opaque: isOpaque)
    var options = EncodingPictures.lossless
    for reduces in [true, false] {
      options.optimizesFrames = reduces
      let found = try Self.registry.decode(
        .bytes(Self.registry.encode(image, as: format, options: options)))
      #expect(found.loopCount == .plays(3))
      #expect(try Self.shown(found) == Self.shown(image))
      for (one, other) in zip(found.frames, image.frames) {
        let (a, b) = (one.delay, other.delay)
        #expect(
          UInt64(a.numerator) * UInt64(b.denominator) == UInt64(b.numerator) * UInt64(a.denominator), "\(a) \(b)")
      }
    }
  }

  /// From speed 7 on, libavif has aom encode the frames of a sequence in real time.
  @Test(arguments: 0...10, [true, false]) func everySpeedOfAVIFEncodes(_ speed: Int, isOpaque: Bool) throws {
    let image = try Self.animation(opaque: isOpaque)
    for count in [1, image.frames.count] {
      // aom has its real-time mode from speed 7 on, and slow speeds are slow.
      let qualities: [(Double?, Int)] = speed < 6 ? [(nil, 100)] : [(nil, 100), (1, 100), (0.95, 90)]
      for (quality, alphaQuality) in qualities {
        var options = EncodeOptions()
        options.quality = quality
        options.values["speed"] = .number(Double(speed))
        options.values["alpha-quality"] = .number(Double(alphaQuality))
        let some = Image(frames: Array(image.frames.prefix(count)))
        let found = try Self.registry.decode(.bytes(Self.registry.encode(some, as: .avif, options: options)))
        #expect(found.frames.count == count)
        // A first frame that shows nothing through is opaque, too.
        let isSolid = try Self.shown(some).allSatisfy { rows in
          rows.allSatisfy { row in stride(from: 3, to: row.count, by: 4).allSatisfy { row[$0] == 255 } }
        }
        #expect(found.header?.alpha == (isSolid ? .opaque : .straight))
      }
    }
  }

  @Test(arguments: [ImageFormat.png, .webP], [ImageFormat.avif, .jpegXL, .heics, .webP])
  func anOpaqueAnimationStaysOpaque(_ source: ImageFormat, _ target: ImageFormat) throws {
    var options = EncodingPictures.lossless
    options.optimizesFrames = false
    let bytes = try Self.registry.encode(Self.animation(opaque: true), as: source, options: options)
    let image = try Self.registry.decode(.bytes(bytes))
    #expect(image.header?.alpha == .opaque)
    #expect(image.frames.allSatisfy { $0.pixels.alpha == .opaque })
    let converted = try Self.registry.convert(.bytes(bytes), to: target, at: .memory)
    #expect(try Self.registry.decode(.bytes(converted.bytes)).header?.alpha == .opaque)
    // A still of the first frame needs no alpha either.
    var first = EncodeOptions()
    first.firstFrameOnly = true
    let still = try Self.registry.convert(.bytes(bytes), to: .png, at: .memory, options: first)
    #expect(try Self.registry.decode(.bytes(still.bytes)).header?.alpha == .opaque)
  }

  @Test func framesOfJPEGXLAreCutToWhatChanged() throws {
    let image = try Self.animation(opaque: false)
    var options = EncodingPictures.lossless
    let cut = try Self.registry.encode(image, as: .jpegXL, options: options)
    options.optimizesFrames = false
    let whole = try Self.registry.encode(image, as: .jpegXL, options: options)
    #expect(cut.count * 2 < whole.count, "\(cut.count) of \(whole.count)")
    // Lossy parts come as near to the picture as lossy whole frames.
    var lossy = EncodeOptions()
    lossy.quality = 0.9
    let near = try Self.distance(image, lossy)
    lossy.optimizesFrames = false
    #expect(try near <= Self.distance(image, lossy) * 1.05)
  }

  private static func distance(_ image: Image, _ options: EncodeOptions) throws -> Double {
    let found = try registry.decode(.bytes(registry.encode(image, as: .jpegXL, options: options)))
    let pairs = zip(try shown(found).joined().joined(), try shown(image).joined().joined())
    return Double(pairs.reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
  }

  /// Delays that no tick holds are rounded, and what rounding leaves is carried on.
  @Test(arguments: [ImageFormat.jpegXL, .avif, .heics]) func roundedDelaysKeepTheirTotal(_ format: ImageFormat) throws {
    let frames = try (0..<40).map { index in
      let delay = FrameDelay(numerator: 1, denominator: index == 0 ? 25 : UInt32(4_000_037 + 2 * index))
      return Frame(pixels: try EncodingPictures.walk(index % 8), delay: index % 2 == 0 ? delay : .milliseconds(20))
    }
    let found = try Self.registry.decode(.bytes(Self.registry.encode(Image(frames: frames), as: format)))
    let total = found.frames.reduce(0) { $0 + $1.delay.seconds }
    let exact = frames.reduce(0) { $0 + $1.delay.seconds }
    // JPEG XL gives a frame one tick at least.
    #expect(abs(total - exact) < (format == .jpegXL ? 0.0015 : 0.0001), "\(total) for \(exact)")
  }
}
