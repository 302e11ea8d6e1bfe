// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs

extension StoredColor {
  /// Takes what a reader says as far as it can be right; curves are copied.
  package init(_ raw: imgcoder_color) {
    self.init()
    func isStated(_ flag: Int) -> Bool { raw.flags & UInt32(flag) != 0 }
    if isStated(IMGCODER_COLOR_PRIMARIES) { primaries = Primaries(checked: raw.primaries) }
    if isStated(IMGCODER_COLOR_GAMMA) {
      let (red, green, blue) = raw.gamma
      if [red, green, blue].allSatisfy({ $0 >= 0.1 && $0 <= 10 }) { gamma = SIMD3(red, green, blue) }
    }
    let count = Int(raw.curve_length)
    let (red, green, blue) = raw.curves
    if isStated(IMGCODER_COLOR_CURVES), (2...Int(IMGCODER_MAX_CURVE)).contains(count), let red, let green, let blue {
      curves = [red, green, blue].map { [UInt16](UnsafeBufferPointer(start: $0, count: count)) }
    }
    if isStated(IMGCODER_COLOR_MASTERING) {
      light.masteringPeak = LightLevels.nits(raw.mastering_peak)
      light.masteringBlack = LightLevels.nits(raw.mastering_black)
    }
    if isStated(IMGCODER_COLOR_MASTERING_PRIMARIES) {
      light.masteringPrimaries = Primaries(checked: raw.mastering_primaries)
    }
    if isStated(IMGCODER_COLOR_LIGHT_LEVELS) {
      light.contentPeak = LightLevels.nits(raw.content_peak)
      light.frameAveragePeak = LightLevels.nits(raw.frame_average_peak)
    }
  }

  /// The same for the plugin interface, without the curves: they need memory that lives longer.
  package var rawWithoutCurves: imgcoder_color {
    var raw = imgcoder_color_sized()
    var flags = 0
    if let primaries {
      flags |= Int(IMGCODER_COLOR_PRIMARIES)
      raw.primaries = primaries.raw
    }
    if let gamma {
      flags |= Int(IMGCODER_COLOR_GAMMA)
      raw.gamma = (gamma.x, gamma.y, gamma.z)
    }
    if light.masteringPeak != nil || light.masteringBlack != nil {
      flags |= Int(IMGCODER_COLOR_MASTERING)
      raw.mastering_peak = light.masteringPeak ?? 0
      raw.mastering_black = light.masteringBlack ?? 0
    }
    if let primaries = light.masteringPrimaries {
      flags |= Int(IMGCODER_COLOR_MASTERING_PRIMARIES)
      raw.mastering_primaries = primaries.raw
    }
    if light.contentPeak != nil || light.frameAveragePeak != nil {
      flags |= Int(IMGCODER_COLOR_LIGHT_LEVELS)
      raw.content_peak = light.contentPeak ?? 0
      raw.frame_average_peak = light.frameAveragePeak ?? 0
    }
    raw.flags = UInt32(flags)
    return raw
  }
}

extension LightLevels {
  /// The same for the plugin interface.
  package var raw: imgcoder_color {
    var stored = StoredColor()
    stored.light = self
    return stored.rawWithoutCurves
  }
}

extension StoredColor.Primaries {
  /// Nil for points that no display has.
  fileprivate init?(checked raw: imgcoder_primaries) {
    self.init(raw)
    guard [red, green, blue, white].allSatisfy({ abs($0.x) <= 10 && abs($0.y) <= 10 }) else { return nil }
  }

  private init(_ raw: imgcoder_primaries) {
    self.init(
      red: SIMD2(raw.red.0, raw.red.1), green: SIMD2(raw.green.0, raw.green.1), blue: SIMD2(raw.blue.0, raw.blue.1),
      white: SIMD2(raw.white.0, raw.white.1))
  }

  fileprivate var raw: imgcoder_primaries {
    imgcoder_primaries(
      red: (red.x, red.y), green: (green.x, green.y), blue: (blue.x, blue.y), white: (white.x, white.y))
  }
}
