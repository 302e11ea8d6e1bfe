// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What image sequences of HEVC say to readers that are not ours.
@Suite(.needs("HEIF")) struct ImageSequenceWritingTests {
  private static let registry = EncodingPictures.registry
  private static var libheif: CoderRegistry {
    var preferences = CoderPreferences()
    preferences.priorities["org.imagecoders.heif.libheif"] = 200
    return CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: preferences)
  }

  private static func animation(orientation: Orientation = .up) throws -> Image {
    let frames = try (0..<3).map { step in
      Frame(pixels: try EncodingPictures.walk(step), delay: .milliseconds(UInt32(40 * (step + 1))))
    }
    var image = Image(frames: frames, loopCount: .plays(2))
    image.orientation = orientation
    return image
  }

  private static func encode(_ image: Image, as format: ImageFormat) throws -> [UInt8] {
    var options = EncodingPictures.lossless
    options.preservesOrientation = true
    return try registry.encode(image, as: format, options: options)
  }

  @Test func theNameDecidesOnTheMajorBrand() throws {
    let image = try Self.animation()
    // Lossless pictures are not of the Main profile.
    #expect(try Self.brands(of: Self.encode(image, as: .heics)) == ["hevx", "", "hevx", "msf1", "mif1", "heix"])
    #expect(try Self.brands(of: Self.encode(image, as: .heic)) == ["heix", "", "heix", "mif1", "msf1", "hevx"])
    var still = image
    still.frames = [image.frames[0]]
    #expect(try Self.brands(of: Self.encode(still, as: .heics)) == ["heix", "", "heix", "mif1", "heix"])
  }

  private static func brands(of file: [UInt8]) -> [String] {
    stride(from: 8, to: Int(file[3]), by: 4).map { place in
      String(decoding: file[place..<place + 4].filter { $0 != 0 }, as: UTF8.self)
    }
  }

  /// libheif reads the items alone.
  @Test func readersOfStillsShowTheFirstFrame() throws {
    let image = try Self.animation()
    let found = try Self.libheif.decode(.bytes(Self.encode(image, as: .heic)))
    #expect(found.frames.count == 1)
    let layout = PixelLayout(.rgba8, .straight)
    let rows = try [found.pixels, image.pixels].map { EncodingPictures.rows(try $0.converted(to: layout)) }
    #expect(rows[0] == rows[1])
  }

  @Test func aFrameAndItsItemAreTheSameBytes() throws {
    let image = try Self.animation()
    var still = image
    still.frames = [image.frames[0]]
    let (one, three) = (try Self.encode(still, as: .heic), try Self.encode(image, as: .heic))
    // The two other frames, and less than a kilobyte of tables.
    #expect(three.count < 3 * one.count + 1_024)
  }

  @Test(arguments: Orientation.allCases) func tracksAreTurnedLikeItems(_ orientation: Orientation) throws {
    let file = try Self.encode(try Self.animation(orientation: orientation), as: .heics)
    #expect(try Self.registry.open(.bytes(file)).header.orientation == orientation)
  }

  @Test func theSameFramesGiveTheSameFile() throws {
    let image = try Self.animation()
    #expect(try Self.encode(image, as: .heics) == Self.encode(image, as: .heics))
  }
}
