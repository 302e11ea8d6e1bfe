// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension PixelBuffer {
  /// Format and alpha of the pixels.
  public var layout: PixelLayout { PixelLayout(format, alpha) }

  /// Converts the pixels to another layout.
  ///
  /// - 8 to 16 bits multiplies by 257, 16 to 8 bits rounds to the nearest; floating point is 0 … 1, clamped and rounded
  ///   when it becomes an integer, and 0 where it is not a number.
  /// - Gray becomes three equal channels; color becomes gray by the luma weights of ITU-R BT.601 §2.5.1 (0.299, 0.587,
  ///   0.114), applied to the samples as they are.
  /// - Alpha that the target cannot hold is dropped, and color is what it was before it was multiplied by alpha. A source
  ///   without alpha is opaque.
  ///
  /// - Returns: This buffer if it already has the layout; a buffer that shares this one's memory if only the alpha mode
  ///   changes and no pixel does, as from opaque to straight; new memory otherwise.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func converted(to layout: PixelLayout, pool: PixelPool? = nil) throws(CoderError) -> PixelBuffer {
    guard layout != self.layout else { return self }
    let converter = RowConverter(from: self.layout, to: layout)
    if converter.isIdentity {
      let memory = UnsafeMutableRawBufferPointer(start: base, count: (size.height - 1) * stride + rowBytes)
      return try PixelBuffer(
        wrapping: memory, size: size, format: layout.format, alpha: layout.alpha, stride: stride, owner: self)
    }
    let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha, pool: pool)
    for y in 0..<size.height { converter.convert(row(y), into: result.row(y), count: size.width) }
    return result
  }

  /// Resamples the picture to a size.
  ///
  /// Decoders and encoders never enlarge; this does if the size is larger.
  ///
  /// - Parameter size: The size of the result.
  /// - Returns: A picture of the same layout; this buffer if nothing changes.
  /// - Throws: ``CoderError/Code/invalidArgument`` for an empty size; ``CoderError/Code/outOfMemory``.
  public func resampled(to size: Size, pool: PixelPool? = nil) throws(CoderError) -> PixelBuffer {
    try resampled(to: size, region: nil, pool: pool)
  }

  /// Resamples the picture, or a part of it, to a size.
  ///
  /// - Parameters:
  ///   - size: Of the result.
  ///   - region: The part of this picture to show, or nil for all of it.
  /// - Returns: A picture of the same layout; this buffer where nothing changes.
  /// - Throws: ``CoderError/Code/invalidArgument`` for an empty size or a region outside the picture;
  ///   ``CoderError/Code/outOfMemory``.
  package func resampled(
    to size: Size, region: ResamplingRegion?, pool: PixelPool? = nil
  ) throws(CoderError) -> PixelBuffer {
    let whole = ResamplingRegion.whole(self.size)
    if size == self.size, region == nil || region == whole { return self }
    let result = try PixelBuffer(size: size, format: format, alpha: alpha, pool: pool)
    let resampler = try StreamingResampler(
      source: self.size, layout: layout, region: region ?? whole, destination: result)
    resampler.push(base, stride: stride, count: self.size.height)
    _ = resampler.finish()
    return result
  }

  /// Composites the picture over a color.
  ///
  /// - Parameter background: Scaled to the samples of the format; its alpha is not used.
  /// - Returns: An opaque picture: `rgb8` from formats of 8 bits, the same format with full alpha from others; this
  ///   buffer if it is that already.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func flattened(
    on background: PixelColor
  ) throws(CoderError) -> PixelBuffer {
    let isNarrow = format.bytesPerChannel == 1
    let target = RowFlattener.result(of: layout)
    guard alpha != .opaque else { return try converted(to: target) }
    let premultiplied = PixelLayout(isNarrow ? .rgba8 : format, .premultiplied)
    let straight = PixelLayout(isNarrow ? .rgba8 : format, .straight)
    let result = try PixelBuffer(size: size, format: target.format, alpha: .opaque)
    let working = alpha == .straight ? straight : premultiplied
    let converter = RowConverter(from: layout, to: working)
    let line = try PixelBuffer(size: Size(width: size.width, height: 1), format: working.format, alpha: working.alpha)
    let flattener = RowFlattener(working, on: background)
    for y in 0..<size.height {
      converter.convert(row(y), into: line.base, count: size.width)
      flattener.flatten(line.base, into: result.row(y), count: size.width)
    }
    return result
  }
}
