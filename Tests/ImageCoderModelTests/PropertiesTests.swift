// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct PropertiesTests {
  /// Lists keep their order and may hold lists and dictionaries.
  @Test func crossTheInterfaceAsTheyAre() {
    var inner = Properties()
    inner["Name"] = .text("x")
    var properties = Properties()
    properties["Empty"] = .list([])
    properties["List"] = .list([
      .integer(3), .number(0.5), .text("two"), .list([.integer(1), .list([])]), .dictionary(inner),
    ])
    properties["{Exif}", "ISOSpeedRatings"] = .list([.integer(400)])
    let (status, found) = Properties.collect { raw in
      properties.put(into: raw)
      return 0
    }
    #expect(status == 0)
    #expect(found == properties)
  }

  /// Interface: a flag is 1 or 0 there, and bytes are a list of numbers.
  @Test func flagsAndBytesCrossTheInterfaceAsNumbers() {
    var properties = Properties()
    properties["On"] = .boolean(true)
    properties["Off"] = .list([.boolean(false)])
    properties["Bytes"] = .data([0, 255])
    let found = Properties.collect { raw in
      properties.put(into: raw)
      return 0
    }.properties
    #expect(found["On"] == .integer(1) && found["Off"] == .list([.integer(0)]))
    #expect(found["Bytes"] == .list([.integer(0), .integer(255)]))
  }

  @Test func depthIsBounded() {
    var value = PropertyValue.integer(1)
    for _ in 0..<20 { value = .list([value]) }
    var properties = Properties()
    properties["deep"] = value
    properties["later"] = .integer(2)
    let found = Properties.collect { raw in
      properties.put(into: raw)
      return 0
    }.properties
    var depth = 0
    var rest = found["deep"]
    while case .list(let items)? = rest {
      depth += 1
      rest = items.first
    }
    #expect(depth == 8)
    #expect(rest == nil)
    #expect(found["later"] == .integer(2))
  }
}
