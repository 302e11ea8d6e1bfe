// SPDX-License-Identifier: Apache-2.0

import CHEIFLibrary
import ImageCoderPlugin

/// The calls of libheif, which is loaded when the first picture is written.
enum LibHEIF {
  /// - Throws: ``CoderError/Code/libraryFailure`` if the library is not there.
  static func library() throws(CoderError) -> heif_library {
    var library = heif_library()
    let problem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { problem -> String? in
      guard let base = problem.baseAddress, heif_library_load(&library, base, problem.count) == 0 else { return nil }
      return String(cString: base)
    }
    guard let problem else { return library }
    throw .libraryFailure(
      "HEIC is written with libheif (Debian's package libheif1), which cannot be loaded: \(problem)")
  }
}
