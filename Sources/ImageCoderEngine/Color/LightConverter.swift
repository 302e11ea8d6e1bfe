// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// Converts colors through light in floating point: curves, a matrix, curves. For samples of 16 bits and of floating
/// point, for gray, and for HDR.
final class LightConverter: Sendable {
  /// What happens between the curves of the source and those of the target.
  struct Middle: Sendable {
    /// From light of the source to that of the target.
    var matrix = Matrix3.identity
    /// What red, green and blue add to luminance, where the display's own curve depends on it: for HLG.
    var luminance: SIMD3<Double>?
    /// The same of the target.
    var targetLuminance: SIMD3<Double>?
    /// How much light becomes less, by the largest channel, or nil.
    var tone: (mapping: ToneMapping, peak: Double)?
  }

  private let bytes: [Float]
  private let words: [SIMD2<Float>]
  private let floats: [SegmentTable]
  private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  /// Whether light stays as it is between the curves.
  private let isIdentity: Bool
  private let luminance: SIMD4<Float>
  private let system: SegmentTable?
  private let targetLuminance: SIMD4<Float>
  private let targetSystem: SegmentTable?
  private let tone: SegmentTable?
  /// The tables of red, green and blue, in codes of the working format; none where light is the result.
  private let encoders: [SegmentTable]

  /// Pixels at a time; their light stays in the first-level cache.
  private static let chunk = 256
  /// Stored values of one line of a curve.
  private static let wordShift = 4

  /// - Parameters:
  ///   - format: Of the source and of the destination: of 8 or 16 bits, or `rgbaFloat32`.
  ///   - makesLight: Whether it is for ``makeLight(_:into:count:format:)``.
  init(
    _ source: [ToneCurve], _ middle: Middle, _ target: [ToneCurve], format: PixelFormat, makesLight: Bool = false
  ) {
    var (bytes, words, floats): ([Float], [SIMD2<Float>], [SegmentTable]) = ([], [], [])
    switch format.bytesPerChannel {
    case 1: for curve in source { bytes += (0..<256).map { Float(curve.light(Double($0) / 255)) } }
    case 2: words = Self.lines(source)
    default:
      if source != [.linear, .linear, .linear] {
        floats = Self.each(source) { curve in SegmentTable(-24..<7) { curve.light($0) } }
      }
    }
    (self.bytes, self.words, self.floats) = (bytes, words, floats)
    func wide(_ column: SIMD3<Double>) -> SIMD4<Float> { SIMD4(SIMD4<Double>(column, 0)) }
    columns = (wide(middle.matrix.first), wide(middle.matrix.second), wide(middle.matrix.third))
    isIdentity = middle.matrix.isIdentity
    luminance = wide(middle.luminance ?? SIMD3())
    targetLuminance = wide(middle.targetLuminance ?? SIMD3())
    targetSystem = middle.targetLuminance == nil ? nil : SegmentTable(-48..<6, Self.inverseSystemGain)
    system = middle.luminance == nil ? nil : SegmentTable(-24..<2, Self.systemGain)
    tone = middle.tone.flatMap { (mapping, peak) in
      mapping == .clip || peak <= ToneMapping.whitePeak
        ? nil : SegmentTable(-16..<8) { mapping.gain($0, peak: peak) }
    }
    let isLight = (format.isFloat || makesLight) && target == [.linear, .linear, .linear]
    encoders = isLight ? [] : Self.each(target) { curve in Self.encoder(curve, format) }
  }

  /// Lines between every 16th value of 16 bits, for each curve.
  private static func lines(_ curves: [ToneCurve]) -> [SIMD2<Float>] {
    var lines: [SIMD2<Float>] = []
    for (index, curve) in curves.enumerated() {
      if index > 0, curve == curves[0] {
        lines += lines[0..<4096]
        continue
      }
      var start = curve.light(0)
      for line in 0..<4096 {
        let last = min((line + 1) << wordShift, 65_535)
        let end = curve.light(Double(last) / 65_535)
        lines.append(SIMD2(Float(start), Float((end - start) / Double(last - line << wordShift))))
        start = end
      }
    }
    return lines
  }

  /// A table for each curve; equal curves have equal ones.
  private static func each(_ curves: [ToneCurve], _ make: (ToneCurve) -> SegmentTable) -> [SegmentTable] {
    let first = make(curves[0])
    return curves.map { $0 == curves[0] ? first : make($0) }
  }

  /// From light to codes. Its lines go down to where black is less than a twentieth of a code away.
  private static func encoder(_ curve: ToneCurve, _ format: PixelFormat) -> SegmentTable {
    let maximum = format.isFloat ? 1.0 : format.bytesPerChannel == 1 ? 255.0 : 65_535.0
    // Floating point may become 16 bits.
    let codes = format.isFloat ? 65_535 : maximum
    var lowest = -8
    while lowest > -60, curve.value(scalbn(1, lowest)) * codes > 0.05 { lowest -= 1 }
    return SegmentTable(lowest..<(format.isFloat || curve.isHDR ? 7 : 0)) { curve.value($0) * maximum }
  }

  /// BT.2100-2 table 5: what light of the scene is multiplied by on a display of 1000 nit, where 203 nit are 1.
  private static func systemGain(_ luminance: Double) -> Double {
    1000 / ToneCurve.whiteLuminance * pow(luminance, 0.2)
  }

  /// The inverse: from light where 203 nit are 1 to that of the scene.
  private static func inverseSystemGain(_ luminance: Double) -> Double {
    let scene = pow(luminance * ToneCurve.whiteLuminance / 1000, 1 / 1.2)
    return luminance > 0 ? scene / luminance : 0
  }

  /// Converts pixels.
  ///
  /// - Parameters:
  ///   - source: May be the destination.
  ///   - format: That of ``init(_:_:_:format:)``, or one with other channels of that depth.
  func convert(
    _ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int, format: PixelFormat
  ) {
    withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: Self.chunk) { buffer in
      guard let light = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        let offset = done * format.bytesPerPixel
        load(source + offset, format, into: light, count: part)
        applyLight(light, part)
        if !format.isGray { applyMatrix(light, part) }
        Self.apply(targetSystem, targetLuminance, light, part)
        store(light, destination + offset, format, part)
        done += part
      }
    }
  }

  /// Makes light of pixels, as `rgba-float32` with straight alpha.
  ///
  /// - Parameters:
  ///   - destination: Apart from the source.
  ///   - format: That of ``init(_:_:_:format:makesLight:)``, of 8 or 16 bits, with three colors.
  func makeLight(
    _ source: UnsafeRawPointer, into destination: UnsafeMutablePointer<SIMD4<Float>>, count: Int, format: PixelFormat,
    isOpaque: Bool
  ) {
    load(source, format, into: destination, count: count)
    applyLight(destination, count)
    applyMatrix(destination, count)
    let scale: Float = format.bytesPerChannel == 1 ? 1.0 / 255 : 1.0 / 65_535
    for pixel in 0..<count { destination[pixel].w = isOpaque ? 1 : destination[pixel].w * scale }
  }

  /// Adds the light of pixels, after the display's curve, to a count.
  func measure(_ source: UnsafeRawPointer, count: Int, format: PixelFormat, into peaks: inout PeakCount) {
    withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: Self.chunk) { buffer in
      guard let light = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        load(source + done * format.bytesPerPixel, format, into: light, count: part)
        applySystem(light, part)
        for pixel in 0..<part {
          // What cannot be seen is no peak.
          guard light[pixel].w > 0 || !format.hasAlpha else { continue }
          peaks.add(max(light[pixel].x, light[pixel].y, light[pixel].z))
        }
        done += part
      }
    }
  }

  private func applyLight(_ light: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    applySystem(light, count)
    guard let tone else { return }
    tone.lines.withUnsafeBufferPointer { lines in
      guard let lines = lines.baseAddress else { return }
      for pixel in 0..<count {
        let color = light[pixel]
        let most = max(color.x, color.y, color.z)
        let gain = tone.value(most, lines)
        light[pixel] = color * SIMD4(gain, gain, gain, 1)
      }
    }
  }

  private func applySystem(_ light: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    Self.apply(system, luminance, light, count)
  }

  private static func apply(
    _ system: SegmentTable?, _ luminance: SIMD4<Float>, _ light: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int
  ) {
    guard let system else { return }
    system.lines.withUnsafeBufferPointer { lines in
      guard let lines = lines.baseAddress else { return }
      for pixel in 0..<count {
        let color = light[pixel]
        let gain = system.value((color * luminance).sum(), lines)
        light[pixel] = color * SIMD4(gain, gain, gain, 1)
      }
    }
  }

  private func applyMatrix(_ light: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    guard !isIdentity else { return }
    let (first, second, third) = columns
    for pixel in 0..<count {
      let color = light[pixel]
      var result = first * color.x + second * color.y + third * color.z
      result.w = color.w
      light[pixel] = result
    }
  }
}

// MARK: Samples

extension LightConverter {
  private func load(
    _ source: UnsafeRawPointer, _ format: PixelFormat, into light: UnsafeMutablePointer<SIMD4<Float>>, count: Int
  ) {
    let channels = format.channelCount
    let colors = format.isGray ? 1 : 3
    let isSwapped = format == .bgra8
    switch format.bytesPerChannel {
    case 1:
      bytes.withUnsafeBufferPointer { table in
        guard let table = table.baseAddress else { return }
        Self.load(source, light, count, channels: channels, colors: colors, isSwapped: isSwapped) { source, index, c in
          table[c &* 256 &+ Int(source.load(fromByteOffset: index, as: UInt8.self))]
        } alpha: { source, index in
          Sample8.read(source, index)
        }
      }
    case 2:
      words.withUnsafeBufferPointer { table in
        guard let table = table.baseAddress else { return }
        Self.load(source, light, count, channels: channels, colors: colors, isSwapped: false) { source, index, c in
          let word = source.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
          let line = table[c &* 4096 &+ Int(word >> 4)]
          return line.x + line.y * Float(word & 15)
        } alpha: { source, index in
          Sample16.read(source, index)
        }
      }
    default:
      guard !floats.isEmpty else {
        for pixel in 0..<count {
          light[pixel] = source.loadUnaligned(fromByteOffset: pixel &* 16, as: SIMD4<Float>.self)
        }
        return
      }
      for pixel in 0..<count {
        var color = source.loadUnaligned(fromByteOffset: pixel &* 16, as: SIMD4<Float>.self)
        for channel in 0..<3 {
          let table = floats[channel]
          color[channel] = table.lines.withUnsafeBufferPointer { lines in
            lines.baseAddress.map { table.value(color[channel], $0) } ?? 0
          }
        }
        light[pixel] = color
      }
    }
  }

  /// One loop for each kind of sample: the closures are parts of it.
  @inline(__always)
  private static func load(
    _ source: UnsafeRawPointer, _ light: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int, channels: Int, colors: Int,
    isSwapped: Bool, _ color: (UnsafeRawPointer, _ index: Int, _ channel: Int) -> Float,
    alpha: (UnsafeRawPointer, _ index: Int) -> Float
  ) {
    let hasAlpha = channels == colors + 1
    for pixel in 0..<count {
      let index = pixel &* channels
      let last = hasAlpha ? alpha(source, index &+ colors) : 0
      if colors == 1 {
        let gray = color(source, index, 1)
        light[pixel] = SIMD4(gray, gray, gray, last)
      } else {
        light[pixel] = SIMD4(
          color(source, index &+ (isSwapped ? 2 : 0), 0), color(source, index &+ 1, 1),
          color(source, index &+ (isSwapped ? 0 : 2), 2), last)
      }
    }
  }

  private func store(
    _ light: UnsafePointer<SIMD4<Float>>, _ destination: UnsafeMutableRawPointer, _ format: PixelFormat, _ count: Int
  ) {
    guard encoders.count == 3 else {
      for pixel in 0..<count {
        destination.storeBytes(of: light[pixel], toByteOffset: pixel &* 16, as: SIMD4<Float>.self)
      }
      return
    }
    switch format.bytesPerChannel {
    case 1: store(Sample8.self, light, destination, format, count)
    case 2: store(Sample16.self, light, destination, format, count)
    default: store(SampleFloat32.self, light, destination, format, count)
    }
  }

  @inline(__always)
  private func store<Sample: PixelSample>(
    _: Sample.Type, _ light: UnsafePointer<SIMD4<Float>>, _ destination: UnsafeMutableRawPointer,
    _ format: PixelFormat, _ count: Int
  ) {
    let (red, green, blue) = (encoders[0], encoders[1], encoders[2])
    let channels = format.channelCount
    let hasAlpha = format.hasAlpha
    red.lines.withUnsafeBufferPointer { reds in
      green.lines.withUnsafeBufferPointer { greens in
        blue.lines.withUnsafeBufferPointer { blues in
          guard let reds = reds.baseAddress, let greens = greens.baseAddress, let blues = blues.baseAddress else {
            return
          }
          if format.isGray {
            for pixel in 0..<count {
              Sample.write(green.value(light[pixel].y, greens), destination, pixel &* channels)
              if hasAlpha { Sample.write(light[pixel].w, destination, pixel &* channels &+ 1) }
            }
            return
          }
          let (first, last) = format == .bgra8 ? (2, 0) : (0, 2)
          for pixel in 0..<count {
            let color = light[pixel]
            let index = pixel &* channels
            Sample.write(red.value(color.x, reds), destination, index &+ first)
            Sample.write(green.value(color.y, greens), destination, index &+ 1)
            Sample.write(blue.value(color.z, blues), destination, index &+ last)
            if hasAlpha { Sample.write(color.w, destination, index &+ 3) }
          }
        }
      }
    }
  }
}

/// Counts light, to find the brightest of a picture but for a few pixels.
struct PeakCount {
  /// By the exponent and six bits of the fraction: how many, and the largest of them.
  private var bins = [(count: Int, most: Float)](repeating: (0, 0), count: 64 * 24)
  private var total = 0

  private static let lowest: Float = 0x1p-8

  mutating func add(_ light: Float) {
    total += 1
    guard light > Self.lowest else { return }
    let bin = min(Int((light.bitPattern &- Self.lowest.bitPattern) >> 17), bins.count - 1)
    bins[bin].count += 1
    bins[bin].most = max(bins[bin].most, light)
  }

  /// Light, in nits, that all but one in 10,000 do not exceed.
  var peak: Double {
    var above = total / 10_000
    for bin in bins.reversed() where bin.count > 0 {
      if above < bin.count { return Double(bin.most) * ToneCurve.whiteLuminance }
      above -= bin.count
    }
    return 0
  }
}
