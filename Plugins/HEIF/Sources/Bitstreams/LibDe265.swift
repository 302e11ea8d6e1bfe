// SPDX-License-Identifier: Apache-2.0

import CDe265
import ImageCoderPlugin

/// What the wrapped library says of itself.
enum LibDe265 {
  /// The library as it was found at run time, `libde265 1.0.11`.
  static var name: String {
    let version = de265_get_version_number()
    return "libde265 \(version >> 24 & 0xff).\(version >> 16 & 0xff).\(version >> 8 & 0xff)"
  }

  /// Whether an error or warning leaves all pixels as they should be.
  static func isHarmless(_ status: de265_error) -> Bool {
    switch status {
    case DE265_OK, DE265_ERROR_WAITING_FOR_INPUT_DATA, DE265_ERROR_IMAGE_BUFFER_FULL,
      DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING, DE265_WARNING_WARNING_BUFFER_FULL:
      true
    default: false
    }
  }

  static func text(of status: de265_error) -> String {
    guard let text = de265_get_error_text(status) else { return "error \(status.rawValue)" }
    return String(cString: text)
  }
}
