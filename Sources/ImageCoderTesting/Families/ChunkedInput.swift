// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Bytes that arrive in pieces of any size give the same image, or the same error, as all at once; the header comes
  /// with the same byte; and rows that are reported to be final stay as they are.
  var chunkedInput: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.chunkedInput, fixture.name) { (claim) throws(ConformanceFailure) in
        try checkPieces(of: fixture.bytes, claim)
        _ = try claim.value("decode") { try coder.decode(.bytes(fixture.bytes)) }
      }
    }
      + fixtures.invalid.map { fixture in
        check(.chunkedInput, "invalid \(fixture.name)") { (claim) throws(ConformanceFailure) in
          try checkPieces(of: fixture.bytes, claim)
        }
      }
  }

  private func checkPieces(of bytes: [UInt8], _ claim: Claim) throws(ConformanceFailure) {
    let stored = Self.stored(nil)
    let expected = outcome(of: bytes, stored)
    var headerByte: Int?
    for (number, chunking) in Chunking.seeded.enumerated() {
      let chunked = decodeChunked(of: bytes, in: chunking, stored)
      try checkEnd(of: chunked, expected, "\(chunking)", claim)
      // The first pieces are single bytes.
      if number == 0 { headerByte = chunked.header?.with }
      let isWithTheByte = chunked.header.map { $0.before < headerByte ?? 0 && headerByte ?? 0 <= $0.with }
      try claim.holds(
        isWithTheByte ?? (headerByte == nil), "header in \(chunking)",
        expected: headerByte.map { "with byte \($0)" } ?? "at the end",
        found: chunked.header.map { "with bytes \($0.before + 1) to \($0.with)" } ?? "at the end")
    }
    // What else is wanted of a picture changes neither.
    for options in [DecodeOptions(), .thumbnail(width: 7, height: 9)] {
      let expected = outcome(of: bytes, options)
      for chunking in [Chunking(size: bytes.count), Chunking(seed: 8)] {
        try checkEnd(
          of: decodeChunked(of: bytes, in: chunking, options, looks: 0), expected,
          "\(options.firstFrameOnly ? "thumbnail" : "upright"), \(chunking)", claim)
      }
    }
  }

  func outcome(of bytes: [UInt8], _ options: DecodeOptions) -> Result<Image, CoderError> {
    Result { () throws(CoderError) in try coder.decode(.bytes(bytes), options: options) }
  }

  func decodeChunked(of bytes: [UInt8], in chunking: Chunking, _ options: DecodeOptions, looks: Int = 64)
    -> ChunkedDecode
  {
    bytes.withUnsafeBytes {
      ChunkedDecode(of: $0, in: chunking, to: coder.makeIncrementalDecoder(options: options), looks: looks)
    }
  }

  /// Holds what arrived against what one call gives.
  func checkEnd(
    of chunked: ChunkedDecode, _ expected: Result<Image, CoderError>, _ what: String, _ claim: Claim
  ) throws(ConformanceFailure) {
    switch (chunked.outcome, expected) {
    case (.success(let image), .success(let whole)):
      try claim.equal(image.fingerprint, whole.fingerprint, what)
      try claim.equal(image.problem?.message, whole.problem?.message, "problem of \(what)")
      try claim.equal(image.header, whole.header, "header of \(what)")
      try claim.equal(chunked.lastHeader, whole.header, "header at the end of \(what)")
      try claim.equal(image.metadata, whole.metadata, "metadata of \(what)")
      try claim.equal(chunked.status, whole.problem == nil ? .complete : .unexpectedEnd, "status after \(what)")
    case (.failure(let error), .failure(let whole)):
      // A library that reads ahead may be further on when it finds out: offsets are not compared.
      try claim.equal("\(error.code): \(error.message)", "\(whole.code): \(whole.message)", "error of \(what)")
      try claim.equal(chunked.status, error.code == .truncated ? .unexpectedEnd : .invalid, "status after \(what)")
    case (.success, .failure(let whole)):
      throw claim.failure(what, expected: "\(whole)", found: "an image")
    case (.failure(let error), .success):
      throw claim.failure(what, expected: "an image", found: "\(error)")
    }
    try claim.equal(chunked.rows.change, nil, "final rows in \(what)")
  }
}
