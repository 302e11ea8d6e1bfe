// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension HEIFFile {
  /// How bright the light of a picture is: by its properties, else by those of its first part, else by the bitstream of
  /// that. Nothing is waited for: of a file that arrives, the properties count alone.
  func light(of node: PictureNode) -> LightLevels {
    var node = node
    do throws(CoderError) {
      while true {
        if let item = meta.item(node.id) {
          let stated = try properties(of: item).light
          if stated.statesPeak { return stated }
        }
        guard let part = node.content.parts.first else { break }
        node = part
      }
      var stated = LightLevels()
      guard case .coded(let coded) = node.content, !isIncremental else { return stated }
      try bytes(of: coded.item).withBytes { bytes throws(CoderError) in
        try stated.read(coded.configuration, first: bytes.bytes)
      }
      return stated
    } catch {
      // The picture is there without it.
      return LightLevels()
    }
  }
}
