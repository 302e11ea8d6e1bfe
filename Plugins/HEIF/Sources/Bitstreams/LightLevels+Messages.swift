// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

extension LightLevels {
  /// Takes what the messages of a configuration, else those before a picture's first slice, say of light.
  mutating func read(_ configuration: HEVCConfiguration, first picture: RawSpan) throws(CoderError) {
    for unit in configuration.messages { try readMessages(unit.span.bytes) }
    // What is cut or damaged after the messages does not matter here.
    var places = NALUnitPlaces(lengthBytes: configuration.lengthBytes, isCut: true)
    while !statesPeak, let place = try places.next(in: picture) {
      let unit = picture.extracting(place)
      guard let type = NALUnit.type(of: unit) else { continue }
      if NALUnitType.isSlice(type) { return }
      if type == SupplementalMessages.unitType { try readMessages(unit) }
    }
  }

  private mutating func readMessages(_ unit: RawSpan) throws(CoderError) {
    try SupplementalMessages.forEach(in: unit) { (type, payload) throws(CoderError) in
      switch type {
      case SupplementalMessages.masteringDisplay: try read(&payload, of: .masteringDisplay)
      case SupplementalMessages.lightLevels: try read(&payload, of: .lightLevel)
      default: return
      }
    }
  }
}
