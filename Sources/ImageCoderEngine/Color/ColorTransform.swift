// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

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
  /// What comes before, where samples are inks.
  let inks: InkConverter?
  private let toneMapping: ToneMapping
  /// Whether light above white is kept where samples can hold it.
  private let keepsLight: Bool
  private let isHDR: Bool
  /// Whether the target goes beyond the white of an SDR picture.
  private let keepsHighlights: Bool
  private let statedPeak: Double?
  private let made = Lock<[Key: Converter]>([:])

  /// Plans a conversion.
  ///
  /// - Parameters:
  ///   - peak: The brightest light of the picture, nits, or nil to measure it.
  /// - Returns: Nil where no sample of 8 bits would change.
  ///   - intent: What happens to colors that the target does not have.
  ///   - blackPoint: What happens to the darkest black.
  /// - Throws: ``CoderError/Code/unsupported`` for profiles with tables where the library for them is not there, and for
  ///   a target whose curves fall; ``CoderError/Code/malformed`` for tables that the library refuses.
  package init?(
    from stated: ColorSpace, to target: ColorSpace, toneMapping: ToneMapping, peak: Double? = nil,
    intent: RenderingIntent = .relativeColorimetric, blackPoint: BlackPoint = .compensated
  ) throws(CoderError) {
    var source = stated
    if stated.isInks {
      let converter = try InkConverter(stated, intent: intent, blackPoint: blackPoint)
      inks = converter
      source = converter.result
    } else {
      inks = nil
    }
    guard !target.isInks else { throw .unsupported("\(target.name) as a target: a profile of RGB is needed") }
    guard
      inks != nil || source.model != target.model || source.model == .tables && source.profile != target.profile
        || intent == .absoluteColorimetric && source.mediaWhite != target.mediaWhite
    else { return nil }
    // Makers of sRGB's profile have rounded differently; all of them mean the same.
    if source.isSRGB, target.isSRGB, inks == nil { return nil }
    isHDR = source.isHDR
    keepsHighlights = target.isHDR
    self.toneMapping = toneMapping
    statedPeak = peak
    if source.model == .tables || target.model == .tables {
      keepsLight = false
      let isCurved = source.isHDR || inks != nil
      let middle = isCurved ? Self.path(from: source, to: .wide, intent, blackPoint) : nil
      guard let from = Self.profile(isCurved ? .wide : source), let to = Self.profile(target) else {
        throw .unsupported("no profile says what \(source.name) and \(target.name) are")
      }
      engine = .tables(
        try TableConverter(from: from, to: to, intent: intent, blackPoint: blackPoint),
        after: middle.map { ($0.source, $0.middle) })
      return
    }
    guard let path = Self.path(from: source, to: target, intent, blackPoint),
      path.target.allSatisfy(\.isInvertible)
    else {
      throw .unsupported("\(target.name) as a target: the curves of its profile have to rise")
    }
    keepsLight = path.target == [.linear, .linear, .linear]
    if inks == nil, !source.isHDR, Self.isIdentity(path.source, path.middle.matrix, path.target) { return nil }
    engine = .matrix(source: path.source, path.middle, target: path.target)
  }

  /// Curves and a matrix between two spaces without tables.
  private static func path(
    from source: ColorSpace, to target: ColorSpace, _ intent: RenderingIntent, _ blackPoint: BlackPoint
  ) -> (source: [ToneCurve], middle: LightConverter.Middle, target: [ToneCurve])? {
    guard case .rgb(let toXYZ, var encoders) = target.model else { return nil }
    var middle = LightConverter.Middle()
    var decoders: [ToneCurve]
    switch source.model {
    case .rgb(let matrix, let curves):
      decoders = curves
      // Perceptual and saturation have no tables here: they are relative, as in Little CMS.
      let white = intent == .absoluteColorimetric ? source.mediaWhite / target.mediaWhite : SIMD3(repeating: 1)
      middle.matrix = toXYZ.inverse * (Matrix3(diagonal: white) * matrix)
      if decoders[0] == .hlg {
        middle.luminance = (Chromaticities(code: source.cicp?.primaries ?? 9) ?? .rec2020).luminance
      }
    case .gray(let curve): decoders = [curve, curve, curve]
    case .tables, .inks, .press: return nil
    }
    if encoders[0] == .hlg {
      middle.targetLuminance = (Chromaticities(code: target.cicp?.primaries ?? 9) ?? .rec2020).luminance
    }
    // Perceptual and saturation take black to black in any case, as they do in tables of version 4.
    let keepsBlack = intent == .absoluteColorimetric || intent == .relativeColorimetric && blackPoint == .kept
    if !keepsBlack {
      let (dark, darkest) = (source.blackLuminance, target.blackLuminance)
      if dark > 0 { decoders = decoders.map { $0.scaled(fromBlack: dark) } }
      if darkest > 0 { encoders = encoders.map { $0.scaled(fromBlack: darkest) } }
    }
    return (decoders, middle, encoders)
  }

  /// The profile of a space, for pixels of RGB.
  private static func profile(_ space: ColorSpace) -> [UInt8]? {
    guard case .gray(let curve) = space.model, case .rgb(let matrix, _) = ColorSpace.sRGB.model else {
      return space.profile ?? ICCProfile.bytes(of: space)
    }
    return ICCProfile.bytes(of: ColorSpace(space.name, .rgb(toXYZ: matrix, curves: [curve, curve, curve])))
  }

  /// Whether the result depends on the brightest light of the picture, which has to be measured first.
  var measuresPeak: Bool { isHDR && !keepsHighlights && statedPeak == nil && toneMapping != .clip }

  /// The working layout for rows: that of the source, in straight samples, as deep as the result.
  func workingLayout(from: PixelLayout, to: PixelLayout) -> PixelLayout {
    let alpha = from.alpha == .premultiplied ? .straight : from.alpha
    if inks != nil { return PixelLayout(.rgbaFloat32, .straight) }
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

  /// What makes light of rows in a format of integers at once, or nil where only the usual way leads there.
  func lightMaker(_ format: PixelFormat) -> LightConverter? {
    guard case .matrix(let source, let middle, let target) = engine, keepsLight, inks == nil, !format.isFloat,
      !format.isGray
    else { return nil }
    return LightConverter(source, middle, target, format: format, makesLight: true)
  }

  private func makeConverter(_ format: PixelFormat, peak: Double) -> Converter {
    switch engine {
    case .matrix(let source, var middle, let target):
      if isHDR, !keepsHighlights, !(format.isFloat && keepsLight) { middle.tone = (toneMapping, peak) }
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
