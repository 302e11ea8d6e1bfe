// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoders
import ImageCodersFoundation
import TestSupport
import Testing

/// What programs that use Foundation expect.
@Suite struct FoundationTests {
  @Test func errorsAreReadable() {
    let error = CoderError(code: .truncated, message: "VP8 chunk needs 4096 bytes", offset: 1032)
    let shown = (error as any Error).localizedDescription
    #expect(shown == "truncated at byte 1032: VP8 chunk needs 4096 bytes")
    #expect(shown == error.description)
  }

  @Test func filesHaveURLs() throws {
    let folder = TemporaryFolder()
    let path = folder.write([0x50, 0x35], to: "a picture.pgm")
    #expect(try ByteSource.file(URL(fileURLWithPath: path)).name == path)
    #expect(throws: CoderError.invalidArgument("https://example.org/a.png is not the URL of a file")) {
      try ByteSource.file(#require(URL(string: "https://example.org/a.png")))
    }
  }

  @Test func dataIsACollectionOfBytes() throws {
    let data = Data([0x89, 0x50, 0x4E, 0x47])
    let registry = CoderRegistry(searchPath: .only([]), preferences: CoderPreferences())
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(data[1...])) }
    #expect(error?.code == .noCoder)
  }
}
