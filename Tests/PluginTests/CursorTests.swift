// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Where a cursor points stays so, or is named.
@Suite(.needs("ICO", "PNG")) struct CursorTests {
  private static let registry = EncodingPictures.registry

  private static func cursor() throws -> [UInt8] {
    var options = EncodeOptions()
    options.values = ["hot-spot-x": .number(12), "hot-spot-y": .number(20)]
    return try registry.encode(
      Image(try EncodingPictures.photo(Size(width: 32, height: 32))), as: .cur, options: options)
  }

  private static func hotSpot(_ bytes: [UInt8]) throws -> [Int64?] {
    let properties = try registry.open(.bytes(bytes)).properties()
    return ["HotSpotX", "HotSpotY"].map { properties["{ICO}", $0]?.integer }
  }

  @Test func hotSpotIsKeptAndScaled() throws {
    let file = try Self.cursor()
    #expect(try Self.hotSpot(file) == [12, 20])
    var options = EncodeOptions()
    options.allowsCopy = false
    let same = try Self.registry.convert(.bytes(file), to: .cur, at: .memory, options: options)
    #expect(try Self.hotSpot(same.bytes) == [12, 20] && !same.changes.contains { $0.fact == .hotSpot })
    options.maxSize = Size(width: 16, height: 16)
    let small = try Self.registry.convert(.bytes(file), to: .cur, at: .memory, options: options)
    #expect(try Self.hotSpot(small.bytes) == [6, 10] && small.changes.contains { $0.fact == .hotSpot })
  }

  @Test func hotSpotIsNamedWhereItGoes() throws {
    let made = try Self.registry.convert(.bytes(try Self.cursor()), to: .png, at: .memory)
    #expect(made.changes.contains { $0.fact == .hotSpot && $0.outcome == .dropped })
  }
}
