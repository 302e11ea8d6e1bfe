// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

extension LightLevels {
  /// Takes what the messages of a configuration, else those before a picture's first slice, say of light.
  fileprivate mutating func read(_ configuration: HEVCConfiguration, first picture: RawSpan) throws(CoderError) {
    for unit in configuration.messages { try readMessages(unit.span.bytes) }
    // What is cut or damaged behind the messages does not matter here.
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
