// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation
  import ImageCodersBuiltIn

  extension CGContext {
    /// Fills a rectangle with the fill color. Where it covers a part of a pixel, that part counts.
    public func fill(_ rect: CGRect) {
      let alpha = state.fill.w * state.alpha
      var source = state.fill * alpha
      source.w = alpha
      cover(rect) { x, y, share in mix(source * share, atColumn: x, row: y, share: share) }
    }

    /// Fills each of several rectangles.
    public func fill(_ rects: [CGRect]) { for rect in rects { fill(rect) } }

    /// Makes a rectangle transparent; black in a context without alpha.
    public func clear(_ rect: CGRect) {
      let before = state.blend
      state.blend = .clear
      cover(rect) { x, y, share in mix(SIMD4(0, 0, 0, share), atColumn: x, row: y, share: share) }
      state.blend = before
    }

    /// Draws a picture over a rectangle, upright where y grows upwards.
    ///
    /// With `interpolationQuality` `.none` each pixel shows the nearest one of the picture; otherwise the picture is filtered.
    ///
    /// - Parameter byTiling: Whether the rectangle is one of many that cover all of the context.
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
      let rect = rect.standardized
      guard rect.isFinite, rect.width > 0, rect.height > 0, let pixels = image.pixels else { return }
      guard byTiling else { return draw(pixels, in: rect) }
      let all = boundingBoxOfClipPath
      // More tiles than there are pixels show nothing.
      guard all.isFinite, all.width / rect.width * (all.height / rect.height) <= CGFloat(width * height) else { return }
      let first = CGPoint(
        x: rect.minX - ((rect.minX - all.minX) / rect.width).rounded(.up) * rect.width,
        y: rect.minY - ((rect.minY - all.minY) / rect.height).rounded(.up) * rect.height)
      for y in stride(from: first.y, to: all.maxY, by: rect.height) {
        for x in stride(from: first.x, to: all.maxX, by: rect.width) {
          draw(pixels, in: CGRect(x: x, y: y, width: rect.width, height: rect.height))
        }
      }
    }

    private func draw(_ pixels: PixelBuffer, in rect: CGRect) {
      let t = state.transform
      // The size on the bitmap by the library's filter; the place by the transform.
      let across = hypot(Double(t.a), Double(t.b)) * Double(rect.width)
      let along = hypot(Double(t.c), Double(t.d)) * Double(rect.height)
      guard across.isFinite, along.isFinite, across < 65_536, along < 65_536 else { return }
      var size = Size(width: max(1, Int(across.rounded())), height: max(1, Int(along.rounded())))
      guard var source = try? pixels.converted(to: PixelLayout(.rgba8, .premultiplied)) else { return }
      if state.interpolation == .none {
        size = source.size
      } else {
        guard let filtered = try? source.resampled(to: size) else { return }
        source = filtered
      }
      let isStraight = (t.b == 0 && t.c == 0) || (t.a == 0 && t.d == 0)
      let bytes = source.copyBytes()
      let inverse = t.inverted()
      let alpha = state.alpha / 255
      func texel(_ u: Int, _ v: Int) -> SIMD4<Double> {
        let start = (min(max(v, 0), size.height - 1) * size.width + min(max(u, 0), size.width - 1)) * 4
        return alpha
          * SIMD4<Double>(SIMD4(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]))
      }
      let place = self.place(of: rect)
      for row in place.rows {
        for column in place.columns {
          let point = CGPoint(x: Double(column) + 0.5, y: Double(height - row) - 0.5).applying(inverse)
          let u = Double(point.x - rect.minX) / Double(rect.width) * Double(size.width)
          let v = (1 - Double(point.y - rect.minY) / Double(rect.height)) * Double(size.height)
          guard u >= 0, v >= 0, u < Double(size.width), v < Double(size.height) else { continue }
          if isStraight || state.interpolation == .none {
            mix(texel(Int(u), Int(v)), atColumn: column, row: row)
            continue
          }
          // Turned pictures are mixed of the four nearest pixels.
          let (left, top) = ((u - 0.5).rounded(.down), (v - 0.5).rounded(.down))
          let (x, y) = (u - 0.5 - left, v - 0.5 - top)
          let (column0, row0) = (Int(left), Int(top))
          let upper = texel(column0, row0) * (1 - x) + texel(column0 + 1, row0) * x
          let lower = texel(column0, row0 + 1) * (1 - x) + texel(column0 + 1, row0 + 1) * x
          mix(upper * (1 - y) + lower * y, atColumn: column, row: row)
        }
      }
    }

    /// Pixels that a rectangle may touch: inside of the bitmap and of what is drawn on.
    private func place(of rect: CGRect) -> (columns: Range<Int>, rows: Range<Int>) {
      let area = rect.applying(state.transform)
      let box = area.isFinite ? area.intersection(state.clip) : .null
      guard !box.isNull, box.width > 0, box.height > 0 else { return (0..<0, 0..<0) }
      let left = max(0, Int(box.minX.rounded(.down)))
      let right = min(width, Int(box.maxX.rounded(.up)))
      let top = max(0, height - Int(box.maxY.rounded(.up)))
      let bottom = min(height, height - Int(box.minY.rounded(.down)))
      return (left..<max(left, right), top..<max(top, bottom))
    }

    /// Calls a body with each pixel that a rectangle covers, and with the share of it, 0 to 1.
    private func cover(_ rect: CGRect, _ body: (_ column: Int, _ row: Int, _ share: Double) -> Void) {
      let rect = rect.standardized
      let t = state.transform
      let place = self.place(of: rect)
      guard !place.rows.isEmpty else { return }
      let isStraight = (t.b == 0 && t.c == 0) || (t.a == 0 && t.d == 0)
      let box = rect.applying(t).intersection(state.clip)
      let inverse = t.inverted()
      for row in place.rows {
        let low = Double(height - row - 1)
        let tall = min(Double(box.maxY), low + 1) - max(Double(box.minY), low)
        for column in place.columns {
          if isStraight {
            let wide = min(Double(box.maxX), Double(column + 1)) - max(Double(box.minX), Double(column))
            if wide > 0, tall > 0 { body(column, row, wide * tall) }
          } else if rect.contains(CGPoint(x: Double(column) + 0.5, y: low + 0.5).applying(inverse)) {
            body(column, row, 1)
          }
        }
      }
    }

    /// Mixes a color with that of a pixel.
    ///
    /// - Parameters:
    ///   - source: Red, green and blue times alpha, and alpha; 0 to 1.
    ///   - share: How much of the pixel is drawn on.
    private func mix(_ source: SIMD4<Double>, atColumn column: Int, row: Int, share: Double = 1) {
      guard let data else { return }
      let start = data.assumingMemoryBound(to: UInt8.self) + row * bytesPerRow
      if bitsPerPixel == 8 {
        let under = Double(start[column]) / 255
        let mixed = blended(source, over: SIMD4(under, under, under, 1), share: share)
        start[column] = Self.bytes(SIMD4(repeating: 0.299 * mixed.x + 0.587 * mixed.y + 0.114 * mixed.z)).x
        return
      }
      let pixel = start + 4 * column
      let (red, green, blue, alpha) = (order.red, order.green, order.blue, order.alpha)
      var under = SIMD4<Double>(SIMD4(pixel[red], pixel[green], pixel[blue], pixel[alpha])) / 255
      if isOpaque { under.w = 1 }
      let mixed = Self.bytes(blended(source, over: under, share: share))
      (pixel[red], pixel[green], pixel[blue]) = (mixed.x, mixed.y, mixed.z)
      // The fourth byte of a context without alpha is nobody's; opaque is what all programs take it for.
      pixel[alpha] = isOpaque ? 255 : mixed.w
    }

    private static func bytes(_ values: SIMD4<Double>) -> SIMD4<UInt8> {
      SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int>(values.clamped(lowerBound: .zero, upperBound: .one) * 255 + 0.5))
    }

    /// ISO 32000-1 §11.3: Porter and Duff's operators, and modes that work on each channel.
    private func blended(_ source: SIMD4<Double>, over under: SIMD4<Double>, share: Double) -> SIMD4<Double> {
      let (s, d) = (source.w, under.w)
      // Where a part of the pixel is drawn on, the rest stays.
      let rest = 1 - share
      switch state.blend {
      case .normal: return source + under * (1 - s)
      case .clear: return under * rest
      case .copy: return source + under * rest
      case .sourceIn: return source * d + under * rest
      case .sourceOut: return source * (1 - d) + under * rest
      case .sourceAtop: return source * d + under * (1 - s)
      case .destinationOver: return source * (1 - d) + under
      case .destinationIn: return under * (s + rest)
      case .destinationOut: return under * (1 - s)
      case .destinationAtop: return source * (1 - d) + under * (s + rest)
      case .xor: return source * (1 - d) + under * (1 - s)
      case .plusLighter: return source + under
      default: break
      }
      var mixed = source * (1 - d) + under * (1 - s)
      if s > 0, d > 0 {
        for channel in 0..<3 { mixed[channel] += s * d * mode(source[channel] / s, under[channel] / d) }
      }
      mixed.w = s + d * (1 - s)
      return mixed
    }

    private func mode(_ source: Double, _ under: Double) -> Double {
      switch state.blend {
      case .multiply: source * under
      case .screen: source + under - source * under
      case .overlay: under <= 0.5 ? 2 * source * under : 1 - 2 * (1 - source) * (1 - under)
      case .darken: min(source, under)
      case .lighten: max(source, under)
      case .difference: abs(source - under)
      case .exclusion: source + under - 2 * source * under
      default: source
      }
    }
  }
#endif
