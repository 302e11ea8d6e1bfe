// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// `coders sheet`, and sheets in `coders play`.
@Suite struct SheetCommandTests {
  private let folder = Folder()

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func text(_ name: String) throws -> String { String(decoding: try Package.bytes(path(name)), as: UTF8.self) }

  /// A sheet of five gray pixels, 0, 50, 100, 150 and 200, shown for 10 to 50 ms, with tags.
  private func strip() throws {
    let samples = [UInt8](stride(from: 0, through: 200, by: 50)).flatMap { [UInt8](repeating: $0, count: 3) }
    let pixels = try PixelBuffer(copying: samples, size: Size(width: 5, height: 1), format: .rgb8)
    folder.write("strip.png", try Decoded.registry.encode(Image(pixels), as: .png))
    let frames = (0..<5).map { #"{"frame": {"x": \#($0), "y": 0, "w": 1, "h": 1}, "duration": \#(10 * ($0 + 1))}"# }
    folder.write(
      "strip.json",
      """
      {"frames": [\(frames.joined(separator: ","))], "meta": {"image": "strip.png", "frameTags": [
      {"name": "walk", "from": 1, "to": 3, "direction": "forward", "repeat": "2"},
      {"name": "back", "from": 1, "to": 3, "direction": "reverse"},
      {"name": "swing", "from": 1, "to": 3, "direction": "pingpong", "repeat": "6"},
      {"name": "sway", "from": 1, "to": 3, "direction": "pingpong_reverse"}]}}
      """)
  }

  @Test(arguments: ["texturepacker", "texturepacker-array", "aseprite", "aseprite-array"])
  func framesDelaysAndPlaysComeBack(_ form: String) throws {
    let film = try Fixture.path("comet-alpha.gif")
    #expect(Run.inProcess("animate", film, "-o", path("film.png"), "--loop", "3").errors == "")
    let packed = Run.inProcess("sheet", path("film.png"), "-o", path("party.png"), "--form", form)
    #expect(packed.status == 0)
    #expect(packed.output == "" && packed.errors == "")
    let picture = try Decoded.image(path("party.png"))
    // 30 frames of 200×200 in 5 columns.
    #expect(picture.size == Size(width: 1004, height: 1205))
    let unpacked = Run.inProcess("sheet", "--unpack", path("party.json"), "-o", path("again.png"))
    #expect(unpacked.status == 0)
    #expect(unpacked.output == "" && unpacked.errors == "")
    let (first, again) = (try Decoded.image(path("film.png")), try Decoded.image(path("again.png")))
    #expect(again.frames.count == 30)
    #expect(again.loopCount == .plays(3))
    #expect(again.frames.map(\.delay) == first.frames.map(\.delay))
    #expect(again.frames.map { Decoded.bytes($0.pixels) } == first.frames.map { Decoded.bytes($0.pixels) })
  }

  /// A strip of 60×20, a square of 10×10 and an animation of 200×200, in cells of 30×20.
  @Test func aContactSheetHasPicturesOfAnySize() throws {
    func write(_ name: String, _ size: Size, _ value: UInt8) throws {
      let samples = [UInt8](repeating: value, count: 3 * size.pixelCount)
      folder.write(
        name, try Decoded.registry.encode(Image(try PixelBuffer(copying: samples, size: size, format: .rgb8)), as: .png)
      )
    }
    try write("wide.png", Size(width: 60, height: 20), 10)
    try write("small.png", Size(width: 10, height: 10), 20)
    let run = Run.inProcess(
      "sheet", "--cell", "30x20", path("wide.png"), path("small.png"), try Fixture.path("comet-alpha.gif"), "-o",
      path("contact.png"), "--columns", "3")
    #expect(run.errors == "" && run.status == 0)
    let picture = try Decoded.image(path("contact.png"))
    // One pixel between two cells.
    #expect(picture.size == Size(width: 92, height: 20))
    let samples = try picture.pixels.converted(to: PixelLayout(.rgba8, .straight))
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { (0..<4).map { samples.samples(inRow: y)[4 * x + $0] } }
    // Half as large, five rows from the top; as large as it is, ten columns from the left of its cell.
    #expect(pixel(0, 4) == [0, 0, 0, 0] && pixel(0, 5) == [10, 10, 10, 255] && pixel(29, 14) == [10, 10, 10, 255])
    #expect(pixel(29, 15) == [0, 0, 0, 0] && pixel(30, 10) == [0, 0, 0, 0])
    #expect(pixel(40, 10)[3] == 0 && pixel(41, 5) == [20, 20, 20, 255] && pixel(50, 14) == [20, 20, 20, 255])
    #expect(pixel(51, 10)[3] == 0)
    let json = try text("contact.json")
    for name in ["wide", "small", "comet-alpha"] { #expect(json.contains("\"\(name)\": {")) }
    let wrong = Run.inProcess("sheet", "--cell", "30x", path("wide.png"), "-o", path("contact.png"))
    #expect(wrong.status == 64)
  }

  @Test func picturesAndAnimationsAreOneSheet() throws {
    let film = try Fixture.path("comet-alpha.gif")
    #expect(Run.inProcess("convert", "--first-frame", film, path("still.png")).status == 0)
    let run = Run.inProcess(
      "sheet", path("still.png"), film, "-o", path("all.webp"), "--lossless", "--columns", "31", "--delay", "1/7",
      "--loop", "forever", "--json")
    #expect(run.errors == "")
    #expect(run.output.contains(#""frames": 31"#) && run.output.contains(#""width": 6230"#))
    let json = try text("all.json")
    #expect(json.contains("\"image\": \"all.webp\"") && !json.contains("loops"))
    #expect(json.contains("\"delay\": [1, 7]") && json.contains("\"all-0031\": {"))
  }

  @Test(arguments: [
    ("walk", [50, 100, 150], [20, 30, 40], LoopCount.plays(2)), ("back", [150, 100, 50], [40, 30, 20], .infinite),
    // One play; the last frame of a swing is the first again.
    ("swing", [50, 100, 150, 100], [20, 30, 40, 30], .plays(3)),
    ("sway", [150, 100, 50, 100], [40, 30, 20, 30], .infinite),
  ]) func aTagIsItsFramesInTheirOrder(_ tag: String, _ grays: [UInt8], _ delays: [UInt32], _ plays: LoopCount) throws {
    try strip()
    let run = Run.inProcess("sheet", "--unpack", path("strip.json"), "--tag", tag, "-o", path("out.png"))
    #expect(run.errors == "")
    let image = try Decoded.image(path("out.png"))
    #expect(image.frames.map { Decoded.corner($0.pixels)[0] } == grays)
    #expect(image.frames.map(\.delay.seconds) == delays.map { Double($0) / 1000 })
    #expect(image.loopCount == plays)
  }

  @Test func aGridIsReadRowByRow() throws {
    try strip()
    let run = Run.inProcess(
      "sheet", "--unpack", path("strip.png"), "--grid", "5x1", "--delay", "3/50", "--loop", "2", "-o", path("out.gif"))
    #expect(run.errors == "")
    let image = try Decoded.image(path("out.gif"))
    #expect(image.frames.map { Decoded.corner($0.pixels)[0] } == [0, 50, 100, 150, 200])
    #expect(image.frames.allSatisfy { $0.delay.seconds == 0.06 })
    #expect(image.loopCount == .plays(2))
  }

  @Test(arguments: [
    ["sheet", "strip.png", "-o", "out.json"], ["sheet", "strip.png", "-o", "-"],
    ["sheet", "strip.json", "-o", "out.png"], ["sheet", "strip.png", "-o", "out.png", "--grid", "2x2"],
    ["sheet", "strip.png", "-o", "out.png", "--tag", "walk"],
    ["sheet", "strip.png", "-o", "out.png", "--columns", "0"],
    ["sheet", "strip.png", "-o", "out.png", "--form", "cocos2d"], ["sheet", "strip.png", "-o", "strip.png"],
    ["sheet", "strip.png", "-o", "out.png", "--max-sheet-side", "0"],
    ["sheet", "--unpack", "strip.png", "-o", "out.gif"], ["sheet", "--unpack", "strip.json", "-o", "strip.png"],
    ["sheet", "--unpack", "strip.json", "-o", "strip.json", "--format", "gif"],
    ["sheet", "--unpack", "strip.json", "strip.json", "-o", "out.gif"],
    ["sheet", "--unpack", "strip.json", "-o", "out.gif", "--form", "aseprite"],
    ["sheet", "--unpack", "strip.json", "-o", "out.gif", "--grid", "2x2"],
    ["sheet", "--unpack", "strip.json", "-o", "out.gif", "--tag", "jump"],
    ["sheet", "--unpack", "strip.json", "-o", "-", "--format", "gif", "--json"],
    ["sheet", "--unpack", "strip.png", "-o", "out.gif", "--grid", "2"],
    ["sheet", "--unpack", "strip.png", "-o", "out.gif", "--grid", "6x1"],
    ["sheet", "--unpack", "strip.png", "-o", "out.gif", "--grid", "5x1", "--tag", "walk"],
    ["play", "--force", "strip.png", "--delay", "40ms"], ["play", "--force", "strip.png", "--tag", "walk"],
  ]) func refusesWrongUse(_ words: [String]) throws {
    try strip()
    let names = folder.names
    let run = Run.inProcess(words.map { $0.contains(".") ? path($0) : $0 })
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.output == "")
    #expect(folder.names == names)
  }

  @Test func aSheetThatIsTooLargeIsNotMade() throws {
    try strip()
    let film = try Fixture.path("comet-alpha.gif")
    let run = Run.inProcess("sheet", film, "-o", path("out.png"), "--max-sheet-side", "1000")
    #expect(run.status == 3)
    #expect(
      run.errors
        == "coders: \(path("out.png")): limitExceeded: 30 frames of 200×200 need a sheet of 1004×1205; sides up to 1000 are allowed\n"
    )
    let sizes = Run.inProcess("sheet", film, path("strip.png"), "-o", path("out.png"))
    #expect(sizes.status == 64 && sizes.errors.contains("the picture is 5×1, "))
    let still = Run.inProcess("sheet", "--unpack", path("strip.json"), "-o", path("out.jpg"))
    #expect(still.status == 2 && still.errors.contains("cannot hold an animation"))
    #expect(folder.names == ["strip.json", "strip.png"])
  }

  @Test func errorsNameTheFileThatIsBad() throws {
    try strip()
    folder.write("gone.json", try text("strip.json").replacing("strip.png", with: "gone.png"))
    folder.write("out.json", try text("strip.json").replacing("strip.png", with: "../strip.png"))
    folder.write("far.json", try text("strip.json").replacing("\"x\": 4", with: "\"x\": 5"))
    for verb in [["sheet", "--unpack", "-o", path("out.gif")], ["play", "--force"]] {
      let gone = Run.inProcess(verb + [path("gone.json")])
      #expect(gone.status == 5 && gone.errors == "coders: \(path("gone.png")): io: no such file or directory\n")
      let out = Run.inProcess(verb + [path("out.json")])
      #expect(
        out.status == 1
          && out.errors.hasPrefix("coders: \(path("out.json")): malformed: meta.image is \"../strip.png\""))
      let far = Run.inProcess(verb + [path("far.json")])
      #expect(far.status == 1 && far.errors.contains("is at 5,0 and of 1×1, which is not inside the picture of 5×1"))
    }
    #expect(!folder.names.contains("out.gif"))
  }

  /// Three sprites of unequal sizes: an atlas is not always an animation.
  @Test func spritesAreUnpackedByTheirNames() throws {
    try strip()
    func frame(_ name: String, _ x: Int, _ width: Int) -> String {
      #""\#(name)": {"frame": {"x": \#(x), "y": 0, "w": \#(width), "h": 1}}"#
    }
    let frames = [frame("ship.png", 0, 2), frame("enemies/slime.1", 2, 1), frame("ship", 3, 2)]
    folder.write("atlas.json", #"{"frames": {\#(frames.joined(separator: ","))}, "meta": {"image": "strip.png"}}"#)
    let run = Run.inProcess("sheet", "--unpack", path("atlas.json"), "-o", path("sprites") + "/")
    #expect(run.errors == "" && run.status == 0)
    // In the order of people, and the second of a name has a number.
    let names = ["enemies/slime.1.png", "ship.png", "ship-2.png"]
    #expect(Set(run.output.split(separator: "\n").map(String.init)) == Set(names.map { path("sprites/" + $0) }))
    #expect(try Decoded.bytes(Decoded.image(path("sprites/enemies/slime.1.png")).pixels).first == 100)
    let ships = try ["ship.png", "ship-2.png"].map { try Decoded.image(path("sprites/" + $0)) }
    #expect(ships.map(\.size) == [Size(width: 2, height: 1), Size(width: 2, height: 1)])
    #expect(Set(ships.map { Decoded.bytes($0.pixels)[0] }) == [0, 150])
    let json = Run.inProcess(
      "sheet", "--unpack", path("atlas.json"), "-o", path("web") + "/", "--format", "webp", "--lossless", "--json")
    #expect(json.output.split(separator: "\n").count { $0.contains(#""format": "org.webmproject.webp""#) } == 3)
  }

  @Test(arguments: ["../ship", "/ship", "a/../../ship", "", "a//ship", #"a\u0000b"#, #"a\u001bb"#])
  func noSpriteLeavesTheFolder(_ name: String) throws {
    try strip()
    folder.write(
      "atlas.json",
      #"{"frames": [{"filename": "\#(name)", "frame": {"x": 0, "y": 0, "w": 1, "h": 1}}], "meta": {"image": "strip.png"}}"#
    )
    let run = Run.inProcess("sheet", "--unpack", path("atlas.json"), "-o", path("sprites") + "/")
    #expect(run.status == 1 && run.errors.contains("malformed: frame index 0 is called"))
    #expect(folder.names == ["atlas.json", "strip.json", "strip.png"])
  }

  /// As some programs write it: with a byte order mark, and without the picture's name.
  @Test func unequalSpritesArePackedAndUnpacked() throws {
    let sizes = [("a", 5, 3), ("b", 2, 7), ("c", 1, 1), ("d", 5, 3)]
    for (name, width, height) in sizes {
      let value: UInt8 = name == "d" ? 97 : Array(name.utf8)[0]
      let samples = [UInt8](repeating: value, count: width * height * 3)
      let pixels = try PixelBuffer(copying: samples, size: Size(width: width, height: height), format: .rgb8)
      folder.write("\(name).png", try Decoded.registry.encode(Image(pixels), as: .png))
    }
    let files = sizes.map { path("\($0.0).png") }
    let refused = Run.inProcess(["sheet"] + files + ["-o", path("ui.png")])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("in a sheet all are equal, unless with --atlas"))
    let packed = Run.inProcess(["sheet", "--atlas"] + files + ["-o", path("ui.png"), "--padding", "2"])
    #expect(packed.errors == "" && packed.status == 0)
    let unpacked = Run.inProcess("sheet", "--unpack", path("ui.json"), "-o", path("out/"))
    #expect(unpacked.errors == "" && unpacked.status == 0)
    for (name, _, _) in sizes {
      let (before, after) = (try Decoded.image(path("\(name).png")), try Decoded.image(path("out/\(name).png")))
      #expect(before.size == after.size)
      let rgb = try after.pixels.converted(to: before.pixels.layout)
      #expect(Decoded.bytes(rgb) == Decoded.bytes(before.pixels))
    }
    // a and d are in one place: 5×3, 2×7 and 1×1 pixels, two apart.
    let size = try Decoded.image(path("ui.png")).size
    #expect(size.pixelCount <= 10 * 8)
    let twice = Run.inProcess("sheet", "--atlas", files[0], path("out/a.png"), "-o", path("two.png"))
    #expect(twice.status == 64 && twice.errors.contains(#"two pictures of the atlas are called "a""#))
    #expect(Run.inProcess(["sheet", "--padding", "2"] + files + ["-o", path("ui.png")]).status == 64)
    #expect(Run.inProcess(["sheet", "--atlas", "--columns", "2"] + files + ["-o", path("ui.png")]).status == 64)
  }

  @Test func thePictureOfTheSameNameIsTaken() throws {
    try strip()
    let json = try text("strip.json").replacing(#""image": "strip.png", "#, with: "")
    #expect(!json.contains("image"))
    folder.write("strip.json", "\u{FEFF}" + json)
    let run = Run.inProcess("sheet", "--unpack", path("strip.json"), "-o", path("out.gif"))
    #expect(run.errors == "" && run.status == 0)
    #expect(try Decoded.image(path("out.gif")).frames.count == 5)
  }

  /// A sheet whose picture is cut gives the frames that are there, and says so.
  @Test func aPictureThatIsCutIsUsedAsFarAsItGoes() throws {
    #expect(Run.inProcess("sheet", try Fixture.path("comet-alpha.gif"), "-o", path("party.png")).status == 0)
    let bytes = try Package.bytes(path("party.png"))
    folder.write("party.png", Array(bytes.prefix(bytes.count * 3 / 4)))
    let run = Run.inProcess("sheet", "--unpack", path("party.json"), "-o", path("out.webp"))
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("coders: \(path("party.png")): truncated"))
    #expect(try Decoded.image(path("out.webp")).frames.count > 10)
    let strict = Run.inProcess("sheet", "--unpack", path("party.json"), "-o", path("strict.webp"), "--strict")
    #expect(strict.status == 1)
    #expect(!folder.names.contains("strict.webp"))
  }

  @Test func playShowsSheets() throws {
    try strip()
    func shown(_ words: String...) -> [Substring] {
      let run = Run.inProcess(["play", "--force", "--protocol", "ascii"] + words)
      #expect(run.errors == "")
      return run.output.split(separator: "\n")
    }
    #expect(shown(path("strip.json")).count == 5)
    #expect(shown(path("strip.json"), "--tag", "walk").count == 3)
    #expect(shown(path("strip.png"), "--grid", "5x1").count == 5)
    let run = Run.inProcess(
      ["play", "--protocol", "ascii", "--rate", "100", "--tag", "walk", path("strip.json")], isTerminal: true)
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("\u{1B}[0m\u{1B}[?25h"))
  }
}
