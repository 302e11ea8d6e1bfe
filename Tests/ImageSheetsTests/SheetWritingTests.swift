// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageSheets
import TestSupport
import Testing

/// Sheets that are made here.
@Suite struct SheetWritingTests {
  private static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// Two frames of 2×1 pixels, of which the second is half transparent.
  private static func animation() throws -> FrameList {
    let size = Size(width: 2, height: 1)
    return try FrameList(
      [
        try PixelBuffer(copying: [1, 2, 3, 255, 4, 5, 6, 255], size: size, format: .rgba8),
        try PixelBuffer(copying: [7, 8, 9, 128, 10, 11, 12, 128], size: size, format: .rgba8),
      ], delays: [FrameDelay(numerator: 1, denominator: 25), FrameDelay(numerator: 1, denominator: 3)],
      loopCount: .plays(2))
  }

  @Test func framesAreOneTransparentPixelApart() throws {
    let sheet = try SpriteSheet.pack(try Self.animation())
    #expect(sheet.picture.size == Size(width: 2, height: 3))
    #expect(
      sheet.picture.copyBytes()
        == [1, 2, 3, 255, 4, 5, 6, 255] + [UInt8](repeating: 0, count: 8) + [7, 8, 9, 128, 10, 11, 12, 128])
    #expect(sheet.loopCount == .plays(2))
    var options = SheetPacker.Options()
    options.columns = 9
    let row = try SpriteSheet.pack(try Self.animation(), options: options)
    #expect(row.picture.size == Size(width: 5, height: 1))
    #expect(row.rectangle(at: 1) == Rect(x: 3, y: 0, width: 2, height: 1))
  }

  /// Hand-worked: the shorter the longer side, the better.
  @Test(arguments: [
    (16, 12, 3, 2, 33, 25), (10, 10, 4, 2, 21, 21), (200, 50, 12, 2, 401, 305), (5, 7, 1, 1, 5, 7), (1, 1, 5, 2, 3, 5),
    (100, 10, 10, 1, 100, 109), (10, 100, 10, 10, 109, 100), (200, 200, 30, 5, 1004, 1205),
  ]) func sheetsAreAboutSquare(
    _ width: Int, _ height: Int, _ count: Int, _ columns: Int, _ sheetWidth: Int, _ sheetHeight: Int
  ) throws {
    let grid = SheetGrid(Size(width: width, height: height), count: count)
    #expect(grid.columns == columns)
    #expect(grid.size == Size(width: sheetWidth, height: sheetHeight))
  }

  @Test func aSheetThatIsTooLargeSaysWhatItNeeds() throws {
    let size = Size(width: 500, height: 500)
    let error = #expect(throws: CoderError.self) { try SheetPacker(size: size, count: 300) }
    #expect(error?.code == .limitExceeded && error?.limit == .maxSide)
    // 17 × 501 - 1 and 18 × 501 - 1.
    #expect(error?.message == "300 frames of 500×500 need a sheet of 8516×9017; sides up to 8192 are allowed")
    var options = SheetPacker.Options()
    options.maxSide = 9017
    options.columns = 1
    let tall = #expect(throws: CoderError.self) { try SheetPacker(size: size, count: 300, options: options) }
    #expect(
      tall?.message == "300 frames of 500×500 in 1 columns need a sheet of 500×150299; sides up to 9017 are allowed")
    let limits = Limits(maxMemory: 1000)
    let memory = #expect(throws: CoderError.self) { try SheetPacker(size: size, count: 1, limits: limits) }
    #expect(memory?.limit == .maxMemory)
    let frames = #expect(throws: CoderError.self) { try SheetPacker(size: Size(width: 1, height: 1), count: 65_537) }
    #expect(frames?.limit == .maxFrames)
  }

  /// A picture in one color with transparent edges around it.
  private static func picture(_ size: Size, edge: Int = 0, _ value: UInt8) throws -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isEdge = x < edge || y < edge || x >= size.width - edge || y >= size.height - edge
        bytes += isEdge ? [9, 9, 9, 0] : [value, value, value, 255]
      }
    }
    return try PixelBuffer(copying: bytes, size: size, format: .rgba8)
  }

  @Test func anAtlasPacksPicturesOfAnySize() throws {
    let pictures = try (0..<60).map { index in
      let size = Size(width: 4 + index * 17 % 37, height: 4 + index * 29 % 31)
      return try Self.picture(size, edge: index % 2, UInt8(index))
    }
    for padding in [0, 1, 3] {
      var options = SpriteSheet.AtlasOptions()
      options.padding = padding
      let sheet = try SpriteSheet.pack(pictures, options: options)
      #expect(sheet.frameCount == 60)
      let places = sheet.sprites.map(\.rectangle)
      for (index, place) in places.enumerated() {
        #expect(place.isInside(sheet.picture.size))
        #expect(place.size.width == pictures[index].size.width - index % 2 * 2)
        // Nothing else is so near.
        for other in places[..<index] {
          let isApart =
            place.x >= other.x + other.width + padding || other.x >= place.x + place.width + padding
            || place.y >= other.y + other.height + padding || other.y >= place.y + place.height + padding
          #expect(isApart, "\(place) and \(other)")
        }
        // The edges come back, in the color of nothing.
        let edge = index % 2
        let frame = try sheet.frame(at: index).pixels
        #expect(frame.size == pictures[index].size)
        #expect(frame.samples(inRow: edge)[4 * edge + 3] == 255 && frame.samples(inRow: edge)[4 * edge] == UInt8(index))
        if edge > 0 { #expect(frame.samples(inRow: 0)[3] == 0) }
      }
      // Pictures fill most of it.
      let filled = places.reduce(0) { $0 + $1.width * $1.height }
      #expect(padding > 0 || 10 * filled >= 8 * sheet.picture.size.pixelCount)
    }
  }

  /// Pictures of 30×4 and 4×30 in turns: turned alike, they leave no gaps.
  @Test func anAtlasTurnsPicturesThatFitBetterSo() throws {
    let pictures = try (0..<20).map { index in
      try Self.picture(index % 2 == 0 ? Size(width: 30, height: 4) : Size(width: 4, height: 30), UInt8(index))
    }
    var options = SpriteSheet.AtlasOptions()
    options.padding = 0
    let plain = try SpriteSheet.pack(pictures, options: options)
    #expect(plain.sprites.allSatisfy { !$0.isTurned })
    options.turnsParts = true
    let sheet = try SpriteSheet.pack(pictures, options: options)
    #expect(sheet.picture.size.pixelCount <= plain.picture.size.pixelCount)
    #expect(sheet.sprites.contains(where: \.isTurned) && 100 * 20 * 120 >= 95 * sheet.picture.size.pixelCount)
    // By the JSON, too.
    let json = sheet.description(image: "a.png", name: "a").json()
    let again = try SpriteSheet(sheet.picture, try SheetDescription(parsing: json))
    for index in pictures.indices {
      #expect(try sheet.frame(at: index).pixels.copyBytes() == pictures[index].copyBytes(), "\(index)")
      #expect(try again.frame(at: index).pixels.copyBytes() == pictures[index].copyBytes(), "\(index)")
    }
    // One that is too wide as it is.
    options.maxSide = 12
    let tall = try Self.picture(Size(width: 12, height: 3), 1)
    #expect(try SpriteSheet.pack([tall, tall], options: options).picture.size == Size(width: 12, height: 3))
  }

  @Test func equalPicturesAreInAnAtlasOnce() throws {
    let size = Size(width: 6, height: 4)
    let pictures = [
      try Self.picture(size, 1), try Self.picture(size, 2), try Self.picture(size, 1),
      try Self.picture(Size(width: 8, height: 6), edge: 1, 1),
    ]
    let sheet = try SpriteSheet.pack(pictures)
    let places = sheet.sprites.map(\.rectangle)
    #expect(places[0] == places[2] && places[0] == places[3] && places[0] != places[1])
    #expect(sheet.sprites[3].untrimmedSize == Size(width: 8, height: 6) && sheet.sprites[3].offsetX == 1)
    var options = SpriteSheet.AtlasOptions()
    options.sharesEqual = false
    options.trimsEdges = false
    #expect(Set(try SpriteSheet.pack(pictures, options: options).sprites.map(\.rectangle)).count == 4)
  }

  @Test func anAtlasHasSidesThatArePowersOfTwo() throws {
    var options = SpriteSheet.AtlasOptions()
    options.hasPowerOfTwoSides = true
    options.padding = 0
    // Three of 4×4 need 8×8 or 4×16, of which the wider one is taken.
    let three = try (1...3).map { try Self.picture(Size(width: 4, height: 4), UInt8($0)) }
    #expect(try SpriteSheet.pack(three, options: options).picture.size == Size(width: 16, height: 4))
    #expect(try SpriteSheet.pack([three[0]], options: options).picture.size == Size(width: 4, height: 4))
    // What is transparent everywhere is one pixel.
    let nothing = try SpriteSheet.pack([try Self.picture(Size(width: 5, height: 5), edge: 5, 1)], options: options)
    #expect(nothing.picture.size == Size(width: 1, height: 1) && nothing.size == Size(width: 5, height: 5))
  }

  @Test func anAtlasThatIsTooLargeIsNotMade() throws {
    var options = SpriteSheet.AtlasOptions()
    options.maxSide = 9
    options.padding = 0
    let pictures = try (1...5).map { try Self.picture(Size(width: 5, height: 4), UInt8($0)) }
    let error = #expect(throws: CoderError.self) { try SpriteSheet.pack(pictures, options: options) }
    #expect(error?.code == .limitExceeded && error?.limit == .maxSide)
    #expect(error?.message == "5 pictures of 100 pixels do not fit into a sheet with sides up to 9")
    #expect(throws: CoderError.self) { try SpriteSheet.pack([PixelBuffer]()) }
    #expect(throws: CoderError.self) { try SpriteSheet.pack(pictures, delays: []) }
    options.padding = -1
    #expect(throws: CoderError.self) { try SpriteSheet.pack(pictures, options: options) }
  }

  @Test func refusesWhatIsNoSheet() throws {
    for (side, count, columns) in [(0, 1, nil), (1, 0, nil), (1, -1, nil), (1, 1, 0)] as [(Int, Int, Int?)] {
      var options = SheetPacker.Options()
      options.columns = columns
      let error = #expect(throws: CoderError.self) {
        try SheetPacker(size: Size(width: side, height: 1), count: count, options: options)
      }
      #expect(error?.code == .invalidArgument)
    }
    let packer = try SheetPacker(size: Size(width: 1, height: 1), count: 1)
    #expect(throws: CoderError.self) { try packer.finish() }
    let pixels = try SpriteSheetTests.sheet()
    #expect(throws: CoderError.self) { try packer.add(pixels, delay: .zero) }
    try packer.add(try pixels.region(Rect(x: 0, y: 0, width: 1, height: 1)), delay: .zero)
    #expect(throws: CoderError.self) {
      try packer.add(try pixels.region(Rect(x: 0, y: 0, width: 1, height: 1)), delay: .zero)
    }
    #expect(try packer.finish().frameCount == 1)
  }

  // MARK: JSON

  private static let meta = """
      "meta": {
        "app": "coders",
        "version": "1.0",
        "image": "party.png",
        "format": "RGBA8888",
        "size": {"w": 2, "h": 3},
        "scale": "1",
        "loops": 2
    """

  private static func frame(_ y: Int, _ last: String) -> String {
    """
          "frame": {"x": 0, "y": \(y), "w": 2, "h": 1},
          "rotated": false,
          "trimmed": false,
          "spriteSourceSize": {"x": 0, "y": 0, "w": 2, "h": 1},
          "sourceSize": {"w": 2, "h": 1},
          \(last)
        }
    """
  }

  @Test(arguments: [
    (
      SheetDescription.Form.texturePackerHash,
      "{\n  \"frames\": {\n    \"party-0001\": {\n\(frame(0, "\"delay\": [1, 25]")),\n    \"party-0002\": {\n"
        + "\(frame(2, "\"delay\": [1, 3]"))\n  },\n\(meta)\n  }\n}\n"
    ),
    (
      .texturePackerArray,
      "{\n  \"frames\": [\n    {\n      \"filename\": \"party-0001\",\n\(frame(0, "\"delay\": [1, 25]")),\n    {\n"
        + "      \"filename\": \"party-0002\",\n\(frame(2, "\"delay\": [1, 3]"))\n  ],\n\(meta)\n  }\n}\n"
    ),
    (
      .asepriteHash,
      "{\n  \"frames\": {\n    \"party-0001\": {\n\(frame(0, "\"duration\": 40,\n      \"delay\": [1, 25]")),\n"
        + "    \"party-0002\": {\n\(frame(2, "\"duration\": 333,\n      \"delay\": [1, 3]"))\n  },\n\(meta),\n"
        + "    \"frameTags\": []\n  }\n}\n"
    ),
    (
      .asepriteArray,
      "{\n  \"frames\": [\n    {\n      \"filename\": \"party-0001\",\n"
        + "\(frame(0, "\"duration\": 40,\n      \"delay\": [1, 25]")),\n    {\n      \"filename\": \"party-0002\",\n"
        + "\(frame(2, "\"duration\": 333,\n      \"delay\": [1, 3]"))\n  ],\n\(meta),\n    \"frameTags\": []\n  }\n}\n"
    ),
  ]) func eachFormHasItsBytes(_ form: SheetDescription.Form, _ expected: String) throws {
    let sheet = try SpriteSheet.pack(try Self.animation())
    let json = sheet.description(image: "party.png", name: "party", form: form).json()
    #expect(String(decoding: json, as: UTF8.self) == expected)
  }

  @Test func tagsHaveAsepritesWords() throws {
    var description = try SpriteSheet.pack(try Self.animation()).description(image: "a\"\n.png", name: "p")
    description.tags = [
      SheetTag("a", .from(0, to: 1), mode: .bounce, loopCount: .plays(3)),
      SheetTag("b", .from(1, to: 1), mode: .reverse, loopCount: .plays(3)),
      SheetTag("c", .from(0, to: 0), mode: .reverseBounce),
    ]
    description.scale = 0.5
    let json = String(decoding: description.json(as: .asepriteHash), as: UTF8.self)
    #expect(json.contains(#""image": "a\"\n.png""#))
    #expect(json.contains("\"scale\": \"0.5\""))
    #expect(
      json.contains(
        """
            "frameTags": [
              {"name": "a", "from": 0, "to": 1, "direction": "pingpong", "repeat": "6"},
              {"name": "b", "from": 1, "to": 1, "direction": "reverse", "repeat": "3"},
              {"name": "c", "from": 0, "to": 0, "direction": "pingpong_reverse"}
            ]
        """))
  }

  /// What is written is read as it was: also frames that are turned and trimmed, and tags.
  @Test(arguments: SheetDescription.Form.allCases) func whatIsWrittenIsReadAsItWas(_ form: SheetDescription.Form) throws
  {
    let sprites = [
      SpriteSheet.Sprite(Rect(x: 0, y: 0, width: 3, height: 2), isTurned: true),
      SpriteSheet.Sprite(
        Rect(x: 1, y: 1, width: 2, height: 1), isTurned: true, untrimmedSize: Size(width: 4, height: 3), offsetX: 2,
        offsetY: 1),
      SpriteSheet.Sprite(Rect(x: 3, y: 0, width: 1, height: 3)),
    ]
    let delays = [FrameDelay.zero, FrameDelay(numerator: 4_294_967_295, denominator: 7), .milliseconds(40)]
    let picture = try SpriteSheetTests.sheet()
    let sheet = try SpriteSheet(picture, sprites: sprites, delays: delays, loopCount: .plays(4_294_967_295))
    var written = sheet.description(image: "ä.png", name: "ä", form: form)
    written.tags = PlaybackMode.allCases.map { SheetTag("\($0)", .from(0, to: 2), mode: $0, loopCount: .plays(7)) }
    written.application = "coders"
    written.version = "1.0"
    written.pixelFormat = "RGBA8888"
    let read = try SheetDescription(parsing: written.json())
    #expect(read == written)
    let again = try SpriteSheet(picture, read)
    #expect(again.sprites == sheet.sprites)
    #expect((0..<3).map { again.delay(at: $0) } == delays)
    #expect(again.loopCount == sheet.loopCount)
  }

  @Test func aSheetIsReadFromItsFiles() throws {
    let folder = TemporaryFolder()
    let sheet = try SpriteSheet.pack(try Self.animation())
    var description = sheet.description(image: "party.png", name: "party", form: .asepriteArray)
    description.tags = [SheetTag("end", .from(1, to: 1), mode: .reverse, loopCount: .plays(1))]
    folder.write(try Self.registry.encode(Image(sheet.picture), as: .png), to: "party.png")
    folder.write(description.json(), to: "party.json")
    let path = "\(folder.path)/party.json"
    let all = try SpriteSheet(contentsOf: path, registry: Self.registry)
    #expect(
      try (0..<2).map { try all.frame(at: $0).pixels.copyBytes() } == [
        [1, 2, 3, 255, 4, 5, 6, 255], [7, 8, 9, 128, 10, 11, 12, 128],
      ])
    #expect(all.loopCount == .plays(2) && all.mode == .forward)
    // Options that would make the picture smaller do not.
    let end = try SpriteSheet(
      contentsOf: path, tag: "end", options: DecodeOptions(size: .fitting(Size(width: 1, height: 1))),
      registry: Self.registry)
    #expect(end.frameCount == 1 && end.mode == .reverse && end.loopCount == .plays(1))
    #expect(end.delay(at: 0) == FrameDelay(numerator: 1, denominator: 3))
    #expect(try end.frame(at: 0).pixels.copyBytes() == [7, 8, 9, 128, 10, 11, 12, 128])
    description.frames[1].rectangle.x = 1
    folder.write(description.json(), to: "party.json")
    let error = #expect(throws: CoderError.self) {
      try SpriteSheet(contentsOf: path, registry: Self.registry)
    }
    #expect(error?.code == .malformed && error?.file == path)
  }
}
