// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders

extension Subject {
  /// Just enough is enough, one less is refused by name, and nothing is allocated for what is refused.
  var limits: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.limits, fixture.name) { (claim) throws(ConformanceFailure) in
        let answer = fixture.answer
        let side = max(answer.size.width, answer.size.height)
        try expect(.maxPixels, of: answer.size.pixelCount, for: fixture, claim)
        try expect(.maxSide, of: side, for: fixture, claim)
        if answer.frames.count > 1 { try expect(.maxFrames, of: answer.frames.count, for: fixture, claim) }
        try checkMetadata(fixture, claim)
      }
    } + bombs
  }

  private func expect(
    _ name: Limits.Name, of need: Int, for fixture: Fixture<ValidAnswer>, _ claim: Claim
  ) throws(ConformanceFailure) {
    var options = DecodeOptions()
    options.limits[name] = need
    _ = try claim.value("\(name) of \(need), just enough") { try coder.decode(.bytes(fixture.bytes), options: options) }
    options.limits[name] = need - 1
    let error = try claim.error("\(name) of \(need - 1), one too few", in: .limitExceeded) {
      try open(fixture.bytes, options)
    }
    try claim.equal(error.limit, name, "limit of the error")
    if let allowed = error.allowed { try claim.equal(allowed, need - 1, "\(name) allowed, as the error says") }
  }

  /// Metadata over its limit is refused by itself and never costs the pixels.
  private func checkMetadata(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    for (name, payload) in fixture.answer.metadata ?? [:] {
      guard let kind = MetadataKind.allCases.first(where: { "\($0)" == name }) else { continue }
      var options = DecodeOptions()
      options.limits.maxMetadata = payload.bytes - 1
      let decoder = try claim.value("open with too little maxMetadata") { try open(fixture.bytes, options) }
      try claim.error("\(name) over maxMetadata", in: .limitExceeded) { try decoder.metadata(kind) }
      let image = try claim.value("decode with too little maxMetadata") { try decoder.image() }
      try claim.equal(image.metadata[kind], nil, "\(name) over maxMetadata")
      try claim.equal(image.problem, nil, "problem with too little maxMetadata")
    }
  }

  /// Tiny files that claim a huge canvas are refused for it even where 1 MiB is all there is.
  private var bombs: [ConformanceCheck] {
    fixtures.invalid.filter { $0.answer.error == "limitExceeded" }.map { fixture in
      check(.limits, fixture.name) { (claim) throws(ConformanceFailure) in
        var options = DecodeOptions()
        options.limits.maxMemory = 1 << 20
        try claim.error("open in 1 MiB", in: .limitExceeded) { try open(fixture.bytes, options) }
      }
    }
  }
}
