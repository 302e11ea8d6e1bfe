// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
package import ImageCoderModel

extension ImageOperation {
  /// A turn by any angle about the center of a picture.
  ///
  /// Multiples of 90° move pixels and change none. Other angles take each pixel of the result from where its center was, by
  /// a bicubic filter (Catmull and Rom's, a = -½) over 4×4 pixels; pixels that an edge of the picture crosses get the share
  /// of it that is covered.
  public struct Rotation: Sendable, Hashable {
    /// Clockwise.
    public var degrees: Double
    /// What the corners are filled with. With anything but an opaque color, the result gets alpha.
    public var background: PixelColor
    /// Whether the result keeps the size of the picture, so that corners are cut off. Otherwise it is as large as the
    /// turned picture.
    public var keepsSize: Bool

    /// Says how far a picture is turned.
    public init(_ degrees: Double, background: PixelColor = .transparent, keepsSize: Bool = false) {
      self.degrees = degrees
      self.background = background
      self.keepsSize = keepsSize
    }

    /// From 0 up to 360.
    var normalizedDegrees: Double {
      let rest = fmod(degrees, 360)
      let turned = rest < 0 ? rest + 360 : rest
      return turned >= 360 ? 0 : turned
    }

    /// How pixels move if none has to be mixed.
    package var quarter: Orientation? {
      switch normalizedDegrees {
      case 0: .up
      case 90: .right
      case 180: .down
      case 270: .left
      default: nil
      }
    }

    private var direction: (cosine: Double, sine: Double) {
      switch normalizedDegrees {
      case 0: return (1, 0)
      case 90: return (0, 1)
      case 180: return (-1, 0)
      case 270: return (0, -1)
      default:
        let angle = normalizedDegrees * .pi / 180
        return (cos(angle), sin(angle))
      }
    }

    func size(of size: Size) throws(CoderError) -> Size {
      guard !keepsSize else { return size }
      if let quarter { return quarter.displayed(size) }
      let (cosine, sine) = direction
      let (width, height) = (Double(size.width), Double(size.height))
      // What is only a rounding error is no further pixel.
      let across = (width * abs(cosine) + height * abs(sine) - 1e-6).rounded(.up)
      let down = (width * abs(sine) + height * abs(cosine) - 1e-6).rounded(.up)
      guard across < 1e15, down < 1e15 else { throw .invalidArgument("a picture of \(size) is too large to be turned") }
      return Size(width: max(1, Int(across)), height: max(1, Int(down)))
    }

    func applied(to pixels: PixelBuffer, size: Size) throws(CoderError) -> PixelBuffer {
      if let quarter, quarter.displayed(pixels.size) == size { return try pixels.oriented(by: quarter) }
      let layout = pixels.layout.painted(background)
      let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha)
      let writer = RowConverter(
        from: PixelLayout(.rgbaFloat32, layout.alpha == .opaque ? .opaque : .premultiplied), to: layout)
      let (cosine, sine) = direction
      let inside = ByteTurn(pixels, to: layout, size: size, cosine: cosine, sine: sine)
      let source =
        ByteTurn.takes(pixels.layout, to: layout) ? pixels : try pixels.converted(to: pixels.wideLayout)
      let turn = Turn(
        cosine: cosine, sine: sine, width: Double(size.width), height: Double(size.height),
        background: background.premultiplied, clamps: !pixels.format.isFloat)
      Bands.run(rows: size.height) { rows in
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: size.width) { buffer in
          guard let row = buffer.baseAddress else { return }
          for y in rows {
            let own = inside?.columns(of: y) ?? 0..<0
            for columns in [0..<own.lowerBound, own.upperBound..<size.width] where !columns.isEmpty {
              turn.fill(row, y, columns: columns, from: source)
              writer.convert(
                row + columns.lowerBound, into: result.row(y) + columns.lowerBound * layout.format.bytesPerPixel,
                count: columns.count)
            }
            inside?.fill(own, of: y, in: result)
          }
        }
      }
      return result
    }
  }
}

/// How much of a pixel of the result is inside the turned picture.
private struct TurnedEdges {
  let cosine: Double
  let sine: Double
  /// The width of the picture.
  let width: Double
  let height: Double

  /// - Parameters:
  ///   - across: How far the pixel's center is inside the nearer of the left and the right edge.
  ///   - down: Likewise top and bottom.
  ///   - u: Where the center is in the picture.
  ///   - v: Likewise, from the top.
  @inline(__always)
  func share(_ across: Double, _ down: Double, _ u: Double, _ v: Double) -> Double {
    // A pixel is a square that is turned against the edges: so far its corners reach.
    let reach = (abs(cosine) + abs(sine)) / 2
    if across >= reach, down >= reach { return 1 }
    if across <= -reach || down <= -reach { return 0 }
    if width < 2 || height < 2 || (across < reach && down < reach) { return countedShare(u, v) }
    return shareBehindEdge(min(across, down), reach)
  }

  /// The area of the square on one side of a straight line at a distance from its center.
  private func shareBehindEdge(_ distance: Double, _ reach: Double) -> Double {
    let long = max(abs(cosine), abs(sine)) / 2
    let short = reach - long
    let away = abs(distance)
    if away <= long - short || short < 1e-9 { return min(max(0.5 + distance / (2 * long), 0), 1) }
    let rest = (reach - away) * (reach - away) / (8 * long * short)
    return distance > 0 ? 1 - rest : rest
  }

  /// Where edges meet: the share of 16×16 points.
  private func countedShare(_ u: Double, _ v: Double) -> Double {
    var count = 0
    for j in 0..<16 {
      let down = (Double(j) + 0.5) / 16 - 0.5
      for i in 0..<16 {
        let across = (Double(i) + 0.5) / 16 - 0.5
        let x = u + across * cosine + down * sine
        let y = v + down * cosine - across * sine
        if x >= 0, x <= width, y >= 0, y <= height { count += 1 }
      }
    }
    return Double(count) / 256
  }
}

/// Fills rows of a turned picture.
private struct Turn: Sendable {
  let cosine: Double
  let sine: Double
  /// The width of the result.
  let width: Double
  let height: Double
  let background: SIMD4<Float>
  let clamps: Bool

  /// Fills some pixels of a row from a picture in the layouts that it is read in.
  func fill(_ row: FloatRow, _ y: Int, columns part: Range<Int>, from source: PixelBuffer) {
    switch source.format {
    case .gray8: fill(row, y, columns: part, from: source, as: GrayBytes.self)
    case .rgb8: fill(row, y, columns: part, from: source, as: ColorBytes.self)
    case .rgba16: fill(row, y, columns: part, from: source, as: IntegerSamples.self)
    default: fill(row, y, columns: part, from: source, as: FloatSamples.self)
    }
  }

  @inline(__always)
  private func fill<Samples: ReadSamples>(
    _ row: FloatRow, _ y: Int, columns part: Range<Int>, from source: PixelBuffer, as _: Samples.Type
  ) {
    let (columns, rows) = (source.size.width, source.size.height)
    let base = UnsafeRawPointer(source.row(0))
    let stride = source.stride
    let down = Double(y) + 0.5 - height / 2
    let (right, bottom) = (Double(columns), Double(rows))
    let edges = TurnedEdges(cosine: cosine, sine: sine, width: right, height: bottom)
    for x in part {
      let across = Double(x) + 0.5 - width / 2
      let u = across * cosine + down * sine + right / 2
      let v = down * cosine - across * sine + bottom / 2
      let covered = edges.share(min(u, right - u), min(v, bottom - v), u, v)
      guard covered > 0 else {
        row[x] = background
        continue
      }
      let (left, top) = ((u - 0.5).rounded(.down), (v - 0.5).rounded(.down))
      let (horizontal, vertical) = (Self.weights(Float(u - 0.5 - left)), Self.weights(Float(v - 0.5 - top)))
      let (i, j) = (Int(left), Int(top))
      var sum = SIMD4<Float>.zero
      if i >= 1, j >= 1, i + 2 < columns, j + 2 < rows {
        var line = base + (j &- 1) &* stride
        for k in 0..<4 {
          let a = Samples.load(line, i &- 1) * horizontal.x
          let b = Samples.load(line, i) * horizontal.y
          let c = Samples.load(line, i &+ 1) * horizontal.z
          let d = Samples.load(line, i &+ 2) * horizontal.w
          sum += ((a + b) + (c + d)) * vertical[k]
          line += stride
        }
      } else {
        for k in 0..<4 {
          let line = base + min(max(j + k - 1, 0), rows - 1) * stride
          for n in 0..<4 {
            sum += Samples.load(line, min(max(i + n - 1, 0), columns - 1)) * (horizontal[n] * vertical[k])
          }
        }
      }
      if clamps {
        sum.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: min(max(sum.w, 0), 1)))
      }
      if covered < 1 { sum *= Float(covered) }
      row[x] = sum + background * (1 - sum.w)
    }
  }

  /// Catmull and Rom's cubic for four neighbors, `t` after the second.
  @inline(__always)
  private static func weights(_ t: Float) -> SIMD4<Float> {
    let (t2, t3) = (t * t, t * t * t)
    return SIMD4(
      -0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3, -0.5 * t2 + 0.5 * t3)
  }
}
