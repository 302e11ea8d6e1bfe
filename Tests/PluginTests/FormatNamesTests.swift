// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What formats are called in file names and on the web, both ways.
@Suite struct FormatNamesTests {
  private static let registry = EncodingPictures.registry

  @Test func everyFormatHasNamesThatLeadBackToIt() throws {
    let formats = Self.registry.readableFormats
    #expect(formats.contains(.qoi))
    #expect(formats == formats.sorted { $0.rawValue < $1.rawValue })
    for format in formats {
      let type = try #require(Self.registry.mimeType(of: format), "\(format)")
      #expect(type.hasPrefix("image/"))
      #expect(Self.registry.format(forMIMEType: type) == format)
      let name = try #require(Self.registry.fileExtension(of: format), "\(format)")
      #expect(Self.registry.format(forExtension: name) == format)
      #expect(Self.registry.format(forExtension: ".\(name.uppercased())") == format)
    }
  }

  @Test func writableFormatsCanBeWritten() {
    let written = Self.registry.writableFormats
    #expect(Set(written).isSubset(of: Self.registry.readableFormats))
    #expect(written.contains(.heics) && written.contains(.heic))
    #expect(CoderRegistry(searchPath: .only([]), preferences: CoderPreferences()).writableFormats == [])
  }

  @Test(arguments: [
    ("image/jpeg", ImageFormat.jpeg), ("IMAGE/JPEG", .jpeg), ("image/png; charset=binary", .png),
    (" image/webp ", .webP),
    ("image/x-icon", .ico), ("image/apng", .png),
  ]) func mediaTypesAreReadAsInHeaders(_ type: String, _ format: ImageFormat) {
    #expect(Self.registry.format(forMIMEType: type) == format)
  }

  @Test(arguments: ["text/html", "", "image/", "jpeg"]) func otherTypesAreNoFormat(_ type: String) {
    #expect(Self.registry.format(forMIMEType: type) == nil)
  }
}
