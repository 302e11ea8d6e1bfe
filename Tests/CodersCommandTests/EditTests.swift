// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// Parts of pictures, turned and mirrored pictures, and sizes that are a share of them.
@Suite struct EditTests {
  private let folder = Folder()

  /// A picture of 3×2 pixels whose red samples are 1 to 6.
  private func numbered(_ name: String = "in.png") throws -> String {
    let pixels = try PixelBuffer(size: Size(width: 3, height: 2), format: .rgb8, alpha: .opaque)
    for y in 0..<2 {
      pixels.withMutableRow(y) { row in
        for x in 0..<3 {
          row[3 * x] = UInt8(3 * y + x + 1)
          (row[3 * x + 1], row[3 * x + 2]) = (0, 0)
        }
      }
    }
    return folder.write(name, try Decoded.registry.encode(Image(pixels), as: .png))
  }

  private static func rows(_ path: String) throws -> [[UInt8]] {
    let pixels = try Decoded.image(path).pixels.converted(to: PixelLayout(.rgb8, .opaque))
    return (0..<pixels.size.height).map { y in
      pixels.withRow(y) { row in (0..<pixels.size.width).map { row[3 * $0] } }
    }
  }

  @Test(
    arguments: [
      (["--rotate", "90"], [[4, 1], [5, 2], [6, 3]]),
      (["--rotate", "180"], [[6, 5, 4], [3, 2, 1]]),
      (["--rotate", "270"], [[3, 6], [2, 5], [1, 4]]),
      (["--flip", "horizontal"], [[3, 2, 1], [6, 5, 4]]),
      (["--flip", "vertical"], [[4, 5, 6], [1, 2, 3]]),
      (["--crop", "2x1+1+1"], [[5, 6]]),
    ] as [([String], [[UInt8]])])
  func editsApplyToPixels(_ words: [String], _ rows: [[UInt8]]) throws {
    let output = "\(folder.path)/out.png"
    let run = Run.inProcess(["convert", try numbered(), output] + words)
    #expect(run.errors == "")
    #expect(try Self.rows(output) == rows)
    let small = Run.inProcess(["thumbnail", "--size", "9", try numbered(), "-o", output] + words)
    #expect(small.status == 0)
    #expect(try Self.rows(output) == rows)
  }

  @Test func editsApplyToUprightPixels() throws {
    let (photo, whole) = (try Fixture.path("landscape-orientation-6.jpg"), "\(folder.path)/whole.png")
    let output = "\(folder.path)/out.png"
    #expect(Run.inProcess("convert", photo, whole).status == 0)
    #expect(Run.inProcess("convert", photo, output, "--crop", "500x100+90+200").status == 0)
    let expected = try Decoded.image(whole).pixels.region(Rect(x: 90, y: 200, width: 500, height: 100))
    #expect(Decoded.bytes(try Decoded.image(output).pixels) == Decoded.bytes(expected))
    // A file that is edited is not copied, and its tag does not turn it again.
    let turned = "\(folder.path)/turned.jpg"
    #expect(Run.inProcess("convert", photo, turned, "--rotate", "90").status == 0)
    #expect(try Decoded.image(turned, upright: false).size == Size(width: 400, height: 600))
    #expect(try Decoded.image(turned).size == Size(width: 400, height: 600))
    #expect(Run.inProcess("convert", photo, turned, "--rotate", "90", "--orientation", "keep").status == 64)
  }

  @Test func animationsAreEditedFrameByFrame() throws {
    let (film, output) = (try Fixture.path("comet-alpha.gif"), "\(folder.path)/out.gif")
    // Frames that show the same would become one.
    let run = Run.inProcess(
      "convert", film, output, "--crop", "120x80+40+60", "--rotate", "270", "--max-size", "50%", "--no-reduce")
    #expect(run.errors == "")
    let image = try Decoded.image(output)
    #expect(image.frames.count == 30)
    #expect(image.size == Size(width: 40, height: 60))
    #expect(image.frames.allSatisfy { $0.delay.seconds == 0.05 })
  }

  @Test func aPartOutsideIsNamed() throws {
    let run = Run.inProcess("convert", try numbered(), "\(folder.path)/out.png", "--crop", "3x2+1+0")
    #expect(run.status == 64)
    #expect(
      run.errors.hasSuffix("in.png: invalidArgument: a part of 3×2 at 1,0 is not inside the picture of 3×2\n"),
      "\(run.errors)")
    #expect(folder.names == ["in.png"])
  }

  /// What `coders convert` does beyond what `coders thumbnail` does too, in the order of the command line.
  @Test(
    arguments: [
      (["--crop", "2x2+0+0", "--rotate", "90", "--flip", "vertical"], [[5, 2], [4, 1]]),
      (["--flip", "vertical", "--rotate", "90", "--crop", "2x2+0+0"], [[1, 4], [2, 5]]),
      (["--rotate", "90", "--crop", "1x2+1+1", "--flip", "vertical"], [[3], [2]]),
      (["--apply", "rotate:90|crop:2x1+0+2", "--flip", "horizontal"], [[3, 6]]),
      (["--rotate", "-90", "--crop", "1x1,top-left"], [[3]]),
      (["--rotate", "90", "--inset", "-1,0,0,0,#070000", "--crop", "2x2+0+0"], [[7, 7], [4, 1]]),
      (["--rotate", "90", "--border", "1,#090000"], [[9, 9], [9, 9], [9, 9]]),
    ] as [([String], [[UInt8]])])
  func conversionsFollowTheOrderOfOptions(_ words: [String], _ rows: [[UInt8]]) throws {
    let output = "\(folder.path)/out.png"
    let run = Run.inProcess(["convert", try numbered(), output] + words)
    #expect(run.errors == "")
    #expect(try Self.rows(output) == rows)
  }

  /// docs/processing.md: words and shapes are a drawing over the picture, which leaves the rest of it as it was.
  @Test func aCaptionIsADrawing() throws {
    let gray = try PixelBuffer(size: Size(width: 300, height: 100), format: .gray8, alpha: .opaque)
    for y in 0..<100 { gray.withMutableRow(y) { row in for x in 0..<300 { row[x] = 200 } } }
    let input = folder.write("in.png", try Decoded.registry.encode(Image(gray), as: .png))
    let drawing = """
      <svg xmlns="http://www.w3.org/2000/svg" width="300" height="40">
        <rect width="300" height="40" fill="black" fill-opacity="0.5"/>
        <path d="M10 5h20v10h-20z" fill="#fff"/>
        <text x="150" y="27" font-size="20" text-anchor="middle" fill="white">Harbour, 1926</text>
      </svg>
      """
    let (caption, output) = (folder.write("caption.svg", Array(drawing.utf8)), "\(folder.path)/out.png")
    let run = Run.inProcess("convert", input, output, "--apply", "overlay:\(caption),bottom")
    #expect(run.errors == "")
    let rows = try Self.rows(output)
    #expect(rows[..<60].allSatisfy { $0 == [UInt8](repeating: 200, count: 300) })
    // Half of 255 is 128: 200 − 200 · 128 ÷ 255 is 99.6. The shape covers whole pixels.
    #expect(rows[64][8..<32].allSatisfy { $0 == 100 })
    #expect(Array(rows[70][8..<32]) == [100, 100] + [UInt8](repeating: 255, count: 20) + [100, 100])
    // Words stand in the middle, and nowhere else.
    let words = rows[76..<96].flatMap { $0[60..<240] }
    #expect(words.contains { $0 > 200 } && words.filter { $0 == 100 }.count > words.count / 2)
    #expect(rows[76..<96].allSatisfy { ($0[..<60] + $0[240...]).allSatisfy { $0 == 100 } })
  }

  @Test(arguments: ["3x2,middle", "3x2+1", "0x2+0+0", "3x2-1+0", "x2+0+0", "+1+1+1"])
  func aPartHasFourNumbers(_ word: String) throws {
    let run = Run.inProcess("convert", "a.png", "b.png", "--crop=\(word)")
    #expect(run.status == 64)
    #expect(run.errors.contains("a part is WIDTHxHEIGHT+LEFT+TOP in pixels, such as 300x200+10+20"))
  }

  /// window.png has 720×420 pixels.
  @Test(arguments: [
    ("300x", "300×175"), ("x210", "360×210"), ("300X300", "300×175"), ("300", "300×175"), ("50%", "360×210"),
    ("12.5%", "90×53"), ("100%", "720×420"), ("0.01%", "1×1"),
  ])
  func sizesArePixelsOrAShare(_ word: String, _ size: String) throws {
    let window = try Fixture.path("window.png")
    for (index, words) in [
      ["convert", window, "OUT", "--max-size", word], ["thumbnail", window, "-o", "OUT", "--size", word],
      ["animate", window, "-o", "OUT", "--max-size", word],
    ].enumerated() {
      let output = "\(folder.path)/\(index).png"
      let run = Run.inProcess(words.map { $0 == "OUT" ? output : $0 })
      #expect(run.errors == "")
      #expect("\(try Decoded.image(output).size)" == size, "\(words)")
    }
    let steps = Run.inProcess("stream", window, "-o", "\(folder.path)/steps", "--size", word, "--chunk", "100000")
    #expect(steps.errors == "")
    #expect("\(try Decoded.image("\(folder.path)/steps/0001.png").size)" == size)
  }

  @Test(arguments: ["0%", "101%", "-5%", "%", "1e1%", "300*200", "big"]) func otherSizesAreExplained(_ word: String) {
    let run = Run.inProcess("thumbnail", "a.png", "-o", "b.png", "--size=\(word)")
    #expect(run.status == 64)
    #expect(run.errors.contains("a size is 300 for both sides, 300x200, 300x or x200 for one side"), "\(run.errors)")
  }

  @Test func picturesOfOneSizeAfterScalingBecomeAnAnimation() throws {
    let (window, half) = (try Fixture.path("window.png"), "\(folder.path)/half.png")
    let output = "\(folder.path)/out.gif"
    #expect(Run.inProcess("convert", window, half, "--max-size", "50%", "--flip", "horizontal").status == 0)
    #expect(Run.inProcess("animate", window, half, "-o", output).status == 64)
    let run = Run.inProcess("animate", window, half, "-o", output, "--max-size", "200")
    #expect(run.errors == "")
    #expect(try Decoded.image(output).frames.count == 2)
    #expect(try Decoded.image(output).size == Size(width: 200, height: 117))
    let other = try Fixture.path("shapes-alpha.png")
    let none = Run.inProcess("animate", window, other, "-o", output, "--max-size", "200")
    #expect(
      none.errors == "coders: \(other): invalidArgument: the picture is 200×150 after scaling, \(window) is 200×117\n")
  }

  @Test func sizesOfAnIconAreSquares() throws {
    let icon = "\(folder.path)/icon.ico"
    #expect(Run.inProcess("convert", "--sizes", "16,48", try Fixture.path("window.png"), icon).status == 0)
    let decoder = try Decoded.registry.open(.file(icon))
    for (page, side, rows) in [(0, 16, 3..<12), (1, 48, 10..<38)] {
      let pixels = try decoder.page(page).frame(at: 0).pixels.converted(to: PixelLayout(.rgba8, .straight))
      #expect(pixels.size == Size(width: side, height: side))
      // 420 of 720 rows, in the middle; the others are transparent.
      for y in 0..<side {
        let alpha = pixels.withRow(y) { row in Set((0..<side).map { row[4 * $0 + 3] }) }
        #expect(alpha == (rows.contains(y) ? [255] : [0]), "row \(y) of \(side)")
      }
    }
  }
}
