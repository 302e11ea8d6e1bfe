// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// What a player shows of reduced frames is what was given, whatever a format can say.
@Suite struct FrameReducerTests {
  private static let size = Size(width: 13, height: 9)

  /// What formats can do: GIF, PNG, WebP, one that only replaces, one that takes whole canvases.
  static let kinds: [WriterFeatures] = [
    [.parts, .blends, .clears, .restores, .binaryAlpha], [.parts, .replaces, .blends, .clears, .restores],
    [.parts, .evenParts, .replaces, .blends, .clears], [.parts, .replaces], [],
  ]

  private struct Written {
    var pixels: PixelBuffer
    var header: FrameHeader
  }

  private func reduce(
    _ frames: [PixelBuffer], _ features: WriterFeatures, isReducing: Bool = true, areas: [Rect?] = []
  ) throws -> [Written] {
    var written: [Written] = []
    let reducer = FrameReducer(features, isReducing: isReducing) { (pixels, header) throws(CoderError) in
      written.append(Written(pixels: try pixels.copy(), header: header))
    }
    for (index, frame) in frames.enumerated() {
      let area = areas.isEmpty ? nil : areas[index]
      try reducer.add(frame, delay: .milliseconds(UInt32(10 + index)), changedIn: area)
    }
    try reducer.finish()
    return written
  }

  /// What a player shows at each frame.
  private func play(_ written: [Written], format: PixelFormat) throws -> [[UInt64]] {
    let canvas = try Canvas(size: Self.size, layout: PixelLayout(format, .straight))
    return try written.map { frame in
      try canvas.begin(frame.header)
      if frame.header.blend == .over {
        canvas.blendOver(frame.pixels, at: frame.header.rect)
      } else {
        let region = try canvas.region(frame.header.rect)
        for y in 0..<region.size.height {
          region.row(y).copyMemory(from: frame.pixels.row(y), byteCount: frame.pixels.rowBytes)
        }
      }
      return canvas.pixels.values
    }
  }

  /// A random walk: a few boxes of a few colors are drawn, erased, or left.
  private func frames(_ seed: UInt64, format: PixelFormat, partial: Bool) throws -> [PixelBuffer] {
    var random = SeededGenerator(seed: seed)
    var current = try PixelBuffer(size: Self.size, format: format, alpha: .straight)
    current.clear(rows: 0..<Self.size.height)
    return try (0..<12).map { _ in
      current = try current.copy()
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let width = Int.random(in: 1...Self.size.width, using: &random)
        let height = Int.random(in: 1...Self.size.height, using: &random)
        let x = Int.random(in: 0...(Self.size.width - width), using: &random)
        let y = Int.random(in: 0...(Self.size.height - height), using: &random)
        let alpha: UInt8 = [0, 255, 255, partial ? 120 : 255].randomElement(using: &random) ?? 0
        let shade = alpha == 0 ? 0 : UInt8.random(in: 1...4, using: &random)
        current.fill(Rect(x: x, y: y, width: width, height: height), shade, alpha)
      }
      return current
    }
  }

  @Test(arguments: kinds) func playersShowWhatWasGiven(_ features: WriterFeatures) throws {
    for seed in 0..<200 as Range<UInt64> {
      for format in [PixelFormat.rgba8, .rgba16, .rgbaFloat16, .rgbaFloat32] {
        let partial = features.contains(.replaces) || !features.contains(.parts)
        let given = try frames(seed, format: format, partial: partial)
        for isReducing in [true, false] {
          let written = try reduce(given, features, isReducing: isReducing)
          // Frames that show the same are one.
          var expected: [[UInt64]] = []
          for values in given.map(\.values) where !isReducing || values != expected.last { expected.append(values) }
          #expect(try play(written, format: format) == expected, "seed \(seed), \(format)")
          let total = written.reduce(0) { $0 + ($1.header.delay?.seconds ?? 0) }
          #expect(abs(total - 0.186) < 1e-9)
          for frame in written {
            #expect(frame.header.rect.isInside(Self.size) && frame.pixels.size == frame.header.rect.size)
            if features.contains(.evenParts) { #expect(frame.header.rect.x % 2 == 0 && frame.header.rect.y % 2 == 0) }
            if frame.header.disposal == .restorePrevious { #expect(features.contains(.restores)) }
            if frame.header.disposal == .restoreBackground { #expect(features.contains(.clears)) }
            if !features.contains(.parts) { #expect(frame.header.rect.size == Self.size) }
          }
        }
      }
    }
  }

  /// A rectangle around every pixel that changes, at random as small as can be or larger; at least one pixel.
  private func areas(of frames: [PixelBuffer], seed: UInt64) -> [Rect?] {
    var random = SeededGenerator(seed: seed)
    return frames.indices.map { index in
      guard index > 0 else { return nil }
      let (new, old) = (frames[index].values, frames[index - 1].values)
      let places = new.indices.filter { new[$0] != old[$0] }.map { ($0 % Self.size.width, $0 / Self.size.width) }
      let growth = Int.random(in: 0...3, using: &random)
      let (left, top) = (places.map(\.0).min() ?? 3, places.map(\.1).min() ?? 3)
      let (x, y) = (max(left - growth, 0), max(top - growth, 0))
      let right = min((places.map(\.0).max() ?? 3) + growth, Self.size.width - 1)
      let bottom = min((places.map(\.1).max() ?? 3) + growth, Self.size.height - 1)
      return Rect(x: x, y: y, width: right - x + 1, height: bottom - y + 1)
    }
  }

  @Test(arguments: kinds) func whereFramesChangeMayBeKnownBefore(_ features: WriterFeatures) throws {
    for seed in 0..<200 as Range<UInt64> {
      let partial = features.contains(.replaces) || !features.contains(.parts)
      let given = try frames(seed, format: .rgba8, partial: partial)
      let expected = try reduce(given, features)
      let written = try reduce(given, features, areas: areas(of: given, seed: seed))
      #expect(written.map(\.header) == expected.map(\.header), "seed \(seed)")
      #expect(written.map(\.pixels.values) == expected.map(\.pixels.values), "seed \(seed)")
    }
  }

  /// A box that moves over a picture: the box and what it uncovers, not the whole.
  @Test func onlyWhatChangedIsWritten() throws {
    let ground = try PixelBuffer(size: Self.size, format: .rgba8, alpha: .straight)
    for y in 0..<9 { for x in 0..<13 { ground.fill(Rect(x: x, y: y, width: 1, height: 1), UInt8(x * 9 + y), 255) } }
    let moved = try (0..<3).map { step in
      let frame = try ground.copy()
      frame.fill(Rect(x: 2 + 3 * step, y: 4, width: 2, height: 2), 200, 255)
      return frame
    }
    // Replacing alone: the box's old and new place.
    let replaced = try reduce(moved, [.parts, .replaces])
    #expect(replaced.map(\.header.rect.x) == [0, 2, 5] && replaced.map(\.header.rect.width) == [13, 5, 5])
    #expect(replaced.map(\.header.rect.height) == [9, 2, 2])
    // With the ground behind it to come back, the box alone; the first one is drawn on nothing.
    let restored = try reduce([ground] + moved, [.parts, .replaces, .blends, .clears, .restores])
    #expect(restored.map(\.header.rect.width) == [13, 2, 2, 2])
    #expect(restored.map(\.header.disposal) == [.keep, .restorePrevious, .restorePrevious, .keep])
  }

  /// Pixels in between that stay are left out.
  @Test func whatIsThereAlreadyIsTransparent() throws {
    let first = try PixelBuffer(size: Self.size, format: .rgba8, alpha: .straight)
    first.fill(Rect(covering: Self.size), 7, 255)
    let second = try first.copy()
    second.fill(Rect(x: 0, y: 0, width: 1, height: 1), 9, 255)
    second.fill(Rect(x: 12, y: 8, width: 1, height: 1), 9, 255)
    let written = try reduce([first, second], Self.kinds[0])
    #expect(written[1].header.rect.size == Self.size && written[1].header.blend == .over)
    #expect(written[1].pixels.values.filter { $0 != 0 }.count == 2)
  }

  @Test func delaysAddUpExactly() throws {
    let third = FrameDelay(numerator: 1, denominator: 3)
    #expect(third.adding(FrameDelay(numerator: 1, denominator: 6)) == FrameDelay(numerator: 1, denominator: 2))
    #expect(FrameDelay.zero.adding(.zero)?.seconds == 0)
    let large = FrameDelay(numerator: .max, denominator: .max - 1)
    #expect(large.adding(FrameDelay(numerator: .max, denominator: .max - 2)) == nil)
  }
}

extension PixelBuffer {
  /// Fills a rectangle: red, green and blue `shade`, in 16 bits by repeating bytes, and as light beyond white in floating
  /// point.
  fileprivate func fill(_ rect: Rect, _ shade: UInt8, _ alpha: UInt8) {
    let width = format.bytesPerChannel
    for y in rect.y..<(rect.y + rect.height) {
      for x in rect.x..<(rect.x + rect.width) {
        let pixel = row(y) + x * 4 * width
        for channel in 0..<4 {
          let value = channel < 3 ? shade : alpha
          let light = channel < 3 ? Float(shade) : Float(alpha) / 255
          switch format {
          case .rgbaFloat32: pixel.storeBytes(of: light, toByteOffset: 4 * channel, as: Float.self)
          case .rgbaFloat16: pixel.storeBytes(of: Float16(light), toByteOffset: 2 * channel, as: Float16.self)
          default:
            for byte in 0..<width { pixel.storeBytes(of: value, toByteOffset: width * channel + byte, as: UInt8.self) }
          }
        }
      }
    }
  }

  /// Pixels as numbers; those of 16 bytes as two.
  fileprivate var values: [UInt64] {
    (0..<size.height).flatMap { y in
      withRow(y) { row in
        format.bytesPerPixel == 4
          ? (0..<size.width).map { UInt64(row.load(fromByteOffset: 4 * $0, as: UInt32.self)) }
          : (0..<(rowBytes / 8)).map { row.load(fromByteOffset: 8 * $0, as: UInt64.self) }
      }
    }
  }
}
