// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// From any format to any other: what both can hold arrives as it was.
@Suite struct ConversionTests {
  /// Formats that are read and written, by the first word of their extensions.
  static let formats: [Manifest] = Staged.registry.catalog.entries.compactMap(\.manifest)
    .filter { $0.canRead && $0.canWrite && $0.formats[0].format != .icns && $0.formats[0].extensions[0] != "ico" }

  struct Pair: CustomTestStringConvertible {
    let from: Manifest
    let to: Manifest
    var testDescription: String { "\(from.name) to \(to.name)" }
    var formats: (from: ImageFormat, to: ImageFormat) { (from.formats[0].format, to.formats[0].format) }

    /// What both have.
    func share(_ capability: String) -> Bool {
      from.capabilities.contains(capability) && to.capabilities.contains(capability)
    }

    static let all = ConversionTests.formats.flatMap { from in
      ConversionTests.formats.filter { $0.id != from.id }.map { Pair(from: from, to: $0) }
    }
  }

  /// 8 and 16 bits, gray and color, with alpha and without.
  @Test(arguments: Pair.all.filter { $0.share("lossless") }) func losslessPicturesAreExact(_ pair: Pair) throws {
    var (exact, converted) = (EncodeOptions(), 0)
    exact.isLossless = true
    for layout in [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .grayAlpha16, .rgba16] {
      let picture = try Pictures.noise(layout, seed: 11)
      do throws(CoderError) {
        let first = try Staged.registry.encode(Image(picture), as: pair.formats.from, options: exact)
        let second = try Staged.registry.convert(.bytes(first), to: pair.formats.to, at: .memory, options: exact)
        var reading = DecodeOptions()
        reading.pixelFormat = layout
        let found = try Staged.registry.decode(.bytes(second.bytes), options: reading)
        #expect(found.pixels.samples == picture.samples, "\(layout)")
        converted += 1
      } catch {
        // GIF has no partial alpha, WebP no 16 bits: such a picture is refused, never changed.
        #expect(error.code == .unsupported, "\(layout): \(error)")
      }
    }
    let few = try Pictures.flat(0)
    let first = try Staged.registry.encode(Image(few), as: pair.formats.from, options: exact)
    let second = try Staged.registry.convert(.bytes(first), to: pair.formats.to, at: .memory, options: exact)
    var reading = DecodeOptions()
    reading.pixelFormat = .rgba8
    #expect(try Staged.registry.decode(.bytes(second.bytes), options: reading).pixels.samples == few.samples)
  }

  @Test(arguments: Pair.all) func payloadsArriveByteForByte(_ pair: Pair) throws {
    var image = Image(try Pictures.flat(0))
    image.metadata = [.icc: Payloads.profile, .exif: Payloads.exif, .xmp: Payloads.packet]
    let first = try Staged.registry.encode(image, as: pair.formats.from)
    let second = try Staged.registry.convert(.bytes(first), to: pair.formats.to, at: .memory)
    let found = try Staged.registry.decode(.bytes(second.bytes)).metadata
    for (kind, name) in [(MetadataKind.icc, "icc"), (.exif, "exif"), (.xmp, "xmp")] where pair.share(name) {
      if kind == .exif, [pair.formats.from, pair.formats.to].contains(.tiff) {
        // TIFF has no block of Exif: its fields are fields of the file. They are there, in another order of bytes.
        let payload = try #require(found[.exif])
        #expect(payload.has(Array("Coders".utf8)) && (payload.has([0x88, 0x27]) || payload.has([0x27, 0x88])))
      } else {
        #expect(found[kind] == image.metadata[kind], "\(kind)")
      }
    }
    var stripped = EncodeOptions()
    stripped.metadata = [.icc]
    let bare = try Staged.registry.convert(.bytes(first), to: pair.formats.to, at: .memory, options: stripped)
    let left = try Staged.registry.decode(.bytes(bare.bytes)).metadata
    #expect(left[.xmp] == nil)
  }

  @Test(arguments: formats) func orientationIsATagOrAppliedAndNeverBoth(_ manifest: Manifest) throws {
    let format = manifest.formats[0].format
    let picture = try Pictures.flat(0)
    for orientation in Orientation.allCases {
      var image = Image(picture)
      image.orientation = orientation
      image.metadata[.exif] = ExifOrientation.payload(orientation)
      for keeps in [false, true] {
        var options = EncodeOptions()
        options.preservesOrientation = keeps
        let file = try Staged.registry.encode(image, as: format, options: options)
        let decoder = try Staged.registry.open(.bytes(file))
        let isKept = keeps && manifest.capabilities.contains("orientation")
        #expect(decoder.header.orientation == (isKept ? orientation : .up), "\(orientation)")
        #expect(decoder.header.canvas == (isKept ? picture.size : orientation.displayed(picture.size)))
        #expect(decoder.header.displayedSize == orientation.displayed(picture.size))
        if manifest.capabilities.contains("lossless"), format != .gif {
          var exact = options
          exact.isLossless = true
          let upright = try Staged.registry.decode(
            .bytes(try Staged.registry.encode(image, as: format, options: exact)), options: Pictures.rgba)
          #expect(upright.pixels.samples == (try picture.oriented(by: orientation)).samples, "\(orientation)")
        }
        // What Exif says agrees with what the file says, or a program that reads only one of them turns it wrong.
        if let payload = try decoder.metadata(.exif) {
          #expect(ExifOrientation.read(payload) == decoder.header.orientation)
        }
      }
    }
  }

  @Test(arguments: Pair.all.filter { $0.share("frames") }) func animationsArriveWhole(_ pair: Pair) throws {
    var options = EncodeOptions()
    options.isLossless = true
    for loops in [LoopCount.infinite, .plays(1), .plays(3)] {
      let frames = try (0..<7).map { step in
        Frame(pixels: try Pictures.walk(step), delay: .milliseconds([100, 20, 1_230, 40][step % 4]))
      }
      let first = try Staged.registry.encode(
        Image(frames: frames, loopCount: loops), as: pair.formats.from, options: options)
      let second = try Staged.registry.convert(.bytes(first), to: pair.formats.to, at: .memory, options: options)
      let found = try Staged.registry.decode(.bytes(second.bytes), options: Pictures.rgba)
      #expect(found.loopCount == loops)
      #expect(found.frames.map(\.delay.seconds) == frames.map(\.delay.seconds))
      #expect(found.frames.map(\.pixels.samples) == frames.map(\.pixels.samples))
    }
  }

  @Test(arguments: formats) func theSameFormatIsCopied(_ manifest: Manifest) throws {
    let format = manifest.formats[0].format
    let bytes = try Staged.registry.encode(Image(try Pictures.flat(0)), as: format)
    #expect(try Staged.registry.convert(.bytes(bytes), to: format, at: .memory).bytes == bytes)
    // A request for something else is not met by the same bytes.
    var smaller = EncodeOptions()
    smaller.maxSize = Size(width: 10, height: 10)
    let changed = try Staged.registry.convert(.bytes(bytes), to: format, at: .memory, options: smaller)
    #expect(try Staged.registry.decode(.bytes(changed.bytes)).size == Size(width: 10, height: 8))
  }
}
