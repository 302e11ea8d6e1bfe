// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension Density {
  /// What Exif states: TIFF 6.0 §8, XResolution and the fields after it.
  init?(exif payload: [UInt8]) {
    guard case .dictionary(let tags)? = ExifProperties.read(payload.span.bytes)["{TIFF}"],
      let horizontal = tags["XResolution"]?.number, horizontal > 0, horizontal.isFinite
    else { return nil }
    let unit = tags["ResolutionUnit"]?.integer ?? 2
    guard unit == 2 || unit == 3 else { return nil }
    let inches = unit == 3 ? 2.54 : 1
    var vertical = tags["YResolution"]?.number ?? horizontal
    if vertical <= 0 || !vertical.isFinite { vertical = horizontal }
    self.init(horizontal * inches, vertical: vertical * inches)
  }
}

extension ExifDirectories {
  /// States a density in the tags of TIFF.
  mutating func set(_ density: Density) {
    func rational(_ number: Double) -> ExifValue {
      let isWhole = abs(number - number.rounded()) < 0.0005
      let scale = isWhole ? 1.0 : 10_000
      return .rationals([(UInt32(min(number * scale, 4e9).rounded()), UInt32(scale))])
    }
    set(0x011A, in: .main, to: rational(density.horizontal))
    set(0x011B, in: .main, to: rational(density.vertical))
    set(0x0128, in: .main, to: .shorts([2]))
  }
}
