// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// A file that is cut anywhere is `truncated`; the rows that it gives are those of the whole file. When its bytes
  /// arrive in pieces, it ends in the same way.
  var truncation: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.truncation, fixture.name) { (claim) throws(ConformanceFailure) in
        let options = Self.stored(fixture.answer.hashLayout)
        let whole = try claim.value("decode") { try coder.decode(.bytes(fixture.bytes), options: options) }
        for length in Self.cuts(of: fixture.bytes.count) {
          let what = "the first \(length) of \(fixture.bytes.count) bytes"
          let bytes = Array(fixture.bytes.prefix(length))
          let cut = outcome(of: bytes, options)
          switch cut {
          case .success(let image): try compare(image, with: whole, what, claim)
          case .failure(let error):
            let shortest = manifest.formats.flatMap(\.signatures).map(\.reach).max() ?? 0
            let isRight = error.code == .truncated || (error.code == .wrongFormat && length < max(shortest, 1))
            try claim.holds(isRight, what, expected: "truncated", found: "\(error)")
          }
          var chunked = decodeChunked(of: bytes, in: Chunking(seed: UInt64(length) + 1), options)
          try checkEnd(of: chunked, cut, "\(what) in pieces", claim)
          // What is final does not depend on what follows.
          chunked.rows.compare(with: whole)
          try claim.equal(chunked.rows.change, nil, "final rows in \(what), against the whole file's")
        }
      }
    }
  }

  /// All of the first 512 bytes, then 64 places.
  private static func cuts(of count: Int) -> [Int] {
    var cuts = Array(0..<min(count, 512))
    guard count > 512 + 64 else { return cuts + Array(cuts.count..<count) }
    var places = Chunking(seed: UInt64(count))
    for _ in 0..<64 { cuts.append(places.place(in: 512..<count)) }
    return cuts
  }

  private func compare(
    _ cut: Image, with whole: Image, _ what: String, _ claim: Claim
  ) throws(ConformanceFailure) {
    guard let problem = cut.problem else {
      // Nothing that counts is missing: the bytes after the pixels alone.
      return try claim.equal(cut.fingerprint, whole.fingerprint, "\(what), which are all that is needed")
    }
    try claim.equal(problem.code, .truncated, "\(what): problem")
    try claim.holds(
      cut.frames.count <= whole.frames.count, what, expected: "no more frames", found: "\(cut.frames.count)")
    // Coarse passes are right and not final, so only pictures in one pass can be compared row by row.
    guard let header = cut.header, !header.isProgressive, !header.isAnimated else { return }
    for (y, (row, full)) in zip(cut.pixels.rowBytesInOrder, whole.pixels.rowBytesInOrder).enumerated() {
      let isRight = row == full || row.allSatisfy { $0 == 0 }
      try claim.holds(isRight, "\(what): row \(y)", expected: "the whole file's or empty", found: "other pixels")
    }
  }
}
