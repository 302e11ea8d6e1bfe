// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Bytes that arrive in pieces of any size give the same image as all at once.
  var chunkedInput: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.chunkedInput, fixture.name) { (claim) throws(ConformanceFailure) in
        let expected = try claim.value("decode") { try coder.decode(.bytes(fixture.bytes)) }
        for size in [1, 97, fixture.bytes.count] {
          let decoder = coder.makeIncrementalDecoder(options: DecodeOptions())
          for start in stride(from: 0, to: fixture.bytes.count, by: size) {
            try claim.value("append at \(start) in pieces of \(size)") {
              try fixture.bytes[start..<min(start + size, fixture.bytes.count)].withUnsafeBytes {
                try decoder.append($0)
              }
            }
          }
          let image = try claim.value("finish") { try decoder.finish() }
          try claim.equal(image.fingerprint, expected.fingerprint, "pieces of \(size)")
          try claim.equal(decoder.header, expected.header, "header from pieces of \(size)")
          try claim.equal(decoder.status, .complete, "status after pieces of \(size)")
        }
      }
    }
  }
}
