// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageSheets
import TestSupport
import Testing

/// JSON that is broken, or means harm: an error, never a trap.
@Suite struct HostileSheetTests {
  private static func error(_ text: String) throws -> CoderError? {
    let picture = try SpriteSheetTests.sheet()
    return #expect(throws: CoderError.self, "\(text.prefix(200))") {
      let description = try SheetJSON.read(text)
      let sheet = try SpriteSheet(picture, description)
      for index in 0..<sheet.frameCount { _ = try sheet.frame(at: index) }
    }
  }

  @Test(arguments: [
    (
      #""frame": {"x":3,"y":0,"w":2,"h":1}"#,
      #"frame "a" of index 0 is at 3,0 and of 2×1, which is not inside the picture of 4×3"#
    ),
    (
      #""frame": {"x":0,"y":3,"w":1,"h":1}"#,
      #"frame "a" of index 0 is at 0,3 and of 1×1, which is not inside the picture of 4×3"#
    ),
    (
      #""frame": {"x":2147483647,"y":2147483647,"w":2147483647,"h":2147483647}, "rotated": true"#,
      #"frame "a" of index 0 is at 2147483647,2147483647 and of 2147483647×2147483647, turned, which is not inside the picture of 4×3"#
    ),
    (#""frame": {"x":0,"y":0,"w":0,"h":1}"#, #"frame "a" of index 0 is of 0×1; at least 1×1 is needed"#),
    (
      #""frame": {"x":0,"y":0,"w":2,"h":1}, "trimmed": true, "spriteSourceSize": {"x":3,"y":0,"w":2,"h":1}, "sourceSize": {"w":4,"h":4}"#,
      #"frame "a" of index 0 is of 2×1 at 3,0 of its source, which is not inside 4×4"#
    ),
    (
      #""frame": {"x":0,"y":0,"w":2,"h":1}, "trimmed": true, "sourceSize": {"w":0,"h":0}"#,
      #"frame "a" of index 0 is of 2×1 at 0,0 of its source, which is not inside 0×0"#
    ),
  ]) func rectanglesOutsideAreRefusedWithTheirNumbers(_ members: String, _ message: String) throws {
    let error = try Self.error(SheetJSON.one(members))
    #expect(error?.code == .malformed)
    #expect(error?.message == message)
  }

  @Test func anUntrimmedSizeIsHeldToTheLimits() throws {
    let text = SheetJSON.one(
      #""frame": {"x":0,"y":0,"w":1,"h":1}, "trimmed": true, "sourceSize": {"w":2147483647,"h":2147483647}"#)
    let error = try Self.error(text)
    #expect(error?.code == .limitExceeded && error?.limit == .maxSide)
  }

  @Test(arguments: [
    #""frame": {"x":-1,"y":0,"w":1,"h":1}"#, #""frame": {"x":0.5,"y":0,"w":1,"h":1}"#,
    #""frame": {"x":1e400,"y":0,"w":1,"h":1}"#, #""frame": {"x":9223372036854775808,"y":0,"w":1,"h":1}"#,
    #""frame": {"x":2147483648,"y":0,"w":1,"h":1}"#, #""frame": {"x":0,"y":0,"w":1}"#, #""frame": []"#, "",
    #""frame": {"x":"0","y":0,"w":1,"h":1}"#, #""frame": {"x":0,"x":0,"y":0,"w":1,"h":1}"#,
    #""frame": {"x":0,"y":0,"w":1,"h":1}, "rotated": 90"#, #""frame": {"x":0,"y":0,"w":1,"h":1}, "duration": -1"#,
    #""frame": {"x":0,"y":0,"w":1,"h":1}, "duration": 4294967295001"#,
    #""frame": {"x":0,"y":0,"w":1,"h":1}, "delay": [1]"#, #""frame": {"x":0,"y":0,"w":1,"h":1}, "delay": [1, 0]"#,
    #""frame": {"x":0,"y":0,"w":1,"h":1}, "delay": [4294967296, 1]"#,
    #""frame": {"x":0,"y":0,"w":1,"h":1}, "delay": "1/2""#,
  ]) func otherValuesOfFramesAreMalformed(_ members: String) throws {
    let error = try Self.error(SheetJSON.one(members))
    #expect(error?.code == .malformed)
    #expect(error?.message.hasPrefix("line ") == true)
  }

  @Test(arguments: [
    "", "{", "[]", "null", #"{"frames": {}}"#, #"{"frames": []}"#, #"{"frames": 1}"#, #"{"meta": {}}"#,
    #"{"frames": [1]}"#, #"{"frames": [], "meta": []}"#, "{\"frames\": [\u{FEFF}]}",
    String(repeating: "[", count: 100_000),
    String(repeating: #"{"frames":"#, count: 50_000), #"{"frames": {}, "frames": {}}"#,
    #"{"frames": {"a": {"frame": {"x":0,"y":0,"w":1,"h":1}}, "a": {"frame": {"x":0,"y":0,"w":1,"h":1}}}}"#,
  ]) func otherTextsAreMalformed(_ text: String) throws {
    #expect(try Self.error(text)?.code == .malformed)
  }

  @Test(arguments: [
    #""scale": "0""#, #""scale": "nan""#, #""scale": "-1""#, #""scale": "1e999""#, #""scale": true"#, #""loops": -1"#,
    #""loops": 4294967296"#, #""size": {"w": -1, "h": 1}"#, #""app": 1"#,
    #""frameTags": [{"name": "a", "from": 0, "to": 1}]"#, #""frameTags": [{"name": "a", "from": -1, "to": 0}]"#,
    #""frameTags": [{"name": "a", "from": 0}]"#, #""frameTags": {}"#,
    #""frameTags": [{"name": "a", "from": 0, "to": 0, "direction": "sideways"}]"#,
    #""frameTags": [{"name": "a", "from": 0, "to": 0, "repeat": "-1"}]"#,
    #""frameTags": [{"name": "a", "from": 0, "to": 0, "repeat": "4294967296"}]"#,
    #""frameTags": [{"name": "a", "from": 0, "to": 0, "repeat": 1.5}]"#,
  ]) func otherValuesOfMetaAreMalformed(_ members: String) throws {
    #expect(
      try Self.error(SheetJSON.one(#""frame": {"x":0,"y":0,"w":1,"h":1}"#, meta: ", " + members))?.code == .malformed)
  }

  @Test(arguments: [
    #"{"textures": [{"image": "a.png", "frames": []}]}"#,
    #"{"frames": {"a": {"frame": {"x":0,"y":0,"w":1,"h":1}}}, "meta": {"related_multi_packs": ["b.json"]}}"#,
  ]) func severalPicturesAreNotSupported(_ text: String) throws {
    let error = try Self.error(text)
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("multipack") == true)
  }

  @Test func aTextThatIsTooLongIsNotRead() throws {
    let error = #expect(throws: CoderError.self) {
      try SheetDescription(parsing: [UInt8](repeating: 0x20, count: 64 << 20 | 1))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "the description of a sheet has 67108865 bytes; 67108864 are allowed")
  }

  /// No part of a text, and no text with another byte, does more than throw.
  @Test func everyCutAndEveryChangedByteIsAnErrorOrASheet() throws {
    let tags = #"{"name": "walk", "from": 1, "to": 2, "direction": "pingpong", "repeat": "4"}"#
    let picture = try SpriteSheetTests.sheet()
    for text in [SheetJSON.texturePacker, SheetJSON.aseprite(tags)] {
      let bytes = Array(text.utf8)
      for count in 0..<bytes.count {
        #expect(throws: CoderError.self) { try SheetDescription(parsing: Array(bytes[..<count])) }
      }
      for index in bytes.indices {
        for byte in [0x00, 0x22, 0x2D, 0x39, 0x65, 0x7B, 0x7D, 0xFF] as [UInt8] {
          var changed = bytes
          changed[index] = byte
          do {
            let description = try SheetDescription(parsing: changed)
            let sheet = try SpriteSheet(picture, description, tag: description.tags.first)
            for frame in 0..<sheet.frameCount { _ = try sheet.frame(at: frame) }
            _ = try? description.picturePath(beside: "a.json")
          } catch { #expect(!error.message.isEmpty) }
        }
      }
    }
  }

  // MARK: Names

  @Test(arguments: [
    "/etc/passwd", "../a.png", "a/../../b.png", "..", ".", "a/..", "", "a//b.png", "a/", #"a\\b.png"#, #"..\\a.png"#,
    #"a\u0000.png"#, "./a.png",
  ]) func thePictureIsInTheFolder(_ name: String) throws {
    let text = #"{"frames": [{"frame": {"x":0,"y":0,"w":1,"h":1}}], "meta": {"image": "\#(name)"}}"#
    let error = try #require(
      #expect(throws: CoderError.self) { try SheetJSON.read(text).picturePath(beside: "folder/a.json") })
    #expect(error.code == .malformed && error.message.hasPrefix("meta.image is "))
    #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test func thePictureIsBesideTheJSON() throws {
    var description = try SheetJSON.read(SheetJSON.texturePacker)
    #expect(try description.picturePath(beside: "a.json") == "hero.png")
    #expect(try description.picturePath(beside: "/b/c/a.json") == "/b/c/hero.png")
    description.image = "sheets/hero..1.png"
    #expect(try description.picturePath(beside: "b/a.json") == "b/sheets/hero..1.png")
    description.image = nil
    let error = #expect(throws: CoderError.self) { try description.picturePath(beside: "b/a.json") }
    #expect(error?.message == "meta.image is missing, and no picture of the same name lies beside the JSON")
    #expect(error?.file == "b/a.json")
  }

  /// A name with escape sequences must not reach a terminal.
  @Test func messagesHaveNoControlCharacters() throws {
    let text = #"{"frames": {"\u001b[2J\u009b": {"frame": {"x":9,"y":0,"w":1,"h":1}}}}"#
    let error = try Self.error(text)
    #expect(error?.message.hasPrefix(#"frame "?[2J?" of index 0"#) == true)
    let key = try Self.error(#"{"frames": {"\u001b[2J": {}}}"#)
    #expect(key?.message == "line 1, column 26: frames.?[2J.frame is missing")
  }

  @Test func aFileThatIsMissingIsAnErrorOfTheFile() throws {
    let error = #expect(throws: CoderError.self) { try SpriteSheet(contentsOf: "/nowhere/a.json") }
    #expect(error?.code == .io && error?.file == "/nowhere/a.json")
  }
}
