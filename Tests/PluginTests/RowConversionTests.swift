// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import TestSupport
import Testing

/// Converting row by row writes what converting the whole picture writes.
@Suite struct RowConversionTests {
  private static let registry = EncodingPictures.registry
  static let targets: [ImageFormat] = [.jpeg, .png, .pnm, .qoi, .bmp, .tiff]

  /// Every still of the formats whose rows come from the top, damaged ones among them.
  static let sources: [String] = ["jpeg", "png", "pnm", "qoi", "bmp", "tiff", "webp"].flatMap { format in
    Command.run("ls '\(StagedTree.fixtures(format))'/valid/* '\(StagedTree.fixtures(format))'/invalid/*").output
      .split(separator: "\n").map(String.init)
      .filter { path in ![".json", ".txt", ".md"].contains { path.hasSuffix($0) } }
  }

  /// A file as it is written, or the code of the error; and what is wrong with the picture.
  private struct Outcome: Equatable {
    var bytes: [UInt8] = []
    var error: CoderError.Code?
    var problem: CoderError.Code?
  }

  private static func outcome(_ body: () throws(CoderError) -> EncodedFile) -> Outcome {
    do throws(CoderError) { return Outcome(bytes: try body().bytes) } catch { return Outcome(error: error.code) }
  }

  private static func options(of format: ImageFormat) -> (EncodeOptions, DecodeOptions) {
    var (writing, reading) = (EncodeOptions(), DecodeOptions())
    writing.firstFrameOnly = true
    reading.firstFrameOnly = true
    // With a quality of its own no file is taken over as it is.
    if format == .jpeg { writing.quality = 0.7 }
    return (writing, reading)
  }

  @Test(arguments: targets) func theFileIsTheSame(_ format: ImageFormat) throws {
    var (compared, byRows) = (0, 0)
    for path in Self.sources {
      let (writing, reading) = Self.options(of: format)
      var (problem, expectedProblem): (CoderError.Code?, CoderError.Code?)
      var found = Self.outcome { () throws(CoderError) in
        let decoder = try Self.registry.open(.file(path), options: reading)
        if try decoder.pictureRows() != nil { byRows += 1 }
        let encoder = try Self.registry.makeEncoder(as: format, options: writing)
        try encoder.addPage(decoder) { problem = $0.code }
        return try encoder.finish()
      }
      found.problem = problem
      var expected = Self.outcome { () throws(CoderError) in
        let decoder = try Self.registry.open(.file(path), options: reading)
        let encoder = try Self.registry.makeEncoder(as: format, options: writing)
        try encoder.add(decoder) { expectedProblem = $0.code }
        return try encoder.finish()
      }
      expected.problem = expectedProblem
      #expect(found == expected, "\(path)")
      compared += 1
    }
    #expect(compared > 300 && byRows > 150, "\(byRows) of \(compared)")
  }

  /// Alpha is laid over the background, and deep samples become narrow, on the way.
  @Test func rowsAreFlattenedOnTheWay() throws {
    for layout in [
      PixelLayout(.rgba8, .straight), PixelLayout(.rgba16, .straight), PixelLayout(.grayAlpha8, .straight),
    ] {
      let pixels = try PixelBuffer(size: Size(width: 37, height: 41), format: layout.format, alpha: layout.alpha)
      var random = SplitMix(seed: 3)
      for y in 0..<41 {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<pixels.rowBytes { row[x] = UInt8(random.below(256)) }
      }
      let file = try Self.registry.encode(Image(pixels), as: .png)
      var options = EncodeOptions()
      options.background = PixelColor(red: 200, green: 30, blue: 90)
      options.quality = 0.9
      let found = try Self.registry.convert(.bytes(file), to: .jpeg, at: .memory, options: options)
      let expected = try Self.registry.encode(try Self.registry.decode(.bytes(file)), as: .jpeg, options: options)
      #expect(found.bytes == expected, "\(layout.format)")
    }
  }

  @Test func whatTheOutputSaysIsNotTakenForDamage() throws {
    let file = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 600, height: 500))), as: .png)
    var reported = false
    do throws(CoderError) {
      _ = try Self.registry.convert(.bytes(file), to: .qoi, at: .file("/dev/full/none.qoi")) { _ in reported = true }
      Issue.record("a file under a device")
    } catch {
      #expect(error.code == .io && !reported)
    }
    let cancellation = Cancellation()
    var options = EncodeOptions()
    options.cancellation = cancellation
    options.progress = { _ in cancellation.cancel() }
    #expect {
      try Self.registry.convert(.bytes(file), to: .qoi, at: .memory, options: options) { _ in reported = true }
    } throws: { ($0 as? CoderError)?.code == .cancelled }
    #expect(!reported)
  }

  /// Rows of a PNG that are kept until it is known how to store them: of few colors, of few at first, and of many.
  @Test(arguments: [0, 40, 700, 1499], [0, 1, 6, 9]) func colorsMayComeLate(_ first: Int, _ level: Int) throws {
    let size = Size(width: 1100, height: 1500)
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        let isLate = y >= first && first > 0
        row[3 * x] = UInt8(truncatingIfNeeded: isLate ? x + y : (x / 90) % 4 * 60)
        row[3 * x + 1] = UInt8(truncatingIfNeeded: isLate ? x * y / 7 : (y / 40) % 8 * 30)
        row[3 * x + 2] = UInt8(truncatingIfNeeded: isLate ? x / 5 : 9)
      }
    }
    let source = try Self.registry.encode(Image(pixels), as: .qoi)
    var options = EncodeOptions()
    options.values = ["compression": .number(Double(level))]
    let found = try Self.registry.convert(.bytes(source), to: .png, at: .memory, options: options)
    let image = try Self.registry.decode(.bytes(found.bytes))
    for y in 0..<size.height {
      let isSame = image.pixels.withRow(y) { found in pixels.withRow(y) { found.elementsEqual($0) } }
      #expect(isSame, "row \(y)")
    }
    // Few colors all the way are a palette, as of a picture that is there whole.
    let whole = try Self.registry.encode(try Self.registry.decode(.bytes(source)), as: .png, options: options)
    #expect(found.bytes[25] == whole[25] && found.bytes[25] == (first == 0 ? 3 : 2))
    #expect(first > 0 || found.bytes == whole)
  }

  private static let waysOfTIFF: [[String: OptionValue]] = [
    [:], ["tile": 128], ["compression": "none"], ["compression": "jpeg"],
  ]

  /// More strips or tiles than are compressed at a time, the last of them cut.
  @Test(arguments: waysOfTIFF)
  func stripsAndTilesAreTheSame(_ values: [String: OptionValue]) throws {
    let size = Size(width: 1333, height: 1999)
    let source = try Self.registry.encode(Image(try EncodingPictures.photo(size)), as: .qoi)
    var options = EncodeOptions()
    options.values = values
    let found = try Self.registry.convert(.bytes(source), to: .tiff, at: .memory, options: options)
    let whole = try Self.registry.encode(try Self.registry.decode(.bytes(source)), as: .tiff, options: options)
    #expect(found.bytes == whole)
  }

  /// A picture of 48 megapixels, which has 144 MB, goes through a process of a few.
  @Test func thePictureIsNeverInMemory() throws {
    let folder = TemporaryFolder()
    let source = "\(folder.path)/large.ppm"
    #expect(Command.run("{ printf 'P6 8000 6000 255\\n'; seq 99999999 | head -c 144000000; } >'\(source)'").status == 0)
    for target in ["jpg", "qoi", "png", "tif"] {
      let run = Command.run(
        "CODERS_PLUGIN_PATH='\(StagedTree.plugins)' python3 -c 'import resource, subprocess, sys; "
          + "subprocess.run(sys.argv[1:], check=True); "
          + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "
          + "'\(StagedTree.root)/build/bin/coders' convert --quiet '\(source)' '\(folder.path)/small.\(target)'")
      let kilobytes = Int(run.output.split(separator: "\n").last ?? "") ?? .max
      #expect(run.status == 0 && kilobytes < 48_000, "\(target): \(run.output)")
    }
  }
}
