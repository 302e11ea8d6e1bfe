// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import ImageCoderPlugin

extension RAWReader {
  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil, page == 0 else { return properties }
    let found = file.description
    var own = Properties()
    if !file.maker.isEmpty { own["Maker"] = .text(file.maker) }
    let model = LibRaw.text(of: found.model_name)
    if !model.isEmpty { own["Model"] = .text(model) }
    own["SensorWidth"] = .integer(Int64(found.raw_width))
    own["SensorHeight"] = .integer(Int64(found.raw_height))
    let pattern = LibRaw.text(of: found.color_pattern)
    if !pattern.isEmpty { own["ColorPattern"] = .text(pattern) }
    own["PictureCount"] = .integer(Int64(found.picture_count))
    properties["{Raw}"] = .dictionary(own)
    return properties
  }
}
