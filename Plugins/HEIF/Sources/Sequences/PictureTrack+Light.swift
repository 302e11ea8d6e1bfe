// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension PictureTrack {
  /// How bright light is: by the sample entry, else by the messages of the first picture.
  func light(in source: SourceView) -> LightLevels {
    guard !light.statesPeak, let first = samples.first else { return light }
    do throws(CoderError) {
      var stated = LightLevels()
      let bytes = try source.bytes(at: first.offset, count: first.size)
      try stated.read(configuration, first: bytes)
      return stated
    } catch {
      return LightLevels()
    }
  }
}
