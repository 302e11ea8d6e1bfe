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
        for share in [0, 0.5] { try cancelChunked(of: fixture.bytes, after: share, claim) }
      }
    } + encoding
  }

  /// Cancels a decode of bytes that arrive, when a share of them is there.
  private func cancelChunked(of bytes: [UInt8], after share: Double, _ claim: Claim) throws(ConformanceFailure) {
    let cancellation = Cancellation()
    var options = DecodeOptions()
    options.cancellation = cancellation
    let decoder = coder.makeIncrementalDecoder(options: options)
    let count = Int(Double(bytes.count) * share)
    try claim.value("append") { try bytes.prefix(count).withUnsafeBytes { try decoder.append($0) } }
    cancellation.cancel()
    // What was decoded before may be all there is to decode.
    guard decoder.progress.framesComplete == 0 else { return }
    try claim.error("incremental bytes, cancelled after \(count) of \(bytes.count)", in: .cancelled) {
      try bytes.dropFirst(count).withUnsafeBytes { try decoder.append($0) }
      _ = try decoder.finish()
    }
  }

  private var encoding: [ConformanceCheck] {
    guard container.canWrite else { return [] }
    return manifest.writtenFormats.map { format in
      check(.cancellation, "encoding \(format.name)") { (claim) throws(ConformanceFailure) in
        let picture = try claim.value("picture") { try pictures.smooth(.rgba8, .straight) }
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
