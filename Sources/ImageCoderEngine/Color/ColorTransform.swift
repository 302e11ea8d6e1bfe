// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel
import Synchronization

/// From the colors of one space to those of another, for rows of any layout.
package final class ColorTransform: Sendable {
  private enum Engine: Sendable {
    /// Curves, a matrix, curves.
    case matrix(source: [ToneCurve], LightConverter.Middle, target: [ToneCurve])
    /// The library; of an HDR picture, after curves and a matrix.
    case tables(TableConverter, after: (source: [ToneCurve], LightConverter.Middle)?)
  }

  /// Converts rows in one layout.
  enum Converter: Sendable {
    case packed(PackedConverter)
    case light(LightConverter)
    case tables(TableConverter, after: LightConverter?)
  }

  private struct Key: Hashable {
    let format: PixelFormat
    let peak: Double
  }

  private let engine: Engine
  private let toneMapping: ToneMapping
  /// Whether light above white is kept where samples can hold it.
  private let keepsLight: Bool
  private let isHDR: Bool
  private let statedPeak: Double?
  private let made = Mutex<[Key: Converter]>([:])

  /// Plans a conversion.
  ///
  /// - Parameters:
  ///   - peak: The brightest light of the picture, nits, or nil to measure it.
  /// - Returns: Nil where no sample of 8 bits would change.
  ///   - intent: For profiles with tables, as the black point.
  /// - Throws: ``CoderError/Code/unsupported`` for profiles with tables where the library for them is not there, and for
  ///   a target whose curves fall; ``CoderError/Code/malformed`` for tables that the library refuses.
  package init?(
    from source: ColorSpace, to target: ColorSpace, toneMapping: ToneMapping, peak: Double? = nil,
    intent: RenderingIntent = .relativeColorimetric, blackPoint: BlackPoint = .compensated
  ) throws(CoderError) {
    guard source.model != target.model || source.model == .tables && source.profile != target.profile else {
      return nil
    }
    // Makers of sRGB's profile have rounded differently; all of them mean the same.
    if source.isSRGB, target.isSRGB { return nil }
    isHDR = source.isHDR
    self.toneMapping = toneMapping
    statedPeak = peak
    if source.model == .tables || target.model == .tables {
      keepsLight = false
      let middle = source.isHDR ? Self.path(from: source, to: .wide) : nil
      guard let from = Self.profile(source.isHDR ? .wide : source), let to = Self.profile(target) else {
        throw .unsupported("no profile says what \(source.name) and \(target.name) are")
      }
      engine = .tables(
        try TableConverter(from: from, to: to, intent: intent, blackPoint: blackPoint),
        after: middle.map { ($0.source, $0.middle) })
      return
    }
    guard let path = Self.path(from: source, to: target), path.target.allSatisfy(\.isInvertible) else {
      throw .unsupported("\(target.name) as a target: the curves of its profile have to rise")
    }
    keepsLight = path.target == [.linear, .linear, .linear]
    if !source.isHDR, Self.isIdentity(path.source, path.middle.matrix, path.target) { return nil }
    engine = .matrix(source: path.source, path.middle, target: path.target)
  }

  /// Curves and a matrix between two spaces without tables.
  private static func path(
    from source: ColorSpace, to target: ColorSpace
  ) -> (source: [ToneCurve], middle: LightConverter.Middle, target: [ToneCurve])? {
    guard case .rgb(let toXYZ, let encoders) = target.model else { return nil }
    var middle = LightConverter.Middle()
    switch source.model {
    case .rgb(let matrix, let decoders):
      middle.matrix = toXYZ.inverse * matrix
      if decoders[0] == .hlg {
        middle.luminance = (Chromaticities(code: source.cicp?.primaries ?? 9) ?? .rec2020).luminance
      }
      return (decoders, middle, encoders)
    case .gray(let curve): return ([curve, curve, curve], middle, encoders)
    case .tables: return nil
    }
  }

  /// The profile of a space, for pixels of RGB.
  private static func profile(_ space: ColorSpace) -> [UInt8]? {
    guard case .gray(let curve) = space.model, case .rgb(let matrix, _) = ColorSpace.sRGB.model else {
      return space.profile ?? ICCProfile.bytes(of: space)
    }
    return ICCProfile.bytes(of: ColorSpace(space.name, .rgb(toXYZ: matrix, curves: [curve, curve, curve])))
  }

  /// Whether the result depends on the brightest light of the picture, which has to be measured first.
  var measuresPeak: Bool { isHDR && statedPeak == nil && toneMapping != .clip }

  /// The working layout for rows: that of the source, in straight samples, as deep as the result.
  func workingLayout(from: PixelLayout, to: PixelLayout) -> PixelLayout {
    let alpha = from.alpha == .premultiplied ? .straight : from.alpha
    if case .tables = engine { return PixelLayout(.rgbaFloat32, alpha) }
    if from.format.isFloat || to.format.isFloat { return PixelLayout(.rgbaFloat32, alpha) }
    guard from.format.bytesPerChannel == 1, to.format.bytesPerChannel > 1 else {
      return PixelLayout(from.format, alpha)
    }
    switch from.format {
    case .gray8: return PixelLayout(.gray16, alpha)
    case .grayAlpha8: return PixelLayout(.grayAlpha16, alpha)
    default: return PixelLayout(.rgba16, alpha)
    }
  }

  /// What converts rows of a working format.
  ///
  /// - Parameter measured: The brightest light, nits, where ``measuresPeak``.
  func converter(_ format: PixelFormat, measured: Double) -> Converter {
    let key = Key(format: format, peak: statedPeak ?? measured)
    return made.withLock { made in
      if let converter = made[key] { return converter }
      let converter = makeConverter(format, peak: key.peak)
      made[key] = converter
      return converter
    }
  }

  private func makeConverter(_ format: PixelFormat, peak: Double) -> Converter {
    switch engine {
    case .matrix(let source, var middle, let target):
      if isHDR, !(format.isFloat && keepsLight) { middle.tone = (toneMapping, peak) }
      // All channels of gray are green's.
      if format.isGray {
        return .light(
          LightConverter([source[1], source[1], source[1]], middle, [target[1], target[1], target[1]], format: format))
      }
      if !isHDR, format.bytesPerChannel == 1, let packed = PackedConverter(source, middle.matrix, target) {
        return .packed(packed)
      }
      return .light(LightConverter(source, middle, target, format: format))
    case .tables(let tables, nil): return .tables(tables, after: nil)
    case .tables(let tables, (let source, var middle)?):
      middle.tone = (toneMapping, peak)
      let curves = [ToneCurve](repeating: .sRGB, count: 3)
      return .tables(tables, after: LightConverter(source, middle, curves, format: format))
    }
  }

  /// The brightest light of a picture but for one pixel in 10,000, nits.
  package func peak(of pixels: PixelBuffer) throws(CoderError) -> Double {
    guard measuresPeak else { return statedPeak ?? 0 }
    let working = workingLayout(from: pixels.layout, to: pixels.layout)
    let pixels = try pixels.converted(to: working)
    let light: LightConverter
    switch converter(working.format, measured: 0) {
    case .light(let converter), .tables(_, let converter?): light = converter
    case .packed, .tables: return 0
    }
    var peaks = PeakCount()
    for y in 0..<pixels.size.height {
      light.measure(pixels.row(y), count: pixels.size.width, format: working.format, into: &peaks)
    }
    return peaks.peak
  }

  /// Whether no color of 8 bits moves by more than about half a code.
  private static func isIdentity(_ source: [ToneCurve], _ matrix: Matrix3, _ target: [ToneCurve]) -> Bool {
    // Profiles round their colorants; at the dark end of the curve of sRGB, this is 0.65 of a code.
    let identity = Matrix3.identity
    for (column, expected) in [
      (matrix.first, identity.first), (matrix.second, identity.second), (matrix.third, identity.third),
    ] {
      guard (0..<3).allSatisfy({ abs(column[$0] - expected[$0]) < 2e-4 }) else { return false }
    }
    return (0..<3).allSatisfy { channel in
      (0...255).allSatisfy { step in
        let value = Double(step) / 255
        return abs(target[channel].value(source[channel].light(value)) - value) * 255 < 0.5
      }
    }
  }
}

/// Converts rows from one layout to another, and their colors on the way.
struct RowRecoder: Sendable {
  private let before: RowConverter
  private let color: ColorTransform.Converter?
  private let after: RowConverter
  private let working: PixelFormat

  /// Pixels at a time: their intermediate rows stay in the first-level cache.
  private static let chunk = 512

  /// - Parameters:
  ///   - color: Nil to convert layouts alone.
  ///   - peak: The brightest light, nits, where the conversion measures it.
  init(from: PixelLayout, to: PixelLayout, color: ColorTransform?, peak: Double = 0) {
    guard let color else {
      before = RowConverter(from: from, to: to)
      after = RowConverter(from: to, to: to)
      working = to.format
      self.color = nil
      return
    }
    let layout = color.workingLayout(from: from, to: to)
    before = RowConverter(from: from, to: layout)
    after = RowConverter(from: layout, to: to)
    working = layout.format
    self.color = color.converter(layout.format, measured: peak)
  }

  /// Whether the bytes of a row stay as they are.
  var isIdentity: Bool { color == nil && before.isIdentity }

  /// Converts one row.
  ///
  /// - Parameter destination: Apart from the source.
  func convert(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    guard let color else {
      before.convert(source, into: destination, count: count)
      return
    }
    if before.isIdentity, after.isIdentity {
      Self.apply(color, source, destination, count, working)
      return
    }
    let (input, output) = (before.from.format.bytesPerPixel, after.to.format.bytesPerPixel)
    withUnsafeTemporaryAllocation(byteCount: Self.chunk * working.bytesPerPixel, alignment: 16) { buffer in
      guard let scratch = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        if before.isIdentity {
          Self.apply(color, source + done * input, scratch, part, working)
        } else {
          before.convert(source + done * input, into: scratch, count: part)
          Self.apply(color, scratch, scratch, part, working)
        }
        after.convert(scratch, into: destination + done * output, count: part)
        done += part
      }
    }
  }

  private static func apply(
    _ color: ColorTransform.Converter, _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer,
    _ count: Int, _ format: PixelFormat
  ) {
    switch color {
    case .packed(let packed):
      packed.convert(
        source, into: destination, count: count, bytes: format.bytesPerPixel, isSwapped: format == .bgra8)
    case .light(let light): light.convert(source, into: destination, count: count, format: format)
    case .tables(let tables, let light):
      if let light {
        light.convert(source, into: destination, count: count, format: format)
      } else if source != UnsafeRawPointer(destination) {
        destination.copyMemory(from: source, byteCount: count * format.bytesPerPixel)
      }
      tables.convert(destination, count: count)
    }
  }
}

extension PixelBuffer {
  /// The pixels in another layout and other colors.
  package func converted(
    to layout: PixelLayout, color: ColorTransform?, pool: PixelPool? = nil
  ) throws(CoderError) -> PixelBuffer {
    guard let color else { return try converted(to: layout, pool: pool) }
    let recoder = RowRecoder(from: self.layout, to: layout, color: color, peak: try color.peak(of: self))
    let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha, pool: pool)
    for y in 0..<size.height { recoder.convert(row(y), into: result.row(y), count: size.width) }
    return result
  }
}
