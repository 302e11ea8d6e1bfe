// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// `--gain-map` and `--auxiliary` of convert.
@Suite struct GainMapCommandTests {
  private static let folder = Folder()
  private static let picture = Result { () throws(CoderError) in try photo() }

  /// A JPEG with a gain map, made of an HDR picture in PNG.
  private static func photo() throws(CoderError) -> String {
    let light = try PixelBuffer(size: Size(width: 64, height: 48), format: .rgbaFloat32, alpha: .opaque)
    for y in 0..<48 {
      light.withMutableRow(y) { row in
        for x in 0..<64 {
          // Brighter to the right, from black to four times the white of an SDR picture.
          for channel in 0..<4 {
            row.storeBytes(
              of: channel == 3 ? 1 : Float(x) / 63 * 4, toByteOffset: (x * 4 + channel) * 4, as: Float.self)
          }
        }
      }
    }
    let hdr = try Decoded.registry.encode(
      Image(light), as: .png, options: EncodeOptions(color: .convert(to: .rec2100PQ)))
    let path = "\(folder.path)/photo.jpg"
    let run = Run.inProcess("convert", folder.write("hdr.png", hdr), path, "--gain-map", "make", "--quality", "0.95")
    guard run.status == 0 else { throw .libraryFailure("convert: \(run.errors)") }
    return path
  }

  private static func lines(_ path: String, _ key: String) -> [String] {
    Run.inProcess("probe", path).output.split(separator: "\n").filter { $0.hasPrefix("  \(key) ") }
      .map { String($0.drop { $0 == " " }.dropFirst(key.count).drop { $0 == " " }) }
  }

  private static func converted(_ name: String, _ options: String...) throws -> (path: String, errors: String) {
    let out = "\(folder.path)/\(name)"
    let run = Run.inProcess(["convert", try picture.get(), out] + options)
    #expect(run.status == 0, "\(run.errors)")
    return (out, run.errors)
  }

  /// Light of the brightest place, where 1 is the white of an SDR picture.
  private static func brightest(_ path: String) throws -> Float {
    let options = DecodeOptions(
      pixelFormat: .rgbaFloat32, color: .convert(to: .linearSRGB, toneMapping: .clip))
    let image = try Decoded.registry.decode(.file(path), options: options)
    return image.pixels.withRow(24) { row in
      (0..<64).map { row.loadUnaligned(fromByteOffset: $0 * 16, as: Float.self) }.max() ?? 0
    }
  }

  @Test func aMapIsMadeKeptAndDropped() throws {
    #expect(Self.lines(try Self.picture.get(), "auxiliary") == ["gain-map 32×24"])
    #expect(Self.lines(try Self.picture.get(), "color") == ["Display P3, ICC"])
    let small = try Self.converted("small.jpg", "--max-size", "50%")
    #expect(small.errors == "" && Self.lines(small.path, "auxiliary") == ["gain-map 16×12"])
    let turned = try Self.converted("turned.jpg", "--rotate", "90", "--gain-map", "keep")
    #expect(Self.lines(turned.path, "auxiliary") == ["gain-map 24×32"])
    let plain = try Self.converted("plain.jpg", "--gain-map", "drop")
    #expect(plain.errors == "" && Self.lines(plain.path, "auxiliary").isEmpty)
    let other = try Self.converted("other.webp")
    #expect(other.errors.contains("the gain map is left out: org.webmproject.webp is written without one"))
    let narrow = try Self.converted("narrow.jpg", "--color", "srgb")
    #expect(narrow.errors.contains("the gain map is left out: the colors are converted"))
  }

  @Test func aMapIsApplied() throws {
    let all = try Self.converted("all.png", "--gain-map", "apply")
    #expect(Self.lines(all.path, "color") == ["BT.2100 PQ, 805.589 nit, CICP 9/16/0 full range"])
    // The picture that it was made of had light of 4.
    #expect(abs(try Self.brightest(all.path) - 4) < 0.3)
    let one = try Self.converted("one.png", "--gain-map", "apply=1")
    #expect(abs(try Self.brightest(one.path) - 2) < 0.2)
    let none = try Self.converted("none.png", "--gain-map", "apply=0")
    #expect(abs(try Self.brightest(none.path) - 1) < 0.02)
    // A format without code points gets a picture for every display.
    let mapped = try Self.converted("mapped.jpg", "--gain-map", "apply")
    #expect(Self.lines(mapped.path, "color") == ["sRGB, untagged"])
    #expect(Self.lines(mapped.path, "auxiliary").isEmpty)
  }

  @Test func aPictureWithoutHighlightsHasNoMap() throws {
    let out = "\(Self.folder.path)/dull.jpg"
    let run = Run.inProcess("convert", try Fixture.path("window.png"), out, "--gain-map", "make")
    #expect(run.status == 0)
    #expect(run.errors.contains("no gain map is written: no light is above the white of an SDR picture"))
    let other = Run.inProcess(
      "convert", try Fixture.path("window.png"), "\(Self.folder.path)/map.png", "--gain-map", "make")
    #expect(other.status != 0 && other.errors.contains("public.png is written without gain maps"))
  }

  @Test func auxiliaryPicturesAreWritten() throws {
    let map = try Self.converted("map.png", "--auxiliary", "gain-map")
    let image = try Decoded.image(map.path)
    #expect(image.size == Size(width: 32, height: 24) && image.pixels.format == .gray8)
    let row = image.pixels.withRow(12) { Array($0) }
    #expect(row[31] > 240 && row[0] < 40, "\(row)")
    let missing = Run.inProcess(
      "convert", try Self.picture.get(), "\(Self.folder.path)/no.png", "--auxiliary", "depth")
    #expect(missing.status == 64 && missing.errors.contains("--auxiliary is depth, the file has gain-map"))
    let none = Run.inProcess(
      "convert", try Fixture.path("window.png"), "\(Self.folder.path)/no.png", "--auxiliary", "matte")
    #expect(none.status == 64 && none.errors.contains("--auxiliary is matte, the file has none"))
  }

  @Test(arguments: ["apply=17", "apply=-1", "apply=", "some", ""]) func otherWordsAreRefused(_ word: String) throws {
    let run = Run.inProcess("convert", try Fixture.path("window.png"), "no.jpg", "--gain-map", word)
    #expect(run.status == 64)
    #expect(
      run.errors.contains(
        "what happens to a gain map is keep, drop, make, apply or apply=STOPS with 0 to 16 stops, not \(word)"))
    let kind = Run.inProcess("convert", try Fixture.path("window.png"), "no.jpg", "--auxiliary", word)
    #expect(kind.status == 64)
    #expect(kind.errors.contains("gain-map, depth, disparity, matte, preview, reduced, overscan or other, not \(word)"))
  }
}
