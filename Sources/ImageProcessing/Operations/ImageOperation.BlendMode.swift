// SPDX-License-Identifier: Apache-2.0

extension ImageOperation {
  /// How the colors of two layers meet: the separable modes of W3C Compositing and Blending Level 1, §9.1, by its names.
  public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The source alone.
    case normal
    /// The product of both.
    case multiply
    /// The complement of the product of the complements.
    case screen
    /// ``hardLight`` with the layers exchanged.
    case overlay
    /// The smaller of both.
    case darken
    /// The larger of both.
    case lighten
    /// ``multiply`` where the source is dark, ``screen`` where it is light.
    case hardLight = "hard-light"
    /// How far both are apart.
    case difference
    /// As ``difference``, with less contrast.
    case exclusion

    /// The mixed color of a backdrop and a source, none of them multiplied by alpha.
    @inline(__always)
    func mix(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      switch self {
      case .normal: source
      case .multiply: backdrop * source
      case .screen: backdrop + source - backdrop * source
      case .overlay: Self.hardLight(source, backdrop)
      case .darken: pointwiseMin(backdrop, source)
      case .lighten: pointwiseMax(backdrop, source)
      case .hardLight: Self.hardLight(backdrop, source)
      case .difference: pointwiseMax(backdrop, source) - pointwiseMin(backdrop, source)
      case .exclusion: backdrop + source - 2 * backdrop * source
      }
    }

    @inline(__always)
    private static func hardLight(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let twice = source + source
      let bright = twice - 1
      return (backdrop * twice).replacing(with: backdrop + bright - backdrop * bright, where: source .> 0.5)
    }

    /// A source over a backdrop, both multiplied by alpha, and the result as well.
    @inline(__always)
    func over(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let (below, above) = (backdrop.w, source.w)
      guard self != .normal else { return source + backdrop * (1 - above) }
      let mixed = mix(backdrop.unpremultiplied, source.unpremultiplied)
      var result = source * (1 - below) + backdrop * (1 - above) + mixed * (below * above)
      result.w = above + below * (1 - above)
      return result
    }

    /// A source that is seen only where the backdrop is; alpha is the backdrop's.
    @inline(__always)
    func atop(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let (below, above) = (backdrop.w, source.w)
      let mixed = self == .normal ? source.unpremultiplied : mix(backdrop.unpremultiplied, source.unpremultiplied)
      var result = backdrop * (1 - above) + mixed * (below * above)
      result.w = below
      return result
    }
  }
}

extension SIMD4<Float> {
  /// Colors divided by alpha; 0 where alpha is.
  @inline(__always)
  var unpremultiplied: SIMD4<Float> { w > 0 ? self / w : .zero }
}
