// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

/// Properties beside those that exiftool finds, which is a program of its own.
@Suite(.serialized) struct PropertiesTests {
  static let exiftool = "/usr/bin/exiftool"
  static let isThere = FileManager.default.isExecutableFile(atPath: exiftool)

  /// Tags of exiftool by group and name, and where ImageIO has them.
  private static var names: [(tag: String, dictionary: CFString?, key: CFString)] {
    [
      ("IFD0:Make", kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFMake),
      ("IFD0:Model", kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFModel),
      ("IFD0:Software", kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFSoftware),
      ("IFD0:Artist", kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFArtist),
      ("IFD0:ModifyDate", kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFDateTime),
      ("IFD0:Orientation", nil, kCGImagePropertyOrientation),
      ("ExifIFD:ExposureTime", kCGImagePropertyExifDictionary, kCGImagePropertyExifExposureTime),
      ("ExifIFD:FNumber", kCGImagePropertyExifDictionary, kCGImagePropertyExifFNumber),
      ("ExifIFD:FocalLength", kCGImagePropertyExifDictionary, kCGImagePropertyExifFocalLength),
      ("ExifIFD:DateTimeOriginal", kCGImagePropertyExifDictionary, kCGImagePropertyExifDateTimeOriginal),
      ("ExifIFD:LensModel", kCGImagePropertyExifDictionary, kCGImagePropertyExifLensModel),
      ("ExifIFD:Flash", kCGImagePropertyExifDictionary, kCGImagePropertyExifFlash),
      ("ExifIFD:WhiteBalance", kCGImagePropertyExifDictionary, kCGImagePropertyExifWhiteBalance),
      ("GPS:GPSAltitude", kCGImagePropertyGPSDictionary, kCGImagePropertyGPSAltitude),
      ("GPS:GPSLatitudeRef", kCGImagePropertyGPSDictionary, kCGImagePropertyGPSLatitudeRef),
      ("GPS:GPSDateStamp", kCGImagePropertyGPSDictionary, kCGImagePropertyGPSDateStamp),
      ("IPTC:City", kCGImagePropertyIPTCDictionary, kCGImagePropertyIPTCCity),
      ("IPTC:Headline", kCGImagePropertyIPTCDictionary, kCGImagePropertyIPTCHeadline),
    ]
  }

  /// All formats but those that exiftool does not know.
  private static let folders = [
    "avif", "bmp", "exr", "gif", "hdr", "heif", "icns", "ico", "jpeg", "jpeg2000", "jxl", "png", "pnm", "psd", "raw",
    "tiff", "webp",
  ]
  private static let largerThanShown = [
    "all-skip", "crop.avif", "offset", "size-differs.ico", "tiles-without-samples", "window-",
  ]
  /// Groups of exiftool that have the width of the first picture.
  private static let widths = ["File", "PNG", "GIF", "RIFF", "Photoshop", "Jpeg2000", "IFD0"].map { "\($0):ImageWidth" }

  @Test(.enabled(if: isThere, "exiftool is not installed")) func areThoseOfExiftool() throws {
    let folders = Self.folders.map { Fixture.url("\($0)/valid").path }
    var (compared, missing, files): (Int, [String], [String: Int]) = (0, [], [:])
    for entry in try Self.ask(["-j", "-G1", "-n", "-r"] + folders) {
      guard let path = entry["SourceFile"] as? String,
        let source = CGImageSourceCreateWithURL(URL(fileURLWithPath: path) as CFURL, nil),
        let found = properties(source, CGImageSourceGetPrimaryImageIndex(source))
      else { continue }
      let parts = path.split(separator: "/")
      let (folder, name) = (String(parts[parts.count - 3]), String(parts[parts.count - 1]))
      for (tag, dictionary, key) in Self.names {
        // The turn of these files is their own, whatever Exif says.
        guard let wanted = entry[tag],
          key != kCGImagePropertyOrientation || !["heif", "avif", "jxl", "jpeg2000"].contains(folder)
        else { continue }
        let owner = dictionary.map { found[$0] as? [CFString: Any] } ?? found
        guard let value = owner?[key] else {
          missing.append("\(folder)/\(name) \(tag)")
          continue
        }
        compared += 1
        if let number = wanted as? Double, let ours = value as? Double {
          #expect(abs(number - ours) <= 1e-6 * max(1, abs(number)), "\(name): \(tag)")
        } else {
          #expect("\(wanted)".trimmingCharacters(in: .whitespaces) == "\(value)", "\(name): \(tag)")
        }
      }
      // Of HEIF, and of these files, exiftool names the size of what is coded.
      guard CGImageSourceGetCount(source) == 1, folder != "heif",
        !Self.largerThanShown.contains(where: { name.hasPrefix($0) }),
        let width = Self.widths.lazy.compactMap({ entry[$0] }).first
      else { continue }
      files[folder, default: 0] += 1
      #expect("\(width)" == "\(found[kCGImagePropertyPixelWidth] ?? "none")", "\(folder)/\(name)")
    }
    #expect(missing == [])
    #expect(compared >= 100)
    // The tool has no width of ICNS.
    #expect(Set(files.keys) == Set(Self.folders).subtracting(["heif", "icns"]))
    #expect(files.values.reduce(0, +) > 600)
  }

  private static func ask(_ arguments: [String]) throws -> [[String: Any]] {
    let process = Process()
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("exiftool-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: output) }
    process.executableURL = URL(fileURLWithPath: exiftool)
    process.arguments = ["-q", "-q"] + arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try JSONSerialization.jsonObject(with: Data(contentsOf: output)) as? [[String: Any]] ?? []
  }

  /// What exiftool writes, ImageIO reads, and what ImageIO writes, exiftool.
  @Test(.enabled(if: isThere, "exiftool is not installed")) func exiftoolReadsWhatIsWritten() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("imageio-\(UUID().uuidString).jpg")
    defer { try? FileManager.default.removeItem(at: url) }
    let given: [CFString: Any] = [
      kCGImagePropertyOrientation: 5,
      kCGImagePropertyExifDictionary: [
        kCGImagePropertyExifExposureTime: 0.004, kCGImagePropertyExifLensModel: "Lens 1",
      ],
      kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker"],
      kCGImagePropertyGPSDictionary: [
        kCGImagePropertyGPSLatitude: 33.5, kCGImagePropertyGPSLatitudeRef: "S", kCGImagePropertyGPSLongitude: 151.25,
        kCGImagePropertyGPSLongitudeRef: "W",
      ],
    ]
    try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, "public.jpeg", given)).write(to: url)
    let tags = try #require(try Self.ask(["-j", "-G0", "-n", url.path]).first)
    #expect(tags["EXIF:Orientation"] as? Int == 5)
    #expect(tags["EXIF:ExposureTime"] as? Double == 0.004)
    #expect(tags["EXIF:LensModel"] as? String == "Lens 1")
    #expect(tags["EXIF:Make"] as? String == "Maker")
    #expect(tags["Composite:GPSLatitude"] as? Double == -33.5)
    #expect(tags["Composite:GPSLongitude"] as? Double == -151.25)
  }

  @Test func theFileHasPropertiesOfItsOwn() throws {
    let source = try Fixture.source("gif/valid/loop-3.gif")
    let found = try #require(CGImageSourceCopyProperties(source, nil) as? [CFString: Any])
    #expect(found[kCGImagePropertyFileSize] as? Int == (try Fixture.data("gif/valid/loop-3.gif").count))
    let gif = try #require(found[kCGImagePropertyGIFDictionary] as? [CFString: Any])
    #expect(gif[kCGImagePropertyGIFLoopCount] as? Int == 3)
    #expect(gif[kCGImagePropertyGIFCanvasPixelWidth] as? Int == 16)
    #expect(gif[kCGImagePropertyGIFCanvasPixelHeight] as? Int == 12)
    #expect(gif[kCGImagePropertyGIFHasGlobalColorMap] as? Bool == true)
    let frames = try #require(gif[kCGImagePropertyGIFFrameInfoArray] as? [[CFString: Any]])
    #expect(frames.map { $0[kCGImagePropertyGIFUnclampedDelayTime] as? Double } == [0.1, 0.2, 0.3])
    let contents = try #require(found[kCGImagePropertyFileContentsDictionary] as? [CFString: Any])
    #expect(contents[kCGImagePropertyImageCount] as? Int == 3)
    let pages = try #require(
      (CGImageSourceCopyProperties(try Fixture.source("tiff/valid/pages.tif"), nil) as? [CFString: Any])?[
        kCGImagePropertyFileContentsDictionary] as? [CFString: Any])
    #expect((pages[kCGImagePropertyImages] as? [[CFString: Any]])?.count == 3)
  }

  @Test(arguments: [
    ("png/valid/rgba8.png", "RGB", 8, true as Bool?), ("png/valid/rgb8.png", "RGB", 8, false),
    ("png/valid/gray16.png", "Gray", 16, false), ("jpeg/valid/baseline-420.jpg", "RGB", 8, nil),
    ("tiff/valid/rgb16-little-endian.tif", "RGB", 16, false),
  ])
  func aPictureHasModelDepthAndAlpha(_ path: String, _ model: String, _ depth: Int, _ alpha: Bool?) throws {
    let found = try #require(properties(try Fixture.source(path)))
    #expect(found[kCGImagePropertyColorModel] as? String == model)
    #expect(found[kCGImagePropertyDepth] as? Int == depth)
    #expect(found[kCGImagePropertyHasAlpha] as? Bool == alpha)
    #expect(found["{XMP}" as CFString] == nil)
  }

  /// Apple's note has bytes, and a time as a binary property list, which Python's plistlib has made: 0, 1, 10⁹, 777291330499583.
  @Test func appleNotesHaveBytesAndTimes() throws {
    let keys: [UInt8] = "epoch flags timescale value".split(separator: " ").flatMap {
      [0x50 + UInt8($0.count)] + Array($0.utf8)
    }
    let list: [UInt8] =
      Array("bplist00".utf8) + [0xD4, 1, 2, 3, 4, 5, 6, 7, 8] + keys
      + [16, 0, 16, 1, 18, 59, 154, 202, 0, 19, 0, 2, 194, 241, 61, 164, 51, 255, 8, 17, 23, 29, 39, 45, 47, 49, 54]
      + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63]
    let note: [UInt8] =
      Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + [0, 2] + [0, 2, 0, 7, 0, 0, 0, 4] + Array("foob".utf8)
      + [0, 3, 0, 7, 0, 0, 0, UInt8(list.count), 0, 0, 0, 44, 0, 0, 0, 0] + list
    var image = ImageCodersBuiltIn.Image(
      try PixelBuffer(
        copying: [1, 2, 3] as [UInt8], size: Size(width: 1, height: 1), format: .rgb8, alpha: .opaque, stride: 3))
    let exif: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
      + [0, 1, 0x92, 0x7C, 0, 7, 0, 0, 0, UInt8(note.count), 0, 0, 0, 44, 0, 0, 0, 0] + note
    image.metadata[.exif] = exif
    let made = Data(try Fixture.registry.encode(image, as: .jpeg))
    let found = try #require(properties(opened(made))?[kCGImagePropertyMakerAppleDictionary] as? [String: Any])
    #expect(found["2"] as? Data == Data("foob".utf8))
    let time = try #require(found["3"] as? [String: Any])
    #expect(time["flags"] as? Int == 1 && time["timescale"] as? Int == 1_000_000_000)
    #expect(time["value"] as? Int == 777_291_330_499_583)
  }

  @Test func delaysThatNobodySeesAreShownLonger() throws {
    // Of 0, 1 and 2 hundredths of a second.
    let source = try Fixture.source("gif/valid/delay-0-1-2.gif")
    let delays = (0..<CGImageSourceGetCount(source)).map { index in
      let gif = properties(source, index)?[kCGImagePropertyGIFDictionary] as? [CFString: Any]
      return [gif?[kCGImagePropertyGIFUnclampedDelayTime], gif?[kCGImagePropertyGIFDelayTime]].map { $0 as? Double }
    }
    #expect(delays == [[0, 0.1], [0.01, 0.1], [0.02, 0.02]])
  }
}
