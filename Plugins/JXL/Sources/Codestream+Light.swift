// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

extension Codestream {
  /// How bright the light of an HDR picture is, by the image header (ISO/IEC 18181-1 §D.3.5, ToneMapping).
  ///
  /// An intensity target is the upper bound of light in the picture. That of others than PQ and HLG is a default, and so
  /// is 10,000 nit of PQ, which encoders write unless they are told more.
  var light: LightLevels {
    var light = LightLevels()
    guard let transfer = color?.cicp?.transfer, transfer == 16 || transfer == 18 else { return light }
    let peak = Double(info.intensity_target)
    if peak > 0, peak < 10_000 { light.contentPeak = peak }
    let black = Double(info.min_nits)
    if black > 0, black < peak { light.masteringBlack = black }
    return light
  }
}
