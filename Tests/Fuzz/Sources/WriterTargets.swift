// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import ImageCoderEngine
import ImageCoders

/// Writers, with options, sizes and pixels that follow from the bytes, and files that become others.
struct WriterTargets {
  let registry: CoderRegistry

  func targets() -> [FuzzTarget] {
    registry.writableFormats.flatMap { format in
      let name = registry.fileExtension(of: format) ?? format.rawValue
      return [
        FuzzTarget(
          name: "write-\(name)", about: "\(name) is written with any options and read back",
          seeds: .bytes(Self.seeds), structure: nil, run: { write($0, as: format) }),
        FuzzTarget(
          name: "edit-\(name)", about: "the metadata of a file of \(name) is changed",
          seeds: .files(["Tests/Fixtures/\(Self.fixtures[format] ?? name)/valid"]), structure: nil,
          run: { edit($0, format: format) }),
      ]
    }
      + Self.convertible.compactMap { format in
        guard registry.writableFormats.contains(format), let name = registry.fileExtension(of: format) else {
          return nil
        }
        return FuzzTarget(
          name: "convert-\(name)",
          about: "a file of any format becomes one of \(name), by rows, turned, cropped or smaller",
          seeds: .files(["jpeg", "png", "webp", "gif", "tiff"].map { "Tests/Fixtures/\($0)/valid" }), structure: nil,
          run: { convert($0, to: format) })
      }
  }

  /// Formats that are written row by row, or turned without decoding.
  private static let convertible: [ImageFormat] = [.jpeg, .png, .tiff, .qoi, .pnm]

  /// A layout, a size, flags, and pixels: one for each of the seven layouts, and for each flag.
  private static let seeds: [[UInt8]] = (0..<8).map { (number: UInt8) in
    [number, 20, 13, 1 << number] + (0..<64).map { $0 &* 37 &+ number }
  }

  private static let fixtures: [ImageFormat: String] = [
    .jpeg: "jpeg", .heic: "heif", .heics: "heif", .tiff: "tiff", .jpeg2000: "jpeg2000",
  ]

  private func write(_ bytes: [UInt8], as format: ImageFormat) {
    var input = bytes[...]
    func next() -> Int { Int(input.popFirst() ?? 0) }
    let formats: [PixelFormat] = [.gray8, .grayAlpha8, .rgb8, .rgba8, .bgra8, .gray16, .rgba16]
    let layout = formats[next() % formats.count]
    let size = Size(width: 1 + next() % 80, height: 1 + next() % 80)
    var frames: [Frame] = []
    let flags = next()
    for _ in 0..<(flags & 1 == 0 ? 1 : 1 + next() % 4) {
      guard
        let pixels = try? PixelBuffer(size: size, format: layout, alpha: flags & 2 == 0 ? .straight : .premultiplied)
      else { return }
      fill(pixels, from: input)
      let delay = FrameDelay(numerator: UInt32(next()), denominator: UInt32(next()))
      frames.append(Frame(pixels: pixels, delay: delay))
    }
    var options = EncodeOptions()
    options.isLossless = flags & 4 != 0
    if format == .jpeg { Self.choose(bytes.last ?? 0, &options) }
    if flags & 8 != 0 { options.quality = Double(next()) / 255 }
    if flags & 16 != 0 { options.maxSize = Size(width: 1 + next() % 40, height: 1 + next() % 40) }
    if flags & 32 != 0 { options.loopCount = .plays(UInt32(next())) }
    if flags & 64 != 0 { options.embeddedThumbnailSide = next() }
    let image = Image(frames: frames)
    guard let file = try? registry.encode(image, as: format, options: options) else { return }
    guard let back = try? registry.decode(.bytes(file)) else { FuzzTarget.broken("what is written can be read") }
    guard back.problem == nil else { FuzzTarget.broken("what is written is whole") }
  }

  /// Each of the ways in which JPEG files are written.
  private static func choose(_ byte: UInt8, _ options: inout EncodeOptions) {
    options.values["effort"] = .word(["default", "fast", "small"][Int(byte) % 3])
    if byte & 4 != 0 { options.values["restart"] = 1 }
    if byte & 8 != 0 { options.isProgressive = true }
    if byte & 16 != 0 { options.subsampling = Subsampling.allCases[Int(byte >> 5) % Subsampling.allCases.count] }
    if byte & 128 != 0 { options.look = Double(byte & 127) }
  }

  /// Rows of the input's bytes, again and again.
  private func fill(_ pixels: PixelBuffer, from input: ArraySlice<UInt8>) {
    guard !input.isEmpty else { return }
    for y in 0..<pixels.size.height {
      pixels.withMutableRow(y) { row in
        for x in row.indices { row[x] = input[input.startIndex + (y &* 31 &+ x) % input.count] }
      }
    }
  }

  /// How follows from the last byte, behind which most formats may end.
  private func convert(_ bytes: [UInt8], to format: ImageFormat) {
    let flags = bytes.last ?? 0
    var (options, reading) = (EncodeOptions(), DecodeOptions())
    (options.limits, reading.limits) = (ReaderTargets.limits, ReaderTargets.limits)
    options.firstFrameOnly = flags & 1 != 0
    options.preservesOrientation = flags & 2 != 0
    if flags & 4 != 0 { options.edit.turns = [.right] }
    if flags & 8 != 0 { options.edit.crop = Rect(x: 0, y: 0, width: 16, height: 8) }
    if flags & 16 != 0 { options.color = .convert(to: .displayP3) }
    if flags & 32 != 0 { options.maxSize = Size(width: 24, height: 24) }
    if flags & 64 != 0 { options.allowsCopy = false }
    if flags & 128 != 0, format == .jpeg { options.values = ["effort": "small"] }
    guard
      let made = try? registry.convert(
        .bytes(bytes), to: format, at: .memory, options: options, reading: reading, problem: { _ in })
    else { return }
    guard let back = try? registry.decode(.bytes(made.bytes), options: reading) else {
      FuzzTarget.broken("what was converted can be read")
    }
    guard back.problem == nil else { FuzzTarget.broken("what was converted is whole") }
  }

  private func edit(_ bytes: [UInt8], format: ImageFormat) {
    let flags = bytes.last ?? 0
    var edit = MetadataEdit(removing: [.xmp, .icc], settingText: "Artist", of: "{TIFF}")
    if flags & 1 != 0 { edit = MetadataEdit(removing: [.gps, .c2pa], settingText: "ObjectName", of: "{IPTC}") }
    if flags & 2 != 0 { edit.video = ParserTargets.movie }
    guard let file = try? registry.editMetadata(.bytes(bytes), edit) else { return }
    _ = try? registry.open(.bytes(file.bytes))
  }
}
