// SPDX-License-Identifier: Apache-2.0

import CHEIF
import ImageCoderPlugin
import Testing

@testable import LibHEIFCoder

@Suite struct LibHEIFErrorTests {
  /// Every error of libheif 1.15: heif_error_Input_does_not_exist, 1, to heif_error_Plugin_loading_error, 11.
  private static let codes: [(UInt32, UInt32, CoderError.Code)] = [
    (1, 0, .libraryFailure), (2, 0, .malformed), (2, 100, .truncated), (2, 102, .wrongFormat), (2, 116, .unsupported),
    (2, 124, .malformed), (3, 0, .unsupported), (4, 3000, .unsupported), (5, 2000, .libraryFailure),
    (6, 0, .outOfMemory),
    (6, 1000, .unsupported), (7, 0, .malformed), (7, 100, .malformed), (8, 0, .libraryFailure), (9, 0, .libraryFailure),
    (10, 0, .libraryFailure), (11, 0, .libraryFailure),
  ]

  @Test(arguments: codes) func eachHasACode(_ code: UInt32, _ detail: UInt32, _ expected: CoderError.Code) {
    let error = CoderError(libheif: heif_error_code(code), heif_suberror_code(detail), "what it says")
    #expect(error.code == expected)
  }

  @Test func saysWhatLibHEIFSaysInOneLine() {
    #expect(
      CoderError(libheif: heif_error_Invalid_input, heif_suberror_No_pitm_box, "Invalid input: No 'pitm' box.\nmore")
        == .malformed("libheif: Invalid input: No 'pitm' box"))
  }
}
