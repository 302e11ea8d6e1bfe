// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// JPEG files that are cropped, turned and mirrored without decoding them.
@Suite struct LosslessEditTests {
  private let folder = Folder()

  /// A picture without symmetry and without sharp edges, in whole MCUs if its sides are multiples of 16.
  private func photo(_ size: Size, _ subsampling: Subsampling = .s420, _ change: (inout Image) -> Void = { _ in })
    throws -> String
  {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      pixels.withMutableRow(y) { row in
        for x in 0..<size.width {
          row[3 * x] = UInt8(x * 200 / size.width + 20)
          row[3 * x + 1] = UInt8(y * 200 / size.height + 20)
          row[3 * x + 2] = UInt8((x * y * 200) / (size.width * size.height) + 20)
        }
      }
    }
    var image = Image(pixels)
    change(&image)
    var options = EncodeOptions(quality: 0.9)
    options.subsampling = subsampling
    return folder.write("in.jpg", try Decoded.registry.encode(image, as: .jpeg, options: options))
  }

  private static func pixels(_ path: String) throws -> PixelBuffer { try Decoded.image(path).pixels }

  /// The largest difference of a sample.
  private static func distance(_ one: PixelBuffer, _ other: PixelBuffer) -> Int {
    guard one.size == other.size else { return .max }
    return zip(Decoded.bytes(one), Decoded.bytes(other)).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  @Test(
    arguments: [
      (["--rotate", "90"], ["--rotate", "270"]), (["--rotate", "180"], ["--rotate", "180"]),
      (["--rotate", "270"], ["--rotate", "90"]), (["--flip", "horizontal"], ["--flip", "horizontal"]),
      (["--flip", "vertical"], ["--flip", "vertical"]),
      (["--rotate", "90", "--flip", "vertical"], ["--rotate", "90", "--flip", "vertical"]),
      (["--rotate", "270", "--flip", "vertical"], ["--rotate", "270", "--flip", "vertical"]),
    ], [Subsampling.s444, .s422, .s420, .s440])
  func turningBackGivesTheSamePixels(_ turns: ([String], [String]), _ subsampling: Subsampling) throws {
    let (photo, turned, back) = (
      try photo(Size(width: 96, height: 64), subsampling), "\(folder.path)/turned.jpg", "\(folder.path)/back.jpg"
    )
    #expect(Run.inProcess(["convert", "--lossless", photo, turned] + turns.0).errors == "")
    let decoded = "\(folder.path)/decoded.png"
    #expect(Run.inProcess(["convert", photo, decoded] + turns.0).status == 0)
    // Transforms and chroma are rounded: a turned picture may be off by a little, a wrongly turned one is by 40 and more.
    #expect(Self.distance(try Self.pixels(turned), try Self.pixels(decoded)) <= 4)
    #expect(Run.inProcess(["convert", "--lossless", turned, back] + turns.1).errors == "")
    #expect(Decoded.bytes(try Self.pixels(back)) == Decoded.bytes(try Self.pixels(photo)))
  }

  @Test func aPartIsKeptExactly() throws {
    let (photo, part) = (try photo(Size(width: 100, height: 75), .s444), "\(folder.path)/part.jpg")
    #expect(Run.inProcess("convert", "--lossless", photo, part, "--crop", "76x59+24+16").errors == "")
    let expected = try Self.pixels(photo).region(Rect(x: 24, y: 16, width: 76, height: 59))
    #expect(Decoded.bytes(try Self.pixels(part)) == Decoded.bytes(expected))
  }

  @Test(
    arguments: [
      (["--flip", "horizontal"], "mirroring 100×75 without decoding; mirrored sides are multiples of 16 and 16"),
      (["--rotate", "90"], "mirroring 100×75 without decoding; mirrored sides are multiples of 16 and 16"),
      (["--crop", "32x32+8+16"], "a part at 8,16 without decoding; a part begins at multiples of 16 and 16"),
    ])
  func whatWouldLoseIsRefusedOrEncodedAgain(_ words: [String], _ message: String) throws {
    let (photo, output) = (try photo(Size(width: 100, height: 75)), "\(folder.path)/out.jpg")
    let strict = Run.inProcess(["convert", "--lossless", photo, output] + words)
    #expect(strict.status == 2 && strict.errors.contains("unsupported: \(message)"))
    #expect(Run.inProcess(["convert", photo, output] + words).status == 0)
    let decoded = "\(folder.path)/decoded.png"
    #expect(Run.inProcess(["convert", photo, decoded] + words).status == 0)
    #expect(Self.distance(try Self.pixels(output), try Self.pixels(decoded)) <= 12)
  }

  @Test func theTagGoesAndTheRestOfTheMetadataStays() throws {
    let (photo, output) = (try Fixture.path("landscape-orientation-6.jpg"), "\(folder.path)/out.jpg")
    let old = try Decoded.registry.open(.file(photo))
    #expect(old.header.orientation == .right)
    // Of the upright picture: the same columns of MCUs, whatever the picture's last ones are.
    let side = old.header.canvas
    let crop = "\(side.height / 16 * 16)x\(side.width / 16 * 16)+\(side.height % 16)+0"
    for words in [["--rotate", "270"], ["--crop", crop]] {
      #expect(Run.inProcess(["convert", "--lossless", photo, output] + words).errors == "")
      let new = try Decoded.registry.open(.file(output))
      #expect(new.header.orientation == .up)
      #expect(try new.metadata(.icc) == old.metadata(.icc))
      let decoded = "\(folder.path)/decoded.png"
      #expect(Run.inProcess(["convert", photo, decoded] + words).status == 0)
      #expect(Self.distance(try Self.pixels(output), try Self.pixels(decoded)) <= 12)
    }
  }

  @Test func exifSaysTheNewSizeAndHasNoOldThumbnail() throws {
    // A thumbnail that is turned no more than the picture would be worse than none.
    var options = EncodeOptions()
    options.embeddedThumbnailSide = 32
    // Turning it makes Huffman tables, which this file has not.
    options.values["effort"] = "fast"
    var image = try Decoded.image(try photo(Size(width: 96, height: 64)))
    image.metadata = [:]
    let plain = folder.write("thumbnail.jpg", try Decoded.registry.encode(image, as: .jpeg, options: options))
    let (tagged, output) = ("\(folder.path)/tagged.jpg", "\(folder.path)/out.jpg")
    #expect(
      Run.inProcess("metadata", plain, "-o", tagged, "--set", "Exif.PixelXDimension=96", "--set", "Make=Cam").status
        == 0)
    #expect(try Decoded.registry.open(.file(tagged)).properties()["{Exif}", "PixelXDimension"] == .integer(96))
    #expect(Run.inProcess("convert", "--lossless", tagged, output, "--rotate", "90").errors == "")
    let properties = try Decoded.registry.open(.file(output)).properties()
    #expect(properties["{Exif}", "PixelXDimension"] == .integer(64))
    #expect(properties["{TIFF}", "Make"] == .text("Cam"))
    let before = try Package.bytes(tagged).count
    #expect(try Package.bytes(output).count < before - 300)
    let stripped = Run.inProcess(
      "convert", "--lossless", tagged, output, "--flip", "vertical", "--metadata", "strip")
    #expect(stripped.errors == "")
    #expect(try Decoded.registry.open(.file(output)).header.metadata == [])
  }

  /// An Exif block that breaks off has no say in whether a picture can be turned. Of one whose orientation can be read, what
  /// is behind the fault is lost: it would be wrong to leave the orientation.
  @Test(arguments: [(1, true), (6, false)] as [(UInt8, Bool)])
  func exifThatCannotBeReadIsLeftAloneOrOut(_ orientation: UInt8, _ isLeft: Bool) throws {
    var image = try Decoded.image(try photo(Size(width: 96, height: 64)))
    image.metadata = [:]
    let plain = try Decoded.registry.encode(image, as: .jpeg)
    // A directory of five entries, of which there is one.
    let exif: [UInt8] =
      Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 5, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
    let bytes = plain[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain[2...]
    let (file, output) = (folder.write("broken.jpg", Array(bytes)), "\(folder.path)/out.jpg")
    #expect(try Decoded.registry.open(.file(file)).header.orientation.rawValue == Int(orientation))
    let run = Run.inProcess("convert", "--lossless", file, output, "--rotate", "90")
    #expect(run.status == 0)
    #expect(run.errors.contains("the Exif block cannot be read, and \(isLeft ? "stays as it is" : "is left out")"))
    let turned = try Decoded.registry.open(.file(output))
    #expect(turned.header.orientation == .up)
    #expect(turned.header.canvas == (isLeft ? Size(width: 64, height: 96) : Size(width: 96, height: 64)))
    #expect(turned.header.metadata.contains(.exif) == isLeft)
  }

  @Test func anUprightFileIsCopiedAndATurnedOneIsStoredUpright() throws {
    let (photo, output) = (try photo(Size(width: 96, height: 64)), "\(folder.path)/out.jpg")
    #expect(Run.inProcess("convert", "--orientation", "apply", photo, output).status == 0)
    #expect(try Package.bytes(output) == Package.bytes(photo))
    let tagged = "\(folder.path)/tagged.jpg"
    #expect(Run.inProcess("metadata", photo, "-o", tagged, "--set", "Orientation=8").status == 0)
    #expect(Run.inProcess("convert", "--lossless", "--orientation", "apply", tagged, output).errors == "")
    let header = try Decoded.registry.open(.file(output)).header
    #expect(header.orientation == .up && header.canvas == Size(width: 64, height: 96))
    #expect(Self.distance(try Self.pixels(output), try Self.pixels(tagged)) <= 4)
  }

  @Test func aCutFileIsDecodedAndSaidToBeCut() throws {
    let whole = try Package.bytes(try photo(Size(width: 320, height: 320)))
    let cut = folder.write("cut.jpg", Array(whole.prefix(whole.count / 2)))
    let run = Run.inProcess("convert", cut, "\(folder.path)/out.jpg", "--rotate", "90")
    #expect(run.status == 1 && run.errors.contains("truncated"))
  }
}
