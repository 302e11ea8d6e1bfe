// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Keys, their text, and pipelines on pictures and animations.
@Suite struct PipelineTests {
  static let all: [(ImageOperation, String)] = [
    (.resize(.init(Size(width: 300, height: 200))), "resize:300x200,fit"),
    (.resize(.init(Size(width: 300, height: 0), .fill)), "resize:300x0,fit"),
    (
      .resize(.init(Size(width: 3, height: 2), .fill, anchor: .topLeft, enlarges: true)),
      "resize:3x2,fill,top-left,enlarge"
    ),
    (.resize(.init(Size(width: 3, height: 2), .stretch)), "resize:3x2,stretch"),
    (.crop(Rect(x: 10, y: 20, width: 100, height: 80)), "crop:100x80+10+20"),
    (.cropAnchored(Size(width: 9, height: 8), .bottom), "crop:9x8,bottom"),
    (.rotate(.init(12.5, background: .white, keepsSize: true)), "rotate:12.5,#ffffffff,keep-size"),
    (.rotate(.init(-90)), "rotate:270,#00000000"),
    (.flipHorizontal, "flip:horizontal"), (.flipVertical, "flip:vertical"),
    (.round(.init(12)), "round:12"),
    (
      .round(.init(topLeft: 1, topRight: 2.5, bottomRight: 3, bottomLeft: 0, border: 2)),
      "round:1,2.5,3,0,border=2,#000000ff"
    ),
    (.border(width: 2, .black), "border:2,#000000ff"),
    (.inset(.init(top: 1, right: -2, bottom: 3, left: 4), .transparent), "inset:1,-2,3,4,#00000000"),
    (.tint(PixelColor(red: 255, green: 128, blue: 0, alpha: 128), .hardLight), "tint:#ff800080,hard-light"),
    (.grayscale(0.5), "grayscale:0.5"), (.saturation(1.5), "saturation:1.5"), (.brightness(0.1), "brightness:0.1"),
    (.matrix(.contrast(1.5)), "matrix:1.5,0,0,-0.25,0,1.5,0,-0.25,0,0,1.5,-0.25"), (.gamma(1.8), "gamma:1.8"),
    (.sharpen(sigma: 2, amount: 0.5), "sharpen:2,0.5"), (.blur(sigma: 1e-5), "blur:1e-05"),
    (.flatten(.white), "flatten:#ffffffff"),
  ]

  @Test func everyOperationHasOneSpelling() throws {
    for (operation, text) in Self.all {
      #expect(operation.description == text)
      #expect(try ImageOperation(parsing: text).description == text)
    }
    let pipeline = ImagePipeline(Self.all.map(\.0))
    #expect(try ImagePipeline(parsing: pipeline.key).key == pipeline.key)
    #expect(pipeline.key.hasPrefix("2|resize:300x200,fit|resize:300x0,fit|"))
  }

  @Test func overlaysAreReadByName() throws {
    let mark = try Pictures.bytes([1], 1, .gray8)
    let operation = try ImageOperation(parsing: "overlay:logo.png,bottom-right,-10,5,0.25,multiply") {
      (name) throws(CoderError) in
      #expect(name == "logo.png")
      return mark
    }
    #expect(operation == .overlay(.init(mark, at: .bottomRight, x: -10, y: 5, opacity: 0.25, mode: .multiply)))
    #expect(operation.description == "overlay:\(ImageOperation.Overlay(mark).digest),bottom-right,-10,5,0.25,multiply")
    #expect(throws: CoderError.self) { try ImageOperation(parsing: "overlay:logo.png") }
  }

  @Test func sameMeaningHasTheSameKey() throws {
    for (a, b) in [
      ("rotate:450", "rotate:90"), ("rotate:-0", "blur:0"), ("resize:300x200,fit,top", "resize:300X200"),
      ("grayscale", "grayscale:1.0"), ("invert", "matrix:-1,0,0,1,0,-1,0,1,0,0,-1,1"), ("hue:360", "saturation:1"),
      ("sepia:0", "contrast:1"), ("gamma:1", "sharpen:2,0"), ("sharpen:2", "sharpen:2,1"),
      ("flatten", "flatten:#FFFFFF"), ("inset:4", "inset:4,4,4,4,transparent"),
      ("flatten:orange", "flatten:#ffa500"), ("", "saturation:1"),
      ("border:2", "border:2,black"), ("resize:300", "resize:300x300"), ("resize:x9", "resize:0x9,fill"),
    ] {
      #expect(try ImagePipeline(parsing: a).key == ImagePipeline(parsing: b).key)
    }
    #expect(try ImagePipeline(parsing: "").key == "2")
    #expect(
      try ImagePipeline(parsing: "flip:horizontal|blur:2").key != ImagePipeline(parsing: "blur:2|flip:horizontal").key)
  }

  @Test(arguments: [
    (
      "spin:3",
      "the operation spin:3; there are resize, crop, rotate, flip, round, border, inset, tint, grayscale, saturation, brightness, exposure, contrast, sepia, invert, hue, matrix, gamma, sharpen, blur, flatten, overlay"
    ),
    ("blur", "the operation blur: at its end a sigma is expected"),
    ("blur:nan", "the operation blur:nan: “nan” where a sigma is expected"),
    ("blur:1,2", "the operation blur:1,2: “2” where nothing more is expected"),
    ("tint:rde", "the operation tint:rde: “rde” where a color such as #ff8000 or #ff800080 is expected"),
    (
      "crop:0x3+1+1",
      "the operation crop:0x3+1+1: “0x3+1+1” where a part such as 100x80+10+20, or 100x80 and an anchor, is expected"
    ),
    ("flip:left", "the operation flip:left: “left” where horizontal or vertical is expected"),
    (
      "resize:9999999999x3",
      "the operation resize:9999999999x3: “9999999999x3” where a size such as 300x200, 300x or x200 is expected"
    ),
    ("3|blur:3", "operations of version 3; 2 is known"),
    (
      "blur:3|",
      "the operation ; there are resize, crop, rotate, flip, round, border, inset, tint, grayscale, saturation, brightness, exposure, contrast, sepia, invert, hue, matrix, gamma, sharpen, blur, flatten, overlay"
    ),
  ])
  func saysWhatIsWrongWithAText(text: String, message: String) {
    let error = #expect(throws: CoderError.self) { try ImagePipeline(parsing: text) }
    #expect(error?.message == message)
  }

  @Test func noTextTraps() {
    let parts = [
      ":", ",", "x", "+", "-", "9", "999999999999999999999", "#", "é", "border=", "|", "e", ".", "1",
      "-9223372036854775808",
    ]
    var random = SystemRandomNumberGenerator()
    for name in ["resize", "crop", "rotate", "round", "border", "inset", "tint", "blur", "flatten"] {
      for _ in 0..<500 {
        let text =
          name + ":"
          + (0..<Int.random(in: 0..<8, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        guard let pipeline = try? ImagePipeline(parsing: text) else { continue }
        // What can be read can be written, and read again.
        #expect((try? ImagePipeline(parsing: pipeline.key))?.key == pipeline.key, "\(text)")
        _ = try? pipeline.size(of: Size(width: 40, height: 30))
      }
    }
  }

  @Test func orderCounts() throws {
    let pixels = try Pictures.bytes([1, 2, 3, 4, 5, 6], 3, .gray8)
    #expect(try ImagePipeline(parsing: "crop:2x2+0+0|rotate:90").applied(to: pixels).copyBytes() == [4, 1, 5, 2])
    #expect(
      try ImagePipeline(parsing: "rotate:90|crop:2x2+0+0").applied(to: pixels).copyBytes() == [4, 1, 5, 2].map { $0 })
    #expect(try ImagePipeline(parsing: "rotate:90|crop:2x2+0+1").applied(to: pixels).copyBytes() == [5, 2, 6, 3])
  }

  @Test func asyncCallsGiveTheSame() async throws {
    let pixels = try Pictures.bytes([1, 2, 3, 4, 5, 6], 3, .gray8)
    let pipeline = try ImagePipeline(parsing: "crop:2x2+0+0|rotate:90")
    #expect(try await pipeline.async.applied(to: pixels).copyBytes() == [4, 1, 5, 2])
    let image = try await pipeline.async.applied(to: Image(frames: [Frame(pixels: pixels), Frame(pixels: pixels)]))
    #expect(image.frames.map { $0.pixels.copyBytes() } == [[4, 1, 5, 2], [4, 1, 5, 2]])
    let limits = {
      var limits = Limits.standard
      limits.maxPixels = 3
      return limits
    }()
    let error = await #expect(throws: CoderError.self) { try await pipeline.async.applied(to: pixels, limits: limits) }
    #expect(error?.code == .limitExceeded)
    let hash = try await WorkQueue.shared.run { try ThumbHash.bytes(of: pixels) }
    let same = try ThumbHash.bytes(of: pixels)
    #expect(hash == same)
  }

  @Test func aTaskThatIsCancelledEndsBetweenOperations() async throws {
    let pixels = try Pictures.bytes([UInt8](repeating: 7, count: 600 * 600), 600, .gray8)
    // Minutes of work, in steps of milliseconds.
    let pipeline = ImagePipeline([ImageOperation](repeating: .rotate(.init(90)), count: 200_000))
    let task = Task { try await pipeline.async.applied(to: pixels) }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    await #expect(throws: CoderError.cancelled) { try await task.value }
  }

  @Test func animationsKeepDelaysAndLoops() throws {
    var image = Image(
      frames: try [1, 5].map { first in
        Frame(
          pixels: try Pictures.bytes([first, first + 1, first + 2, first + 3], 2, .gray8),
          delay: .milliseconds(UInt32(first) * 10))
      }, loopCount: .plays(3))
    image.metadata[.exif] = [1]
    let result = try ImagePipeline(parsing: "flip:horizontal|crop:1x2+0+0").applied(to: image)
    #expect(result.frames.map { $0.pixels.copyBytes() } == [[2, 4], [6, 8]])
    #expect(result.frames.map(\.delay) == [.milliseconds(10), .milliseconds(50)])
    #expect(result.loopCount == .plays(3) && result.metadata[.exif] == [1])
    // The given one is what it was.
    #expect(image.frames[0].pixels.copyBytes() == [1, 2, 3, 4])
  }

  @Test func storedTurnIsAppliedFirst() throws {
    var image = Image(try Pictures.bytes([1, 2, 3, 4, 5, 6], 3, .gray8))
    image.orientation = .right
    let result = try ImagePipeline(parsing: "crop:2x1+0+0").applied(to: image)
    #expect(result.orientation == .up && result.pixels.copyBytes() == [4, 1])
  }

  @Test func laterStepsAreCheckedFirst() throws {
    let pixels = try Pictures.bytes([1], 1, .gray8)
    let error = #expect(throws: CoderError.self) {
      try ImagePipeline(parsing: "inset:-10|crop:30x30+0+0").applied(to: pixels)
    }
    #expect(error?.message == "a part of 30×30 at 0,0 is not inside the picture of 21×21")
  }
}
