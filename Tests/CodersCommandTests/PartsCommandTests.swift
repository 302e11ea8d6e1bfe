// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

@Suite struct PartsCommandTests {
  private let folder = TemporaryFolder()
  private let plain = "\(Package.root)/Tests/Fixtures/jpeg/valid/baseline-444.jpg"

  /// ISO/IEC 14496-12: a file type box of 16 bytes, and media of 12.
  private static let video: [UInt8] =
    [0, 0, 0, 16] + Array("ftypmp42".utf8) + [0, 0, 0, 0, 0, 0, 0, 12] + Array("mdat".utf8) + [1, 2, 3, 4]

  private func parts(of path: String) throws -> [JSONValue] {
    let run = Run.inProcess("parts", "--json", path)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let value = try JSONValue(parsing: Array(run.output.utf8), maxBytes: 1 << 24)
    #expect(try JSONSchema(named: "coders-parts-1").problems(in: value) == [])
    return value["parts"]?.items ?? []
  }

  private func kinds(of path: String) throws -> [String] { try parts(of: path).compactMap { $0["kind"]?.string } }

  // MARK: Motion photos

  /// The video goes into the file and comes out of it again; pixels and other parts stay.
  @Test(arguments: ["jpg", "heic", "avif"]) func videoIsPutInAndTakenOut(_ suffix: String) throws {
    let clip = folder.write(Self.video, to: "clip.mp4")
    let (photo, motion, again) = ("\(folder.path)/a.\(suffix)", "\(folder.path)/m.\(suffix)", "\(folder.path)/b.mp4")
    #expect(Run.inProcess("convert", plain, photo).errors == "")
    let run = Run.inProcess("metadata", "--video", clip, "--set", "dc:title=Sea", photo, "-o", motion)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(try kinds(of: motion) == ["xmp", "video"])
    #expect(Run.inProcess("parts", motion, "--kind", "video", "-o", again).output == "\(again)\n")
    #expect(try Package.bytes(again) == Self.video)
    let same = Run.inProcess("compare", photo, motion, "--max-difference", "0")
    #expect(same.status == 0, "\(same.output)\(same.errors)")
    let said = Run.inProcess("metadata", motion).output
    #expect(said.contains("GCamera:MotionPhoto ") && said.contains("dc:title"))
    // Another video takes its place.
    let second = Self.video + [0, 0, 0, 8] + Array("free".utf8)
    #expect(Run.inProcess("metadata", "--video", folder.write(second, to: "c.mp4"), "--in-place", motion).status == 0)
    #expect(Run.inProcess("parts", motion, "--kind", "video", "-o", again).status == 0)
    #expect(try Package.bytes(again) == second)
    #expect(Run.inProcess("metadata", "--strip", "all", "--in-place", motion).status == 0)
    #expect(try kinds(of: motion) == [])
  }

  /// From each format that has a place for it to each other; where there is none, it is named.
  @Test(arguments: ["jpg", "heic", "avif"]) func conversionsKeepTheVideo(_ source: String) throws {
    let clip = folder.write(Self.video, to: "clip.mp4")
    let (photo, motion) = ("\(folder.path)/a.\(source)", "\(folder.path)/m.\(source)")
    #expect(Run.inProcess("convert", plain, photo).errors == "")
    #expect(Run.inProcess("metadata", "--video", clip, photo, "-o", motion).status == 0)
    for target in ["jpg", "heic", "avif"] {
      let made = "\(folder.path)/made.\(target)"
      let run = Run.inProcess("convert", "--reencode", motion, made)
      #expect(run.status == 0 && run.errors == "", "\(source) to \(target): \(run.errors)")
      #expect(Run.inProcess("parts", made, "--kind", "video", "-o", "\(folder.path)/c.mp4").status == 0)
      #expect(try Package.bytes("\(folder.path)/c.mp4") == Self.video)
      let said = Run.inProcess("metadata", made).output
      #expect(said.contains("image/\(target == "jpg" ? "jpeg" : target)") && said.contains("28"), "\(said)")
    }
    let lost = Run.inProcess("convert", motion, "\(folder.path)/a.png")
    #expect(lost.errors.contains("video left out: 28 bytes after the picture; the format has no place for them"))
    #expect(!Run.inProcess("metadata", "\(folder.path)/a.png").output.contains("MotionPhoto"))
    #expect(Run.inProcess("convert", "--strict", motion, "\(folder.path)/b.png").status == 2)
  }

  @Test func otherFilesAreNoVideo() throws {
    let run = Run.inProcess("metadata", "--video", plain, plain, "-o", "\(folder.path)/a.jpg")
    #expect(run.status == 64 && run.errors.contains("is no MP4 or QuickTime file"), "\(run.errors)")
    let png = "\(folder.path)/a.png"
    #expect(Run.inProcess("convert", plain, png).errors == "")
    let clip = folder.write(Self.video, to: "clip.mp4")
    #expect(Run.inProcess("metadata", "--video", clip, png, "-o", "\(folder.path)/b.png").status == 2)
  }

  /// Cameras put bytes of their own around the video.
  @Test func bytesAroundTheVideoArePartsOfTheirOwn() throws {
    let photo = try Package.bytes(plain)
    let path = folder.write(photo + Array("MotionPhoto_Data".utf8) + Self.video + Array("SEFT".utf8), to: "s.jpg")
    let list = try parts(of: path)
    #expect(list.map { $0["kind"]?.string } == ["video", "trailer"])
    #expect(list.map { $0["bytes"]?.content } == [.number(28, written: "28"), .number(20, written: "20")])
    let other = folder.write(photo + Array("and more".utf8), to: "t.jpg")
    #expect(try kinds(of: other) == ["trailer"])
  }

  // MARK: Other parts

  @Test func partsAreWrittenUnderTheirNames() throws {
    let path = "\(folder.path)/a.jpg"
    #expect(Run.inProcess("convert", plain, path, "--reencode", "--embed-thumbnail", "16").errors == "")
    #expect(Run.inProcess("metadata", "--set", "dc:title=Sea", "--in-place", path).status == 0)
    #expect(try kinds(of: path) == ["exif", "thumbnail", "xmp"])
    let run = Run.inProcess("parts", path, "-o", "\(folder.path)/p")
    let names = ["exif.exif", "thumbnail.jpg", "xmp.xmp"].map { "\(folder.path)/p/\($0)" }
    #expect(run.output == names.map { "\($0)\n" }.joined() && run.errors == "")
    #expect(Run.inProcess("probe", "--short", names[1]).output.contains("16"))
    let decoder = try Decoded.registry.open(.file(path))
    #expect(try Package.bytes(names[0]) == decoder.metadata(.exif))
    #expect(try Package.bytes(names[2]) == decoder.metadata(.xmp))
  }

  @Test func pagesAndStoredFilesAreParts() throws {
    let pages = try parts(of: try Fixture.path("pages.tiff"))
    #expect(pages.compactMap { $0["kind"]?.string } == ["page", "page"])
    #expect(pages[0]["note"]?.string == "page 2")
    let run = Run.inProcess("parts", try Fixture.path("pages.tiff"), "-o", "\(folder.path)/q/")
    #expect(run.output == "\(folder.path)/q/page-2.png\n\(folder.path)/q/page.png\n")
    let second = try Decoded.registry.open(.file(try Fixture.path("pages.tiff"))).page(1).image()
    #expect(try Decoded.registry.decode(.file("\(folder.path)/q/page.png")).pixels.size == second.pixels.size)
    // A JPEG XL gives its JPEG back byte for byte.
    let (stored, restored) = ("\(folder.path)/a.jxl", "\(folder.path)/r.jpg")
    #expect(Run.inProcess("convert", plain, stored).errors == "")
    #expect(Run.inProcess("parts", stored, "--kind", "stored-jpeg", "-o", restored).status == 0)
    #expect(try Package.bytes(restored) == Package.bytes(plain))
  }

  /// A payload of a first directory, at 8, and an Exif directory, at 26, that has a maker's note alone, at 44.
  private static func exif(_ note: [UInt8]) -> [UInt8] {
    Array("MM\0*".utf8) + [0, 0, 0, 8]
      + [0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
      + [0, 1, 0x92, 0x7C, 0, 7, 0, 0, 0, UInt8(note.count), 0, 0, 0, 44, 0, 0, 0, 0] + note
  }

  /// Exif with a note of Apple's: tag 2 has bytes without a type, tag 4 a number.
  @Test func bytesOfANoteAreBase64AndCounted() throws {
    let note: [UInt8] =
      Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + [0, 2]
      + [0, 2, 0, 7, 0, 0, 0, 4] + Array("foob".utf8) + [0, 4, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1] + [0, 0, 0, 0]
    let exif = Self.exif(note)
    var image = Image(try Decoded.registry.decode(.file(plain)).pixels)
    image.metadata[.exif] = exif
    let path = folder.write(try Decoded.registry.encode(image, as: .jpeg), to: "note.jpg")
    let properties = try Decoded.registry.open(.file(path)).properties()
    #expect(properties["{MakerApple}", "2"] == .data(Array("foob".utf8)))
    #expect(properties["{MakerApple}", "4"] == .integer(1) && properties["HasAlpha"] == .boolean(false))
    let json = Run.inProcess("probe", "--json", path).output
    #expect(json.contains("\"2\": \"Zm9vYg==\"") && json.contains("\"HasAlpha\": false"))
    // As many bytes, but others.
    image.metadata[.exif] = exif.map { $0 == UInt8(ascii: "b") ? UInt8(ascii: "c") : $0 }
    let other = folder.write(try Decoded.registry.encode(image, as: .jpeg), to: "other.jpg")
    let compared = Run.inProcess("compare", "--metadata", path, other).output
    #expect(compared.contains("{MakerApple}.2") && compared.contains("4 bytes"), "\(compared)")
  }

  /// Exif with a note of Apple's: tag 17 is an identifier of two letters, in the note's own directory.
  @Test func identifierOfALivePhotoIsListed() throws {
    // The directory is at 14 of the note, its only value is in the entry; the note is at 44 of the payload.
    let note: [UInt8] =
      Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + [0, 1, 0, 17, 0, 2, 0, 0, 0, 3] + Array("ID\0\0".utf8)
      + [0, 0, 0, 0]
    let exif = Self.exif(note)
    var image = Image(try Decoded.registry.decode(.file(plain)).pixels)
    image.metadata[.exif] = exif
    let path = folder.write(try Decoded.registry.encode(image, as: .jpeg), to: "live.jpg")
    let part = try #require(try parts(of: path).first { $0["kind"]?.string == "live-photo" })
    #expect(part["note"]?.string == "ID" && part["bytes"]?.content == .null)
    #expect(Run.inProcess("probe", "--json", path).output.contains("\"17\": \"ID\""))
    // There is nothing to write of it.
    let run = Run.inProcess("parts", path, "--kind", "live-photo", "-o", "\(folder.path)/l")
    #expect(run.status == 0 && run.output == "")
  }

  @Test func filesInXMPAreParts() throws {
    // "abc" in Base64 is YWJj.
    var image = Image(try Decoded.registry.decode(.file(plain)).pixels)
    image.metadata[.xmp] = Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" GDepth:Data="YWJj"/>\
      </rdf:RDF></x:xmpmeta>
      """.utf8)
    let path = folder.write(try Decoded.registry.encode(image, as: .jpeg), to: "depth.jpg")
    #expect(try kinds(of: path) == ["xmp", "depth"])
    #expect(Run.inProcess("parts", path, "--kind", "depth", "-o", "\(folder.path)/d.bin").status == 0)
    #expect(try Package.bytes("\(folder.path)/d.bin") == Array("abc".utf8))
  }

  @Test func kindsThatAreNotThereAreErrors() {
    let none = Run.inProcess("parts", plain)
    #expect(none.status == 0 && none.output == "no parts besides the picture\n")
    let video = Run.inProcess("parts", plain, "--kind", "video,depth")
    #expect(video.status == 2 && video.errors.contains("the file has no part of the kind depth or video"))
    let wrong = Run.inProcess("parts", plain, "--kind", "vidoe")
    #expect(wrong.status == 64 && wrong.errors.contains("video?"))
  }

  // MARK: Comparing and probing

  @Test func comparisonListsWhatDiffers() throws {
    let (a, b) = ("\(folder.path)/a.jpg", "\(folder.path)/b.jpg")
    #expect(Run.inProcess("metadata", plain, "-o", a, "--set", "Make=One", "--set", "dc:title=Sea").status == 0)
    #expect(Run.inProcess("metadata", a, "-o", b, "--set", "Make=Two", "--set", "GPS.Latitude=48.25").status == 0)
    let run = Run.inProcess("compare", "--metadata", a, b)
    #expect(run.status == 4 && run.errors == "")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.dropFirst().contains(["{TIFF}.Make", "One", "Two"]))
    #expect(lines.dropFirst().contains(["{GPS}.Latitude", "–", "48.25"]))
    #expect(!run.output.contains("dc:title"))
    let same = Run.inProcess("compare", "--metadata", a, a)
    #expect(same.status == 0 && same.output == "both files say the same\n")
    let json = Run.inProcess("compare", "--metadata", "--json", a, b)
    let value = try JSONValue(parsing: Array(json.output.utf8), maxBytes: 1 << 20)
    #expect(try JSONSchema(named: "coders-compare-1").problems(in: value) == [])
    let first = value["differences"]?.items.first { $0["name"]?.string == "{GPS}.Latitude" }
    #expect(first?["first"]?.content == .null && first?["second"]?.string == "48.25")
    #expect(Run.inProcess("compare", "--metadata", a, b, "--min-psnr", "3").status == 64)
  }

  /// Videos of one length are told apart by their bytes.
  @Test func comparisonLooksAtBytesOfParts() throws {
    let photo = try Package.bytes(plain)
    var other = Self.video
    other[27] = 9
    let (a, b) = (folder.write(photo + Self.video, to: "a.jpg"), folder.write(photo + other, to: "b.jpg"))
    let run = Run.inProcess("compare", "--metadata", a, b)
    #expect(run.status == 4 && run.output.contains("28 bytes, video/mp4, others"), "\(run.output)")
  }

  @Test func probeSaysWhoClaimsCredentials() throws {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      [0, 0, UInt8((content.count + 8) >> 8), UInt8((content.count + 8) & 255)] + Array(type.utf8) + content
    }
    func superbox(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let uuid = Array(type.utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
      return box("jumb", box("jumd", uuid + [3] + Array("label".utf8) + [0]) + content)
    }
    // A map of one text: "claim_generator" of 15 letters is "tool/1" of 6.
    let claim = [0xA1, 0x6F] + Array("claim_generator".utf8) + [0x66] + Array("tool/1".utf8)
    let store = superbox("c2pa", superbox("c2ma", superbox("c2cl", box("cbor", claim))))
    // ISO/IEC 19566-5 §D.2: "JP", the number of the box, that of the part, the box.
    let payload = Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + store
    let photo = try Package.bytes(plain)
    let segment = [0xFF, 0xEB, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
    let path = folder.write(photo.prefix(2) + segment + photo.dropFirst(2), to: "c.jpg")
    let run = Run.inProcess("probe", path)
    #expect(run.status == 0 && run.output.contains("  credentials  claimed by tool/1; not verified\n"), "\(run.output)")
    let json = try JSONValue(parsing: Array(Run.inProcess("probe", "--json", path).output.utf8), maxBytes: 1 << 20)
    let credentials = json["files"]?.items.first?["credentials"]
    #expect(credentials?["generator"]?.string == "tool/1" && credentials?["signer"]?.content == .null)
    #expect(try parts(of: path).map { $0["note"]?.string } == ["claimed by tool/1"])
    #expect(Run.inProcess("parts", path, "--kind", "c2pa", "-o", "\(folder.path)/s.c2pa").status == 0)
    #expect(try Package.bytes("\(folder.path)/s.c2pa") == store)
    #expect(Run.inProcess("probe", "--json", plain).output.contains("\"credentials\": null"))
  }
}
