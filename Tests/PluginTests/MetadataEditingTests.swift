// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Metadata of files of every format that can be edited: what changes, and that pixels do not.
@Suite struct MetadataEditingTests {
  private static let registry = EncodingPictures.registry
  static let formats: [ImageFormat] = [.jpeg, .png, .webP, .tiff, .jpegXL, .heic, .avif]
  /// Folders of fixtures with files of these formats.
  static let folders = ["jpeg", "png", "webp", "tiff", "jxl", "heif", "avif"]

  /// A maker, and a place in the GPS directory; little endian.
  private static let exif: [UInt8] =
    Array("II".utf8) + [42, 0, 8, 0, 0, 0, 2, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0, 0x4D, 0x61, 0x6B, 0]
    + [0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0] + [0, 0, 0, 0]
    + [1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 0x4E, 0, 0, 0] + [0, 0, 0, 0]
  private static let xmp = Array(
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
    rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="1,2N"/></rdf:RDF></x:xmpmeta>
    """.utf8)

  private static func photo(_ format: ImageFormat) throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    image.metadata = [.icc: MatrixProfile.displayP3.bytes, .exif: exif, .xmp: xmp]
    return try registry.encode(image, as: format)
  }

  private static func edited(_ bytes: [UInt8], _ edit: MetadataEdit) throws(CoderError) -> [UInt8] {
    try registry.editMetadata(.bytes(bytes), edit, at: .memory).bytes
  }

  private static func properties(_ bytes: [UInt8]) throws -> Properties {
    try registry.open(.bytes(bytes)).properties()
  }

  private static func pixels(_ bytes: [UInt8]) throws -> [UInt8] {
    try registry.decode(.bytes(bytes)).pixels.copyBytes()
  }

  @Test(arguments: formats) func placesAreTakenOut(_ format: ImageFormat) throws {
    let file = try Self.photo(format)
    let before = try Self.properties(file)
    #expect(before["{GPS}", "LatitudeRef"] == .text("N"))
    let made = try Self.edited(file, MetadataEdit(removing: [.gps]))
    let after = try Self.properties(made)
    #expect(after["{GPS}"] == nil && after["{XMP}", "exif:GPSLatitude"] == nil)
    #expect(after["{TIFF}", "Make"] == .text("Mak"))
    #expect(after["ProfileName"] == before["ProfileName"])
    #expect(!made.contains(Array("GPSLatitude".utf8)))
    #expect(try Self.pixels(made) == Self.pixels(file))
  }

  @Test(arguments: formats) func everythingIsTakenOut(_ format: ImageFormat) throws {
    let file = try Self.photo(format)
    let made = try Self.edited(file, MetadataEdit(removing: MetadataEdit.publishing))
    let image = try Self.registry.decode(.bytes(made))
    #expect(image.metadata[.exif] == nil && image.metadata[.xmp] == nil && image.metadata[.icc] != nil)
    #expect(!made.contains(Array("Mak".utf8)) && !made.contains(Array("xmpmeta".utf8)))
    #expect(try Self.pixels(made) == Self.pixels(file))
    // A second time there is nothing to take out.
    #expect(try Self.edited(made, MetadataEdit(removing: MetadataEdit.publishing)) == made)
  }

  @Test(arguments: formats) func propertiesAreSetInFilesWithAndWithoutMetadata(_ format: ImageFormat) throws {
    var edit = MetadataEdit()
    for (name, text) in [
      ("Copyright", "© A. Author"), ("GPS.Longitude", "-16.5"), ("dc:title", "Harbour"), ("Keywords", "sea"),
    ] {
      try edit.set(name, to: text)
    }
    let plain = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 64, height: 48))), as: format)
    for file in [plain, try Self.photo(format)] {
      let made = try Self.edited(file, edit)
      let after = try Self.properties(made)
      #expect(after["{TIFF}", "Copyright"] == .text("© A. Author"))
      #expect(after["{GPS}", "LongitudeRef"] == .text("W"))
      #expect(after["{GPS}", "Longitude"] == .number(16.5))
      #expect(after["{XMP}", "dc:title"] == .text("Harbour"))
      #expect(after["{IPTC}", "Keywords"] == .list([.text("sea")]))
      #expect(try Self.pixels(made) == Self.pixels(file))
      // Setting the same again gives the same picture and the same properties.
      let again = try Self.edited(made, edit)
      #expect(try Self.properties(again) == after)
    }
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .tiff]) func blocksOfIPTCAreReadAndWritten(_ format: ImageFormat) throws {
    var edit = MetadataEdit()
    try edit.set("IPTC.ReleaseDate", to: "20260501")
    try edit.set("IPTC.City", to: "Köln")
    let made = try Self.edited(try Self.photo(format), edit)
    #expect(try Self.properties(made)["{IPTC}", "ReleaseDate"] == .text("20260501"))
    #expect(try Self.properties(made)["{IPTC}", "City"] == .text("Köln"))
    let without = try Self.edited(made, MetadataEdit(removing: [.iptc]))
    #expect(try Self.properties(without)["{IPTC}", "ReleaseDate"] == nil)
    #expect(try Self.properties(without)["{IPTC}", "City"] == .text("Köln"), "XMP has it too")
  }

  /// What shrinks files, and what makes them grow: then whatever states places in them has to follow.
  private static func edits() throws -> [MetadataEdit] {
    var growing = MetadataEdit()
    try growing.set("Artist", to: "A. Author")
    try growing.set("dc:title", to: "Harbour")
    return [MetadataEdit(removing: MetadataEdit.publishing), growing]
  }

  /// All fixtures: the same pixels, and nothing left, or what was set.
  @Test(arguments: folders) func fixturesKeepTheirPixels(_ folder: String) throws {
    let list = Command.run("ls -d '\(StagedTree.fixtures(folder))'/valid/* | grep -v json").output
    var count = 0
    for path in list.split(separator: "\n").map(String.init) {
      let source = ByteSource.file(path)
      let old = try Self.registry.decode(source)
      for edit in try Self.edits() {
        let made: [UInt8]
        do throws(CoderError) {
          made = try Self.registry.editMetadata(source, edit).bytes
        } catch {
          // Sequences have none, or have it in their tracks. What a picture shows in turn has none of its own.
          let isDerived = ["tone-map.avif", "identity.avif", "tone-map-primary.heic"].contains { path.hasSuffix($0) }
          #expect(
            error.code == .unsupported
              && (path.hasSuffix(".heics") || old.header?.isAnimated == true || isDerived), "\(path): \(error)")
          continue
        }
        count += 1
        let new = try Self.registry.decode(.bytes(made))
        #expect(new.frames.count == old.frames.count && new.size == old.size, "\(path)")
        for (first, second) in zip(old.frames, new.frames) {
          #expect(first.pixels.copyBytes() == second.pixels.copyBytes(), "\(path)")
        }
        #expect(new.header?.orientation == old.header?.orientation, "\(path)")
        let title = try Self.properties(made)["{XMP}", "dc:title"]
        #expect(title == (edit.values.isEmpty ? nil : .text("Harbour")), "\(path)")
      }
    }
    #expect(count > 16)
  }

  @Test(arguments: folders) func mutantsAreAnswered(_ folder: String) throws {
    let names = Command.run("ls -d '\(StagedTree.fixtures(folder))'/*/* | grep -v json").output.split(separator: "\n")
    let files = try names.map { name in
      try OpenSource(.file(String(name)), limits: .standard).contents()
    }
    var edit = MetadataEdit(removing: [.gps, .thumbnail, .other])
    try edit.set("Artist", to: "A")
    try edit.set("City", to: "B")
    for number in 0..<1500 {
      var random = SplitMix(seed: 0x3E7A &+ UInt64(number))
      var bytes = files[number % files.count]
      for _ in 0...random.below(3) {
        Mutation.allCases[random.below(Mutation.allCases.count)].apply(to: &bytes, &random)
      }
      var reading = DecodeOptions()
      reading.limits = Limits(maxPixels: 1 << 20, maxMemory: 64 << 20, maxFrames: 500)
      do throws(CoderError) {
        _ = try Self.registry.editMetadata(.bytes(bytes), edit, at: .memory, reading: reading)
      } catch {
        #expect(error.code != .invalidArgument, "mutant \(number): \(error)")
      }
    }
  }

  @Test func anotherFormatSaysSo() throws {
    let file = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 8, height: 8))), as: .bmp)
    let error = #expect(throws: CoderError.self) { try Self.edited(file, MetadataEdit(removing: [.gps])) }
    #expect(error?.code == .unsupported && error?.message == "no coder edits the metadata of \(ImageFormat.bmp)")
  }

  @Test func aContainerThatTurnsItsPictureKeepsItsTurn() throws {
    var edit = MetadataEdit()
    try edit.set("Orientation", to: "6")
    #expect(try Self.registry.open(.bytes(Self.edited(Self.photo(.jpeg), edit))).header.orientation == .right)
    let error = #expect(throws: CoderError.self) { try Self.edited(Self.photo(.heic), edit) }
    #expect(error?.code == .unsupported)
  }
}
