// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Converts rows from one layout to another, and their colors on the way.
struct RowRecoder: Sendable {
  private let before: RowConverter
  private let inks: InkConverter?
  private let color: ColorTransform.Converter?
  private let after: RowConverter
  private let working: PixelFormat
  /// From integers to light without a picture of floating point in between, or nil.
  private let light: LightConverter?

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
      inks = nil
      light = nil
      self.color = nil
      return
    }
    let layout = color.workingLayout(from: from, to: to)
    before = RowConverter(from: from, to: layout)
    inks = color.inks
    after = RowConverter(from: inks == nil ? layout : PixelLayout(layout.format, .opaque), to: to)
    working = layout.format
    light =
      to.format == .rgbaFloat32 && from.alpha != .premultiplied && to.alpha != .premultiplied
      ? color.lightMaker(from.format) : nil
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
    if let light, Int(bitPattern: destination) % MemoryLayout<SIMD4<Float>>.alignment == 0 {
      light.makeLight(
        source, into: destination.assumingMemoryBound(to: SIMD4<Float>.self), count: count, format: before.from.format,
        isOpaque: before.makesOpaque)
      return
    }
    if before.isIdentity, after.isIdentity, inks == nil {
      Self.apply(color, source, destination, count, working)
      return
    }
    let (input, output) = (before.from.format.bytesPerPixel, after.to.format.bytesPerPixel)
    withUnsafeTemporaryAllocation(byteCount: Self.chunk * working.bytesPerPixel, alignment: 16) { buffer in
      guard let scratch = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        if before.isIdentity, inks == nil {
          Self.apply(color, source + done * input, scratch, part, working)
        } else {
          before.convert(source + done * input, into: scratch, count: part)
          inks?.convert(scratch, count: part)
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
