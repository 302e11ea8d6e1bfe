// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import GIFLibCoder

@Suite struct GIFLibErrorTests {
  /// Every error of giflib's decoder, in the middle of a file: D_GIF_ERR_OPEN_FAILED, 101, to D_GIF_ERR_EOF_TOO_SOON.
  private static let codes: [(Int32, CoderError.Code)] = [
    (0, .malformed), (101, .libraryFailure), (102, .malformed), (103, .wrongFormat), (104, .malformed),
    (105, .malformed),
    (106, .malformed), (107, .malformed), (108, .malformed), (109, .outOfMemory), (110, .libraryFailure),
    (111, .libraryFailure),
    (112, .malformed), (113, .malformed),
  ]

  @Test(arguments: codes) func eachHasACode(_ code: Int32, _ expected: CoderError.Code) {
    #expect(CoderError(giflib: code, at: 7, isAtEnd: false).code == expected)
  }

  @Test(arguments: codes) func whatLacksBytesIsTruncated(_ code: Int32, _ expected: CoderError.Code) {
    let error = CoderError(giflib: code, at: 7, isAtEnd: true)
    #expect(error.code == (expected == .malformed ? .truncated : expected))
    #expect(error.offset == (expected == .malformed ? 7 : expected == .wrongFormat ? 0 : nil))
  }

  @Test func saysWhatGIFLibSays() {
    #expect(
      CoderError(giflib: 112, at: 265, isAtEnd: false)
        == .malformed("giflib: Image is defective, decoding aborted", at: 265))
  }
}
