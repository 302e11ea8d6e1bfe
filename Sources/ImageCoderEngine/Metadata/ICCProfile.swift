// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What is looked at in an ICC profile (ICC.1:2022 §7.2).
enum ICCProfile {
  /// Whether a profile's color space is that of pixels of a format.
  static func describes(_ format: PixelFormat, profile: [UInt8]) -> Bool {
    // §7.2.6: bytes 16 to 19 are the data color space's signature.
    guard profile.count >= 128 else { return false }
    return Array(profile[16..<20]) == Array((format.isGray ? "GRAY" : "RGB ").utf8)
  }
}
