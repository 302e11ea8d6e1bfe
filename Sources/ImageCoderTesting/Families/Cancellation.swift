// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Work that is cancelled stops, and says so.
  var cancellation: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.cancellation, fixture.name) { (claim) throws(ConformanceFailure) in
        let cancellation = Cancellation()
        var options = DecodeOptions()
        options.cancellation = cancellation
        let decoder = try claim.value("open") { try open(fixture.bytes, options) }
        cancellation.cancel()
        try claim.error("decode after cancelling", in: .cancelled) { try decoder.image() }
      }
    } + encoding
  }

  private var encoding: [ConformanceCheck] {
    guard container.canWrite else { return [] }
    return manifest.formats.map { format in
      check(.cancellation, "encoding \(format.name)") { (claim) throws(ConformanceFailure) in
        let picture = try claim.value("picture") { try TestPicture.smooth(.rgba8, .straight) }
        var options = EncodeOptions()
        options.cancellation = Cancellation()
        options.cancellation?.cancel()
        try claim.error("encode after cancelling", in: .cancelled) {
          try coder.encode(Image(picture), as: format.format, options: options)
        }
      }
    }
  }
}
