// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
import ImageCoderModel

extension ImageOperation {
  /// Another picture that is laid over one: a watermark, a caption, or with ``BlendMode/destinationIn`` a mask.
  ///
  /// Two overlays are equal if they have the same samples in the same place.
  public struct Overlay: Sendable, Hashable {
    /// The picture that is laid over, in its own size; what is outside the other is not seen.
    public let pixels: PixelBuffer
    /// Names the samples: the FNV-1a hash, 128 bits in hexadecimal digits, of format, alpha, size and rows.
    public let digest: String
    /// Where it lies.
    public var anchor: Anchor
    /// Columns by which it is moved to the right, or to the left if negative.
    public var x: Int
    /// Rows by which it is moved down, or up if negative.
    public var y: Int
    /// 0, nothing is seen, to 1.
    public var opacity: Double
    /// How colors meet.
    public var mode: BlendMode

    /// Places a picture. Its samples are read once, to name them, and must not change later.
    public init(
      _ pixels: PixelBuffer, at anchor: Anchor = .center, x: Int = 0, y: Int = 0, opacity: Double = 1,
      mode: BlendMode = .normal
    ) {
      self.pixels = pixels
      self.digest = Self.digest(of: pixels)
      self.anchor = anchor
      self.x = x
      self.y = y
      self.opacity = opacity
      self.mode = mode
    }

    public static func == (a: Overlay, b: Overlay) -> Bool {
      a.digest == b.digest && a.anchor == b.anchor && a.x == b.x && a.y == b.y && a.opacity == b.opacity
        && a.mode == b.mode
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(digest)
      hasher.combine(x)
      hasher.combine(y)
    }

    private static func digest(of pixels: PixelBuffer) -> String {
      // draft-eastlake-fnv-21, 128 bits.
      var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
      let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
      func add(_ byte: UInt8) { hash = (hash ^ UInt128(byte)) &* prime }
      let header = "\(pixels.format) \(pixels.alpha) \(pixels.size.width) \(pixels.size.height)\n"
      for byte in header.utf8 { add(byte) }
      for y in 0..<pixels.size.height { pixels.withRow(y) { for byte in $0 { add(byte) } } }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 32 - digits.count) + digits
    }

    func applied(to base: PixelBuffer) throws(CoderError) -> PixelBuffer {
      let origin = anchor.origin(of: pixels.size, in: base.size)
      let (left, leftOverflow) = origin.x.addingReportingOverflow(x)
      let (top, topOverflow) = origin.y.addingReportingOverflow(y)
      let meets =
        !leftOverflow && !topOverflow && left < base.size.width && top < base.size.height
        && left > -pixels.size.width && top > -pixels.size.height
      guard meets || mode.clearsBackdrop else { return base }
      let first = meets ? max(left, 0) : 0
      let count = meets ? min(left + pixels.size.width, base.size.width) - first : 0
      let (skipped, opacity, mode, above) = (meets ? first - left : 0, Float(opacity), mode, pixels)
      let reader = RowConverter(from: above.layout, to: above.layout.working)
      let takesColor = !above.format.isGray && mode != .destinationIn
      let target = takesColor ? base.layout.withColor : base.layout
      let width = base.size.width
      return try base.mappingRows(to: mode.clearsBackdrop ? target.withAlpha : target) { row, y in
        let isMet = count > 0 && y >= top && y - top < above.size.height
        if mode.clearsBackdrop {
          for x in 0..<(isMet ? first : width) { row[x] = .zero }
          for x in (isMet ? first + count : width)..<width { row[x] = .zero }
        }
        guard isMet else { return }
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: count) { buffer in
          guard let source = buffer.baseAddress else { return }
          reader.convert(above.row(y - top) + skipped * above.format.bytesPerPixel, into: source, count: count)
          for x in 0..<count { row[first + x] = mode.over(row[first + x], source[x] * opacity) }
        }
      }
    }
  }
}
