// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

@Suite struct MetadataTests {
  private func text(_ metadata: CGImageMetadata, _ path: String) -> String? {
    CGImageMetadataCopyStringValueWithPath(metadata, nil, path as CFString) as String?
  }

  @Test func pathsLeadToListsLanguagesAndStructures() throws {
    let metadata = CGImageMetadataCreateMutable()
    func set(_ path: String, _ value: String) -> Bool {
      CGImageMetadataSetValueWithPath(metadata, nil, path as CFString, value as CFString)
    }
    #expect(set("xmp:CreatorTool", "Program"))
    #expect(set("dc:subject[0]", "one"))
    #expect(set("dc:subject[1]", "two"))
    #expect(set("dc:title[x-default]", "Harbour"))
    #expect(set("dc:title[de]", "Hafen"))
    #expect(set("Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity", "Wien"))
    #expect(set("xmp:CreatorTool?xml:lang", "en"))
    #expect(text(metadata, "dc:subject[1]") == "two")
    #expect(text(metadata, "dc:subject") == "one")
    #expect(text(metadata, "dc:title[de]") == "Hafen")
    #expect(text(metadata, "dc:title") == "Harbour")
    #expect(text(metadata, "Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity") == "Wien")
    #expect(text(metadata, "xmp:CreatorTool?xml:lang") == "en")
    let contact = try #require(
      CGImageMetadataCopyTagWithPath(metadata, nil, "Iptc4xmpCore:CreatorContactInfo" as CFString))
    #expect(CGImageMetadataTagGetType(contact) == .structure)
    let inner = CGImageMetadataCopyTagWithPath(metadata, contact, "Iptc4xmpCore:CiAdrCity" as CFString)
    #expect(inner.flatMap { CGImageMetadataTagCopyValue($0) as? String } == "Wien")
    // A list has no holes, text has no parts, and a prefix needs a namespace.
    #expect(!set("dc:subject[5]", "six"))
    #expect(!set("xmp:CreatorTool.xmp:Name", "no"))
    #expect(!set("nobody:knows", "no"))
    for path in ["", "dc", "dc:", ":title", "dc:title[", "dc:subject[-1]", "[]"] { #expect(!set(path, "no")) }
    #expect(CGImageMetadataRemoveTagWithPath(metadata, nil, "dc:subject[0]" as CFString))
    #expect(text(metadata, "dc:subject[0]") == "two")
    #expect(!CGImageMetadataRemoveTagWithPath(metadata, nil, "dc:rights" as CFString))
  }

  /// As the header of ImageIO has it: after the first name, prefixes are those of the name before, unless they are there.
  @Test func prefixesAreInherited() throws {
    let metadata = CGImageMetadataCreateMutable()
    #expect(CGImageMetadataSetValueWithPath(metadata, nil, "exif:Flash.Fired" as CFString, "True" as CFString))
    #expect(text(metadata, "exif:Flash.exif:Fired") == "True")
    #expect(text(metadata, "exif:Flash.Fired") == "True")
    let flash = try #require(CGImageMetadataCopyTagWithPath(metadata, nil, "exif:Flash" as CFString))
    for path in ["Fired", "exif:Fired", ".Fired"] {
      #expect(
        CGImageMetadataCopyStringValueWithPath(metadata, flash, path as CFString) == "True" as CFString, "\(path)")
    }
    #expect(CGImageMetadataSetValueWithPath(metadata, nil, "dc:subject" as CFString, ["a", "b"] as CFArray))
    let list = try #require(CGImageMetadataCopyTagWithPath(metadata, nil, "dc:subject" as CFString))
    #expect(CGImageMetadataCopyStringValueWithPath(metadata, list, "[1]" as CFString) == "b" as CFString)
    #expect(text(metadata, "Fired") == nil)
  }

  /// What XMP cannot say becomes a space, and a packet that is made can be read.
  @Test func signsThatXMLDoesNotHaveBecomeSpaces() throws {
    let metadata = CGImageMetadataCreateMutable()
    let value = "a\u{0}b\u{1F}c\u{FFFE}\r\n\td" as CFString
    #expect(CGImageMetadataSetValueWithPath(metadata, nil, "dc:source" as CFString, value))
    let read = try #require(
      CGImageMetadataCreateXMPData(metadata, nil).flatMap { CGImageMetadataCreateFromXMPData($0) })
    #expect(text(read, "dc:source") == "a b c \r\n\td")
  }

  @Test func elementsInsideOfEachOtherAreLimited() {
    let deep = String(repeating: "<rdf:li>", count: 5000)
    let head = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
    for text in [head + deep, head + deep + "<a/>" + String(repeating: "</rdf:li>", count: 5000) + "</rdf:RDF>"] {
      #expect(CGImageMetadataCreateFromXMPData(Data(text.utf8) as CFData) == nil)
    }
    // And many beside each other take no longer than they must.
    let wide = (0..<60_000).map { "<x:a\($0)/>" }.joined()
    let packet = head + "<rdf:Description xmlns:x=\"http://example.com/\">\(wide)</rdf:Description></rdf:RDF>"
    let read = CGImageMetadataCreateFromXMPData(Data(packet.utf8) as CFData)
    #expect(read.flatMap { CGImageMetadataCopyTags($0) }?.count == 60_000)
  }

  @Test func aValueBecomesWhatXMPDefines() throws {
    let metadata = CGImageMetadataCreateMutable()
    for (path, value) in [("dc:title", "Harbour"), ("dc:creator", "A. Author"), ("dc:subject", "one")] {
      #expect(CGImageMetadataSetValueWithPath(metadata, nil, path as CFString, value as CFString))
    }
    func type(_ path: String) -> CGImageMetadataType? {
      CGImageMetadataCopyTagWithPath(metadata, nil, path as CFString).map(CGImageMetadataTagGetType)
    }
    #expect(type("dc:title") == .alternateText)
    #expect(type("dc:creator") == .arrayOrdered)
    #expect(type("dc:subject") == .arrayUnordered)
    #expect(text(metadata, "dc:title[x-default]") == "Harbour")
  }

  @Test func tagsHaveNamespaceNameTypeAndValue() throws {
    let tag = try #require(
      CGImageMetadataTagCreate(
        kCGImageMetadataNamespaceDublinCore, kCGImageMetadataPrefixDublinCore, "subject" as CFString, .arrayUnordered,
        ["one", 2] as CFArray))
    #expect(CGImageMetadataTagCopyNamespace(tag) == kCGImageMetadataNamespaceDublinCore)
    #expect(CGImageMetadataTagCopyPrefix(tag) == "dc" as CFString)
    #expect(CGImageMetadataTagCopyName(tag) == "subject" as CFString)
    #expect(CGImageMetadataTagGetType(tag) == .arrayUnordered)
    #expect(CGImageMetadataTagCopyQualifiers(tag) == nil)
    let items = try #require(CGImageMetadataTagCopyValue(tag) as? [CGImageMetadataTag])
    #expect(items.map { CGImageMetadataTagCopyValue($0) as? String } == ["one", "2"])
    #expect(CFGetTypeID(tag) == CGImageMetadataTagGetTypeID())
    // The usual prefix of a known namespace; none for another one.
    let exif = CGImageMetadataTagCreate(
      kCGImageMetadataNamespaceExif, nil, "FNumber" as CFString, .string, "28/10" as CFString)
    #expect(exif.flatMap(CGImageMetadataTagCopyPrefix) == "exif" as CFString)
    #expect(
      CGImageMetadataTagCreate("http://example.com/" as CFString, nil, "A" as CFString, .string, "a" as CFString) == nil
    )
    #expect(
      CGImageMetadataTagCreate(kCGImageMetadataNamespaceExif, nil, "A" as CFString, .structure, "a" as CFString) == nil)
    #expect(CGImageMetadataTagCreate(kCGImageMetadataNamespaceExif, nil, "A" as CFString, .string, NSObject()) == nil)
    let metadata = CGImageMetadataCreateMutable()
    #expect(CGImageMetadataSetTagWithPath(metadata, nil, "dc:subject" as CFString, tag))
    #expect((CGImageMetadataCopyTags(metadata) as? [CGImageMetadataTag])?.count == 1)
    let copy = try #require(CGImageMetadataCreateMutableCopy(metadata))
    #expect(CGImageMetadataRemoveTagWithPath(copy, nil, "dc:subject" as CFString))
    #expect(CGImageMetadataCopyTags(copy) == nil)
    #expect(text(metadata, "dc:subject[0]") == "one")
    #expect(CFGetTypeID(metadata as CGImageMetadata) != CGImageSourceGetTypeID())
    #expect(CGImageMetadataGetTypeID() != CGImageMetadataTagGetTypeID())
  }

  @Test func namespacesHaveTheirPrefixes() throws {
    for (space, prefix) in [
      (kCGImageMetadataNamespaceExif, kCGImageMetadataPrefixExif),
      (kCGImageMetadataNamespaceExifAux, kCGImageMetadataPrefixExifAux),
      (kCGImageMetadataNamespaceExifEX, kCGImageMetadataPrefixExifEX),
      (kCGImageMetadataNamespaceDublinCore, kCGImageMetadataPrefixDublinCore),
      (kCGImageMetadataNamespaceIPTCCore, kCGImageMetadataPrefixIPTCCore),
      (kCGImageMetadataNamespaceIPTCExtension, kCGImageMetadataPrefixIPTCExtension),
      (kCGImageMetadataNamespacePhotoshop, kCGImageMetadataPrefixPhotoshop),
      (kCGImageMetadataNamespaceTIFF, kCGImageMetadataPrefixTIFF),
      (kCGImageMetadataNamespaceXMPBasic, kCGImageMetadataPrefixXMPBasic),
      (kCGImageMetadataNamespaceXMPRights, kCGImageMetadataPrefixXMPRights),
    ] {
      let tag = CGImageMetadataTagCreate(space, nil, "A" as CFString, .string, "a" as CFString)
      #expect(tag.flatMap(CGImageMetadataTagCopyPrefix) == prefix)
      let metadata = CGImageMetadataCreateMutable()
      #expect(CGImageMetadataSetValueWithPath(metadata, nil, "\(prefix):A" as CFString, "a" as CFString))
      let read = CGImageMetadataCreateXMPData(metadata, nil).flatMap { CGImageMetadataCreateFromXMPData($0) }
      let found = read.flatMap { CGImageMetadataCopyTags($0) as? [CGImageMetadataTag] }?.first
      #expect(found.flatMap(CGImageMetadataTagCopyNamespace) == space)
    }
  }

  @Test func namespacesAreRegisteredOnce() throws {
    let metadata = CGImageMetadataCreateMutable()
    let space = "http://example.com/ns/" as CFString
    #expect(CGImageMetadataRegisterNamespaceForPrefix(metadata, space, "ex" as CFString, nil))
    #expect(CGImageMetadataRegisterNamespaceForPrefix(metadata, space, "ex" as CFString, nil))
    #expect(CGImageMetadataSetValueWithPath(metadata, nil, "ex:Color" as CFString, "blue" as CFString))
    var error: Unmanaged<CFError>?
    #expect(!CGImageMetadataRegisterNamespaceForPrefix(metadata, "http://other/" as CFString, "ex" as CFString, &error))
    #expect(error?.takeRetainedValue().code == Int(CGImageMetadataErrors.prefixConflict.rawValue))
    #expect(!CGImageMetadataRegisterNamespaceForPrefix(metadata, space, "second" as CFString, nil))
    #expect(
      !CGImageMetadataRegisterNamespaceForPrefix(metadata, kCGImageMetadataNamespaceExif, "photo" as CFString, nil))
    #expect(!CGImageMetadataRegisterNamespaceForPrefix(metadata, space, "a b" as CFString, &error))
    #expect(error?.takeRetainedValue().code == Int(CGImageMetadataErrors.badArgument.rawValue))
  }

  @Test func aPacketComesBack() throws {
    let metadata = CGImageMetadataCreateMutable()
    #expect(
      CGImageMetadataRegisterNamespaceForPrefix(metadata, "http://example.com/ns/" as CFString, "ex" as CFString, nil))
    for (path, value) in [
      ("dc:title[x-default]", "A < B & \"C\""), ("dc:title[de]", "Grüße"), ("dc:subject", "one"),
      ("dc:subject[1]", "two"),
      ("Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity", "Wien"), ("ex:Color", "blue"),
      ("ex:Color?ex:Depth", "8"),
    ] { #expect(CGImageMetadataSetValueWithPath(metadata, nil, path as CFString, value as CFString)) }
    let packet = try #require(CGImageMetadataCreateXMPData(metadata, nil))
    let read = try #require(CGImageMetadataCreateFromXMPData(packet))
    var paths: [String: String] = [:]
    let deep = [kCGImageMetadataEnumerateRecursively: true] as CFDictionary
    CGImageMetadataEnumerateTagsUsingBlock(read, nil, deep) { path, tag in
      paths[path as String] = CGImageMetadataTagCopyValue(tag) as? String ?? "…"
      return true
    }
    #expect(
      paths == [
        "dc:title": "…", "dc:title[x-default]": "A < B & \"C\"", "dc:title[de]": "Grüße", "dc:subject": "…",
        "dc:subject[0]": "one", "dc:subject[1]": "two", "Iptc4xmpCore:CreatorContactInfo": "…",
        "Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity": "Wien", "ex:Color": "blue",
      ])
    #expect(text(read, "ex:Color?ex:Depth") == "8")
    var calls = 0
    CGImageMetadataEnumerateTagsUsingBlock(read, nil, nil) { _, _ in
      calls += 1
      return calls < 2
    }
    #expect(calls == 2)
    var inside: [String] = []
    CGImageMetadataEnumerateTagsUsingBlock(read, "dc:subject" as CFString, nil) { path, _ in
      inside.append(path as String)
      return true
    }
    #expect(inside == ["dc:subject[0]", "dc:subject[1]"])
    #expect(CGImageMetadataCreateXMPData(CGImageMetadataCreateMutable(), nil) == nil)
    #expect(CGImageMetadataCreateFromXMPData(Data("<x>".utf8) as CFData) == nil)
    #expect(CGImageMetadataCreateFromXMPData(Data("<a/>".utf8) as CFData) == nil)
  }

  /// Exif for XMP's ways to write numbers, dates and places.
  @Test func propertiesHaveTags() throws {
    let given: [CFString: Any] = [
      kCGImagePropertyExifDictionary: [
        kCGImagePropertyExifExposureTime: 0.004, kCGImagePropertyExifFNumber: 8,
        kCGImagePropertyExifISOSpeedRatings: [400], kCGImagePropertyExifFlash: 0b101_0111,
        kCGImagePropertyExifDateTimeOriginal: "2024:05:01 10:07:05", kCGImagePropertyExifLensModel: "Lens",
      ],
      kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker", kCGImagePropertyTIFFSoftware: "Program"],
      kCGImagePropertyGPSDictionary: [
        kCGImagePropertyGPSLatitude: 33.5, kCGImagePropertyGPSLatitudeRef: "S", kCGImagePropertyGPSLongitude: 151.25,
        kCGImagePropertyGPSLongitudeRef: "E",
      ],
      kCGImagePropertyIPTCDictionary: [kCGImagePropertyIPTCKeywords: ["one", "two"]],
    ]
    let made = try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, "public.jpeg", given))
    let metadata = try #require(CGImageSourceCopyMetadataAtIndex(opened(made)!, 0, nil))
    let wanted = [
      "exif:ExposureTime": "1/250", "exif:FNumber": "8/1", "exif:ISOSpeedRatings[0]": "400", "exif:ExifVersion": "0232",
      "exif:DateTimeOriginal": "2024-05-01T10:07:05", "exifEX:LensModel": "Lens", "tiff:Make": "Maker",
      // The header of ImageIO names this one for the same property.
      "photoshop:DateCreated": "2024-05-01T10:07:05", "exif:Flash.Fired": "True", "exif:Flash.Return": "3",
      "exif:Flash.Mode": "2", "exif:Flash.Function": "False", "exif:Flash.RedEyeMode": "True",
      "xmp:CreatorTool": "Program", "exif:GPSLatitude": "33,30S", "exif:GPSLongitude": "151,15E",
      "dc:subject[1]": "two",
    ]
    for (path, value) in wanted { #expect(text(metadata, path) == value, "\(path)") }
    let pairs: [(CFString, CFString, String)] = [
      (kCGImagePropertyExifDictionary, kCGImagePropertyExifDateTimeOriginal, "2024-05-01T10:07:05"),
      (kCGImagePropertyIPTCDictionary, kCGImagePropertyIPTCDateCreated, "2024-05-01T10:07:05"),
      (kCGImagePropertyPNGDictionary, kCGImagePropertyPNGSoftware, "Program"),
      (kCGImagePropertyTIFFDictionary, kCGImagePropertyTIFFSoftware, "Program"),
      (kCGImagePropertyExifDictionary, kCGImagePropertyExifLensModel, "Lens"),
    ]
    for (dictionary, property, value) in pairs {
      let tag = CGImageMetadataCopyTagMatchingImageProperty(metadata, dictionary, property)
      #expect(tag.flatMap { CGImageMetadataTagCopyValue($0) as? String } == value)
    }
    #expect(CGImageMetadataCopyTagMatchingImageProperty(metadata, "{GIF}" as CFString, "DelayTime" as CFString) == nil)
  }

  @Test func propertiesAreSetAsTags() throws {
    let metadata = CGImageMetadataCreateMutable()
    func set(_ dictionary: CFString, _ property: CFString, _ value: CFTypeRef) -> Bool {
      CGImageMetadataSetValueMatchingImageProperty(metadata, dictionary, property, value)
    }
    #expect(set(kCGImagePropertyExifDictionary, kCGImagePropertyExifFocalLength, 4.25 as CFNumber))
    #expect(set(kCGImagePropertyIPTCDictionary, kCGImagePropertyIPTCKeywords, ["a", "b"] as CFArray))
    #expect(set(kCGImagePropertyIPTCDictionary, kCGImagePropertyIPTCObjectName, "Harbour" as CFString))
    #expect(!set("{GIF}" as CFString, "DelayTime" as CFString, "no" as CFString))
    #expect(text(metadata, "exif:FocalLength") == "17/4")
    #expect(text(metadata, "dc:subject[1]") == "b")
    #expect(text(metadata, "dc:title[x-default]") == "Harbour")
    #expect(
      set(
        kCGImagePropertyExifDictionary, kCGImagePropertyExifDateTimeOriginal, "2024:05:01 10:07:05" as CFString))
    #expect(text(metadata, "photoshop:DateCreated") == "2024-05-01T10:07:05")
    #expect(set(kCGImagePropertyExifDictionary, kCGImagePropertyExifFlash, 0x19 as CFNumber))
    #expect(text(metadata, "exif:Flash.Mode") == "3")
    // And with a picture into a file.
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
    CGImageDestinationAddImageAndMetadata(destination, picture(16, 16) { _, _ in [9, 9, 9, 255] }, metadata, nil)
    #expect(CGImageDestinationFinalize(destination))
    let read = try #require(properties(opened(data as Data)))
    let exif = try #require(read[kCGImagePropertyExifDictionary] as? [CFString: Any])
    #expect(exif[kCGImagePropertyExifFocalLength] as? Double == 4.25)
    #expect(exif[kCGImagePropertyExifDateTimeOriginal] as? String == "2024:05:01 10:07:05")
    #expect(exif[kCGImagePropertyExifFlash] as? Int == 0x19)
    #expect(
      (read[kCGImagePropertyIPTCDictionary] as? [CFString: Any])?[kCGImagePropertyIPTCKeywords] as? [String] == [
        "a", "b",
      ])
  }
}
