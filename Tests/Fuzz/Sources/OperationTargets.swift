// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import ImageCoders
import ImageProcessing

/// Whole files that become others without being decoded, and pictures that are judged.
struct OperationTargets {
  let registry: CoderRegistry

  func targets() -> [FuzzTarget] {
    [
      target("transcode", "a file of JPEG becomes one of JPEG XL, and back", ["jpeg", "jxl"], transcode),
      target("turn", "a file of JPEG is cropped and turned", ["jpeg"], turn),
      target("gainmap", "a gain map is put into a file", ["jpeg", "avif", "heif", "jxl"], attach),
      target(
        "take-out", "what a file carries beside its picture is taken out",
        ["jpeg", "heif", "avif", "tiff", "jxl", "psd", "gif"], takeOut),
      FuzzTarget(
        name: "judge-looks", about: "how much two pictures look alike",
        seeds: .bytes([[8, 8], [20, 13, 1, 2, 3], [113, 40, 0, 255]]), structure: nil, run: Self.judge),
    ]
  }

  private func target(
    _ name: String, _ about: String, _ fixtures: [String], _ run: @escaping @Sendable ([UInt8]) -> Void
  ) -> FuzzTarget {
    FuzzTarget(
      name: "apply-\(name)", about: about, seeds: .files(fixtures.map { "Tests/Fixtures/\($0)/valid" }), structure: nil,
      run: run)
  }

  private var reading: DecodeOptions {
    var options = DecodeOptions()
    options.limits = ReaderTargets.limits
    return options
  }

  /// What is made can be read, unless the file that it is made of was damaged.
  @discardableResult private func apply(
    _ operation: FileOperation, to bytes: [UInt8], as format: ImageFormat? = nil
  ) -> [UInt8]? {
    guard let made = try? registry.apply(operation, to: .bytes(bytes), as: format, reading: reading).file else {
      return nil
    }
    guard (try? registry.open(.bytes(made.bytes), options: reading)) != nil else {
      FuzzTarget.broken("what \(operation.name) makes can be read")
    }
    return made.bytes
  }

  @Sendable private func transcode(_ bytes: [UInt8]) {
    if bytes.starts(with: [0xFF, 0xD8]) {
      guard let made = apply(.transcode, to: bytes, as: .jpegXL) else { return }
      guard apply(.transcode, to: made, as: .jpeg) == bytes else {
        FuzzTarget.broken("a JPEG file comes back as it was")
      }
    } else {
      apply(.transcode, to: bytes, as: .jpeg)
    }
  }

  @Sendable private func turn(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    let part = Rect(
      x: 8 * choices.below(4), y: 8 * choices.below(4), width: choices.below(40), height: choices.below(40))
    apply(.turn(TurnedPart(part, orientation: Orientation.allCases[choices.below(8)])), to: bytes)
  }

  @Sendable private func attach(_ bytes: [UInt8]) {
    apply(.attachGainMap(GainMapParts(file: bytes, iso: ParserTargets.gainMap, xmp: nil)), to: bytes)
  }

  /// A picture that is taken out becomes a file of PNG, which can be read.
  @Sendable private func takeOut(_ bytes: [UInt8]) {
    guard let decoder = try? registry.open(.bytes(bytes), options: reading) else { return }
    for part in decoder.parts().prefix(8) {
      guard let file = try? registry.file(of: part, in: decoder, cancellation: nil), case .page = part.content else {
        continue
      }
      guard (try? registry.decode(.bytes(file), options: reading)) != nil else {
        FuzzTarget.broken("a picture that was taken out can be read")
      }
    }
  }

  /// Two bytes of a size, then samples of one picture from the front, and of the other from the end.
  @Sendable private static func judge(_ bytes: [UInt8]) {
    let size = Size(width: Int(bytes.first ?? 0), height: Int(bytes.dropFirst().first ?? 0))
    var choices = Choices(bytes)
    let formats: [PixelFormat] = [.rgb8, .rgba8, .gray8, .rgba16]
    let format = formats[choices.below(formats.count)]
    let samples = bytes.isEmpty ? [0] : bytes
    guard let original = picture(size, format, samples), let other = picture(size, format, samples.reversed()),
      let same = try? ImageComparison.ssimulacra2(original, original)
    else { return }
    guard same == 100 else { FuzzTarget.broken("a picture looks like itself: \(same)") }
    guard let score = try? ImageComparison.ssimulacra2(original, other), score.isFinite, score <= 100 else {
      FuzzTarget.broken("pictures that can be judged have a score up to 100")
    }
  }

  private static func picture(_ size: Size, _ format: PixelFormat, _ samples: [UInt8]) -> Image? {
    guard let pixels = try? PixelBuffer(size: size, format: format, alpha: .straight) else { return nil }
    for y in 0..<size.height {
      pixels.withMutableRow(y) { row in
        for x in row.indices { row[x] = samples[(y &* 31 &+ x) % samples.count] }
      }
    }
    return Image(pixels)
  }
}
