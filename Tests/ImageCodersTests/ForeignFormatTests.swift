// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Files of known kinds that no coder reads are named, whatever is done with them.
@Suite struct ForeignFormatTests {
  private static let folder = PluginFolder.make()
  private static let registry = CoderRegistry(searchPath: .only([folder.path]))

  private static func message(_ bytes: [UInt8]) -> String? {
    let file = bytes + [UInt8](repeating: 0x20, count: 200)
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(file)) }
    #expect(error?.code == .noCoder)
    let converting = #expect(throws: CoderError.self) {
      try registry.convert(.bytes(file), to: .png, at: .memory)
    }
    #expect(converting?.message == error?.message)
    return error?.message
  }

  @Test func jpegXRIsNamed() {
    // ITU-T T.832 §A.4.1: II, 0xBC and the version.
    #expect(Self.message([0x49, 0x49, 0xBC, 0x01]) == "no coder of 1 reads JPEG XR, which the file is")
    #expect(Self.message([0x49, 0x49, 0xBC, 0x00]) == "no coder of 1 reads HD Photo, which the file is")
  }

  @Test(arguments: [
    ("%PDF-1.7", "PDF"), ("gimp xcf v011", "XCF"), ("FLIF", "FLIF"), ("DDS ", "DDS"), ("SIMPLE  =", "FITS"),
    ("FORM    ILBM", "IFF ILBM"),
  ])
  func othersAreNamed(_ text: String, _ name: String) {
    #expect(Self.message(Array(text.utf8)) == "no coder of 1 reads \(name), which the file is")
  }

  @Test func whatIsUnknownIsShown() {
    #expect(
      Self.message([0x49, 0x49, 0xBC, 0x02])?.hasPrefix("no coder of 1 recognizes a file that begins with") == true)
  }
}
