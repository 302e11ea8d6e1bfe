// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageSheets
import Testing

/// The JSON of other programs.
@Suite struct SheetReadingTests {
  private static func bytes(_ text: String, tag: String? = nil) throws -> [[UInt8]] {
    let description = try SheetJSON.read(text)
    let sheet = try SpriteSheet(
      try SpriteSheetTests.sheet(), description, tag: try tag.map { try description.tag(named: $0) })
    return try (0..<sheet.frameCount).map { try sheet.frame(at: $0).pixels.copyBytes() }
  }

  @Test func texturePackersFramesAreTurnedAndGetTheirEdgesBack() throws {
    let description = try SheetJSON.read(SheetJSON.texturePacker)
    #expect(description.form == .texturePackerHash)
    #expect(description.frames.map(\.name) == ["hero1.png", "hero2.png", "hero10.png"])
    #expect(description.image == "hero.png")
    #expect(description.size == Size(width: 4, height: 3))
    #expect(description.scale == 0.5)
    #expect(description.pixelFormat == "RGBA8888")
    #expect(description.loopCount == .infinite)
    #expect(description.frames.allSatisfy { $0.delay == nil })
    #expect(
      try Self.bytes(SheetJSON.texturePacker) == [
        [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23],
        // Turned clockwise in the sheet: the first column from the bottom is the first row.
        [2, 12, 1, 11, 0, 10],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 13, 0],
      ])
    let sheet = try SpriteSheet(try SpriteSheetTests.sheet(), description)
    #expect(sheet.delay(at: 2) == FrameDelay(numerator: 1, denominator: 10))
  }

  /// Some writers give the sides of a turned frame as they lie in the picture.
  @Test(arguments: [
    // Known by the size of the source.
    (#""frame": {"x":0,"y":0,"w":3,"h":2}, "spriteSourceSize": {"x":0,"y":0,"w":2,"h":3}"#, [2, 12, 1, 11, 0, 10]),
    (#""frame": {"x":0,"y":0,"w":2,"h":3}, "spriteSourceSize": {"x":0,"y":0,"w":2,"h":3}"#, [2, 12, 1, 11, 0, 10]),
    // Known since 2×4 does not fit into 4×3.
    (#""frame": {"x":0,"y":0,"w":4,"h":2}"#, [3, 13, 2, 12, 1, 11, 0, 10]),
    // Both fit: as TexturePacker writes it.
    (#""frame": {"x":0,"y":0,"w":1,"h":2}"#, [1, 0]),
  ]) func turnedSidesAreTakenAsTheyFit(_ members: String, _ expected: [UInt8]) throws {
    #expect(try Self.bytes(SheetJSON.one(members + #", "rotated": true"#)) == [expected])
  }

  @Test func asepritesFramesHaveDurations() throws {
    let description = try SheetJSON.read(SheetJSON.aseprite(""))
    #expect(description.form == .asepriteArray)
    #expect(
      description.frames.map(\.delay) == [
        .milliseconds(100), .milliseconds(200), .milliseconds(300), .milliseconds(400),
      ])
    #expect(description.tags == [])
  }

  @Test(arguments: [
    (#""direction": "forward""#, PlaybackMode.forward, LoopCount.infinite),
    (##""direction": "reverse", "color": "#000000ff""##, .reverse, .infinite),
    (#""direction": "pingpong""#, .bounce, .infinite), (#""direction": "pingpong_reverse""#, .reverseBounce, .infinite),
    (#""direction": "forward", "repeat": "3""#, .forward, .plays(3)),
    (#""direction": "reverse", "repeat": 2"#, .reverse, .plays(2)), (#""repeat": "0""#, .forward, .infinite),
    // Each direction counts.
    (#""direction": "pingpong", "repeat": "1""#, .forward, .plays(1)),
    (#""direction": "pingpong_reverse", "repeat": "1""#, .reverse, .plays(1)),
    (#""direction": "pingpong", "repeat": "4""#, .bounce, .plays(2)),
    (#""direction": "pingpong", "repeat": "5""#, .bounce, .plays(3)),
    (#""direction": "pingpong_reverse", "repeat": "4294967295""#, .reverseBounce, .plays(2_147_483_648)),
  ]) func tagsHaveModesAndPlays(_ members: String, _ mode: PlaybackMode, _ plays: LoopCount) throws {
    let description = try SheetJSON.read(SheetJSON.aseprite(#"{"name": "walk", "from": 1, "to": 2, \#(members)}"#))
    let tag = try description.tag(named: "walk")
    #expect(tag == SheetTag("walk", .from(1, to: 2), mode: mode, loopCount: plays))
    let sheet = try SpriteSheet(try SpriteSheetTests.sheet(), description, tag: tag)
    #expect(try (0..<sheet.frameCount).map { try sheet.frame(at: $0).pixels.copyBytes() } == [[1], [2]])
    #expect(sheet.mode == mode && sheet.loopCount == plays)
    #expect(sheet.delay(at: 0) == .milliseconds(200))
  }

  /// As TexturePacker writes it for PixiJS, whose `Spritesheet` looks frames up by their names.
  @Test func animationsOfPixiJSAreTags() throws {
    let text = SheetJSON.pixi(#""run": ["hero2", "hero0", "hero2"], "idle": ["hero3"]"#)
    let description = try SheetJSON.read(text)
    #expect(description.tags == [SheetTag("run", .each([2, 0, 2])), SheetTag("idle", .each([3]))])
    let run = try SpriteSheet(try SpriteSheetTests.sheet(), description, tag: try description.tag(named: "run"))
    #expect(try (0..<run.frameCount).map { try run.frame(at: $0).pixels.copyBytes() } == [[2], [0], [2]])
    #expect(run.mode == .forward && run.loopCount == .infinite)
    // Written again, they mean the same.
    for form in SheetDescription.Form.allCases {
      let again = try SheetDescription(parsing: description.json(as: form))
      #expect(again.tags == description.tags, "\(form)")
    }
  }

  @Test(arguments: [
    (#""run": ["hero9"]"#, #"animations.run[0] is "hero9"; the name of a frame is allowed"#),
    (#""run": []"#, "animations.run has 0 frames; 1 to 65536 are allowed"),
    (#""run": [1]"#, "animations.run[0] is 1; a string is allowed"),
    (#""run": "hero1""#, #"animations.run is "hero1"; a list is allowed"#),
  ]) func otherAnimationsAreRefused(_ animations: String, _ message: String) throws {
    let error = #expect(throws: CoderError.self) { try SheetJSON.read(SheetJSON.pixi(animations)) }
    #expect(error?.code == .malformed && error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// A caller may change a description: its tags then name frames that are not there.
  @Test func aTagOutsideOfTheFramesIsAnError() throws {
    var description = try SheetJSON.read(SheetJSON.aseprite(#"{"name": "run", "from": 1, "to": 3}"#))
    let run = try description.tag(named: "run")
    description.frames.removeLast(2)
    let picture = try SpriteSheetTests.sheet()
    for (first, last) in [(1, 3), (-1, 0), (1, 0), (Int.min, Int.max), (2, 2), (Int.max, Int.max)] {
      var tag = run
      tag.frames = .from(first, to: last)
      let error = #expect(throws: CoderError.self) { try SpriteSheet(picture, description, tag: tag) }
      #expect(error?.code == .invalidArgument)
    }
    for indexes in [[], [2], [-1], [0, Int.max]] {
      let error = #expect(throws: CoderError.self) {
        try SpriteSheet(picture, description, tag: SheetTag("run", .each(indexes)))
      }
      #expect(error?.code == .invalidArgument)
    }
    description.frames = []
    for tag in [nil, run] {
      let error = #expect(throws: CoderError.self) { try SpriteSheet(picture, description, tag: tag) }
      #expect(error?.code == .invalidArgument)
    }
    let error = #expect(throws: CoderError.self) { try description.tag(named: "jump") }
    #expect(error?.message == #"the sheet has no tag "jump"; it has "run""#)
  }

  @Test(arguments: [
    (#""delay": [1, 30], "duration": 33"#, FrameDelay(numerator: 1, denominator: 30)),
    // Somebody has changed the duration.
    (#""delay": [1, 30], "duration": 50"#, FrameDelay(numerator: 50, denominator: 1000)),
    (#""delay": [7, 5]"#, FrameDelay(numerator: 7, denominator: 5)), (#""delay": [0, 1]"#, .zero),
    (#""duration": 16.667"#, FrameDelay(numerator: 16667, denominator: 1_000_000)),
    (#""duration": 4294967295"#, FrameDelay(numerator: .max, denominator: 1000)),
    (#""duration": 4294967294.5"#, FrameDelay(numerator: .max - 1, denominator: 1000)),
    (#""duration": 4294967295000"#, FrameDelay(numerator: .max, denominator: 1)),
    (#""delay": [4294967295, 7], "duration": 613566756429"#, FrameDelay(numerator: .max, denominator: 7)),
  ]) func delaysAreExactUnlessTheDurationWasChanged(_ members: String, _ delay: FrameDelay) throws {
    let text = SheetJSON.one(#""frame": {"x":0,"y":0,"w":1,"h":1}, \#(members)"#, meta: #", "loops": 3"#)
    let description = try SheetJSON.read(text)
    #expect(description.frames[0].delay == delay)
    #expect(description.loopCount == .plays(3))
  }

  // MARK: Order

  @Test(arguments: [
    (["frame10", "frame2", "frame1"], ["frame1", "frame2", "frame10"]),
    (["a2b10", "a2b9", "a10b1"], ["a2b9", "a2b10", "a10b1"]),
    (["f02", "f2", "f1", "f010"], ["f1", "f2", "f02", "f010"]),
    (["walk", "run2", "run"], ["run", "run2", "walk"]), (["10", "9", "a", ""], ["", "9", "10", "a"]),
    (
      ["x99999999999999999999999", "x100000000000000000000000"],
      ["x99999999999999999999999", "x100000000000000000000000"]
    ),
  ]) func namesOfAnObjectAreInNaturalOrder(_ given: [String], _ expected: [String]) throws {
    let frames = given.map { #""\#($0)": {"frame": {"x":0,"y":0,"w":1,"h":1}}"# }.joined(separator: ",")
    #expect(try SheetJSON.read(#"{"frames": {\#(frames)}}"#).frames.map(\.name) == expected)
  }

  /// Aseprite's tags count the frames in the order of the text; where it writes several series of names, only that is
  /// right.
  @Test(arguments: [
    (["walk 0", "walk 1", "idle 0"], ["walk 0", "walk 1", "idle 0"]), (["a 10", "a 2"], ["a 2", "a 10"]),
  ]) func asepritesOwnOrderCountsForSeveralSeries(_ given: [String], _ expected: [String]) throws {
    let frames = given.map { #""\#($0)": {"frame": {"x":0,"y":0,"w":1,"h":1}, "duration": 10}"# }
    let description = try SheetJSON.read(#"{"frames": {\#(frames.joined(separator: ","))}}"#)
    #expect(description.form == .asepriteHash)
    #expect(description.frames.map(\.name) == expected)
  }
}
