// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// docs/encoding.md: its samples compile, as they stand in the functions below.
@Suite struct EncodingPageTests {
  // Never called: they name files that a reader has.

  private func still(_ registry: CoderRegistry, _ image: Image) throws {
    var options = EncodeOptions()
    options.quality = 0.8
    let bytes = try registry.encode(image, as: .jpeg, options: options)
    let chosen = try registry.encode(image)
    _ = (bytes, chosen)
  }

  private func animation(_ registry: CoderRegistry, _ pictures: [Image]) throws {
    var options = EncodeOptions()
    options.loopCount = .infinite
    let encoder = try registry.makeEncoder(as: .webP, to: .file("party.webp"), options: options)
    for picture in pictures {
      try encoder.add(picture, delay: .milliseconds(40))
    }
    try encoder.add(.file("film.gif"))  // all its frames, with their delays
    try encoder.finish()  // now the file is there
  }

  private func conversion(_ registry: CoderRegistry) throws {
    let made = try registry.convert(.file("party.gif"), to: .png, at: .file("party.apng"))
    print(made.frameCount, made.byteCount)
  }

  private func largest(_ registry: CoderRegistry) throws {
    var options = EncodeOptions()
    options.maxSize = Size(width: 1024, height: 1024)
    options.maxFileSize = 200_000
    let made = try registry.convert(.file("photo.heic"), to: .jpeg, at: .file("photo.jpg"), options: options)
    print(made.byteCount, made.quality ?? 1)
  }

  private func light(_ registry: CoderRegistry, _ image: Image) throws {
    var options = EncodeOptions()
    options.color = .convert(to: .rec2100PQ)
    let bytes = try registry.encode(image, as: .avif, options: options)
    _ = bytes
  }

  private func pages(_ registry: CoderRegistry, front: Image, back: Image, logo: Image) throws {
    let encoder = try registry.makeEncoder(as: .tiff, to: .file("scan.tiff"), pageCount: 2)
    try encoder.add(front)
    try encoder.endPage()
    try encoder.add(back)
    try encoder.finish()

    var options = EncodeOptions()
    options.iconSizes = [16, 32, 48, 256]
    let icon = try registry.encode(logo, as: .ico, options: options)
    _ = icon
  }

  @Test func samplesCompile() throws {
    let source = Self.lines(try Package.text("Tests/CodersCommandTests/EncodingPageTests.swift"))
    let samples = try Package.text("docs/encoding.md").split(separator: "```swift\n").dropFirst()
      .compactMap { $0.split(separator: "```").first }
    #expect(samples.count == 7)
    // The first one is what the functions have as parameters.
    for sample in samples.dropFirst() {
      let lines = Self.lines(String(sample))
      let isFound = source.indices.contains { source[$0...].starts(with: lines) }
      #expect(isFound, "no function of this file has\n\(sample)")
    }
  }

  /// Lines that hold something, without the spaces around them.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { line in
      let start = line.drop { $0 == " " }
      return start[...(start.lastIndex { $0 != " " } ?? start.startIndex)]
    }
    .filter { !$0.isEmpty }
  }

  @Test func optionsOfWebPAreExplained() throws {
    let page = try Package.text("docs/encoding.md")
    let writers = Decoded.registry.catalog.entries.compactMap(\.manifest).filter(\.canWrite)
    for option in writers.first(where: { $0.id == "org.imagecoders.webp" })?.options ?? [] {
      #expect(page.contains("`\(option.name)`") || option.name == "near-lossless", "\(option.name)")
    }
  }
}
