// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

extension Subject {
  /// What is written is read again: all of it without loss where that was asked for, within bounds otherwise.
  var roundTrip: [ConformanceCheck] {
    guard container.canWrite, container.canRead else { return [] }
    return manifest.writtenFormats.flatMap { format in
      lossless(format) + lossy(format) + metadata(format) + animations(format) + pages(format)
    }
  }

  private func encode(
    _ image: Image, as format: Manifest.Format, lossless: Bool = false, quality: Double? = nil
  ) throws(CoderError) -> [UInt8] {
    var options = EncodeOptions()
    options.isLossless = lossless
    options.quality = quality
    return try coder.encode(image, as: format.format, options: options)
  }

  /// Lossless is exact. `unsupported` is right for a coder whose manifest does not claim lossless, for a layout of 16 bits
  /// that the writer, asked for its layout, does not take, and for more bits than the conformance declares. A coder that
  /// claims lossless takes every layout of 8 bits.
  private func lossless(_ format: Manifest.Format) -> [ConformanceCheck] {
    let layouts: [PixelFormat] = [.gray8, .grayAlpha8, .gray16, .grayAlpha16, .rgb8, .rgba8, .bgra8, .rgb16, .rgba16]
    var checks = layouts.map { layout in
      check(.roundTrip, "\(format.name) of \(layout), lossless") { (claim) throws(ConformanceFailure) in
        let picture = try claim.value("picture") { try pictures.smooth(layout, .straight) }
        try checkLossless(picture, as: format, mayBeTooDeep: bounds.losslessBits < 16, claim)
      }
    }
    if bounds.losslessBits < 16 {
      checks += layouts.filter { $0.bytesPerChannel > 1 }.map { layout in
        let bits = bounds.losslessBits
        return check(.roundTrip, "\(format.name) of \(layout) with \(bits) bits, lossless") {
          (claim) throws(ConformanceFailure) in
          let picture = try claim.value("picture") { try pictures.smooth(layout, .straight, bits: bits) }
          try checkLossless(picture, as: format, claim)
        }
      }
    }
    checks.append(
      check(.roundTrip, "\(format.name) of six colors, lossless") { (claim) throws(ConformanceFailure) in
        let picture = try claim.value("picture") { try pictures.flat(250, 20, 90) }
        try checkLossless(picture, as: format, claim)
      })
    return checks
  }

  private func checkLossless(
    _ picture: PixelBuffer, as format: Manifest.Format, mayBeTooDeep: Bool = false, _ claim: Claim
  ) throws(ConformanceFailure) {
    let writer = LayoutRecorder(container)
    var options = EncodeOptions()
    options.isLossless = true
    let bytes: [UInt8]
    do throws(CoderError) {
      bytes = try AnimatedCoder(writer).encode(Image(picture), as: format.format, options: options)
    } catch {
      try claim.equal(error.code, .unsupported, "error (\(error))")
      guard manifest.capabilities.contains("lossless") else { return }
      let isWide = picture.format.bytesPerChannel > 1
      return try claim.holds(
        isWide && (mayBeTooDeep || !writer.lastAnswer.takes(picture.layout)), "encode",
        expected: "success: the manifest claims lossless, and the writer takes the layout",
        found: "\(error); the writer's answer to the layout: \(writer.lastAnswer)")
    }
    var decoding = DecodeOptions()
    decoding.pixelFormat = picture.format
    let image = try claim.value("decode") { try coder.decode(.bytes(bytes), options: decoding) }
    try claim.equal(image.pixels.hash, picture.hash, "hash")
    try claim.equal(image.header?.isLossless, true, "the header's word on loss")
  }

  private func lossy(_ format: Manifest.Format) -> [ConformanceCheck] {
    [PixelFormat.gray8, .rgb8].map { layout in
      check(.roundTrip, "\(format.name) of \(layout), quality 0.9") { (claim) throws(ConformanceFailure) in
        let picture = try claim.value("picture") { try pictures.smooth(layout, .opaque) }
        let bytes = try claim.value("encode") { try encode(Image(picture), as: format, quality: 0.9) }
        var options = DecodeOptions()
        options.pixelFormat = layout
        // A picture that states nothing is sRGB; a file may have it as light.
        options.color = .convert(to: .sRGB)
        let image = try claim.value("decode") { try coder.decode(.bytes(bytes), options: options) }
        try claim.equal(image.size, picture.size, "size")
        let ratio = image.pixels.peakSignalToNoise(picture)
        try claim.holds(
          ratio >= bounds.peakSignalToNoise, "likeness", expected: "\(bounds.peakSignalToNoise) dB",
          found: "\(ratio) dB")
      }
    }
  }

  /// Payloads come back byte for byte where the manifest says that they are written.
  private func metadata(_ format: Manifest.Format) -> [ConformanceCheck] {
    let payloads: [(MetadataKind, String)] = [(.icc, "icc"), (.exif, "exif"), (.xmp, "xmp")]
    return payloads.filter { manifest.capabilities.contains($0.1) }.map { kind, _ in
      check(.roundTrip, "\(format.name) with \(kind)") { (claim) throws(ConformanceFailure) in
        guard let payload = payload(kind) else {
          throw claim.failure("payload", expected: "a fixture with \(kind)", found: "none")
        }
        var image = Image(try claim.value("picture") { try pictures.flat(9, 80, 200) })
        image.metadata[kind] = payload
        let bytes = try claim.value("encode") { try encode(image, as: format) }
        let decoder = try claim.value("open") { try open(bytes) }
        let found = try claim.value("metadata") { try decoder.metadata(kind) }
        try claim.holds(
          found == payload, "payload", expected: "\(payload.count) bytes, unchanged", found: "\(found as Any)")
      }
    }
  }

  /// A payload of a fixture, Exif with the orientation that pictures have once they are upright.
  func payload(_ kind: MetadataKind) -> [UInt8]? {
    for fixture in fixtures.valid where fixture.answer.metadata?["\(kind)"] != nil {
      guard var payload = try? open(fixture.bytes).metadata(kind) else { continue }
      if kind == .exif { ExifOrientation.set(.up, in: &payload) }
      return payload
    }
    return payloads[kind]
  }

  /// Several pages come back in their order, or are refused by a format that holds one.
  private func pages(_ format: Manifest.Format) -> [ConformanceCheck] {
    [
      check(.roundTrip, "\(format.name) with pages") { (claim) throws(ConformanceFailure) in
        // Sizes that icons have.
        let sizes = [16, 128, 32].map { Size(width: $0, height: $0) }
        var buffers: [PixelBuffer] = []
        for size in sizes {
          let picture = try claim.value("picture") { try pictures.flat(200, 100, 50).resampled(to: size) }
          buffers.append(picture)
        }
        var options = EncodeOptions()
        options.isLossless = manifest.capabilities.contains("lossless")
        let images = buffers.map { Image($0) }
        guard manifest.writesPages else {
          try claim.error("three pages", in: .unsupported) {
            try coder.encode(images, as: format.format, options: options)
          }
          return
        }
        let bytes = try claim.value("encode") { try coder.encode(images, as: format.format, options: options) }
        let decoder = try claim.value("open") { try open(bytes, Self.stored(.rgba8)) }
        try claim.equal(decoder.header.pageCount, images.count, "pages")
        for (index, picture) in buffers.enumerated() {
          let page = try claim.value("page \(index)") { try decoder.page(index).image() }
          try claim.equal(page.size, picture.size, "size of page \(index)")
          if options.isLossless { try claim.equal(page.pixels.hash, picture.hash, "hash of page \(index)") }
        }
      }
    ]
  }

  private func animations(_ format: Manifest.Format) -> [ConformanceCheck] {
    guard manifest.capabilities.contains("frames") else { return [] }
    return [LoopCount.infinite, .plays(1), .plays(2), .plays(7)].map { loopCount in
      check(.roundTrip, "\(format.name) animation, \(loopCount) plays") { (claim) throws(ConformanceFailure) in
        let delays = [FrameDelay.milliseconds(100), .milliseconds(20), .milliseconds(1_230)]
        var frames: [Frame] = []
        for (index, delay) in delays.enumerated() {
          let pixels = try claim.value("picture") { try pictures.flat(UInt8(index * 90), 30, 200) }
          frames.append(Frame(pixels: pixels, delay: delay))
        }
        let image = Image(frames: frames, loopCount: loopCount)
        let bytes = try claim.value("encode") { try encode(image, as: format, lossless: true) }
        let found = try claim.value("decode") { try coder.decode(.bytes(bytes), options: Self.stored(.rgba8)) }
        try claim.equal(found.loopCount, loopCount, "loop count")
        try claim.equal(found.frames.map(\.delay.seconds), delays.map(\.seconds), "delays")
        try claim.equal(found.frames.map(\.pixels.hash), frames.map(\.pixels.hash), "hashes of frames")
      }
    }
  }
}
