// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Spreads samples over all codes from black to white.
package struct SampleStretch {
  private let low: Float
  private let high: Float
  /// The values of samples for pixels without one.
  private let missing: ClosedRange<Float>?
  private let layout: PixelLayout

  /// What the numbers of a file are in samples of floating point, where 1 is the greatest code of whole numbers.
  package struct Numbers {
    private let scale: Double
    private let offset: Double

    /// - Parameter isSigned: Whether whole numbers may be negative: then codes begin at the least of them.
    package init(_ header: ImageHeader, isSigned: Bool) {
      let bits = min(header.bitsPerChannel, 16)
      scale = header.pixelFormat.isFloat ? 1 : Double((1 << bits) - 1)
      offset = isSigned && !header.pixelFormat.isFloat ? Double(1 << (bits - 1)) : 0
    }

    fileprivate func sample(_ number: Double) -> Float { Float((number + offset) / scale) }

    /// The samples that are a number. Whole numbers have been divided.
    fileprivate func samples(_ number: Double) -> ClosedRange<Float> {
      scale == 1 ? sample(number)...sample(number) : sample(number - 0.25)...sample(number + 0.25)
    }
  }

  /// Looks at all pixels.
  ///
  /// - Parameters:
  ///   - pixels: Four channels of floating point. Pixels without alpha are not looked at.
  ///   - missing: What the file has for pixels without a value, in its own numbers.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a range without values.
  package init(
    _ range: SampleRange, of pixels: PixelBuffer, isGray: Bool, numbers: Numbers, missing: Double?
  ) throws(CoderError) {
    self.missing = missing.flatMap { $0.isNaN ? nil : numbers.samples($0) }
    var (least, greatest, hasMissing) = (Float.infinity, -Float.infinity, false)
    Self.forEach(pixels, isGray: isGray, missing: self.missing) { values in
      guard let values else {
        hasMissing = true
        return
      }
      (least, greatest) = (min(least, values.min()), max(greatest, values.max()))
    }
    switch range {
    case .extremes: (low, high) = (least, greatest)
    case .values(let first, let last):
      guard first.isFinite, last.isFinite, first < last else {
        throw .invalidArgument("a range from \(first) to \(last); the first number is the lesser one")
      }
      (low, high) = (numbers.sample(first), numbers.sample(last))
    case .percentile(let share):
      guard (0..<50).contains(share) else { throw .invalidArgument("a percentile of \(share); 0 to 50 is allowed") }
      (low, high) = Self.percentile(
        share, of: pixels, isGray: isGray, missing: self.missing, from: least, to: greatest)
    }
    let hasAlpha = hasMissing || pixels.alpha != .opaque
    let format: PixelFormat = isGray ? (hasAlpha ? .grayAlpha16 : .gray16) : hasAlpha ? .rgba16 : .rgb16
    layout = PixelLayout(format, hasAlpha ? .straight : .opaque)
  }

  /// The values between which the others lie, but for a share at either end: to 1/65,536 of the whole range.
  private static func percentile(
    _ share: Double, of pixels: PixelBuffer, isGray: Bool, missing: ClosedRange<Float>?, from least: Float,
    to greatest: Float
  ) -> (Float, Float) {
    guard greatest > least else { return (least, greatest) }
    let last = 65_535
    var counts = [Int](repeating: 0, count: last + 1)
    var total = 0
    forEach(pixels, isGray: isGray, missing: missing) { values in
      guard let values else { return }
      for index in 0..<3 {
        counts[Int((values[index] - least) / (greatest - least) * Float(last))] += 1
        total += 1
      }
    }
    let left = Int((Double(total) * share / 100).rounded(.down))
    func place(_ order: some Sequence<Int>) -> Int {
      var sum = 0
      for index in order {
        sum += counts[index]
        if sum > left { return index }
      }
      return 0
    }
    let step = (greatest - least) / Float(last)
    return (least + Float(place(0...last)) * step, least + Float(place((0...last).reversed())) * step)
  }

  /// Calls a function with the values of each pixel, or nil for a pixel without. Of gray, all three are the same.
  private static func forEach(
    _ pixels: PixelBuffer, isGray: Bool, missing: ClosedRange<Float>?, _ body: (SIMD3<Float>?) -> Void
  ) {
    for y in 0..<pixels.size.height {
      let row = pixels.row(y)
      for x in 0..<pixels.size.width { body(values(row, x, isGray: isGray, missing: missing)) }
    }
  }

  private static func values(
    _ row: UnsafeRawPointer, _ x: Int, isGray: Bool, missing: ClosedRange<Float>?
  ) -> SIMD3<Float>? {
    func channel(_ index: Int) -> Float { row.loadUnaligned(fromByteOffset: 16 * x + 4 * index, as: Float.self) }
    guard channel(3) > 0 else { return nil }
    let values = isGray ? SIMD3(repeating: channel(0)) : SIMD3(channel(0), channel(1), channel(2))
    guard values.x.isFinite, values.y.isFinite, values.z.isFinite else { return nil }
    if let missing, missing.contains(values.min()), missing.contains(values.max()) { return nil }
    return values
  }

  /// The picture with 16 bits for a sample. Pixels without a value are transparent.
  package func applied(to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
    let result = try PixelBuffer(size: pixels.size, format: layout.format, alpha: layout.alpha)
    let hasAlpha = layout.format.hasAlpha
    let colors = layout.format.isGray ? 1 : 3
    let channels = layout.format.bytesPerPixel / 2
    let scale = high > low ? 65_535 / (high - low) : 0
    for y in 0..<pixels.size.height {
      let (row, new) = (pixels.row(y), result.row(y))
      for x in 0..<pixels.size.width {
        let values = Self.values(row, x, isGray: colors == 1, missing: missing)
        for channel in 0..<channels {
          var code: UInt16 = 0
          if let values {
            code = .max
            if channel < colors { code = UInt16(min(max((values[channel] - low) * scale, 0), 65_535).rounded()) }
            if hasAlpha, channel == channels - 1 {
              code = UInt16(
                min(max(row.loadUnaligned(fromByteOffset: 16 * x + 12, as: Float.self), 0), 1) * 65_535)
            }
          }
          new.storeBytes(of: code, toByteOffset: (x * channels + channel) * 2, as: UInt16.self)
        }
      }
    }
    return result
  }
}

/// What GDAL says of the values of a TIFF file, in a payload of ``MetadataKind/geoTIFF``.
package enum MeasuredValues {
  /// GDAL_NODATA, and GDAL_METADATA, which may have statistics of the values.
  private static let tags: [UInt16] = [42113, 42112]

  /// The value of pixels that have none.
  package static func missing(in payload: [UInt8]) -> Double? {
    guard let text = ExifDirectories(payload)?.text(tags[0]) else { return nil }
    return Double(text.drop { $0 == " " }.prefix { $0 != " " && $0 != "\0" })
  }

  /// A payload without what is not true of other values; nil where nothing else is in it.
  package static func removed(from payload: [UInt8]) -> [UInt8]? {
    guard var directories = ExifDirectories(payload) else { return nil }
    for tag in tags { directories.remove(tag, from: .main) }
    return directories.isEmpty ? nil : directories.payload()
  }
}
