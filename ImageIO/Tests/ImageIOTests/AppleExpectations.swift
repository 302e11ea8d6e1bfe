// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

/// What programs of the Mac expect of files from cameras and from photo editors: the form of each value. exiftool writes the
/// files.
@Suite(.serialized) struct AppleExpectations {
  private func written(_ path: String, _ tags: [String]) throws -> [CFString: Any] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("imageio-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent(Fixture.url(path).lastPathComponent)
    try Fixture.data(path).write(to: url)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: PropertiesTests.exiftool)
    process.arguments = ["-q", "-q", "-overwrite_original"] + tags + [url.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try #require(properties(CGImageSourceCreateWithURL(url as CFURL, nil)))
  }

  @Test(.enabled(if: PropertiesTests.isThere, "exiftool is not installed")) func placesOfAPhone() throws {
    let found = try written(
      "jpeg/valid/baseline-420.jpg",
      [
        "-n", "-GPSLatitude=50.04895", "-GPSLatitudeRef=N", "-GPSLongitude=14.438119444444444", "-GPSLongitudeRef=E",
        "-GPSTimeStamp=09:02:18.02", "-GPSDateStamp=2017:01:16", "-GPSAltitude=269.5", "-GPSAltitudeRef=0",
        "-GPSImgDirection=338.5", "-GPSImgDirectionRef=T", "-GPSSpeed=1.25", "-GPSSpeedRef=K",
        "-GPSHPositioningError=10",
      ])
    let gps = try #require(found[kCGImagePropertyGPSDictionary] as? [CFString: Any])
    // A time has no fractions, and degrees went through minutes with four decimals.
    #expect(gps[kCGImagePropertyGPSTimeStamp] as? String == "09:02:18")
    #expect(gps[kCGImagePropertyGPSDateStamp] as? String == "2017:01:16")
    #expect(abs((gps[kCGImagePropertyGPSLatitude] as? Double ?? 0) - 50.04895) < 1e-9)
    #expect(abs((gps[kCGImagePropertyGPSLongitude] as? Double ?? 0) - 14.43812) < 1e-9)
    #expect(gps[kCGImagePropertyGPSLatitudeRef] as? String == "N")
    #expect(gps[kCGImagePropertyGPSAltitude] as? Double == 269.5)
    #expect(gps[kCGImagePropertyGPSAltitudeRef] as? Int == 0)
    #expect(gps[kCGImagePropertyGPSImgDirection] as? Double == 338.5)
    #expect(gps[kCGImagePropertyGPSImgDirectionRef] as? String == "T")
    #expect(gps[kCGImagePropertyGPSSpeed] as? Double == 1.25)
    #expect(gps[kCGImagePropertyGPSHPositioningError] as? Double == 10)
  }

  @Test(.enabled(if: PropertiesTests.isThere, "exiftool is not installed")) func captionsOfAnEditor() throws {
    let found = try written(
      "jpeg/valid/baseline-420.jpg",
      [
        "-IPTC:ObjectName=Locks", "-IPTC:Keywords=lock", "-IPTC:Keywords=bridge", "-IPTC:By-line=A. Author",
        "-IPTC:By-lineTitle=Photographer", "-IPTC:Writer-Editor=A. Writer", "-IPTC:DateCreated=2007:06:09",
        "-IPTC:TimeCreated=07:56:13+00:00", "-IPTC:DigitalCreationDate=2007:06:09",
        "-IPTC:DigitalCreationTime=07:56:13+00:00", "-IPTC:Sub-location=Bridge", "-IPTC:Province-State=Tuscany",
        "-IPTC:Country-PrimaryLocationCode=ITA", "-IPTC:CopyrightNotice=A. Author", "-XMP-xmp:Rating=3",
        "-XMP-xmpRights:UsageTerms=None without permission", "-XMP-photoshop:DateCreated=2007:06:09 07:56:13",
        "-XMP-iptcCore:CreatorCity=Champaign", "-XMP-iptcCore:CreatorWorkEmail=a@example.com",
        "-XMP-iptcCore:CreatorCountry=USA", "-IFD0:XResolution=72", "-IFD0:YResolution=72",
        "-IFD0:ResolutionUnit=inches",
      ])
    let iptc = try #require(found[kCGImagePropertyIPTCDictionary] as? [CFString: Any])
    #expect(iptc[kCGImagePropertyIPTCObjectName] as? String == "Locks")
    #expect(iptc[kCGImagePropertyIPTCKeywords] as? [String] == ["lock", "bridge"])
    // What may be there more than once is a list even if it is there once.
    #expect(iptc[kCGImagePropertyIPTCByline] as? [String] == ["A. Author"])
    #expect(iptc[kCGImagePropertyIPTCBylineTitle] as? [String] == ["Photographer"])
    #expect(iptc[kCGImagePropertyIPTCWriterEditor] as? [String] == ["A. Writer"])
    #expect(iptc[kCGImagePropertyIPTCDateCreated] as? String == "20070609")
    #expect(iptc[kCGImagePropertyIPTCTimeCreated] as? String == "075613")
    #expect(iptc[kCGImagePropertyIPTCDigitalCreationDate] as? String == "20070609")
    #expect((iptc[kCGImagePropertyIPTCDigitalCreationTime] as? String)?.hasPrefix("075613") == true)
    #expect(iptc[kCGImagePropertyIPTCSubLocation] as? String == "Bridge")
    #expect(iptc[kCGImagePropertyIPTCProvinceState] as? String == "Tuscany")
    #expect(iptc[kCGImagePropertyIPTCCountryPrimaryLocationCode] as? String == "ITA")
    #expect(iptc[kCGImagePropertyIPTCStarRating] as? Int == 3)
    #expect(iptc[kCGImagePropertyIPTCRightsUsageTerms] as? String == "None without permission")
    let contact = try #require(iptc[kCGImagePropertyIPTCCreatorContactInfo] as? [CFString: Any])
    #expect(contact[kCGImagePropertyIPTCContactInfoCity] as? String == "Champaign")
    #expect(contact[kCGImagePropertyIPTCContactInfoEmails] as? String == "a@example.com")
    #expect(contact[kCGImagePropertyIPTCContactInfoCountry] as? String == "USA")
    #expect(found[kCGImagePropertyDPIWidth] as? Double == 72)
    #expect(found[kCGImagePropertyDPIHeight] as? Double == 72)
  }

  @Test(.enabled(if: PropertiesTests.isThere, "exiftool is not installed")) func textsOfAPNG() throws {
    let found = try written(
      "png/valid/rgb8.png",
      [
        "-n", "-PNG:Software=Editor 2017", "-PNG:Title=Harbour", "-PNG:Author=A. Author",
        "-PNG-pHYs:PixelsPerUnitX=11811", "-PNG-pHYs:PixelsPerUnitY=11811", "-PNG-pHYs:PixelUnits=1",
      ])
    let png = try #require(found[kCGImagePropertyPNGDictionary] as? [CFString: Any])
    #expect(png[kCGImagePropertyPNGSoftware] as? String == "Editor 2017")
    #expect(png[kCGImagePropertyPNGTitle] as? String == "Harbour")
    #expect(png[kCGImagePropertyPNGAuthor] as? String == "A. Author")
    #expect(png[kCGImagePropertyPNGInterlaceType] as? Int == 0)
    #expect(png[kCGImagePropertyPNGXPixelsPerMeter] as? Int == 11811)
    #expect(png[kCGImagePropertyPNGYPixelsPerMeter] as? Int == 11811)
    #expect(abs((found[kCGImagePropertyDPIWidth] as? Double ?? 0) - 300) < 0.01)
  }

  /// Editors write values, and take some out, of a dictionary that they have read.
  @Test(.enabled(if: PropertiesTests.isThere, "exiftool is not installed")) func whatAnEditorWrites() throws {
    let given: [CFString: Any] = [
      kCGImagePropertyTIFFDictionary: [
        kCGImagePropertyTIFFArtist: "Old", kCGImagePropertyTIFFCopyright: "Old", kCGImagePropertyTIFFMake: "Maker",
      ],
      kCGImagePropertyExifDictionary: [kCGImagePropertyExifFNumber: 2.8],
      kCGImagePropertyIPTCDictionary: [kCGImagePropertyIPTCKeywords: ["old"]],
    ]
    let full = try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, "public.jpeg", given))
    let edited = try changed(
      full, "public.jpeg",
      [
        kCGImagePropertyIPTCDictionary: [
          kCGImagePropertyIPTCKeywords: ["a", "b"], kCGImagePropertyIPTCCity: "Lyon",
          kCGImagePropertyIPTCStarRating: 4, kCGImagePropertyIPTCRightsUsageTerms: "Terms",
        ],
        kCGImagePropertyTIFFDictionary: [
          kCGImagePropertyTIFFArtist: "New", kCGImagePropertyTIFFCopyright: kCFNull!,
        ],
      ])
    let iptc = try #require(edited[kCGImagePropertyIPTCDictionary] as? [CFString: Any])
    #expect(iptc[kCGImagePropertyIPTCKeywords] as? [String] == ["a", "b"])
    #expect(iptc[kCGImagePropertyIPTCCity] as? String == "Lyon")
    #expect(iptc[kCGImagePropertyIPTCStarRating] as? Int == 4)
    #expect(iptc[kCGImagePropertyIPTCRightsUsageTerms] as? String == "Terms")
    let tiff = try #require(edited[kCGImagePropertyTIFFDictionary] as? [CFString: Any])
    #expect(tiff[kCGImagePropertyTIFFArtist] as? String == "New")
    #expect(tiff[kCGImagePropertyTIFFCopyright] == nil)
    #expect(tiff[kCGImagePropertyTIFFMake] as? String == "Maker")
    // All dictionaries taken out: nothing of who, where and with what is left.
    let bare = try changed(
      full, "public.jpeg",
      [
        kCGImagePropertyTIFFDictionary: kCFNull!, kCGImagePropertyExifDictionary: kCFNull!,
        kCGImagePropertyIPTCDictionary: kCFNull!, kCGImagePropertyGPSDictionary: kCFNull!,
      ])
    for name in [kCGImagePropertyExifDictionary, kCGImagePropertyIPTCDictionary, kCGImagePropertyGPSDictionary] {
      #expect(bare[name] == nil, "\(name)")
    }
    let rest = bare[kCGImagePropertyTIFFDictionary] as? [CFString: Any] ?? [:]
    #expect(rest[kCGImagePropertyTIFFArtist] == nil && rest[kCGImagePropertyTIFFMake] == nil)
    let noTIFF = try changed(full, "public.jpeg", [kCGImagePropertyTIFFDictionary: kCFNull!])
    #expect((noTIFF[kCGImagePropertyTIFFDictionary] as? [CFString: Any])?[kCGImagePropertyTIFFMake] == nil)
    #expect(
      (noTIFF[kCGImagePropertyExifDictionary] as? [CFString: Any])?[kCGImagePropertyExifFNumber] as? Double == 2.8)
  }
}
