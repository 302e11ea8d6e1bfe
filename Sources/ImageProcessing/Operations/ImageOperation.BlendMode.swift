// SPDX-License-Identifier: Apache-2.0

extension ImageOperation {
  /// How the colors of two layers meet: the modes of W3C Compositing and Blending Level 1, §9, by its names, and two of its
  /// operators of Porter and Duff, which change where the picture is.
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
    /// As ``hardLight``, and softer: the backdrop is darkened or lightened.
    case softLight = "soft-light"
    /// The backdrop, lighter the lighter the source is.
    case colorDodge = "color-dodge"
    /// The backdrop, darker the darker the source is.
    case colorBurn = "color-burn"
    /// The hue of the source, with the saturation and the luma of the backdrop.
    case hue
    /// The saturation of the source, with the hue and the luma of the backdrop.
    case saturation
    /// Hue and saturation of the source, with the luma of the backdrop.
    case color
    /// The luma of the source, with hue and saturation of the backdrop.
    case luminosity
    /// How far both are apart.
    case difference
    /// As ``difference``, with less contrast.
    case exclusion
    /// The source where the backdrop is, and nothing of the backdrop: an icon in a translucent color.
    case sourceIn = "source-in"
    /// The backdrop where the source is: the source is a mask, whose colors do not matter.
    case destinationIn = "destination-in"

    /// Whether the backdrop goes where the source is not.
    var clearsBackdrop: Bool { self == .sourceIn || self == .destinationIn }

    /// The mixed color of a backdrop and a source, none of them multiplied by alpha.
    @inline(__always)
    func mix(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      switch self {
      case .normal, .sourceIn: source
      case .destinationIn: backdrop
      case .multiply: backdrop * source
      case .screen: backdrop + source - backdrop * source
      case .overlay: Self.hardLight(source, backdrop)
      case .darken: pointwiseMin(backdrop, source)
      case .lighten: pointwiseMax(backdrop, source)
      case .hardLight: Self.hardLight(backdrop, source)
      case .softLight: Self.softLight(backdrop, source)
      case .colorDodge:
        Self.dodge(backdrop, source)
      case .colorBurn:
        1 - Self.dodge(1 - backdrop, 1 - source)
      case .hue: Self.set(luma: Self.luma(backdrop), of: Self.set(saturation: Self.saturation(backdrop), of: source))
      case .saturation:
        Self.set(luma: Self.luma(backdrop), of: Self.set(saturation: Self.saturation(source), of: backdrop))
      case .color: Self.set(luma: Self.luma(backdrop), of: source)
      case .luminosity: Self.set(luma: Self.luma(source), of: backdrop)
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

    /// §9.1.9. A dark source takes from the backdrop, a light one brings it nearer to a curve above it.
    private static func softLight(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let dark = backdrop - (1 - 2 * source) * backdrop * (1 - backdrop)
      let root = pointwiseMax(backdrop, .zero).squareRoot()
      let curve = root.replacing(with: ((16 * backdrop - 12) * backdrop + 4) * backdrop, where: backdrop .<= 0.25)
      return dark.replacing(with: backdrop + (2 * source - 1) * (curve - backdrop), where: source .> 0.5)
    }

    /// §9.1.6; burning is the same of complements, §9.1.7.
    private static func dodge(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let light = pointwiseMin(SIMD4(repeating: 1), backdrop / (1 - source))
      return light.replacing(with: 1, where: source .>= 1).replacing(with: 0, where: backdrop .<= 0)
    }

    // §9.2, the modes that are not separable.

    private static func luma(_ color: SIMD4<Float>) -> Float { 0.3 * color.x + 0.59 * color.y + 0.11 * color.z }

    private static func least(_ color: SIMD4<Float>) -> Float { Swift.min(color.x, color.y, color.z) }

    private static func most(_ color: SIMD4<Float>) -> Float { Swift.max(color.x, color.y, color.z) }

    private static func saturation(_ color: SIMD4<Float>) -> Float { most(color) - least(color) }

    private static func set(saturation: Float, of color: SIMD4<Float>) -> SIMD4<Float> {
      let own = Self.saturation(color)
      return own > 0 ? (color - least(color)) * (saturation / own) : .zero
    }

    private static func set(luma: Float, of color: SIMD4<Float>) -> SIMD4<Float> {
      var result = color + (luma - Self.luma(color))
      let (least, most) = (least(result), most(result))
      if least < 0 { result = luma + (result - luma) * (luma / (luma - least)) }
      if most > 1 { result = luma + (result - luma) * ((1 - luma) / (most - luma)) }
      return result
    }

    /// A source over a backdrop, both multiplied by alpha, and the result as well.
    @inline(__always)
    func over(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let (below, above) = (backdrop.w, source.w)
      guard self != .normal else { return source + backdrop * (1 - above) }
      if self == .sourceIn { return source * below }
      if self == .destinationIn { return backdrop * above }
      let mixed = mix(backdrop.unpremultiplied, source.unpremultiplied)
      var result = source * (1 - below) + backdrop * (1 - above) + mixed * (below * above)
      result.w = above + below * (1 - above)
      return result
    }

    /// A source that is seen only where the backdrop is; alpha is the backdrop's, unless the mode takes some of it away.
    @inline(__always)
    func atop(_ backdrop: SIMD4<Float>, _ source: SIMD4<Float>) -> SIMD4<Float> {
      let (below, above) = (backdrop.w, source.w)
      if clearsBackdrop { return over(backdrop, source) }
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
