// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Every valid fixture has the header, the pixels and the metadata of its answer.
  var pixels: [ConformanceCheck] {
    fixtures.valid.map { fixture in
      check(.pixels, fixture.name) { (claim) throws(ConformanceFailure) in
        let answer = fixture.answer
        let decoder = try claim.value("open") { try open(fixture.bytes, Self.stored(answer.hashLayout)) }
        try checkHeader(decoder.header, against: answer, claim)
        for (kind, name) in MetadataKind.allCases.map({ ($0, "\($0)") })
        where [.icc, .exif, .xmp].contains(kind) || answer.metadata?[name] != nil {
          let payload = try claim.value("metadata \(name)") { try decoder.metadata(kind) }
          try claim.equal(payload?.count, answer.metadata?[name]?.bytes, "bytes of \(name)")
          try claim.equal(payload.map { PixelHash($0).description }, answer.metadata?[name]?.hash, "hash of \(name)")
          guard kind.isAnnounced else { continue }
          try claim.equal(decoder.header.metadata.contains(kind), payload != nil, "the header's word on \(name)")
        }
        let image = try claim.value("decode") { try decoder.image() }
        try claim.equal(image.problem, nil, "problem")
        try claim.equal(image.frames.count, answer.frames.count, "frames")
        for (index, frame) in image.frames.enumerated() {
          try claim.equal(frame.pixels.size, answer.size, "size of frame \(index)")
          try claim.equal(frame.pixels.hash, answer.frames[index].hash, "hash of frame \(index)")
        }
        try checkPages(fixture, claim)
        try checkUpright(fixture, claim)
        try checkLayouts(fixture, claim)
      }
    }
  }

  private func checkHeader(_ header: ImageHeader, against answer: ValidAnswer, _ claim: Claim)
    throws(ConformanceFailure)
  {
    try claim.equal(header.canvas, answer.size, "canvas")
    try claim.equal("\(header.pixelFormat)", answer.pixelFormat, "pixel format")
    try claim.equal(header.bitsPerChannel, answer.bitsPerChannel, "bits per channel")
    try claim.equal("\(header.alpha)", answer.alpha, "alpha")
    try claim.equal(header.orientation.rawValue, answer.orientation ?? 1, "orientation")
    try claim.equal(header.frameCount, answer.frames.count, "frame count")
    try claim.equal(header.isAnimated, answer.isAnimated, "whether it is animated")
    try claim.equal(header.isTruncated, false, "whether it is truncated")
    try claim.holds(
      manifest.formats.contains { $0.format == header.format }, "format", expected: "one of the manifest's",
      found: "\(header.format)")
    if let points = answer.cicp {
      let found = header.cicp.map { [$0.primaries, $0.transfer, $0.matrix, $0.isFullRange ? 1 : 0] }
      try claim.equal(found, points, "code points")
    }
    if let subsampling = answer.subsampling {
      try claim.equal(header.subsampling?.rawValue, subsampling, "subsampling")
    }
    if let flag = answer.isProgressive { try claim.equal(header.isProgressive, flag, "whether it is progressive") }
    if let flag = answer.isLossless { try claim.equal(header.isLossless, flag, "whether it is lossless") }
  }

  private func checkPages(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    let answer = fixture.answer
    let decoder = try claim.value("open") { try open(fixture.bytes, Self.stored(answer.hashLayout)) }
    let count = answer.pageCount ?? answer.pages?.count ?? 1
    try claim.equal(decoder.header.pageCount, count, "pages")
    try claim.equal(decoder.page, answer.primaryPage ?? 0, "primary page")
    for (index, page) in (answer.pages ?? []).enumerated() {
      if let error = page.error {
        let found = try claim.error("page \(index)", in: .malformed, .truncated, .unsupported, .limitExceeded) {
          let image = try decoder.page(index).image()
          if let problem = image.problem { throw problem }
        }
        try claim.equal("\(found.code)", error, "error of page \(index)")
        continue
      }
      let other = try claim.value("page \(index)") { try decoder.page(index) }
      try claim.equal([other.header.canvas.width, other.header.canvas.height], page.canvas, "canvas of page \(index)")
      try claim.equal(other.header.embedded != nil, page.embedded ?? false, "whether page \(index) is another's file")
      guard let hash = page.hash else { continue }
      let image = try claim.value("decode page \(index)") { try other.image() }
      try claim.equal(image.problem, nil, "problem of page \(index)")
      try claim.equal(image.pixels.hash, hash, "hash of page \(index)")
    }
    try claim.error("a page after the last", in: .invalidArgument) { try decoder.page(count) }
  }

  private func checkUpright(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    guard let hash = fixture.answer.uprightHash else { return }
    var options = DecodeOptions()
    options.pixelFormat = fixture.answer.hashLayout
    let image = try claim.value("decode upright") { try coder.decode(.bytes(fixture.bytes), options: options) }
    try claim.equal(image.pixels.hash, hash, "hash of the upright picture")
    try claim.equal(image.orientation, .up, "orientation that is left")
  }

  /// The reader's own layouts agree with the one of the hash.
  private func checkLayouts(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    func decoded(_ format: PixelFormat?) throws(ConformanceFailure) -> Image {
      try claim.value("decode as \(format.map { "\($0)" } ?? "its own layout")") {
        try coder.decode(.bytes(fixture.bytes), options: Self.stored(format))
      }
    }
    let expected = try decoded(fixture.answer.hashLayout)
    let native = try decoded(nil)
    for (index, frame) in native.frames.enumerated() {
      let same = try claim.value("convert") {
        try frame.pixels.converted(to: PixelLayout(fixture.answer.hashLayout, .straight))
      }
      try claim.equal(same.hash, expected.frames[index].pixels.hash, "frame \(index) in its own layout")
    }
    guard fixture.answer.hashLayout == .rgba8 else { return }
    let swapped = try decoded(.bgra8)
    for (index, frame) in swapped.frames.enumerated() {
      var bytes = Array(frame.pixels.rowBytesInOrder.joined())
      for start in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(start, start + 2) }
      try claim.equal(PixelHash(bytes).description, expected.frames[index].pixels.hash, "frame \(index) as bgra8")
    }
  }
}
