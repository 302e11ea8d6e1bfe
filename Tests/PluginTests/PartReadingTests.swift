// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Parts of pictures, which readers of tiles decode alone.
@Suite struct PartReadingTests {
  private static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// The first few files of a format that can be read whole, one of each kind of name.
  private static func files(_ format: String) -> [String] {
    let folder = "\(StagedTree.fixtures(format))/valid"
    return Command.run("ls '\(folder)'").output.split(separator: "\n").map { "\(folder)/\($0)" }
  }

  /// The same pixels as the same part of the whole picture, upright, for every file of every format.
  @Test(arguments: StagedTree.fixtureFormats) func aPartHasThePixelsOfTheWhole(_ format: String) throws {
    let files = Self.files(format)
    #expect(!files.isEmpty)
    for file in files {
      guard let whole = try? Self.registry.decode(.file(file), options: DecodeOptions(firstFrameOnly: true)) else {
        continue
      }
      let size = whole.size
      let part = Rect(
        x: size.width / 3, y: size.height / 3, width: max(1, size.width / 4), height: max(1, size.height / 4))
      let cut = try Self.registry.decode(.file(file), options: DecodeOptions(part: part, firstFrameOnly: true))
      guard cut.header?.pageCount == 1 || whole.header?.pagesAreSizes == false else { continue }
      try #require(cut.size == part.size, "\(file)")
      let bytes = whole.pixels.format.bytesPerPixel
      try #require(cut.pixels.format == whole.pixels.format, "\(file)")
      for y in 0..<part.height {
        let expected = whole.pixels.withRow(part.y + y) {
          Array($0[(part.x * bytes)..<((part.x + part.width) * bytes)])
        }
        try #require(cut.pixels.withRow(y) { Array($0.prefix(part.width * bytes)) } == expected, "\(file), row \(y)")
      }
    }
  }

  private static func rows(_ pixels: PixelBuffer) -> [[UInt8]] {
    (0..<pixels.size.height).map { pixels.withRow($0) { Array($0) } }
  }

  /// A picture in which no two neighbours are equal.
  private static func noise(_ size: Size) throws -> Image {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    var random = SplitMix(seed: 7)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<(3 * size.width) { row[x] = UInt8(truncatingIfNeeded: random.next()) }
    }
    return Image(pixels)
  }

  private static let layouts: [(format: ImageFormat, values: [String: OptionValue])] = [
    (.tiff, ["tile": .number(64)]), (.tiff, ["tile": .number(64), "compression": .word("none")]),
    (.tiff, ["tile": .number(64), "compression": .word("jpeg")]), (.tiff, ["compression": .word("lzw")]),
    (.tiff, ["compression": .word("none")]), (.jpeg2000, ["tile": .number(128)]), (.jpeg, [:]),
  ]

  /// A part at every corner and in the middle, in its own size and smaller, from tiles and strips.
  @Test(arguments: layouts.indices) func tilesAreDecodedAlone(_ index: Int) throws {
    let (format, values) = Self.layouts[index]
    var writing = EncodeOptions()
    writing.values = values
    writing.quality = 0.9
    let file = try Self.registry.encode(try Self.noise(Size(width: 403, height: 301)), as: format, options: writing)
    let whole = try Self.registry.decode(.bytes(file)).pixels
    let parts = [
      Rect(x: 0, y: 0, width: 1, height: 1), Rect(x: 402, y: 300, width: 1, height: 1),
      Rect(x: 63, y: 127, width: 2, height: 2), Rect(x: 128, y: 64, width: 64, height: 64),
      Rect(x: 100, y: 90, width: 200, height: 150), Rect(x: 0, y: 0, width: 403, height: 301),
      Rect(x: 390, y: 0, width: 13, height: 301), Rect(x: 0, y: 290, width: 403, height: 11),
    ]
    for part in parts {
      let cut = try Self.registry.decode(.bytes(file), options: DecodeOptions(part: part)).pixels
      try #require(cut.size == part.size)
      for y in 0..<part.height {
        let expected = whole.withRow(part.y + y) { Array($0[(3 * part.x)..<(3 * (part.x + part.width))]) }
        try #require(cut.withRow(y) { Array($0.prefix(3 * part.width)) } == expected, "\(part), row \(y)")
      }
    }
    // A third of a part is that of the whole, but for how the cells of a filter are laid out.
    let part = Rect(x: 99, y: 60, width: 240, height: 180)
    let third = DecodeOptions.thumbnail(.stretch, width: 80, height: 60)
    var options = third
    options.part = part
    let small = try Self.registry.decode(.bytes(file), options: options).pixels
    let expected = try whole.region(part).resampled(to: Size(width: 80, height: 60))
    var sum = 0
    for y in 4..<56 {
      small.withRow(y) { one in
        expected.withRow(y) { other in for x in 12..<228 { sum += abs(Int(one[x]) - Int(other[x])) } }
      }
    }
    // Formats that scale by themselves begin with another filter.
    let isScaled = values["compression"] == .word("jpeg") || format == .jpeg2000 || format == .jpeg
    #expect(Double(sum) / Double(52 * 216) < (isScaled ? 12 : 0.6))
  }

  static let costs: [(file: String, layout: PartLayout)] = [
    ("exr/valid/tiles.exr", .tiles(Size(width: 8, height: 5))), ("exr/valid/half-zip.exr", .rows),
    ("heif/valid/grid.heic", .tiles(Size(width: 64, height: 64))), ("heif/valid/lossy-420.heic", .whole),
    ("avif/valid/grid.avif", .tiles(Size(width: 64, height: 64))), ("avif/valid/8bit-420.avif", .whole),
    ("jpeg/valid/baseline-420.jpg", .rows), ("jpeg/valid/progressive-420.jpg", .whole),
  ]

  @Test(arguments: costs.indices) func aPartCostsWhatTheReaderOffers(_ index: Int) throws {
    let (file, layout) = Self.costs[index]
    #expect(try Self.registry.open(.file(StagedTree.fixtures(file))).partLayout() == layout)
  }

  @Test func stripsAndRowsAreRows() throws {
    for (format, values) in [
      (ImageFormat.tiff, ["compression": OptionValue.word("lzw")]), (.png, [:]), (.webP, [:]), (.qoi, [:]),
    ] {
      var writing = EncodeOptions()
      writing.values = values
      let file = try Self.registry.encode(try Self.noise(Size(width: 600, height: 900)), as: format, options: writing)
      #expect(try Self.registry.open(.bytes(file)).partLayout() == .rows, "\(format)")
    }
    let drawing = Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#.utf8)
    #expect(try Self.registry.open(.bytes(drawing)).partLayout() == .drawn)
  }

  @Test func aPartOfAWorkersPictureIsTheSame() throws {
    let isolated = IsolationWorker.registry()
    var writing = EncodeOptions()
    writing.values = ["tile": .number(64)]
    let file = try Self.registry.encode(try Self.noise(Size(width: 300, height: 200)), as: .tiff, options: writing)
    for part in [Rect(x: 70, y: 70, width: 50, height: 40), Rect(x: 0, y: 0, width: 300, height: 8)] {
      let options = DecodeOptions(part: part)
      let (one, other) = (
        try Self.registry.decode(.bytes(file), options: options).pixels,
        try isolated.decode(.bytes(file), options: options).pixels
      )
      #expect(Self.rows(one) == Self.rows(other))
    }
    // A reader that knows no parts is stopped in the worker, too.
    let png = try Self.registry.encode(try Self.noise(Size(width: 300, height: 2000)), as: .png)
    let top = DecodeOptions(part: Rect(x: 3, y: 5, width: 200, height: 10))
    let (one, other) = (
      try Self.registry.decode(.bytes(png), options: top).pixels, try isolated.decode(.bytes(png), options: top).pixels
    )
    #expect(Self.rows(one) == Self.rows(other))
  }
}
