// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoders
import Testing

@Suite struct PropertiesCodableTests {
  private var properties: Properties {
    var properties = Properties()
    properties["PixelWidth"] = .integer(640)
    properties["DPIWidth"] = .number(72.5)
    properties["{TIFF}", "Model"] = .text("Camera \"7\"")
    properties["{Exif}", "ISOSpeedRatings"] = .list([.integer(100), .integer(-1)])
    properties["{Exif}", "LensSpecification"] = .list([.number(4.5), .text("?")])
    properties["{GIF}"] = .dictionary(Properties())
    return properties
  }

  private static let text = #"""
    {"DPIWidth":72.5,"PixelWidth":640,"{Exif}":{"ISOSpeedRatings":[100,-1],"LensSpecification":[4.5,"?"]},\#
    "{GIF}":{},"{TIFF}":{"Model":"Camera \"7\""}}
    """#

  @Test func propertiesAreAnObjectOfJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(properties), as: UTF8.self) == Self.text)
    #expect(try JSONDecoder().decode(Properties.self, from: Data(Self.text.utf8)) == properties)
  }

  @Test func propertiesOfAPropertyListComeBack() throws {
    let data = try PropertyListEncoder().encode(properties)
    #expect(try PropertyListDecoder().decode(Properties.self, from: data) == properties)
  }

  @Test func aNumberWithoutFractionIsAnInteger() throws {
    let properties = try JSONDecoder().decode(Properties.self, from: Data(#"{"a": 2.0, "b": 1e3, "c": 0.5}"#.utf8))
    #expect(properties["a"] == .integer(2) && properties["b"] == .integer(1000) && properties["c"] == .number(0.5))
  }

  @Test func numbersThatJSONDoesNotHaveAreNull() throws {
    var properties = Properties()
    properties["a"] = .number(.infinity)
    properties["b"] = .integer(1)
    #expect(properties.json == "{\n  \"a\": null,\n  \"b\": 1\n}")
    let read = try JSONDecoder().decode(Properties.self, from: JSONEncoder().encode(properties))
    #expect(read.sorted.map(\.name) == ["b"])
  }

  /// RFC 4648 §10: the bytes of "foob" are "Zm9vYg==".
  @Test func flagsComeBackAndBytesAreBase64() throws {
    var properties = Properties()
    properties["HasAlpha"] = .boolean(true)
    properties["{MakerApple}", "2"] = .data(Array("foob".utf8))
    properties["{MakerApple}", "9"] = .list([.boolean(false), .data([])])
    let text = #"{"HasAlpha":true,"{MakerApple}":{"2":"Zm9vYg==","9":[false,""]}}"#
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(properties), as: UTF8.self) == text)
    var read = properties
    read["{MakerApple}", "2"] = .text("Zm9vYg==")
    read["{MakerApple}", "9"] = .list([.boolean(false), .text("")])
    #expect(try JSONDecoder().decode(Properties.self, from: Data(text.utf8)) == read)
    #expect(try JSONDecoder().decode(Properties.self, from: Data(properties.json.utf8)) == read)
    #expect(properties["HasAlpha"]?.integer == 1 && properties["HasAlpha"]?.number == 1)
    #expect(properties["{MakerApple}", "2"]?.number == nil)
  }

  @Test func theTextIsReadByOthers() throws {
    #expect(try JSONDecoder().decode(Properties.self, from: Data(properties.json.utf8)) == properties)
  }

  @Test(arguments: ["[1]", "3"]) func whatHoldsNoPropertiesIsRefused(_ text: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(Properties.self, from: Data(text.utf8)) }
  }
}
