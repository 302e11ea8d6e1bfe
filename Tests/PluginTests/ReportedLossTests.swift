// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

@Suite(.needs("JPEG", "PNG", "WebP", "TIFF", "HEIF", "AVIF", "JXL", "GIF", "BMP"))
struct ReportedLossTests {
  @Test(arguments: rows.map(\.report)) func whatOthersLoseIsKept(_ report: String) throws {
    for row in Self.rows where row.report == report { #expect(try row.isRight(), "\(row.report): \(row.claim)") }
  }

  @Test func reportsAreManyAndDifferent() {
    #expect(Set(Self.rows.map(\.report)).count >= 56)
  }

  static let rows = orientations + animations + gainMaps + blocks + edits + colors + others + repeated

  private typealias Row = ReportedLoss

  // MARK: Orientation

  private static let orientations: [ReportedLoss] = [
    Row("libavif 2727", "AVIF that is turned becomes an upright JPEG that says so") {
      let decoder = try Row.converted(try Row.turned(.avif), .jpeg)
      return try decoder.header.canvas == Size(width: 48, height: 64) && decoder.header.orientation == .up
        && decoder.properties()["{TIFF}", "Orientation"] != .integer(6)
    },
    Row("libavif 3078", "a JPEG on its side becomes AVIF that is turned once") {
      let decoder = try Row.converted(try Row.turned(.jpeg), .avif) { $0.preservesOrientation = true }
      return decoder.header.displayedSize == Size(width: 48, height: 64)
    },
    Row("immich 27771", "Exif of an upright AVIF does not turn it again") {
      let decoder = try Row.converted(try Row.turned(.jpeg), .avif)
      return try decoder.header.orientation == .up && decoder.header.canvas == Size(width: 48, height: 64)
        && decoder.properties()["{TIFF}", "Orientation"] == .integer(1)
    },
    Row("libvips 4335", "AVIF with irot says its displayed size") {
      try Row.registry.open(.bytes(try Row.turned(.avif))).header.displayedSize == Size(width: 48, height: 64)
    },
    Row("swayimg 458", "HEIC with irot and Exif 6 is turned once") {
      try Row.converted(try Row.turned(.heic), .png).header.canvas == Size(width: 48, height: 64)
    },
    Row("remove-ai-watermarks 105", "HEIC keeps its orientation where it is asked to") {
      let decoder = try Row.converted(try Row.turned(.heic), .jpeg) { $0.preservesOrientation = true }
      return decoder.header.displayedSize == Size(width: 48, height: 64)
    },
    Row("jSquash 80", "an orientation tag is kept where it is asked for") {
      let decoder = try Row.converted(try Row.turned(.jpeg), .jpeg) { $0.preservesOrientation = true }
      return decoder.header.orientation == .right && decoder.header.canvas == Row.size
    },
    Row("create_thumbnail 64", "thumbnails of a picture on its side are upright") {
      let file = try Row.registry.makeThumbnail(
        of: .bytes(try Row.turned(.jpeg)), .web.sized(width: 24, height: 24)
      ).bytes
      let header = try Row.registry.open(.bytes(file)).header
      return header.displayedSize == Size(width: 18, height: 24) && header.orientation == .up
    },
    Row("obsidian-image-converter 438", "sizes in Exif follow, and the orientation is 1") {
      let file = try Row.registry.encode(
        try Row.photo(["Exif.PixelXDimension": "64", "Exif.PixelYDimension": "48", "Orientation": "1"]), as: .jpeg)
      let properties = try Row.converted(file, .webP) { $0.maxSize = Size(width: 32, height: 24) }.properties()
      return properties["{Exif}", "PixelXDimension"] == .integer(32)
        && properties["{Exif}", "PixelYDimension"] == .integer(24)
    },
  ]

  // MARK: Animations

  private static let animations: [ReportedLoss] = [
    Row("sharp 4393", "GIF that plays forever becomes WebP that does") {
      try Row.converted(try Row.animation([100, 100], plays: .infinite, as: .gif), .webP).loopCount == .infinite
    },
    Row("astro 13741", "GIF of three plays becomes WebP of three") {
      try Row.converted(try Row.animation([100, 100], plays: .plays(3), as: .gif), .webP).loopCount == .plays(3)
    },
    Row("imagehoster 50", "WebP of two plays becomes GIF of two") {
      try Row.converted(try Row.animation([100, 100], plays: .plays(2), as: .webP), .gif).loopCount == .plays(2)
    },
    Row("webp4j 8", "equal frames are shown as long as before") {
      let file = try Row.animation([100, 100, 100, 200], plays: .infinite, as: .png, same: true)
      let before = try Row.delays(try Row.registry.open(.bytes(file))).reduce(0, +)
      let after = try Row.delays(try Row.converted(file, .webP)).reduce(0, +)
      return abs(after - before) < 0.001
    },
    Row("libvips 4277", "animated GIF becomes animated AVIF with its delays") {
      let decoder = try Row.converted(try Row.animation([50, 120, 80], plays: .infinite, as: .gif), .avif)
      return try Row.delays(decoder).elementsEqual([0.05, 0.12, 0.08]) { abs($0 - $1) < 0.001 }
    },
    Row("sharp 4250", "animated WebP becomes animated AVIF") {
      try Row.converted(try Row.animation([50, 50], plays: .infinite, as: .webP), .avif).frameCount == 2
    },
    Row("PixivUtil2 1502", "APNG becomes animated AVIF") {
      try Row.converted(try Row.animation([40, 40, 40], plays: .plays(1), as: .png), .avif).frameCount == 3
    },
    Row("VERT 147", "frames of APNG stay exact in WebP without loss") {
      let file = try Row.animation([40, 40], plays: .infinite, as: .png)
      let decoder = try Row.converted(file, .webP) { $0.isLossless = true }
      let source = try Row.registry.open(.bytes(file))
      return EncodingPictures.rows(try decoder.frame(at: 1).pixels)
        == EncodingPictures.rows(try source.frame(at: 1).pixels)
    },
  ]

  // MARK: Gain maps and videos

  private static let gainMaps: [ReportedLoss] = [
    Row("Pillow 8036", "a smaller Ultra HDR JPEG keeps its map") {
      try Row.hasMap(try Row.converted(try Row.ultraHDR(), .jpeg) { $0.maxSize = Size(width: 12, height: 12) })
    },
    Row("mozjpeg 451", "a lossless turn keeps the map") {
      try Row.hasMap(try Row.converted(try Row.ultraHDR(), .jpeg) { $0.edit.turns = [.right] })
    },
    Row("ImageMagick 8788", "a crop keeps the map, of that part") {
      let decoder = try Row.converted(try Row.ultraHDR(), .jpeg) {
        $0.edit.crop = Rect(x: 0, y: 0, width: 8, height: 8)
        $0.quality = 0.8
      }
      return try decoder.auxiliaryPictures().first { $0.kind == .gainMap }?.size == Size(width: 4, height: 4)
    },
    Row("libjxl 4588", "Ultra HDR becomes JPEG XL with a map") {
      try Row.hasMap(try Row.converted(try Row.ultraHDR(), .jpegXL))
    },
    Row("libvips 3799", "Ultra HDR becomes AVIF with a map") {
      try Row.hasMap(try Row.converted(try Row.ultraHDR(), .avif))
    },
    Row("ImageMagick 6377", "Ultra HDR becomes HEIC with a map; PNG names that it is gone") {
      let lost = try Row.made(try Row.ultraHDR(), .png).changes
      return try Row.hasMap(try Row.converted(try Row.ultraHDR(), .heic)) && lost.contains { $0.fact == .gainMap }
    },
    Row("MotionPhoto2 60", "editing metadata keeps the video") {
      try Row.setting("dc:title", "Sea", of: try Row.motionPhoto()).metadata(.trailer) == Row.video
    },
    Row("immich 28572", "a still of a motion photo does not say that it is one") {
      let values = try Row.converted(try Row.motionPhoto(), .png).properties()
      return values["{XMP}", "GCamera:MotionPhoto"] == nil && values["{XMP}", "Container:Directory"] == nil
    },
  ]

  // MARK: Blocks of metadata

  private static let blocks: [ReportedLoss] = [
    Row("ImageMagick 8926", "Exif of JPEG is in WebP") { try Row.kept("Make", "Camera", from: .jpeg, to: .webP) },
    Row("darktable 22181", "Exif of JPEG is in HEIC") { try Row.kept("Make", "Camera", from: .jpeg, to: .heic) },
    Row("darktable 19222", "Exif and XMP of TIFF are in AVIF") {
      try Row.kept("Exif.LensModel", "50 mm", from: .tiff, to: .avif)
        && Row.kept("dc:title", "Sea", from: .tiff, to: .avif)
    },
    Row("darktable 19222", "what a TIFF says of its camera and its author is in AVIF") {
      try Row.kept("Make", "Camera", from: .tiff, to: .avif) && Row.kept("Artist", "A. Author", from: .tiff, to: .avif)
    },
    Row("exiv2 2162", "Exif of AVIF is read") { try Row.kept("Artist", "A. Author", from: .avif, to: .jpeg) },
    Row("libavif 2934", "profile and XMP of PNG are in AVIF") {
      let image = try Row.photo(["dc:title": "Sea"]) { $0.metadata[.icc] = MatrixProfile.displayP3.bytes }
      let decoder = try Row.converted(try Row.registry.encode(image, as: .png), .avif)
      return try decoder.metadata(.icc) == MatrixProfile.displayP3.bytes
        && decoder.properties()["{XMP}", "dc:title"] == .text("Sea")
    },
    Row("image-rs 2405", "PNG of 16 bits has its profile") {
      let pixels = try EncodingPictures.photo(Row.size).converted(to: PixelLayout(.rgba16, .opaque))
      var image = Image(pixels)
      image.metadata[.icc] = MatrixProfile.adobeRGB.bytes
      let decoder = try Row.converted(try Row.registry.encode(image, as: .png), .png)
      return try decoder.header.bitsPerChannel == 16 && decoder.metadata(.icc) == MatrixProfile.adobeRGB.bytes
    },
    Row("ImageMagick 8912", "letters of IPTC that say UTF-8 stay") {
      let text = Array("港の写真".utf8)
      let image = try Row.photo {
        $0.metadata[.iptc] =
          [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47, 0x1C, 2, 120, 0, UInt8(text.count)] + text
      }
      let decoder = try Row.converted(try Row.registry.encode(image, as: .jpeg), .jpeg)
      return try decoder.properties()["{IPTC}", "Caption/Abstract"] == .text("港の写真")
    },
    Row("ImageMagick6 427", "Exif of no entries costs nothing") {
      let image = try Row.photo { $0.metadata[.exif] = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0] }
      let file = try Row.registry.encode(image, as: .jpeg)
      return try Row.converted(file, .webP) { $0.maxSize = Size(width: 32, height: 32) }.header.canvas.width == 32
    },
  ]

  // MARK: Edits

  private static let edits: [ReportedLoss] = [
    Row("exiftool 313", "a profile that HEIC needs is not taken out") {
      let file = try Row.registry.encode(
        try Row.photo(["Make": "Camera"]) { $0.metadata[.icc] = MatrixProfile.displayP3.bytes }, as: .heic)
      let decoder = try Row.edited(file, MetadataEdit(removing: MetadataEdit.publishing))
      let refusal = Result { try Row.edited(file, MetadataEdit(removing: [.icc])) }
      guard case .failure = refusal else { return false }
      return try decoder.metadata(.icc) == MatrixProfile.displayP3.bytes && decoder.metadata(.exif) == nil
    },
    Row("kei 552", "HEIC shows the same after XMP is written") {
      let file = try Row.registry.encode(try Row.photo(["Make": "Camera"]), as: .heic)
      let decoder = try Row.setting("dc:title", "Sea", of: file)
      return EncodingPictures.rows(try decoder.image().pixels)
        == EncodingPictures.rows(try Row.registry.open(.bytes(file)).image().pixels)
    },
    Row("kei 558", "other items stay when XMP is written") {
      let file = try Row.made(try Row.ultraHDR(), .heic).bytes
      return try Row.hasMap(try Row.setting("dc:title", "Sea", of: file))
    },
    Row("little_exif 73", "AVIF without references takes Exif") {
      let file = try Row.registry.encode(try Row.photo(), as: .avif)
      return try Row.setting("Artist", "A. Author", of: file).properties()["{TIFF}", "Artist"] == .text("A. Author")
    },
    Row("little_exif 72", "Exif of AVIF is gone when it is taken out") {
      let file = try Row.registry.encode(try Row.photo(["Artist": "Nobody"]), as: .avif)
      let bytes = try Row.registry.editMetadata(.bytes(file), MetadataEdit(removing: [.exif])).bytes
      return !String(decoding: bytes, as: UTF8.self).contains("Nobody")
    },
    Row("Fossify Gallery 1048", "publishing takes out places, dates and makers") {
      let file = try Row.registry.encode(
        try Row.photo(["GPS.Latitude": "48.25", "Make": "Camera", "Exif.DateTimeOriginal": "2026:01:01 10:00:00"]),
        as: .jpeg)
      let properties = try Row.edited(file, MetadataEdit(removing: MetadataEdit.publishing)).properties()
      return ["{GPS}", "{TIFF}", "{Exif}"].allSatisfy { properties[$0] == nil }
    },
    Row("claude-skills-journalism 255", "gps takes out the place of the destination too, in XMP") {
      let file = try Row.registry.encode(
        try Row.photo(["exif:GPSDestLatitude": "48,15N", "dc:title": "Sea"]), as: .jpeg)
      let properties = try Row.edited(file, MetadataEdit(removing: [.gps])).properties()
      return properties["{XMP}", "exif:GPSDestLatitude"] == nil && properties["{XMP}", "dc:title"] == .text("Sea")
    },
    Row("zipline 578", "gps is taken out of HEIC") {
      let file = try Row.registry.encode(try Row.photo(["GPS.Latitude": "48.25", "Make": "Camera"]), as: .heic)
      let properties = try Row.edited(file, MetadataEdit(removing: [.gps])).properties()
      return properties["{GPS}"] == nil && properties["{TIFF}", "Make"] == .text("Camera")
    },
    Row("Resgrid Core 500", "gps takes out the times of GPS") {
      let file = try Row.registry.encode(try Row.photo(["GPS.DateStamp": "2026:01:01", "Make": "Camera"]), as: .png)
      return try Row.edited(file, MetadataEdit(removing: [.gps])).properties()["{GPS}"] == nil
    },
    Row("c2pa-rs 1555", "an edit of a signed file takes the credentials out, and says so") {
      var edit = MetadataEdit()
      try edit.set("dc:title", to: "Sea")
      let made = try Row.registry.editMetadata(.bytes(try Row.fixture("c2pa.jpg", of: "jpeg")), edit)
      return try made.changes.contains { $0.fact == .credentials }
        && !Row.registry.open(.bytes(made.bytes)).header.metadata.contains(.c2pa)
    },
  ]

  // MARK: Colors

  private static let pq = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)

  private static func hdr(_ light: LightLevels = LightLevels()) throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(Row.size).converted(to: PixelLayout(.rgba16, .opaque)))
    image.cicp = pq
    image.light = light
    return try Row.registry.encode(image, as: .png)
  }

  private static let colors: [ReportedLoss] = [
    Row("libavif 2850", "code points of PNG are those of AVIF") {
      let cicp = try Row.converted(try hdr(), .avif).header.cicp
      return cicp?.primaries == 9 && cicp?.transfer == 16
    },
    Row("tev 309", "code points of HEIC are those of PNG") {
      let file = try Row.made(try hdr(), .heic).bytes
      let cicp = try Row.converted(file, .png).header.cicp
      return cicp?.primaries == 9 && cicp?.transfer == 16
    },
    Row("pdn-avif 35", "the greatest light of PNG is that of AVIF") {
      var light = LightLevels()
      (light.contentPeak, light.frameAveragePeak) = (900, 200)
      let stored = try Row.converted(try hdr(light), .avif).storedColor.light
      return stored.contentPeak == 900 && stored.frameAveragePeak == 200
    },
    Row("ImageGlass 1306", "PQ becomes sRGB where a format has no code points, and that is named") {
      try Row.made(try hdr(), .jpeg).changes.contains { $0.fact == .colors }
    },
    Row("ImageMagick 8022", "JPEG XL that loses its alpha keeps its colors") {
      let pixels = try EncodingPictures.photo(Row.size).converted(to: PixelLayout(.rgba8, .straight))
      var image = Image(pixels)
      image.metadata[.icc] = MatrixProfile.displayP3.bytes
      let file = try Row.registry.encode(image, as: .jpegXL, options: EncodingPictures.lossless)
      let before = try Row.registry.open(.bytes(file)).colorDescription
      let after = try Row.converted(file, .jpegXL) {
        $0.edit.work = PixelWork(
          "flat", changes: .drawn, size: { (size) throws(CoderError) in size },
          apply: { (pixels) throws(CoderError) in try pixels.converted(to: PixelLayout(.rgb8, .opaque)) })
      }
      return after.header.alpha == .opaque && after.colorDescription == before
    },
    Row("zou 1188", "inks become sRGB, without a profile of inks") {
      let decoder = try Row.converted(try Row.fixture("cmyk-adobe.jpg", of: "jpeg"), .jpeg)
      let profile = try decoder.metadata(.icc)
      return try decoder.properties()["ColorModel"] == .text("RGB")
        && (profile == nil || !String(decoding: (profile ?? []).prefix(20), as: UTF8.self).contains("CMYK"))
    },
  ]

  // MARK: Others

  private static let others: [ReportedLoss] = [
    Row("png 544", "content credentials of PNG are seen, and named when they go") {
      let file = try Row.fixture("text.png", of: "png")
      return try Row.registry.open(.bytes(file)).header.metadata.contains(.c2pa)
        && Row.made(file, .png).changes.contains { $0.fact == .credentials }
    }
  ]
}
