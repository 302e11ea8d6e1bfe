// SPDX-License-Identifier: Apache-2.0

import CHEIFLibrary
import ImageCoderPlugin

/// The calls of libheif, which is loaded when the first picture is written.
enum LibHEIF {
  private static let loaded: Result<heif_library, CoderError> = {
    var library = heif_library()
    let found = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { problem -> String? in
      guard let base = problem.baseAddress, heif_library_load(&library, base, problem.count) == 0 else { return nil }
      return String(cString: base)
    }
    guard let found else { return .success(library) }
    return .failure(
      .libraryFailure("HEIC is written with libheif (Debian's package libheif1), which cannot be loaded: \(found)"))
  }()

  /// - Throws: ``CoderError/Code/libraryFailure`` if the library is not there.
  static func library() throws(CoderError) -> heif_library { try loaded.get() }
}
